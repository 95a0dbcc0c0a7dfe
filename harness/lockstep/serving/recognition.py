"""Bodies without a recognisable object, with upstream's messages (apiserver/pkg/endpoints/handlers/rest.go)."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.errors import ApiError, bad_request
from lockstep.apiserver.registry import Registry
from lockstep.apiserver.routing import Place
from lockstep.wire.gojson import complaint
from lockstep.wire.metav1 import FIND_KIND

#: Bodies of another kind than the object that their path names.
_SUBRESOURCES = {"scale": "Scale", "eviction": "Eviction", "binding": "Binding", "token": "TokenRequest"}
_UNREADABLE = "couldn't get version/kind; json parse error: "
_LONGEST = 30


def check_head(content: Any, raw: bytes) -> None:
    """Raise ApiError 400 if the content is not an object, or its kind is not a string."""
    told = complaint(content, FIND_KIND) if raw else "unexpected end of JSON input"
    if told:
        raise bad_request(f"{_UNREADABLE}{told}")


def unrecognized(problem: ApiError, raw: bytes, place: Place | None, registry: Registry) -> ApiError:
    """The error for an unreadable object sent to a path; `problem` itself where no kind is known."""
    kind = registry.find(place.group, place.version, place.plural) if place is not None else None
    if place is None or kind is None:
        return problem
    wanted = _SUBRESOURCES.get(place.subresource, kind.kind)
    return bad_request(f"the object provided is unrecognized (must be of type {wanted}): {problem} ({_summary(raw)})")


def _summary(raw: bytes) -> str:
    """The beginning of a body: as text if it could be JSON, else in hexadecimal (summarizeData)."""
    if not raw:
        return "<empty>"
    begun = raw[:_LONGEST]
    shown = begun.decode(errors="replace") if raw.startswith(b"{") else begun.hex()
    return f"{shown} ..." if len(raw) > _LONGEST else shown
