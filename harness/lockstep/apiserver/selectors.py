"""Label and field selectors of a query."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from lockstep.apiserver.errors import bad_request
from lockstep.apiserver.events import stored_field
from lockstep.apiserver.kinds import Kind
from lockstep.wire.gotext import quote
from lockstep.wire.selector_parser import parse, parse_to_label_selector
from lockstep.wire.selectors import InvalidSelector, Selector

ObjectMatcher = Callable[[dict[str, Any]], bool]
_COMMON_FIELDS = frozenset({"metadata.name", "metadata.namespace"})
#: Kinds whose conversion of field labels has its own error message.
_OWN_WORDS = frozenset({"Job"})
#: Fields with another name in selectors.
_STORED = {"status.successful": "status.succeeded"}
#: A term of a field selector: the text between commas that are not escaped.
_TERM = re.compile(r"(?:\\.|[^\\,]|\\$)+", re.DOTALL)
_FIELD = re.compile(r"(.*?)(!=|==|=)(.*)", re.DOTALL)


def parse_labels(text: str) -> Selector:
    """The selector of a `labelSelector` query parameter. Raises ApiError 400 when it cannot be parsed."""
    try:
        return parse(text)
    except InvalidSelector as problem:
        raise bad_request(str(problem)) from None


@lru_cache(maxsize=1024)
def first_equality(text: str) -> tuple[str, str]:
    """The first `key=value` of a selector, for an index of labels; ("", "") if it has none. Raises as parse_labels."""
    equal = (one for one in parse_labels(text).requirements if one.operator in ("=", "=="))
    return next(((one.key, one.values[0]) for one in equal), ("", ""))


def label_selector(text: str) -> dict[str, Any] | None:
    """The selector as an object, None if it selects everything. Raises ApiError 400 if an object cannot express it."""
    try:
        return parse_to_label_selector(text) or None
    except InvalidSelector as problem:
        raise bad_request(str(problem)) from None


def field_value(payload: Any, path: str) -> str:
    """The value at a dotted path as field selectors see it: absent is empty, booleans are lower case."""
    for part in path.split("."):
        payload = payload.get(part) if isinstance(payload, dict) else None
        if payload is None:
            return (
                "false"
                if path in ("spec.unschedulable", "spec.hostNetwork")
                else "0"
                if path in ("status.replicas", "status.succeeded")
                else ""
            )
    if isinstance(payload, dict):
        return str(payload.get("component", ""))  # an event's source
    return str(payload).lower() if isinstance(payload, bool) else str(payload)


def _parse_fields(text: str, kind: Kind) -> list[tuple[str, bool, str]]:
    """(path, equal, value) of each term. Raises ApiError 400 (apimachinery/pkg/fields/selector.go)."""
    terms = []
    for part in sorted(_TERM.findall(text)):
        found = _FIELD.fullmatch(part)
        if found is None:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
        terms.append((found[1], found[2] != "!=", _unescaped(found[3])))
    for path, _, _ in terms:
        if path not in _COMMON_FIELDS and path not in kind.fields:
            raise bad_request(_unknown_field(path, kind))
    if kind.group == "events.k8s.io":
        return [(stored_field(path), equal, value) for path, equal, value in terms]
    return [(_STORED.get(path, path), equal, value) for path, equal, value in terms]


def _unknown_field(path: str, kind: Kind) -> str:
    if kind.kind in _OWN_WORDS:
        return f"field label {quote(path)} not supported for {kind.kind}"
    if kind.fields or not kind.strategic:
        return f"field label not supported: {path}"
    return f'{quote(path)} is not a known field selector: only "metadata.name", "metadata.namespace"'


def _unescaped(value: str) -> str:
    """UnescapeValue. Raises ApiError 400."""
    result, escaped = "", False
    for letter in value:
        if escaped and letter not in "\\,=":
            raise bad_request(f"invalid field selector: invalid escape sequence: \\{letter}")
        if not escaped and letter in ",=":
            raise bad_request(f"invalid field selector: unescaped character in value: {ord(letter)}")
        escaped = letter == "\\" and not escaped
        result += "" if escaped else letter
    if escaped:
        raise bad_request("invalid field selector: invalid escape sequence: \\")
    return result


@lru_cache(maxsize=1024)
def object_matcher(kind: Kind, label_selector: str, field_selector: str) -> ObjectMatcher | None:
    """A predicate over objects; None when everything matches. Raises ApiError 400 if a selector cannot be parsed."""
    labels = parse_labels(label_selector) if label_selector else None
    fields = _parse_fields(field_selector, kind)
    if labels is None and not fields:
        return None

    def matches(payload: dict[str, Any]) -> bool:
        for path, equal, value in fields:
            if (field_value(payload, path) == value) is not equal:
                return False
        return labels is None or labels.matches(payload["metadata"].get("labels"))

    return matches
