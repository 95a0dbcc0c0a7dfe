"""PATCH (apiserver/pkg/endpoints/handlers/patch.go)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.builtin.types import type_of
from lockstep.apiserver.create import settle_place, store_new
from lockstep.apiserver.decoding import Undecodable, check_custom_type, unpatchable
from lockstep.apiserver.defaults import apply_defaults
from lockstep.apiserver.intake import take_in
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.messages import Reply, Unreadable
from lockstep.apiserver.patching.apply import applied
from lockstep.apiserver.patching.json_patch import PatchFailed, apply_json_patch
from lockstep.apiserver.patching.strategic import apply_strategic
from lockstep.apiserver.reading import reply_with
from lockstep.apiserver.state import Call, State
from lockstep.apiserver.strictness import check_applied, declared, decoded
from lockstep.apiserver.update import check_name, replace
from lockstep.apiserver.versions import to_served_form, to_stored_form
from lockstep.wire.gojson import kind_of

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
    patched = patched_object(current, call.request.body, media, call.kind)
    if not call.kind.strategic:
        check_custom_type(patched, call.kind, call.name)

    def decode() -> dict[str, Any]:
        known = declared(state, call, patched)
        taken = take_in(to_stored_form(known, call.kind), call.kind, current, trusted=call.request.trusted)
        apply_defaults(taken, call.kind)
        return taken

    payload = decoded_patch(decode, patched, call, media)
    settle_place(call, payload["metadata"])
    check_name(call, payload["metadata"])
    return reply_with(200, replace(state, call, stored, payload), call.kind)


def decoded_patch(decode: Callable[[], dict[str, Any]], patched: Any, call: Call, media: str) -> dict[str, Any]:
    """What `decode` makes of a patched object. Raises ApiError 422 if the result is not an object of the kind."""
    try:
        return decode()
    except Undecodable as problem:
        strategic = media == STRATEGIC_PATCH
        raise unpatchable(problem, patched, call.request.body, strategic=strategic) from None


def media_type(call: Call, accepted: list[str]) -> str:
    """The media type of a request's patch. Raises ApiError 415 if it is none of those accepted."""
    media = call.request.content_type.partition(";")[0].strip()
    if media in accepted:
        return media
    if call.kind.strategic:
        raise errors.ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {})
    raise errors.unsupported_media_type(accepted)


def accepted_types(kind: Kind) -> list[str]:
    """The media types of patches that a kind takes."""
    strategic = [STRATEGIC_PATCH] if kind.strategic else []
    return [JSON_PATCH, MERGE_PATCH, *strategic, APPLY_PATCH]


def patched_object(current: dict[str, Any], body: Any, media: str, kind: Kind) -> dict[str, Any]:
    """The object after the patch; `current`, which is of this kind, is not changed. Raises ApiError 400 or 422."""
    if media == JSON_PATCH:
        return _json_patched(current, body)
    if not isinstance(body, dict):
        prefix = "error decoding patch: " if media == MERGE_PATCH else ""
        raise errors.bad_request(f"{prefix}{_no_such_value(body, 'map[string]interface {}')}")
    if media == MERGE_PATCH:
        merged = merge_patched(current, body)
        return merged if isinstance(merged, dict) else {}
    return apply_strategic(current, body, type_of(kind.api_version, kind.kind))


def merge_patched(current: Any, body: Any) -> Any:
    """RFC 7386. A patch without a change returns `current` itself."""
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
        raise errors.bad_request(f"error decoding patch: {_no_such_value(body, '[]handlers.jsonPatchOp')}")
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
        result = apply_json_patch(current, body)
    except PatchFailed:
        raise errors.unprocessable() from None
    if not isinstance(result, dict):
        raise errors.unprocessable()
    return result


def _no_such_value(body: Any, wanted: str) -> str:
    """The message of encoding/json for a body of the wrong type; None stands for an empty body."""
    if isinstance(body, Unreadable):
        return body.why
    if body is None:
        return "unexpected end of JSON input"
    return f"json: cannot unmarshal {kind_of(body)} into Go value of type {wanted}"


def _with_whole_field(current: dict[str, Any], body: list[Any]) -> dict[str, Any] | None:
    """The result of the most common JSON patches: one field is set, and all others stay. None for any other patch."""
    operation = body[0] if len(body) == 1 else None
    if type(operation) is not dict or operation.keys() != _WHOLE_FIELD:
        return None
    kind, path = operation["op"], operation["path"]
    if type(path) is not str or not path.startswith("/") or "/" in path[1:] or "~" in path:
        return None
    if kind in ("add", "replace"):
        return {**current, path[1:]: operation["value"]}
    return None


def _apply(state: State, call: Call) -> Reply:
    """Server-side apply: creates the object if it does not exist."""
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
