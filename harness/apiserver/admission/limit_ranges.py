"""LimitRanger: defaults for, and limits on, what containers and pods ask for.

From plugin/pkg/admission/limitranger/admission.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from harness.apiserver.defaults import shared_pod_spec
from harness.apiserver.quantity import parse, spell
from harness.apiserver.state import Call, State

_GROUPS = ("containers", "initContainers")


def _ranges(state: State, namespace: str) -> list[dict[str, Any]]:
    collection = state.collections.get("limitranges")
    return [item.object for item in collection.namespaces.get(namespace, {}).values()] if collection else []


def _items(limit_range: dict[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    return (item for item in limit_range["spec"].get("limits") or () if item.get("type") == kind)


def mutate(state: State, call: Call, payload: dict[str, Any], old: dict[str, Any] | None) -> None:
    """Fill in missing requests and limits of a new pod's containers, and say so in an annotation."""
    if call.kind.kind != "Pod" or call.kind.group or old is not None:
        return
    for limit_range in _ranges(state, call.namespace):
        _fill(call, payload, limit_range)


def _fill(call: Call, payload: dict[str, Any], limit_range: dict[str, Any]) -> None:
    limits: dict[str, Any] = {}
    requests: dict[str, Any] = {}
    for item in _items(limit_range, "Container"):
        limits |= item.get("default") or {}
        requests |= item.get("defaultRequest") or {}
    spec, notes = dict(payload["spec"]), []
    for group in _GROUPS:
        if group not in spec:
            continue
        filled = []
        for container in spec[group]:
            resources = dict(container.get("resources") or {})
            word = "container" if group == "containers" else "init container"
            for side, defaults, noun in (("requests", requests, "request"), ("limits", limits, "limit")):
                have = resources.get(side) or {}
                missing = {name: amount for name, amount in defaults.items() if name not in have}
                if missing:
                    resources[side] = {**have, **missing}
                    notes.append(f"{', '.join(sorted(missing))} {noun} for {word} {container.get('name', '')}")
            filled.append({**container, "resources": resources})
        spec[group] = filled
    if notes:
        payload["spec"] = shared_pod_spec(spec)
        metadata = payload["metadata"]
        metadata["annotations"] = {
            **(metadata.get("annotations") or {}),
            "kubernetes.io/limit-ranger": "LimitRanger plugin set: " + "; ".join(notes),
        }


def validate(state: State, call: Call, payload: dict[str, Any], old: dict[str, Any] | None) -> None:
    """Refuse a pod that asks for less than a minimum or more than a maximum. Raises ApiError 403."""
    if call.kind.kind != "Pod" or call.kind.group or call.subresource not in ("", "resize"):
        return
    if old is not None and old["spec"] == payload["spec"]:
        return
    for limit_range in _ranges(state, call.namespace):
        problems: list[str] = []
        for item in _items(limit_range, "Container"):
            for group in _GROUPS:
                for container in payload["spec"].get(group) or ():
                    problems += _violations(item, container.get("resources") or {}, "Container")
        for item in _items(limit_range, "Pod"):
            problems += _violations(item, _totals(payload["spec"]), "Pod")
        if problems:
            text = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
            raise call.forbidden(payload["metadata"]["name"], text)


def _totals(spec: dict[str, Any]) -> dict[str, dict[str, str]]:
    totals: dict[str, dict[str, str]] = {}
    for side in ("requests", "limits"):
        summed: dict[str, tuple[Fraction, str]] = {}
        for container in spec.get("containers") or ():
            for name, amount in ((container.get("resources") or {}).get(side) or {}).items():
                summed[name] = (summed.get(name, (Fraction(0), ""))[0] + parse(amount), amount)
        totals[side] = {name: spell(value, like) for name, (value, like) in summed.items()}
    return totals


def _violations(item: dict[str, Any], resources: dict[str, Any], kind: str) -> list[str]:
    """minConstraint, maxConstraint and limitRequestRatioConstraint."""
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    found = []
    for name, bound in (item.get("min") or {}).items():
        asked, limit = requests.get(name), limits.get(name)
        if asked is None:
            found.append(f"minimum {name} usage per {kind} is {bound}.  No request is specified")
        elif parse(asked) < parse(bound):
            found.append(f"minimum {name} usage per {kind} is {bound}, but request is {asked}")
        elif limit is not None and parse(limit) < parse(bound):
            found.append(f"minimum {name} usage per {kind} is {bound}, but limit is {limit}")
    for name, bound in (item.get("max") or {}).items():
        asked, limit = requests.get(name), limits.get(name)
        if limit is None:
            found.append(f"maximum {name} usage per {kind} is {bound}.  No limit is specified")
        elif parse(limit) > parse(bound):
            found.append(f"maximum {name} usage per {kind} is {bound}, but limit is {limit}")
        elif asked is not None and parse(asked) > parse(bound):
            found.append(f"maximum {name} usage per {kind} is {bound}, but request is {asked}")
    for name, bound in (item.get("maxLimitRequestRatio") or {}).items():
        asked, limit = requests.get(name), limits.get(name)
        if asked is None or limit is None or parse(asked) == 0:
            found.append(
                f"{name} max limit to request ratio per {kind} is {bound}, but no request is specified or request is 0"
            )
        elif parse(limit) / parse(asked) > parse(bound):
            ratio = float(parse(limit) / parse(asked))
            found.append(f"{name} max limit to request ratio per {kind} is {bound}, but provided ratio is {ratio:f}")
    return found
