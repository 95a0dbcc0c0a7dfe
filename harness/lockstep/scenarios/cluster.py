"""The cluster as a scenario sees it: write objects, advance the time, check the result.

Each write of the scenario is one step of the world: the controllers run until they are quiet before the next write. Use
`batch()` for writes that controllers are to see together. Nothing here depends on the implementation under test or on
the clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from lockstep.apiserver import Reply, Request
from lockstep.apiserver.routing import path_to
from lockstep.errors import LockstepError
from lockstep.network import Fault
from lockstep.scenarios.checks import Checks
from lockstep.scenarios.pod_verbs import PodVerbs
from lockstep.time.clock import SECOND, seconds
from lockstep.wire.meta import controller_of
from lockstep.wire.pods import is_active, is_finished, is_ready

if TYPE_CHECKING:
    from lockstep.scenarios.run import Run
    from lockstep.trace.history import Write

    Writes = list[Write]

Object = dict[str, Any]
Objects = list[Object]  # named here, since `list` means the method inside `Cluster`
_PATCHES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


class ApiFailure(LockstepError):
    """The API server refused a request of the scenario."""

    def __init__(self, reply: Reply) -> None:
        self.code = reply.status
        self.status: Object = reply.body or {}
        self.reason: str = self.status.get("reason", "")
        super().__init__(f"{self.code} {self.reason}: {self.status.get('message', '')}")


class ClusterLost(LockstepError):
    """The cluster went away in the middle of a run; the message says how."""


class NeverSettles(LockstepError):
    """The cluster kept changing until the limit of `settle`."""


class Cluster(PodVerbs):
    """One simulated cluster with the controllers under test in it. See docs/scenarios.md for a tour."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._batching = False
        self.checks = Checks()
        #: Instant at which the scenario began, in nanoseconds.
        self.start_instant = 0
        self.faults = run.network.faults
        self.network = run.network
        self.kubelet = run.world.kubelet
        self.scheduler = run.world.scheduler
        self.garbage_collector = run.world.garbage_collector
        self.nodes = run.world.nodes
        self.owners = run.world.owners
        self.disruption = run.world.disruption
        self.metrics = run.metrics
        self.prometheus = run.prometheus
        self.webhooks = run.webhooks

    # -- time ---------------------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Seconds since the scenario began."""
        return (self._run.loop.scenario_now - self.start_instant) / SECOND

    def instant(self, at: float) -> float:
        """The instant `at` seconds after the scenario began, on the clock that faults use."""
        return self._run.loop.instant_at(self.start_instant + seconds(at)) / SECOND

    async def run(self, duration: float) -> None:
        """Advance the time by `duration` seconds; 0 lets the controllers settle."""
        await self._run.loop.world_sleep(duration)

    async def run_until(self, at: float) -> None:
        """Advance the time to `at` seconds after the start of the scenario."""
        await self._run.loop.world_sleep(max(0.0, at - self.now))

    async def settle(self, calm: float = 10.0, limit: float = 3600.0) -> None:
        """Advance the time until nothing has changed for `calm` seconds and the world has nothing planned.

        Raises NeverSettles after `limit` seconds.
        """
        deadline = self._run.loop.now + seconds(limit)
        while True:
            version = self._run.server.resource_version
            await self._run.loop.world_sleep(calm)
            if version == self._run.server.resource_version and not self._run.world.pending():
                return
            if self._run.loop.now >= deadline:
                raise NeverSettles(
                    f"the cluster still changes after {limit:g} s of settle(); last write: {self._run.last_write()}"
                )

    async def eventually(self, what: str, holds: Callable[[], object], within: float) -> None:
        """`holds` must become true within `within` seconds. It is checked after every change, once all is quiet."""
        met = await self._first_moment(holds, within)
        self.checks.true(what, met, self.now, f"did not come true within {within:g} s")

    async def never(self, what: str, holds: Callable[[], object], during: float) -> None:
        """`holds` must stay false for `during` seconds."""
        met = await self._first_moment(holds, during)
        self.checks.true(what, not met, self.now, "came true")

    async def _first_moment(self, holds: Callable[[], object], within: float) -> bool:
        loop = self._run.loop
        done: asyncio.Future[bool] = loop.create_future()
        planned = False

        def look() -> None:
            nonlocal planned
            planned = False
            if not done.done() and holds():
                done.set_result(True)

        def last_look() -> None:
            if not done.done():
                done.set_result(bool(holds()))

        def on_write(_: object) -> None:
            nonlocal planned
            if not planned:
                planned = True
                loop.world_at(loop.now, look)

        loop.world_after(0, look)
        end = loop.world_after(within, last_look)
        self._run.server.observers.append(on_write)
        try:
            with loop.waiting():
                return await done
        finally:
            end.cancel()
            self._run.server.observers.remove(on_write)

    # -- assertions ---------------------------------------------------------------------------------------------------

    def expect(self, what: str, actual: Any, wanted: Any) -> None:
        """`actual` must equal `wanted`; `what` names it in the failure."""
        self.checks.equal(what, actual, wanted, self.now)

    def expect_true(self, what: str, holds: object) -> None:
        """`holds` must be true."""
        self.checks.true(what, holds, self.now)

    # -- writes -------------------------------------------------------------------------------------------------------

    async def create(self, *objects: Object) -> Object:
        """Create objects, one world step each; returns the last as stored. Raises ApiFailure."""
        stored: Object = {}
        for one in objects:
            stored = await self._write("POST", self.path_of(one, collection=True), one)
        return stored

    async def update(self, changed: Object, subresource: str = "") -> Object:
        """Replace an object. Raises ApiFailure, for instance on a stale resourceVersion."""
        return await self._write("PUT", _join(self.path_of(changed), subresource), changed)

    async def patch(
        self,
        resource: str,
        name: str,
        body: Any,
        *,
        kind: str = "merge",
        subresource: str = "",
        namespace: str = "default",
    ) -> Object:
        """Patch an object; `kind` is merge, json, strategic or apply."""
        path = _join(self.path(resource, name, namespace), subresource)
        query = {"fieldManager": "scenario", "force": "true"} if kind == "apply" else {}
        return await self._write("PATCH", path, body, _PATCHES[kind], query)

    async def scale(
        self, name: str, replicas: int, resource: str = "replicasets", namespace: str = "default"
    ) -> Object:
        """Set the number of replicas through the scale subresource."""
        return await self.patch(
            resource, name, {"spec": {"replicas": replicas}}, subresource="scale", namespace=namespace
        )

    async def delete(self, resource: str, name: str, namespace: str = "default", **options: Any) -> Object:
        """Delete an object; `options` are those of meta/v1 DeleteOptions."""
        body = {"kind": "DeleteOptions", "apiVersion": "v1", **options}
        return await self._write("DELETE", self.path(resource, name, namespace), body)

    async def set_status(self, resource: str, name: str, status: Object, namespace: str = "default") -> Object:
        """Merge `status` into an object's status."""
        return await self.patch(resource, name, {"status": status}, subresource="status", namespace=namespace)

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[None]:
        """Writes inside belong to one step: the controllers see them together."""
        self._batching = True
        try:
            yield
        finally:
            self._batching = False
            await self.run(0)

    async def _write(
        self, method: str, path: str, body: Any, content_type: str = "application/json", query: Mapping[str, str] = {}
    ) -> Object:
        reply = await self._answered(Request(method, path, query, body, content_type, "scenario"))
        if reply.status >= 400:
            raise ApiFailure(reply)
        if not self._batching:
            await self.run(0)
        return reply.body or {}

    async def _answered(self, request: Request) -> Reply:
        """The server's reply. If webhooks are called: after their answers, once all is quiet."""
        server, loop = self._run.server, self._run.loop
        reply = server.handle(request)
        if reply.review is None:
            return reply
        answered: asyncio.Future[Reply] = loop.create_future()

        def conclude(final: Reply) -> None:
            loop.world_at(loop.now, partial(answered.set_result, final))

        server.follow_up(request, reply, conclude)
        with loop.waiting():
            return await answered

    async def call_webhook(
        self, namespace: str, service: str, body: bytes, content_type: str = "application/json"
    ) -> tuple[int, bytes]:
        """Send raw bytes to the webhook of a Service, past the API server. Returns status and body; (0, reason) without
        an answer.
        """
        loop = self._run.loop
        answered: asyncio.Future[tuple[int, bytes]] = loop.create_future()

        def conclude(status: int, answer: bytes) -> None:
            loop.world_at(loop.now, partial(answered.set_result, (status, answer)))

        self.webhooks.post(namespace, service, body, content_type, conclude)
        with loop.waiting():
            return await answered

    # -- reads --------------------------------------------------------------------------------------------------------

    def find(self, resource: str, name: str, namespace: str = "default") -> Object | None:
        """An object as it is stored now, or None. Do not change it."""
        return self._run.server.find(resource, namespace, name)

    def get(self, resource: str, name: str, namespace: str = "default") -> Object:
        """An object as it is stored now. Raises KeyError if there is none."""
        found = self.find(resource, name, namespace)
        if found is None:
            raise KeyError(f"{resource} {namespace}/{name} does not exist (at +{self.now:.3f} s)")
        return found

    def list(self, resource: str, namespace: str | None = "default") -> list[Object]:
        """All objects of a collection, in order of their names; namespace None for all namespaces."""
        return sorted(self._run.server.objects(resource, namespace), key=lambda one: one["metadata"]["name"])

    def pods(self, owner: str | None = None, *, namespace: str = "default", terminating: bool = False) -> Objects:
        """The pods that count as replicas, oldest first: not finished, and not being deleted unless `terminating` is
        set.

        With `owner`, only those controlled by the ReplicaSet of that name.
        """
        return [
            one
            for one in self._run.server.objects("pods", namespace)
            if (not is_finished(one) if terminating else is_active(one))
            and (owner is None or controller_name(one) == owner)
        ]

    def ready(self, owner: str) -> int:
        """How many pods of `owner` are ready."""
        return sum(is_ready(pod) for pod in self.pods(owner))

    def status(self, name: str = "web", resource: str = "replicasets", namespace: str = "default") -> Object:
        """The status of an object."""
        return dict(self.get(resource, name, namespace).get("status", {}))

    def events(self, reason: str | None = None, namespace: str = "default") -> Sequence[Object]:
        """The events recorded so far."""
        return [event for event in self.list("events", namespace) if reason in (None, event.get("reason"))]

    def writes(self, verb: str | None = None, resource: str | None = None, code: int | None = None) -> Writes:
        """The mutating requests of the controllers under test since the scenario began, refused ones included.

        `resource` is plural[.group]; `code` an HTTP status. Status updates are updates with `subresource` "status".
        """
        history = self._run.history
        return [
            write
            for write in history
            if history.under_test(write)
            and write.at >= self.start_instant
            and verb in (None, write.verb)
            and resource in (None, write.resource)
            and code in (None, write.code)
        ]

    def at(self, write: Write) -> float:
        """When a write was made, in seconds since the scenario began."""
        return self._run.loop.scenario_seconds(self.start_instant, write.at)

    @property
    def version(self) -> int:
        """The resourceVersion of the latest write to the cluster."""
        return self._run.server.resource_version

    # -- the controllers under test and their watches -----------------------------------------------------------------

    @property
    def controllers_running(self) -> bool:
        """Whether all the controllers under test run now."""
        return self._run.controllers_running

    async def start(self, *controllers: str) -> None:
        """Start the controllers under test (again), or only those named."""
        self._run.start_controllers(controllers)
        await self.run(0)

    async def crash(self, *controllers: str) -> None:
        """Kill the controllers under test, or those named, at once: none of their pending writes takes effect."""
        self._run.crash_controllers(controllers)
        await self.run(0)

    def crash_at(
        self, *controllers: str, restart_after: float | None = 1.0, effect: bool = False, **match: Any
    ) -> Fault:
        """Crash when a matching request arrives, before or (`effect`) after the server has carried it out.

        All controllers under test crash, or only those named.
        """

        def crash(_: object) -> None:
            self._run.crash_controllers(controllers)
            if restart_after is not None:
                self._run.loop.world_after(restart_after, lambda: self._run.start_controllers(controllers))

        return self.faults.add(Fault(broken=True, effect=effect, on_hit=crash, **match))

    async def drop_watch(self, resource: str) -> None:
        """Break the open watches of a collection; events in flight are lost to them."""
        self.network.drop(resource)
        await self.run(0)

    async def expire_watch(self, resource: str, *, relist_at: float | None = None) -> None:
        """Compact the collection's history and end its watches with 410 Gone: clients list again.

        Clients' back-off has jitter: `relist_at` holds the answers until that many seconds after the scenario began.
        """
        if relist_at is not None:
            watchers = max(1, len(self.network.relays(resource)))
            for verb in ("list", "watch"):
                self.faults.hold_until(self.instant(relist_at), verb=verb, resource=resource, times=watchers)
        self.network.expire(resource)
        await self.run(0)

    # -- paths --------------------------------------------------------------------------------------------------------

    def path(self, resource: str, name: str = "", namespace: str = "default") -> str:
        """The path of a collection, or of the object `name` in it."""
        kind = self._run.server.state.registry.of_resource(resource)
        if kind is None:
            raise KeyError(f"no resource {resource!r}: name it as plural.group, for example replicasets.apps")
        return path_to(kind, namespace, name)

    def path_of(self, one: Object, *, collection: bool = False) -> str:
        """The path of an object, found by its apiVersion and kind."""
        meta = one["metadata"]
        for kind in self._run.server.state.registry:
            if (kind.api_version, kind.kind) == (one["apiVersion"], one["kind"]):
                return path_to(kind, meta.get("namespace", "default"), "" if collection else meta["name"])
        raise KeyError(f"no resource for {one['apiVersion']} {one['kind']}: create its CustomResourceDefinition first")


def controller_name(one: Object) -> str | None:
    """The name of the object's controlling owner."""
    reference = controller_of(one)
    return None if reference is None else str(reference["name"])


def _join(path: str, subresource: str) -> str:
    return f"{path}/{subresource}" if subresource else path
