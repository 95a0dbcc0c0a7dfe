"""Bodies in which no object can be recognised, in upstream's words (apiserver/pkg/endpoints/handlers/rest.go)."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.errors import ApiError, bad_request
from lockstep.apiserver.registry import Registry
from lockstep.apiserver.routing import Place
from lockstep.wire.gojson import kind_of

#: What stands in a body that is not the object that its path names.
_SUBRESOURCES = {"scale": "Scale", "eviction": "Eviction", "binding": "Binding", "token": "TokenRequest"}
#: The struct into which Go reads the head of every object.
_HEAD = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
_UNREADABLE = "couldn't get version/kind; json parse error: "
_LONGEST = 30


def check_head(content: Any, raw: bytes) -> None:
    """Raise ApiError 400 if what was read is no object, or its kind is no text."""
    if not raw:
        raise bad_request(f"{_UNREADABLE}unexpected end of JSON input")
    if not isinstance(content, dict):
        raise bad_request(f"{_UNREADABLE}json: cannot unmarshal {kind_of(content)} into Go value of type {_HEAD}")
    for field in ("apiVersion", "kind"):
        sent = content.get(field)
        if sent is not None and not isinstance(sent, str):
            told = f"json: cannot unmarshal {kind_of(sent)} into Go struct field .{field} of type string"
            raise bad_request(f"{_UNREADABLE}{told}")


def unrecognized(problem: ApiError, raw: bytes, place: Place | None, registry: Registry) -> ApiError:
    """The error for an object that is sent to a place and cannot be read; `problem` itself where no kind is known."""
    kind = registry.find(place.group, place.version, place.plural) if place is not None else None
    if place is None or kind is None:
        return problem
    wanted = _SUBRESOURCES.get(place.subresource, kind.kind)
    return bad_request(f"the object provided is unrecognized (must be of type {wanted}): {problem} ({_summary(raw)})")


def _summary(raw: bytes) -> str:
    """The beginning of a body: as it is if it could be JSON, else in hexadecimal (summarizeData)."""
    if not raw:
        return "<empty>"
    begun = raw[:_LONGEST]
    shown = begun.decode(errors="replace") if raw.startswith(b"{") else begun.hex()
    return f"{shown} ..." if len(raw) > _LONGEST else shown
