"""How the actors of the world talk to the API server: directly, inside a world step."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from lockstep.apiserver import ApiServer, Reply, Request

Object = dict[str, Any]
MERGE_PATCH = "application/merge-patch+json"
_NO_QUERY: Mapping[str, str] = {}
#: Refusals that an actor expects: another writer was faster.
_OUTRUN = (404, 409)


class WorldError(RuntimeError):
    """The API server refused a write of the simulated cluster that a real one would accept."""


class Api:
    """The API server as one actor (`kubelet`, `scheduler` ...) sees it."""

    def __init__(self, server: ApiServer, actor: str) -> None:
        self.server = server
        self.actor = actor
        self.find = server.find
        self.objects = server.objects

    def get(self, path: str, query: Mapping[str, str] = _NO_QUERY) -> Reply:
        """Read. Raises WorldError if refused."""
        reply = self.server.handle(Request("GET", path, query, None, "application/json", self.actor))
        return self._checked("GET", path, reply)

    def ask(self, path: str) -> Object:
        """Read something that may be unavailable. Empty if the request is refused."""
        reply = self.server.handle(Request("GET", path, _NO_QUERY, None, "application/json", self.actor))
        return reply.body or {} if reply.status < 400 else {}

    def write(
        self,
        method: str,
        path: str,
        body: Any,
        content_type: str = "application/json",
        expected: Collection[int] = _OUTRUN,
    ) -> Reply:
        """Write. A refusal with one of the `expected` codes is returned (by default: another writer was faster); any
        other raises WorldError.
        """
        reply = self.server.handle(Request(method, path, _NO_QUERY, body, content_type, self.actor))
        if reply.status in expected:
            return reply
        return self._checked(method, path, reply)

    def submit(
        self, method: str, path: str, body: Any, answer: Callable[[Reply], None], expected: Collection[int] = (404, 409)
    ) -> None:
        """Write an object that webhooks may review. `answer` gets the reply: at once, unless a webhook has to be called
        first.
        """
        request = Request(method, path, _NO_QUERY, body, "application/json", self.actor)
        self.server.submit(
            request,
            lambda reply: answer(reply if reply.status in expected else self._checked(method, path, reply)),
        )

    def merge(self, path: str, body: Any) -> Reply:
        """Send a JSON merge patch."""
        return self.write("PATCH", path, body, MERGE_PATCH)

    def report(self, path: str, body: Any) -> Reply:
        """Send a JSON merge patch whose status was built for it, in canonical form (see `Request.trusted`)."""
        request = Request("PATCH", path, _NO_QUERY, body, MERGE_PATCH, self.actor)
        request.trusted = True
        reply = self.server.handle(request)
        return reply if reply.status in _OUTRUN else self._checked("PATCH", path, reply)

    def _checked(self, method: str, path: str, reply: Reply) -> Reply:
        if reply.status >= 400:
            message = (reply.body or {}).get("message", "")
            raise WorldError(
                f"the simulated {self.actor} could not {method} {path}: {reply.status} {message}; "
                "check the object that the scenario created, or report this as a defect of the harness"
            )
        return reply


def pod_path(pod: Object, subresource: str = "") -> str:
    """The path of a pod, or of one of its subresources."""
    meta = pod["metadata"]
    path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
    return f"{path}/{subresource}" if subresource else path
