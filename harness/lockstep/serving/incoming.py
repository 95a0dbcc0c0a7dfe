"""Turns an HTTP request into one to the API server: its query, and its body as data."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from lockstep.apiserver import Request
from lockstep.apiserver.errors import ApiError
from lockstep.apiserver.messages import Unreadable
from lockstep.apiserver.registry import Registry
from lockstep.apiserver.routing import Place
from lockstep.serving.bodies import PROTOBUF, complaints_about, parse_body
from lockstep.serving.extras import reaches_inside
from lockstep.serving.negotiation import JSON
from lockstep.serving.recognition import check_head, unrecognized

#: As kube-apiserver's MaxRequestBodyBytes.
LARGEST_BODY = 3 * 1024 * 1024
#: Methods whose bodies are objects.
_SENDING = frozenset({"POST", "PUT"})


async def body_of(http: web.Request) -> bytes:
    """The bytes of a body. Raises ApiError 413."""
    try:
        return await http.read()
    except web.HTTPRequestEntityTooLarge:
        message = f"Request entity too large: limit is {LARGEST_BODY}"
        raise ApiError(413, "RequestEntityTooLarge", message) from None


async def incoming(http: web.Request, place: Place | None, registry: Registry) -> Request:
    """A client's request to the API server. Raises ApiError 400 or 413 for a body that cannot be read."""
    raw = await body_of(http)
    content_type = http.headers.get("Content-Type", "")
    try:
        inside = place is not None and reaches_inside(place)
        body, media = (None, JSON) if inside else _content(http.method, raw, content_type)
    except ApiError as problem:
        raise unrecognized(problem, raw, place, registry) if http.method in _SENDING else problem from None
    actor = http.headers.get("User-Agent", "").partition("/")[0].strip() or "client"
    accept = http.headers.get("Accept", "")
    query = {name: http.query.getone(name) for name in http.query}  # of a name that occurs twice, the first counts
    request = Request(http.method, http.path, query, body, media, actor, accept=accept)
    request.complaints = complaints_about(raw, media)
    return request


def _content(method: str, raw: bytes, content_type: str) -> tuple[Any, str]:
    """A body as data, and its media type. Raises ApiError 400."""
    if method == "PATCH" and content_type.startswith(PROTOBUF):
        return None, PROTOBUF  # there are no patches in protobuf: the server refuses the type
    body, media = parse_body(raw, content_type)
    if isinstance(body, Unreadable):
        return body, media  # the API server reports that itself
    if media == JSON and (method in _SENDING or (method == "DELETE" and raw)):
        check_head(body, raw)
    return body, media
