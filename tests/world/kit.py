"""A cluster without controllers: the world, the server, and hands to create owners and pods."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from lockstep.apiserver import ApiServer, Request
from lockstep.objects import pod, replica_set
from lockstep.time.clock import SECOND
from lockstep.time.loop import VirtualLoop, run
from lockstep.trace.history import History, Write
from lockstep.world import World, canonical_order

Object = dict[str, Any]


class Town:
    """Everything at hand for a test of the world. `at` is the virtual time in seconds."""

    def __init__(self, seed: int = 0, nodes: int = 3) -> None:
        self.loop = VirtualLoop()
        self.server = ApiServer(lambda: self.loop.now, seed=seed)
        self.history = History()
        self.server.observers.append(self.history.record)
        self.world = World(self.loop, self.server, seed=seed, nodes=nodes)
        self.kubelet = self.world.kubelet

    @property
    def at(self) -> float:
        return self.loop.now / SECOND

    async def sleep(self, duration: float) -> None:
        await self.loop.world_sleep(duration)

    async def rest(self) -> None:
        """Let the world do everything that it can do now and later."""
        while self.world.pending():
            due = self.world.next_due()
            await self.sleep(0 if due is None else max(0.0, (due - self.loop.now) / SECOND))

    def send(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Object:
        reply = self.server.handle(Request(method, path, {}, body, content_type, "scenario"))
        assert reply.status < 400, reply.body
        return reply.body or {}

    def owner(self, name: str = "web", **fields: Any) -> Object:
        return self.send("POST", "/apis/apps/v1/namespaces/default/replicasets", replica_set(name, 0, **fields))

    def pods_of(self, owner: Object | None, count: int = 1, **fields: Any) -> list[Object]:
        """Create pods as a controller would: one instant, generated names."""
        return [self.pod(owner=owner, **fields) for _ in range(count)]

    def pod(self, name: str = "", labels: Mapping[str, str] | None = None, **fields: Any) -> Object:
        one = pod(name, labels or {"app": "web"}, **fields)
        if not name:
            del one["metadata"]["name"]
            one["metadata"]["generateName"] = "web-"
        return self.send("POST", "/api/v1/namespaces/default/pods", one)

    def path(self, one: Object) -> str:
        return f"/api/v1/namespaces/{one['metadata']['namespace']}/pods/{one['metadata']['name']}"

    def delete(self, one: Object, **options: Any) -> None:
        self.send("DELETE", self.path(one), {"kind": "DeleteOptions", "apiVersion": "v1", **options})

    def pods(self) -> list[Object]:
        """All pods in canonical order."""
        return canonical_order(self.server.objects("pods"))

    def live(self, one: Object) -> Object | None:
        return self.server.find("pods", one["metadata"]["namespace"], one["metadata"]["name"])

    def now(self, one: Object) -> Object:
        found = self.live(one)
        assert found is not None
        return found

    def writes(self, actor: str, verb: str | None = None, since: float = 0.0) -> list[Write]:
        return [
            one
            for one in self.history
            if one.actor == actor and verb in (None, one.verb) and one.at >= since * SECOND and one.resource != "nodes"
        ]


def phase(one: Object) -> str:
    return str(one["status"].get("phase"))


def condition(one: Object, kind: str) -> Object:
    return next((found for found in one["status"].get("conditions", ()) if found["type"] == kind), {})


def is_ready(one: Object) -> bool:
    return condition(one, "Ready").get("status") == "True"


def play(body: Callable[[Town], Awaitable[None]], **options: Any) -> Town:
    """Run `body` in a new town."""
    town = Town(**options)

    async def main() -> None:
        town.world.start()
        await body(town)

    run(town.loop, main())
    return town
