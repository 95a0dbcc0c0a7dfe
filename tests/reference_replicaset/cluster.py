"""A cluster in memory for these tests: the API server, a transport to it, and the controller on virtual time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from lockstep.apiserver import ApiServer, Reply, Request, Watch
from lockstep.time.loop import VirtualLoop, run
from lockstep.trace.history import Write
from lockstep_reference import replicaset
from lockstep_reference.machinery.transport import Response
from tests.reference_replicaset.objects import Object

PODS = "/api/v1/namespaces/default/pods"
REPLICA_SETS = "/apis/apps/v1/namespaces/default/replicasets"
MERGE = "application/merge-patch+json"
CONTROLLER = "replicaset-controller"


class Stream:
    """A watch of the server, as the controller reads it."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._filled = asyncio.Event()
        watch.on_event = self._filled.set

    async def next(self) -> tuple[str, Any] | None:
        while not self._watch.events:
            if self._watch.closed:
                return None
            self._filled.clear()
            await self._filled.wait()
        event = self._watch.events.popleft()
        return event.type, event.object

    def close(self) -> None:
        self._watch.stop()


class Transport:
    """Requests wait their turn: the loop answers one at a time, when every task is parked."""

    def __init__(self, loop: VirtualLoop, server: ApiServer) -> None:
        self._loop = loop
        self._server = server
        self._pending: deque[tuple[Request, asyncio.Future[Reply]]] = deque()
        loop.serve_request = self._serve

    def _serve(self) -> bool:
        if not self._pending:
            return False
        request, future = self._pending.popleft()
        if not future.done():
            future.set_result(self._server.handle(request))
        return True

    async def _reply(self, request: Request) -> Reply:
        future: asyncio.Future[Reply] = self._loop.create_future()
        self._pending.append((request, future))
        return await future

    async def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "",
    ) -> Response:
        reply = await self._reply(Request(method, path, query or {}, body, content_type, actor=CONTROLLER))
        return Response(reply.status, reply.body, reply.headers)

    async def watch(self, path: str, query: Mapping[str, str]) -> Stream | Response:
        reply = await self._reply(Request("GET", path, query, actor=CONTROLLER))
        if reply.watch is None:
            return Response(reply.status, reply.body, reply.headers)
        return Stream(reply.watch)


class LoopClock:
    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def now(self) -> int:
        return self._loop.now


class Cluster:
    """What a test does to the cluster, and what it sees of it. Its own requests are answered at once."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.loop.horizon = 3600 * 10**9
        self.server = ApiServer(lambda: self.loop.now)
        self.transport = Transport(self.loop, self.server)
        self.writes: list[Write] = []
        self.server.observers.append(self.writes.append)
        self.errors: list[str] = []
        self._controller: asyncio.Task[None] | None = None

    def run(self, scenario: Callable[[Cluster], Coroutine[Any, Any, None]]) -> None:
        async def main() -> None:
            await scenario(self)

        run(self.loop, main())

    def start(self, **options: Any) -> None:
        clock = LoopClock(self.loop)
        controller = replicaset.run(self.transport, clock, on_error=self.errors.append, **options)
        self._controller = self.loop.create_task(controller)

    async def crash(self) -> None:
        assert self._controller is not None
        self._controller.cancel()
        await asyncio.gather(self._controller, return_exceptions=True)

    async def after(self, seconds: float) -> None:
        await self.loop.world_sleep(seconds)

    def do(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Object:
        reply = self.server.handle(Request(method, path, {}, body, content_type, actor="scenario"))
        assert reply.status < 300, reply.body
        return reply.body or {}

    def patch(self, path: str, body: Object) -> Object:
        return self.do("PATCH", path, body, MERGE)

    def scale(self, replicas: int) -> None:
        self.patch(f"{REPLICA_SETS}/web", {"spec": {"replicas": replicas}})

    def make_ready(self, name: str, at: str) -> None:
        condition = {"type": "Ready", "status": "True", "lastTransitionTime": at}
        self.patch(f"{PODS}/{name}/status", {"status": {"phase": "Running", "conditions": [condition]}})

    def remove(self, name: str) -> None:
        self.do("DELETE", f"{PODS}/{name}", {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0})

    def pods(self) -> list[Object]:
        return list(self.do("GET", PODS)["items"])

    def status(self) -> Object:
        return dict(self.do("GET", f"{REPLICA_SETS}/web")["status"])

    def written(self) -> list[tuple[float, str, str]]:
        """(seconds, verb, resource) of the controller's writes, without events."""
        ours = [write for write in self.writes if write.actor == CONTROLLER and write.resource != "events"]
        return [(write.at / 1e9, write.verb, write.resource) for write in ours]

    def events(self) -> list[tuple[str, str]]:
        """(type, reason) of the events sent. Of those about one object in one instant the server keeps the first:
        their names are made of the time, which stands still meanwhile."""
        return [(write.body["type"], write.body["reason"]) for write in self.writes if write.resource == "events"]
