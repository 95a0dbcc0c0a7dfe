"""A server small enough to see through: collections, watches and scripted answers on a virtual loop."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from typing import TYPE_CHECKING, Any

from lockstep.time.loop import VirtualLoop, run
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.transport import Response

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping


class LoopClock:
    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def now(self) -> int:
        return self._loop.now


class Stream:
    """An open watch of the fake server."""

    def __init__(self) -> None:
        self.events: deque[tuple[str, Any] | Exception | None] = deque()
        self.closed = False
        self._ready = asyncio.Event()

    def send(self, event: tuple[str, Any] | Exception | None) -> None:
        self.events.append(event)
        self._ready.set()

    async def next(self) -> tuple[str, Any] | None:
        while not self.events:
            self._ready.clear()
            await self._ready.wait()
        event = self.events.popleft()
        if isinstance(event, Exception):
            raise event
        return event

    def close(self) -> None:
        self.closed = True


def status(code: int, reason: str, message: str = "", causes: list[dict[str, str]] | None = None) -> Response:
    body: dict[str, Any] = {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}
    if causes:
        body["details"] = {"causes": causes}
    return Response(code, body)


def pod(name: str, version: int = 0, **metadata: Any) -> dict[str, Any]:
    full = {"name": name, "namespace": "default", "uid": f"uid-{name}", **metadata}
    if version:
        full["resourceVersion"] = str(version)
    return {"kind": "Pod", "apiVersion": "v1", "metadata": full}


class FakeServer:
    """One collection of pods; everything else is answered by `script`, or 404.

    `requests` holds (seconds, method, path, query, body) of everything that arrived.
    """

    def __init__(self, loop: VirtualLoop) -> None:
        self.loop = loop
        self.clock = LoopClock(loop)
        self.client = Client(self)
        self.version = 10
        self.pods: dict[str, dict[str, Any]] = {}
        self.streams: list[Stream] = []
        self.requests: list[tuple[float, str, str, dict[str, str], Any]] = []
        #: Answers a request before anything else does, unless it returns None.
        self.script: Callable[[str, str, dict[str, str], Any], Response | Exception | None] = lambda *_: None
        self._pending: deque[tuple[asyncio.Future[Any], tuple[str, str, dict[str, str], Any]]] = deque()
        loop.serve_request = self._serve

    # -- transport -----------------------------------------------------------------------------------------------------

    async def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "",
    ) -> Response:
        answer: Response = await self._submit(method, path, dict(query or {}), body)
        return answer

    async def watch(self, path: str, query: Mapping[str, str]) -> Stream | Response:
        answer: Stream | Response = await self._submit("WATCH", path, dict(query), None)
        return answer

    async def _submit(self, *request: Any) -> Any:
        future: asyncio.Future[Any] = self.loop.create_future()
        self._pending.append((future, request))
        return await future

    def _serve(self) -> bool:
        if not self._pending:
            return False
        future, (method, path, query, body) = self._pending.popleft()
        self.requests.append((self.loop.time(), method, path, query, body))
        if future.cancelled():
            return True
        answer = self.script(method, path, query, body)
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer or self._answer(method, path, query))
        return True

    def _answer(self, method: str, path: str, query: dict[str, str]) -> Response | Stream:
        if path != "/api/v1/pods":
            return status(404, "NotFound", f"{path} not found")
        if method == "GET":
            items = [{"metadata": obj["metadata"]} for obj in self.pods.values()]
            return Response(200, {**self._list_meta(), "items": items})
        stream = Stream()
        self.streams.append(stream)
        if query.get("sendInitialEvents") == "true":
            for obj in self.pods.values():
                stream.send(("ADDED", obj))
            stream.send(("BOOKMARK", self.bookmark(end=True)))
        return stream

    def _list_meta(self) -> dict[str, Any]:
        return {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": str(self.version)}}

    def bookmark(self, *, end: bool = False) -> dict[str, Any]:
        metadata: dict[str, Any] = {"resourceVersion": str(self.version)}
        if end:
            metadata["annotations"] = {"k8s.io/initial-events-end": "true"}
        return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata}

    # -- changes -------------------------------------------------------------------------------------------------------

    def put(self, name: str, **metadata: Any) -> dict[str, Any]:
        self.version += 1
        obj = pod(name, self.version, **metadata)
        kind = "MODIFIED" if name in self.pods else "ADDED"
        self.pods[name] = obj
        self.emit(kind, obj)
        return obj

    def remove(self, name: str, *, silently: bool = False) -> None:
        self.version += 1
        obj = self.pods.pop(name)
        metadata = {**obj["metadata"], "resourceVersion": str(self.version)}
        if not silently:
            self.emit("DELETED", {**obj, "metadata": metadata})

    def emit(self, kind: str, obj: dict[str, Any]) -> None:
        for stream in self.streams:
            if not stream.closed:
                stream.send((kind, obj))

    def end_watches(self, last: tuple[str, Any] | Exception | None = None) -> None:
        """End every watch, after `last` if that is an event."""
        for stream in self.streams:
            if not stream.closed:
                stream.send(last)
                stream.send(None)


class World:
    """Runs coroutines on virtual time, against a fake server."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.loop.horizon = 10**9 * 1_000_000
        self.server = FakeServer(self.loop)
        self.clock = self.server.clock
        self.client = self.server.client
        self.rng = random.Random(1)

    def run(self, main: Coroutine[Any, Any, Any]) -> Any:
        return run(self.loop, main)

    async def sleep(self, seconds: float) -> None:
        await self.loop.world_sleep(seconds)

    @property
    def now(self) -> float:
        return self.loop.time()
