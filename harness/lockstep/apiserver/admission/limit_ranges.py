"""LimitRanger: defaults and limits for the requests and limits of containers and pods.

From plugin/pkg/admission/limitranger/admission.go.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.admission.limits import pod_resources, violations
from lockstep.apiserver.defaults import shared_pod_spec
from lockstep.apiserver.state import Call, State

_GROUPS = ("containers", "initContainers")


def _ranges(state: State, namespace: str) -> list[dict[str, Any]]:
    collection = state.collections.get("limitranges")
    if collection is None or not collection.items:
        return []
    return [item.object for item in collection.namespaces.get(namespace, {}).values()]


def mutate(state: State, call: Call, payload: dict[str, Any], old: dict[str, Any] | None) -> None:
    """Fill in missing requests and limits of a new pod's containers, and note that in an annotation."""
    if not _concerns(call, old):
        return
    for limit_range in _ranges(state, call.namespace):
        _fill(call, payload, limit_range)


def _fill(call: Call, payload: dict[str, Any], limit_range: dict[str, Any]) -> None:
    limits: dict[str, Any] = {}
    requests: dict[str, Any] = {}
    for item in limit_range["spec"].get("limits") or ():
        if item.get("type") != "Container":
            continue
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
    """Refuse a pod that requests less than a minimum or more than a maximum. Raises ApiError 403."""
    if not _concerns(call, old):
        return
    for limit_range in _ranges(state, call.namespace):
        problems: list[str] = []
        for item in limit_range["spec"].get("limits") or ():
            problems += _problems(item, payload["spec"])
        if problems:
            distinct = list(dict.fromkeys(problems))
            text = distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"
            raise call.forbidden(payload["metadata"]["name"], text)


def _concerns(call: Call, old: dict[str, Any] | None) -> bool:
    """SupportsAttributes: pods that are created or resized, unless they are being deleted."""
    if call.kind.kind != "Pod" or call.kind.group:
        return False
    if old is None:
        return True
    return call.subresource == "resize" and "deletionTimestamp" not in old["metadata"]


def _problems(item: dict[str, Any], spec: dict[str, Any]) -> list[str]:
    """PodValidateLimitFunc for one item."""
    if item.get("type") == "Pod":
        return violations(item, pod_resources(spec))
    if item.get("type") != "Container":
        return []
    containers = [container for group in _GROUPS for container in spec.get(group) or ()]
    return [text for container in containers for text in violations(item, container.get("resources") or {})]
