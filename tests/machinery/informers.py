"""An informer of pods that runs in a small world, and what its handler hears."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from lockstep_reference.machinery.informer import EventHandler, SharedInformerFactory
from lockstep_reference.machinery.store import DeletedFinalStateUnknown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.machinery.fake_server import World


class Pods:
    """A running pod informer, and what its handler has heard: (instant, what, name, versions)."""

    def __init__(self, world: World, resync: float = 0.0) -> None:
        self.world = world
        self.factory = SharedInformerFactory(world.client, resync, clock=world.clock, rng=world.rng)
        self.informer = self.factory.for_resource("pods")
        self.heard: list[tuple[Any, ...]] = []
        self.registration = self.informer.add_event_handler(EventHandler(self._add, self._update, self._delete))

    def _add(self, obj: dict[str, Any]) -> None:
        self.heard.append((self.world.now, "add", obj["metadata"]["name"]))

    def _update(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        versions = (old["metadata"]["resourceVersion"], new["metadata"]["resourceVersion"])
        self.heard.append((self.world.now, "update", new["metadata"]["name"], *versions))

    def _delete(self, obj: dict[str, Any] | DeletedFinalStateUnknown) -> None:
        if isinstance(obj, DeletedFinalStateUnknown):
            self.heard.append((self.world.now, "tombstone", obj.key, obj.obj["metadata"]["resourceVersion"]))
        else:
            self.heard.append((self.world.now, "delete", obj["metadata"]["name"], obj["metadata"]["resourceVersion"]))


def run(world: World, pods: Pods, body: Callable[[], Awaitable[Any]]) -> None:
    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            inner = asyncio.ensure_future(body())
            pods.factory.start(group)
            await inner
            raise StopRunningError

    with pytest.raises(ExceptionGroup) as caught:
        world.run(main())
    if not isinstance(caught.value.exceptions[0], StopRunningError):
        raise caught.value.exceptions[0]


class StopRunningError(Exception):
    pass


def watches(world: World) -> list[tuple[float, dict[str, str]]]:
    return [
        (at, {key: value for key, value in query.items() if not key.startswith("timeout")})
        for at, method, _, query, _ in world.server.requests
        if method == "WATCH"
    ]
