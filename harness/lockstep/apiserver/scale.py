"""The scale subresource: autoscaling/v1 Scale as a view of a workload or of a custom resource.

Built-in kinds: ScaleREST in pkg/registry/{apps/*,core/replicationcontroller}/storage/storage.go. Custom resources:
ScaleREST in apiextensions-apiserver/pkg/registry/customresource/etcd.go, with the paths from the definition.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import errors, gotypes
from lockstep.apiserver.create import settle_place
from lockstep.apiserver.decoding import undecodable
from lockstep.apiserver.gotypes import Field, Int, Struct, Text
from lockstep.apiserver.intake import take_in
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.messages import Reply
from lockstep.apiserver.nested import nested, set_nested
from lockstep.apiserver.patch import (
    JSON_PATCH,
    MERGE_PATCH,
    STRATEGIC_PATCH,
    decoded_patch,
    media_type,
    patched_object,
)
from lockstep.apiserver.preconditions import precondition_failed
from lockstep.apiserver.sharing import ByIdentity
from lockstep.apiserver.state import Call, State
from lockstep.apiserver.stored import Stored
from lockstep.apiserver.update import check_name, replace
from lockstep.apiserver.validation.metadata import metadata_findings
from lockstep.wire.field import invalid_value
from lockstep.wire.gotext import quote

Object = dict[str, Any]

_KIND = Kind("autoscaling", "v1", "Scale", "scales")
_INT32 = Int(32)
_SCALE = Struct(
    "v1.Scale",
    {
        "spec": Field(Struct("v1.ScaleSpec", {"replicas": Field(_INT32)}), always=True),
        "status": Field(
            Struct("v1.ScaleStatus", {"replicas": Field(_INT32, always=True), "selector": Field(Text())}), always=True
        ),
    },
)
_METADATA = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
_OPERATORS = {"In": "in", "NotIn": "notin"}
#: Marks, inside an update, a custom resource without a number of replicas.
_UNSET = -(2**31)


# -- from an object to its scale --------------------------------------------------------------------------------------


def selector_text(selector: Object) -> str:
    """A label selector in query form; terms sorted by key (labels.Selector.String)."""
    terms = [(key, f"{key}={value}") for key, value in (selector.get("matchLabels") or {}).items()]
    for item in selector.get("matchExpressions") or ():
        key, operator = item["key"], item["operator"]
        if operator in _OPERATORS:
            terms.append((key, f"{key} {_OPERATORS[operator]} ({','.join(sorted(item['values']))})"))
        else:
            terms.append((key, key if operator == "Exists" else f"!{key}"))
    return ",".join(text for _, text in sorted(terms, key=lambda term: term[0]))


def _scale_of_workload(payload: Object) -> Object:
    selector = payload["spec"].get("selector") or {}
    if payload["kind"] == "ReplicationController":
        selector = {"matchLabels": selector}
    replicas, current = payload["spec"].get("replicas"), (payload.get("status") or {}).get("replicas")
    return _scale(payload["metadata"], replicas or 0, current or 0, selector_text(selector))


def _scale_of_custom(payload: Object, paths: dict[str, str]) -> tuple[Object, bool]:
    """The scale, and whether the object has a number of replicas. Raises ApiError on values of other types."""
    try:
        wanted = nested(payload, paths.get("specReplicasPath", ""), "int64")
        current = nested(payload, paths.get("statusReplicasPath", ""), "int64")
        path = paths.get("labelSelectorPath")
        text = nested(payload, path, "string") if path else None
    except ValueError as problem:
        raise errors.ApiError(500, "", str(problem)) from None
    return _scale(payload["metadata"], wanted or 0, current or 0, text or ""), wanted is not None


def _scale(metadata: Object, wanted: int, current: int, selector: str) -> Object:
    shown = {name: metadata[name] for name in _METADATA if name in metadata}
    body = {"spec": {"replicas": wanted}, "status": {"replicas": current, "selector": selector}}
    return {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": shown, **_SCALE.emit(body)}


#: The scale of a version of a workload, cached because autoscalers read it often.
_reply_for_workload = ByIdentity(lambda payload: Reply(200, _scale_of_workload(payload)))


def _reply(kind: Kind, payload: Object) -> Reply:
    if kind.strategic:
        return _reply_for_workload(payload)
    return Reply(200, _scale_of_custom(payload, kind.scale_paths)[0])


def get_scale(state: State, call: Call) -> Reply:
    """GET. A custom resource without a number of replicas has no scale."""
    payload, kind = call.existing().object, call.kind
    if kind.strategic:
        return _reply_for_workload(payload)
    scale, known = _scale_of_custom(payload, kind.scale_paths)
    if not known:
        path = quote(kind.scale_paths.get("specReplicasPath", ""))
        raise errors.internal_error(f"the spec replicas field {path} does not exist")
    return Reply(200, scale)


# -- and back ---------------------------------------------------------------------------------------------------------


def put_scale(state: State, call: Call) -> Reply:
    """PUT. A uid in the body is a precondition of the storage."""
    scale = _decoded(call, call.request.body)
    stored = call.existing()
    uid, recorded = scale["metadata"].get("uid"), stored.object["metadata"]["uid"]
    if uid and uid != recorded:
        call.before = stored.object
        raise call.conflict(precondition_failed(call, "UID", uid, recorded))
    return _set_scale(state, call, stored, scale)


def patch_scale(state: State, call: Call) -> Reply:
    """PATCH of the scale as it is now."""
    strategic = [STRATEGIC_PATCH] if call.kind.strategic else []
    media = media_type(call, [JSON_PATCH, MERGE_PATCH, *strategic])
    stored = call.existing()
    if call.kind.strategic:
        current = _scale_of_workload(stored.object)
    else:
        current, known = _scale_of_custom(stored.object, call.kind.scale_paths)
        current = current if known else {**current, "spec": {"replicas": _UNSET}}
    patched = patched_object(current, call.request.body, media, _KIND)
    return _set_scale(state, call, stored, decoded_patch(lambda: _decoded(call, patched), patched, call, media))


def _decoded(call: Call, body: Any) -> Object:
    scale = take_in(body, _KIND)
    try:
        scale.update(gotypes.decode({key: scale[key] for key in ("spec", "status") if key in scale}, _SCALE))
    except ValueError as problem:
        raise undecodable(_KIND, str(problem)) from None
    settle_place(call, scale["metadata"])
    check_name(call, scale["metadata"])
    return scale


def _set_scale(state: State, call: Call, stored: Stored, scale: Object) -> Reply:
    call.before = old = stored.object
    wanted, metadata = scale.get("spec", {}).get("replicas", 0), scale["metadata"]
    if call.kind.strategic:
        _judge(call, wanted, metadata, old["metadata"]["uid"])
        payload = {**old, "spec": {**old["spec"], "replicas": wanted}}
    else:
        payload = _with_replicas(old, call.kind.scale_paths["specReplicasPath"], wanted)
    version = metadata.get("resourceVersion") or old["metadata"]["resourceVersion"]
    payload["metadata"] = {**old["metadata"], "resourceVersion": version}
    return _reply(call.kind, replace(state, call, stored, payload).object)


def _judge(call: Call, wanted: int, metadata: Object, uid: str) -> None:
    """ValidateScale, and the precondition that the storage does not check for a patch."""
    findings = metadata_findings(metadata, _KIND)
    if wanted < 0:
        findings.append(invalid_value("spec.replicas", wanted, "must be greater than or equal to 0"))
    if findings:
        raise errors.invalid("autoscaling", "Scale", call.name, findings)
    if metadata.get("uid", uid) != uid:
        why = f"Precondition failed: UID in precondition: {metadata['uid']}, UID in object meta: {uid}"
        raise errors.conflict(call.kind.group, f"{call.kind.plural}/scale", call.name, why)


def _with_replicas(payload: Object, path: str, wanted: int) -> Object:
    if wanted == _UNSET:
        raise errors.bad_request(f"the spec replicas field {quote(path)} cannot be empty")
    try:
        return set_nested(payload, path, wanted)
    except ValueError as problem:
        raise errors.ApiError(500, "", str(problem)) from None
