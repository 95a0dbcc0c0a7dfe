"""The REST client (client-go rest/request.go, rest/with_retry.go, gentype/type.go).

A reply 429 or 5xx that carries `Retry-After: n` is repeated after n seconds, at most 10 times, whatever the method. A
broken connection is repeated after one second, for reads and watches only.

With a `Throttle`, every request and every repetition waits for a token first; a watch, only when it is repeated.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lockstep_reference.machinery.errors import (
    ApiError,
    from_response,
    has_status_cause,
    is_already_exists,
    is_conflict,
    is_forbidden,
    is_invalid,
    is_not_found,
    is_timeout,
)
from lockstep_reference.machinery.throttle import Throttle
from lockstep_reference.machinery.transport import Response, Transport, WatchStream

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ApiError",
    "Client",
    "EndedStream",
    "ResourceClient",
    "has_status_cause",
    "is_already_exists",
    "is_conflict",
    "is_forbidden",
    "is_invalid",
    "is_not_found",
    "is_timeout",
]

MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json"
_MAX_RETRIES = 10
_TOO_MANY_REQUESTS = 429
_BROKEN_CONNECTION_WAIT = 1.0  # seconds


class EndedStream:
    """A watch without events that has ended: the result of a watch whose connection keeps breaking."""

    async def next(self) -> tuple[str, Any] | None:
        """The end of the stream."""
        return None

    def close(self) -> None:
        """Nothing to close."""


class Client:
    """A client of one API server, rate-limited by `throttle` if there is one."""

    def __init__(self, transport: Transport, throttle: Throttle | None = None, deadline: int | None = None) -> None:
        self._transport = transport
        self._throttle = throttle
        self._deadline = deadline

    def sibling(self) -> Client:
        """A client with the same limit and separate tokens, as if upstream made two clients from one configuration."""
        return Client(self._transport, self._throttle and self._throttle.sibling())

    def until(self, deadline: int) -> Client:
        """This client, with the same tokens. A request whose token would come too late raises TimeoutError instead."""
        return Client(self._transport, self._throttle, deadline)

    def resource(self, plural: str, group_version: str = "v1") -> ResourceClient:
        """The client of one kind of object: `resource("replicasets", "apps/v1")`."""
        return ResourceClient(self, plural, group_version)

    async def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "",
    ) -> Response:
        """The final reply, after retries (rest/request.go, Request.request). Raises ConnectionError."""
        retries = 0
        while True:
            await self._take_token()
            try:
                response = await self._transport.request(method, path, query, body, content_type, accept)
            except ConnectionRefusedError:
                raise
            except ConnectionError:
                if method != "GET" or retries >= _MAX_RETRIES:
                    raise
                wait: float | None = _BROKEN_CONNECTION_WAIT
            else:
                wait = _retry_after(response) if response.status >= _TOO_MANY_REQUESTS else None
                if wait is None or retries >= _MAX_RETRIES:
                    return response
            retries += 1
            if wait:
                await asyncio.sleep(wait)

    async def watch(self, path: str, query: Mapping[str, str]) -> WatchStream | Response:
        """An open stream or the final refusal (rest/request.go, Request.Watch). Raises ConnectionRefusedError."""
        retries = 0
        while True:
            wait: float | None
            result: WatchStream | Response
            try:
                result = await self._transport.watch(path, query)
                if not isinstance(result, Response):
                    return result
                wait = _retry_after(result)
            except ConnectionRefusedError:
                raise
            except ConnectionError:
                result, wait = EndedStream(), _BROKEN_CONNECTION_WAIT
            if wait is None or retries >= _MAX_RETRIES:
                return result
            retries += 1
            if wait:
                await asyncio.sleep(wait)
            await self._take_token()

    async def _take_token(self) -> None:
        if self._throttle is not None:
            await self._throttle.wait(self._deadline)


def _retry_after(response: Response) -> float | None:
    """Seconds after which the server asks to repeat the request; None if it does not (with_retry.go, checkWait)."""
    if response.status != _TOO_MANY_REQUESTS and response.status < 500:
        return None
    text = response.headers.get("Retry-After") or response.headers.get("retry-after") or ""
    digits = text[1:] if text[:1] in ("+", "-") else text
    return max(float(text), 0.0) if digits.isascii() and digits.isdigit() else None


class ResourceClient:
    """Requests for one kind of object. Every method raises ApiError if refused and ConnectionError if interrupted."""

    def __init__(self, client: Client, plural: str, group_version: str) -> None:
        self.client = client
        self.plural = plural
        self.group_version = group_version
        group = group_version.rpartition("/")[0]
        #: `plural[.group]`, as messages name it.
        self.name = f"{plural}.{group}" if group else plural
        self._prefix = f"/apis/{group_version}" if group else f"/api/{group_version}"

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """The URL path of the collection, of one object, or of its subresource."""
        path = f"{self._prefix}/namespaces/{namespace}/{self.plural}" if namespace else f"{self._prefix}/{self.plural}"
        if name:
            path = f"{path}/{name}"
        return f"{path}/{subresource}" if subresource else path

    async def get(self, namespace: str, name: str) -> dict[str, Any]:
        """The current object."""
        return await self._do("GET", namespace, name)

    async def list(self, namespace: str = "", query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The whole List object, as the server sent it."""
        return await self._do("GET", namespace, query=query)

    async def watch(self, query: Mapping[str, str], namespace: str = "") -> WatchStream:
        """An open stream; `watch=true` is added."""
        path = self.path(namespace)
        result = await self.client.watch(path, {**query, "watch": "true"})
        if isinstance(result, Response):
            raise from_response(result, "GET", self.name, "")
        return result

    async def create(self, namespace: str, obj: dict[str, Any]) -> dict[str, Any]:
        """Create the object; `namespace` is "" for cluster-scoped kinds. Returns the stored object."""
        return await self._do("POST", namespace, body=obj)

    async def create_subresource(
        self, namespace: str, name: str, subresource: str, obj: dict[str, Any]
    ) -> dict[str, Any]:
        """Post to a subresource of the object, such as `eviction`. Returns the server's answer."""
        return await self._do("POST", namespace, name, subresource, body=obj)

    async def update(self, namespace: str, obj: dict[str, Any]) -> dict[str, Any]:
        """Replace the object, all but its status."""
        return await self._do("PUT", namespace, obj["metadata"]["name"], body=obj)

    async def update_status(self, namespace: str, obj: dict[str, Any]) -> dict[str, Any]:
        """Replace the status of the object, and nothing else."""
        return await self._do("PUT", namespace, obj["metadata"]["name"], "status", body=obj)

    async def patch(
        self, namespace: str, name: str, patch: Any, content_type: str = STRATEGIC_MERGE_PATCH, subresource: str = ""
    ) -> dict[str, Any]:
        """Change the object as `patch` says, in the format that `content_type` names."""
        return await self._do("PATCH", namespace, name, subresource, body=patch, content_type=content_type)

    async def delete(self, namespace: str, name: str, options: dict[str, Any] | None = None) -> dict[str, Any]:
        """`options` are the fields of DeleteOptions, such as `preconditions` and `propagationPolicy`."""
        body = {"kind": "DeleteOptions", "apiVersion": self.group_version, **(options or {})}
        return await self._do("DELETE", namespace, name, body=body)

    async def _do(
        self,
        method: str,
        namespace: str,
        name: str = "",
        subresource: str = "",
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
    ) -> dict[str, Any]:
        path = self.path(namespace, name, subresource)
        response = await self.client.request(method, path, query, body, content_type)
        if not response.succeeded:
            raise from_response(response, method, self.name, name)
        reply: dict[str, Any] = response.body
        return reply
