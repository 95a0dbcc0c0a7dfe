"""The API server of a served cluster: all built-in kinds and namespaces, known fields only, and a 500 for any bug."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from lockstep.apiserver import ApiServer, Reply, Request
from lockstep.apiserver.delete import check_options_kind
from lockstep.apiserver.errors import ApiError, bad_request, internal_error
from lockstep.apiserver.kinds_stored import STORED
from lockstep.apiserver.messages import Unreadable
from lockstep.apiserver.routing import parse_path
from lockstep.serving.fields import known_fields, shaped_as

_LOG = logging.getLogger("lockstep.serve")
#: Namespaces of a cluster in addition to those of every API server here.
_NAMESPACES = ("kube-node-lease", "kube-public")


#: Bodies of another kind than the object that their path names: by subresource, the version and the kind.
_BODIES = {
    "binding": ("v1", "Binding"),
    "ephemeralcontainers": ("v1", "Pod"),
    "eviction": ("policy/v1", "Eviction"),
    "finalize": ("v1", "Namespace"),
    "resize": ("v1", "Pod"),
}


class ServedApi(ApiServer):
    """An API server that survives its own bugs: the client gets a 500, the log gets the error."""

    def __init__(self, now: Callable[[], int], seed: int = 0) -> None:
        super().__init__(now, seed=seed)
        for kind in STORED:
            self.state.registry.add(kind)
        for name in _NAMESPACES:
            self.handle(Request("POST", "/api/v1/namespaces", body={"metadata": {"name": name}}))
        self.state.field_rules = known_fields

    def handle(self, request: Request) -> Reply:
        """Like that of ApiServer, but never raises."""
        try:
            request.body = _checked(request)
            return super().handle(request)
        except ApiError as problem:
            return Reply(problem.code, problem.status)
        except Exception as error:
            _LOG.exception("internal error in %s %s", request.method, request.path)
            told = internal_error(f"{type(error).__name__} in the simulated API server")
            return Reply(told.code, told.status)


def _check_name(path: str) -> None:
    """Check that a name is valid in a path (path.IsValidPathSegmentName). Raises ApiError 400."""
    place = parse_path(path)
    name = place.name if place is not None else ""
    why = f"may not be '{name}'" if name in (".", "..") else "may not contain '%'" if "%" in name else ""
    if why:
        raise bad_request(f'Name parameter invalid: "{name}": {why}')


def _checked(request: Request) -> Any:
    """The body, checked unless the API server checks its kind itself. Raises ApiError 400 for a wrong shape."""
    method, body = request.method, request.body
    _check_name(request.path)
    if not isinstance(body, dict) or method not in ("DELETE", "POST", "PUT"):
        return body
    place = parse_path(request.path)
    if place is None or (place.group and method != "DELETE"):
        return body
    if method == "DELETE":
        return _checked_options(body)
    version, kind = _BODIES.get(place.subresource, ("", ""))
    if not kind:
        return body
    try:
        return shaped_as(version, kind, body)
    except ValueError as problem:
        raise bad_request(f'{kind} in version "v1" cannot be handled as a {kind}: {problem}') from None


def _checked_options(body: Any) -> Any:
    """DeleteOptions as a decoder leaves them. Raises ApiError 400, with the message for options of any kind."""
    if isinstance(body, Unreadable):
        return body
    check_options_kind(body)
    try:
        return shaped_as("v1", "DeleteOptions", body)
    except ValueError as problem:
        raise bad_request(str(problem)) from None
