"""Label and field selectors of a query.

Grammar as in apimachinery/pkg/labels/selector.go: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`,
`a>1`, `a<1`, joined by commas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from harness.apiserver.errors import bad_request
from harness.apiserver.events import stored_field
from harness.apiserver.kinds import Kind
from harness.selectors import Matcher, conjunction, requirement

ObjectMatcher = Callable[[dict[str, Any]], bool]
_NO_LABELS: Mapping[str, str] = {}

_REQUIREMENT = re.compile(
    r"\s*(?P<not>!)?\s*(?P<key>[A-Za-z0-9][-A-Za-z0-9_./]*)\s*"
    r"(?:(?P<set>in|notin)\s*\((?P<values>[^()]*)\)|(?P<op>==|!=|=|>|<)\s*(?P<value>[-A-Za-z0-9_.]*))?\s*(?:,|$)"
)


@lru_cache(maxsize=1024)
def parse_labels(text: str) -> Matcher:
    """The matcher of a `labelSelector` query parameter. Raises ApiError 400 when it cannot be parsed."""
    return conjunction([_term(found) for found in _requirements(text)])


@lru_cache(maxsize=1024)
def first_equality(text: str) -> tuple[str, str]:
    """The first `key=value` of a selector, for an index of labels; ("", "") if it has none. Raises as parse_labels."""
    equal = (found for found in _requirements(text) if found["op"] in ("=", "=="))
    return next(((found["key"], found["value"]) for found in equal), ("", ""))


def label_selector(text: str) -> dict[str, Any] | None:
    """The selector as an object, None if it selects everything (metav1.ParseToLabelSelector).

    Raises as `parse_labels`.
    """
    equal: dict[str, str] = {}
    others: list[dict[str, Any]] = []
    for found in _requirements(text):
        if found["op"] in ("=", "=="):
            equal[found["key"]] = found["value"]
        elif found["set"]:
            values = [value.strip() for value in found["values"].split(",")]
            operator = "In" if found["set"] == "in" else "NotIn"
            others.append({"key": found["key"], "operator": operator, "values": values})
        elif found["op"] == "!=":
            others.append({"key": found["key"], "operator": "NotIn", "values": [found["value"]]})
        elif found["op"]:
            raise bad_request(f'"{found["op"]}" is not a valid label selector operator')
        else:
            others.append({"key": found["key"], "operator": "DoesNotExist" if found["not"] else "Exists"})
    selector = {"matchLabels": equal, "matchExpressions": others}
    return {field: terms for field, terms in selector.items() if terms} or None


def _requirements(text: str) -> Iterator[re.Match[str]]:
    position = 0
    while position < len(text):
        found = _REQUIREMENT.match(text, position)
        if found is None or (found["not"] and (found["set"] or found["op"])):
            raise bad_request(
                f"unable to parse requirement: found {text[position:]!r}, expected a label requirement "
                "such as key, !key, key=value or key in (a,b)"
            )
        yield found
        position = found.end()


def _term(found: re.Match[str]) -> Matcher:
    key = found["key"]
    if found["set"]:
        values = tuple(value.strip() for value in found["values"].split(","))
        return requirement(key, "In" if found["set"] == "in" else "NotIn", values)
    if found["op"]:
        operator = {"=": "In", "==": "In", "!=": "NotIn", ">": "Gt", "<": "Lt"}[found["op"]]
        if operator in ("Gt", "Lt") and not re.fullmatch(r"-?[0-9]+", found["value"]):
            raise bad_request(
                "unable to parse requirement: values[0][" + key + "]: Invalid value: "
                f"\"{found['value']}\": for 'Gt', 'Lt' operators, the value must be an integer"
            )
        return requirement(key, operator, (found["value"],))
    return requirement(key, "DoesNotExist" if found["not"] else "Exists", ())


def field_value(payload: Any, path: str) -> str:
    """The value at a dotted path as field selectors see it: absent is empty, booleans are lower case."""
    for part in path.split("."):
        payload = payload.get(part) if isinstance(payload, dict) else None
        if payload is None:
            return (
                "false"
                if path in ("spec.unschedulable", "spec.hostNetwork")
                else "0"
                if path == "status.replicas"
                else ""
            )
    if isinstance(payload, dict):
        return str(payload.get("component", ""))  # an event's source
    return str(payload).lower() if isinstance(payload, bool) else str(payload)


def _parse_fields(text: str, kind: Kind) -> list[tuple[str, bool, str]]:
    terms = []
    for part in text.split(","):
        if not part:
            continue
        found = re.fullmatch(r"\s*([^=!]+?)\s*(==|!=|=)(.*)", part)
        if found is None:
            raise bad_request(f"invalid selector: '{part}'; can't understand '{part}'")
        path = found[1]
        if path not in ("metadata.name", "metadata.namespace") and path not in kind.fields:
            if kind.fields:
                raise bad_request(f"field label not supported: {path}")
            raise bad_request(f'"{path}" is not a known field selector: only "metadata.name", "metadata.namespace"')
        path = stored_field(path) if kind.group == "events.k8s.io" else path
        terms.append((path, found[2] != "!=", found[3].strip()))
    return terms


@lru_cache(maxsize=1024)
def object_matcher(kind: Kind, label_selector: str, field_selector: str) -> ObjectMatcher | None:
    """A predicate over objects; None when everything matches. Raises ApiError 400 on what it cannot parse."""
    labels = parse_labels(label_selector) if label_selector.strip() else None
    fields = _parse_fields(field_selector, kind)
    if labels is None and not fields:
        return None

    def matches(payload: dict[str, Any]) -> bool:
        for path, equal, value in fields:
            if (field_value(payload, path) == value) is not equal:
                return False
        return labels is None or labels(payload["metadata"].get("labels") or _NO_LABELS)

    return matches
