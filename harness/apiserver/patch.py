"""PATCH (apiserver/pkg/endpoints/handlers/patch.go)."""

from __future__ import annotations

from typing import Any

import jsonpatch
import jsonpointer

from harness.apiserver import errors
from harness.apiserver.copies import deep_copy
from harness.apiserver.create import settle_place, store_new
from harness.apiserver.defaults import apply_defaults
from harness.apiserver.intake import take_in
from harness.apiserver.kinds import Kind
from harness.apiserver.messages import Reply
from harness.apiserver.patching.apply import applied
from harness.apiserver.patching.strategic import apply_strategic
from harness.apiserver.reading import reply_with
from harness.apiserver.state import Call, State
from harness.apiserver.strictness import check_applied, declared_after_patch, decoded
from harness.apiserver.update import check_name, replace
from harness.apiserver.versions import to_served_form, to_stored_form

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
_MOST_OPERATIONS = 10_000
_WHOLE_FIELD = {"op", "path", "value"}


def patch(state: State, call: Call) -> Reply:
    """PATCH of an object or of its status."""
    media = media_type(call, accepted_types(call.kind))
    stored = call.collection.get(call.namespace, call.name)
    if media == APPLY_PATCH:
        return _apply(state, call)
    if stored is None:
        call.existing()
        raise AssertionError("unreachable: existing() raises")
    current = to_served_form(stored.object, call.kind)
    patched = declared_after_patch(state, call, patched_object(current, call.request.body, media))
    payload = take_in(to_stored_form(patched, call.kind), call.kind, current, trusted=call.request.trusted)
    apply_defaults(payload, call.kind)
    settle_place(call, payload["metadata"])
    check_name(call, payload["metadata"])
    return reply_with(200, replace(state, call, stored, payload), call.kind)


def media_type(call: Call, accepted: list[str]) -> str:
    """The media type of a request's patch. Raises ApiError 415 if it is none of those accepted."""
    media = call.request.content_type.partition(";")[0].strip()
    if media not in accepted:
        raise errors.unsupported_media_type(accepted)
    return media


def accepted_types(kind: Kind) -> list[str]:
    """The media types of patches that a kind takes."""
    strategic = [STRATEGIC_PATCH] if kind.strategic else []
    return [JSON_PATCH, MERGE_PATCH, *strategic, APPLY_PATCH]


def patched_object(current: dict[str, Any], body: Any, media: str) -> dict[str, Any]:
    """The object after the patch; `current` is left alone. Raises ApiError 400 or 422."""
    if media == JSON_PATCH:
        return _json_patched(current, body)
    if not isinstance(body, dict):
        raise errors.bad_request(
            "error decoding patch: json: cannot unmarshal this value into Go value of type "
            "map[string]interface {}; a merge patch is a JSON object"
        )
    if media == MERGE_PATCH:
        merged = merge_patched(current, body)
        return merged if isinstance(merged, dict) else {}
    return apply_strategic(current, body)


def merge_patched(current: Any, body: Any) -> Any:
    """RFC 7386. What says nothing new leaves `current` the object that it is."""
    if not isinstance(body, dict):
        return body
    before = current if isinstance(current, dict) else {}
    result = dict(before)
    changed = before is not current
    for key, item in body.items():
        if item is None:
            changed |= key in result
            result.pop(key, None)
            continue
        old = before.get(key)
        merged = merge_patched(old, item) if isinstance(item, dict) else item
        if merged is not old:
            result[key], changed = merged, True
    return result if changed else current


def _json_patched(current: dict[str, Any], body: Any) -> dict[str, Any]:
    if not isinstance(body, list):
        raise errors.bad_request(
            "error decoding patch: json: cannot unmarshal object into Go value of type "
            "[]handlers.jsonPatchOp; a JSON patch is a list of operations"
        )
    if len(body) > _MOST_OPERATIONS:
        raise errors.ApiError(
            413,
            "RequestEntityTooLarge",
            "Request entity too large: The allowed maximum operations "
            f"in a JSON patch is {_MOST_OPERATIONS}, got {len(body)}",
        )
    whole = _with_whole_field(current, body)
    if whole is not None:
        return whole
    try:
        result = jsonpatch.JsonPatch(body).apply(deep_copy(current), in_place=True)
    except jsonpatch.InvalidJsonPatch as problem:
        raise errors.bad_request(f"invalid JSON patch: {problem}") from None
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, KeyError, TypeError):
        raise errors.unprocessable() from None
    if not isinstance(result, dict):
        raise errors.unprocessable()
    return result


def _with_whole_field(current: dict[str, Any], body: list[Any]) -> dict[str, Any] | None:
    """What most JSON patches come to: one field of the object is set, and all else stays. None for any other."""
    operation = body[0] if len(body) == 1 else None
    if type(operation) is not dict or operation.keys() != _WHOLE_FIELD:
        return None
    kind, path = operation["op"], operation["path"]
    if type(path) is not str or not path.startswith("/") or "/" in path[1:] or "~" in path:
        return None
    if kind == "add" or (kind == "replace" and path[1:] in current):
        return {**current, path[1:]: operation["value"]}
    return None


def _apply(state: State, call: Call) -> Reply:
    """Server-side apply: creates the object if it is not there."""
    check_applied(state, call)
    stored = call.collection.get(call.namespace, call.name)
    current = to_served_form(stored.object, call.kind) if stored is not None else None
    payload = take_in(decoded(state, call.kind, applied(state, call, current)), call.kind)
    settle_place(call, payload["metadata"])
    check_name(call, payload["metadata"])
    if stored is None:
        if call.subresource:
            call.existing()
        if payload["metadata"].get("uid"):
            raise call.conflict(
                f"uid mismatch: the provided object specified uid {payload['metadata']['uid']}, and no "
                "existing object was found"
            )
        return reply_with(201, store_new(state, call, payload), call.kind)
    apply_defaults(payload, call.kind)
    return reply_with(200, replace(state, call, stored, payload), call.kind)
