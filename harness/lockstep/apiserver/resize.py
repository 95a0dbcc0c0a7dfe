"""pods/NAME/resize: new resources for an existing pod.

From pkg/registry/core/pod/strategy.go (podResizeStrategy) and pkg/apis/core/validation/validation.go
(ValidatePodResize). Pod-level resources are not changed.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.defaults import quality_of_service, shared_pod_spec
from lockstep.apiserver.intake import take_in
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.messages import Reply
from lockstep.apiserver.patch import accepted_types, decoded_patch, media_type, patched_object
from lockstep.apiserver.preconditions import check_version
from lockstep.apiserver.reading import reply_with
from lockstep.apiserver.state import Call, State
from lockstep.apiserver.strictness import declared
from lockstep.apiserver.update import check_name, store_next
from lockstep.apiserver.validation.pods import pod_spec_findings
from lockstep.wire.field import FieldError, forbidden_value, invalid_value

Object = dict[str, Any]
_GROUPS = ("containers", "initContainers")
_CHANGEABLE = ("resources", "resizePolicy")
_RESIZABLE = ("cpu", "memory")


def resize(state: State, call: Call) -> Reply:
    """PUT or PATCH. Raises ApiError 409 on an old version, 422 on a change that this endpoint does not allow."""
    stored = call.existing()
    old = stored.object
    call.before = old
    sent = call.request.body
    if call.verb == "patch":
        media = media_type(call, accepted_types(call.kind))
        patched = patched_object(old, sent, media, call.kind)
        payload = decoded_patch(lambda: _taken(declared(state, call, patched), call.kind), patched, call, media)
    else:
        payload = _taken(declared(state, call, sent), call.kind)
    check_name(call, payload["metadata"])
    check_version(call, payload["metadata"], old["metadata"])
    for admit in state.mutating_admission:
        admit(state, call, payload, old)
    spec = _without_other_changes(payload["spec"], old["spec"])
    findings = _findings(spec, old)
    if findings:
        raise errors.invalid("", "Pod", call.name, findings)
    metadata = dict(old["metadata"])
    if spec != old["spec"]:
        metadata["generation"] = metadata.get("generation", 0) + 1
    final = {**old, "metadata": metadata, "spec": shared_pod_spec(spec)}
    return reply_with(200, store_next(state, call, stored, final), call.kind)


def _taken(sent: Any, kind: Kind) -> Object:
    payload = take_in(sent, kind)
    payload["spec"] = shared_pod_spec(payload.get("spec") or {})
    return payload


def _without_other_changes(new: Object, old: Object) -> Object:
    """The new spec with the old values except for resources (dropNonResizeUpdates); unchanged if containers differ."""
    spec = dict(old)
    for group in _GROUPS:
        fresh, before = new.get(group) or [], old.get(group) or []
        if len(fresh) != len(before):
            return new
        if not before:
            continue
        spec[group] = fresh
        if all(one.get("name") == other["name"] for one, other in zip(fresh, before, strict=True)):
            spec[group] = [_resized(one, other) for one, other in zip(fresh, before, strict=True)]
    return spec


def _resized(new: Object, old: Object) -> Object:
    kept = {part: item for part, item in old.items() if part not in _CHANGEABLE}
    return {**kept, **{part: new[part] for part in _CHANGEABLE if part in new}}


def _findings(spec: Object, old: Object) -> list[FieldError]:
    """ValidatePodResize, except for pod-level resources."""
    found = list(pod_spec_findings(spec, "spec"))
    quality = (old.get("status") or {}).get("qosClass", "")
    if quality_of_service(spec) != quality:
        why = "Pod QOS Class may not change as a result of resizing"
        found.append(invalid_value("spec", quality, why))
    if not _is_supported(old):
        found.append(forbidden_value("spec", "Pod running on node without support for resize"))
    ordering = [finding for group in _GROUPS for finding in _order_findings(spec, old["spec"], group)]
    if ordering:
        return found + ordering
    for group in reversed(_GROUPS):
        found += _removals(spec, old["spec"], group)
    for fresh, before in zip(spec["containers"], old["spec"]["containers"], strict=True):
        if _fixed_part(fresh) != _fixed_part(before):
            found.append(forbidden_value("spec", "only cpu and memory resources are mutable"))
    return found + _init_findings(spec, old["spec"])


def _is_supported(pod: Object) -> bool:
    """isPodResizeRequestSupported: the kubelet reports the resources of its containers."""
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        if "running" in (status.get("state") or {}):
            return status.get("resources") is not None
    return True


def _order_findings(new: Object, old: Object, group: str) -> list[FieldError]:
    """ValidatePodResizeContainerOrdering."""
    fresh, before = new.get(group) or [], old.get(group) or []
    if len(fresh) != len(before):
        return [forbidden_value(f"spec.{group}", f"{group} may not be added or removed on resize")]
    return [
        forbidden_value(f"spec.{group}[{at}].name", f"{group} may not be renamed or reordered on resize")
        for at, (one, other) in enumerate(zip(fresh, before, strict=True))
        if one.get("name") != other["name"]
    ]


def _removals(new: Object, old: Object, group: str) -> list[FieldError]:
    """ValidateContainerResize."""
    found = []
    pairs = zip(new.get(group) or (), old.get(group) or (), strict=True)
    for at, (fresh, before) in enumerate(pairs):
        for side in ("requests", "limits"):
            has, had = ((one.get("resources") or {}).get(side) or {} for one in (fresh, before))
            if had.keys() - has.keys():
                path = f"spec.{group}[{at}].resources.{side}"
                found.append(forbidden_value(path, f"resource {side} cannot be removed"))
    return found


def _init_findings(new: Object, old: Object) -> list[FieldError]:
    found = []
    pairs = zip(new.get("initContainers") or (), old.get("initContainers") or (), strict=True)
    for at, (fresh, before) in enumerate(pairs):
        path = f"spec.initContainers[{at}]"
        if _fixed_part(fresh) != _fixed_part(before):
            why = "only cpu and memory resources for init or sidecar containers are mutable"
            found.append(forbidden_value(path, why))
        if fresh != before and fresh.get("restartPolicy") != "Always":
            why = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"
            policies = [policy["restartPolicy"] for policy in fresh.get("resizePolicy") or ()]
            found += [forbidden_value(path, why)] * policies.count("RestartContainer")
    return found


def _fixed_part(container: Object) -> Object:
    """A container without what may change (dropCPUMemoryResourcesFromContainer); its resizePolicy may not."""
    resources = {
        side: {name: amount for name, amount in amounts.items() if name not in _RESIZABLE}
        for side, amounts in (container.get("resources") or {}).items()
    }
    return {**container, "resources": {side: amounts for side, amounts in resources.items() if amounts}}
