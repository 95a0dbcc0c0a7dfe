"""Subresources with their own behaviour: binding, resize, ephemeral containers, finalize."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.conditions import set_condition
from lockstep.apiserver.defaults import shared_pod_spec
from lockstep.apiserver.eviction import evict
from lockstep.apiserver.intake import check_part, take_in
from lockstep.apiserver.messages import Reply
from lockstep.apiserver.patch import decoded_patch, patched_object
from lockstep.apiserver.preconditions import check_version, precondition_failed
from lockstep.apiserver.reading import get, reply_with
from lockstep.apiserver.resize import resize
from lockstep.apiserver.scale import get_scale, patch_scale, put_scale
from lockstep.apiserver.state import Call, State
from lockstep.apiserver.strictness import declared
from lockstep.apiserver.tokens import request_token
from lockstep.apiserver.update import store_next
from lockstep.apiserver.validation.pods import container_findings
from lockstep.wire.field import forbidden_value, not_supported
from lockstep.wire.gotext import quote

Handler = Callable[[State, Call], Reply]
_SUCCESS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}


# -- pods -------------------------------------------------------------------------------------------------------------


def _check_binding(call: Call, wanted: dict[str, Any], old: dict[str, Any]) -> None:
    if wanted.get("uid") and wanted["uid"] != old["uid"]:
        raise call.conflict(precondition_failed(call, "UID", wanted["uid"], old["uid"]))
    if wanted.get("resourceVersion") and wanted["resourceVersion"] != old["resourceVersion"]:
        raise call.conflict()


def _bind(state: State, call: Call) -> Reply:
    """POST pods/NAME/binding: give the pod its node, once (registry/core/pod/storage BindingREST)."""
    body = call.request.body
    check_part(body, "Binding")
    metadata = body.get("metadata") or {}
    if metadata.get("name", "") != call.name:
        raise errors.bad_request("name in URL does not match name in Binding object")
    target = body.get("target") or {}
    node = target.get("name")
    if target.get("kind", "") not in ("", "Node"):
        finding = not_supported("target.kind", target["kind"], ["Node", "<empty>"])
        raise errors.ApiError(500, "", f"{finding.field}: {finding.body}")
    if not node:
        raise errors.ApiError(500, "", "target.name: Required value")
    stored = call.existing()
    old = stored.object
    call.before = old
    _check_binding(call, metadata, old["metadata"])
    problem = ""
    if old["metadata"].get("deletionTimestamp"):
        problem = f"pod {call.name} is being deleted, cannot be assigned to a host"
    elif old["spec"].get("nodeName"):
        problem = f"pod {call.name} is already assigned to node {quote(old['spec']['nodeName'])}"
    elif old["spec"].get("schedulingGates"):
        problem = f"pod {call.name} has non-empty .spec.schedulingGates"
    if problem:
        raise errors.conflict("", "pods/binding", call.name, problem)
    spec = shared_pod_spec({**old["spec"], "nodeName": node})
    # Upstream bypasses the pod's strategy here, so the generation stays.
    fresh = dict(old["metadata"])
    for part in ("annotations", "labels"):
        if metadata.get(part):
            fresh[part] = {**(fresh.get(part) or {}), **metadata[part]}
    status = {key: item for key, item in (old.get("status") or {}).items() if key != "nominatedNodeName"}
    status = set_condition(status, {"type": "PodScheduled", "status": "True"}, state.timestamp())
    store_next(state, call, stored, {**old, "metadata": fresh, "spec": spec, "status": status})
    return Reply(201, {**_SUCCESS, "code": 201})


def _containers_only(state: State, call: Call, group: str, keep: Callable[[Any, Any], Any]) -> Reply:
    """PUT or PATCH of one part of a pod's spec that an update of the pod cannot change."""
    stored = call.existing()
    old = stored.object
    call.before = old
    media = call.request.content_type.partition(";")[0].strip()
    sent = call.request.body
    if call.verb == "update":
        payload = take_in(declared(state, call, sent), call.kind)
    else:
        patched = patched_object(old, sent, media, call.kind)
        payload = decoded_patch(lambda: take_in(declared(state, call, patched), call.kind), patched, call, media)
    check_version(call, payload["metadata"], old["metadata"])
    fresh = shared_pod_spec(payload.get("spec") or {})
    kept = keep(fresh.get(group) or [], old["spec"].get(group) or [])
    spec = {**old["spec"], **({group: kept} if kept else {})}
    findings = container_findings(spec.get("containers") or [], "spec.containers")
    if findings:
        raise errors.invalid("", "Pod", call.name, findings)
    metadata = dict(old["metadata"])
    if spec != old["spec"]:
        metadata["generation"] = metadata.get("generation", 0) + 1
    final = {**old, "metadata": metadata, "spec": shared_pod_spec(spec)}
    return reply_with(200, store_next(state, call, stored, final), call.kind)


def _ephemeral(state: State, call: Call) -> Reply:
    """pods/NAME/ephemeralcontainers: containers can be added, never changed or removed."""

    def keep(new: list[dict[str, Any]], old: list[dict[str, Any]]) -> list[dict[str, Any]]:
        named = {item.get("name"): item for item in new}
        for item in old:
            what = "changed" if item["name"] in named else "removed"
            if named.get(item["name"]) != item:
                why = f"existing ephemeral containers {quote(item['name'])} may not be {what}\n"
                raise errors.invalid("", "Pod", call.name, [forbidden_value("spec.ephemeralContainers", why)])
        return new

    return _containers_only(state, call, "ephemeralContainers", keep)


# -- namespaces -------------------------------------------------------------------------------------------------------


def _finalize(state: State, call: Call) -> Reply:
    """PUT namespaces/NAME/finalize: set spec.finalizers; without any, a terminating namespace is removed."""
    payload = take_in(call.request.body, call.kind)
    stored = call.existing()
    old = stored.object
    call.before = old
    spec = {key: item for key, item in old["spec"].items() if key != "finalizers"}
    finalizers = (payload.get("spec") or {}).get("finalizers")
    if finalizers:
        spec["finalizers"] = finalizers
    fresh = {**old, "spec": spec, "metadata": dict(old["metadata"])}
    return reply_with(200, store_next(state, call, stored, fresh), call.kind)


SUBRESOURCES: dict[str, dict[str, tuple[str, Handler]]] = {
    "scale": {"GET": ("get", get_scale), "PUT": ("update", put_scale), "PATCH": ("patch", patch_scale)},
    "binding": {"POST": ("create", _bind)},
    "eviction": {"POST": ("create", evict)},
    "resize": {"GET": ("get", get), "PUT": ("update", resize), "PATCH": ("patch", resize)},
    "ephemeralcontainers": {"GET": ("get", get), "PUT": ("update", _ephemeral), "PATCH": ("patch", _ephemeral)},
    "finalize": {"PUT": ("update", _finalize)},
    "token": {"POST": ("create", request_token)},
}
