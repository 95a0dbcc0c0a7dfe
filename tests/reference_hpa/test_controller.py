"""The queue and its workers: horizontal.go, enqueueHPA to reconcileKey."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from lockstep.time.loop import VirtualLoop, run
from lockstep_reference.hpa.controller import HorizontalController
from lockstep_reference.hpa.rate_limiters import FixedItemIntervalRateLimiter
from lockstep_reference.hpa.reconcile import ReconcileError
from lockstep_reference.machinery.informer import DeletedFinalStateUnknown, EventHandler
from lockstep_reference.machinery.store import Indexer
from tests.reference_hpa.kit import hpa


class FakeInformer:
    """A cache that a test fills, with the handler that hears of it."""

    def __init__(self) -> None:
        self.indexer = Indexer()
        self.handler = EventHandler()
        self.resync_period: float | None = None

    def has_synced(self) -> bool:
        return True

    def add_event_handler(self, handler: EventHandler, resync_period: float | None = None) -> None:
        self.handler, self.resync_period = handler, resync_period


class World:
    """A controller that notes when it syncs what; `duration` is how long that takes."""

    def __init__(self, workers: int = 1) -> None:
        self.loop = VirtualLoop()
        self.loop.horizon = 10**9 * 10_000
        self.workers = workers
        self.hpas = FakeInformer()
        self.syncs: list[tuple[float, str]] = []
        self.forgotten: list[str] = []
        self.errors: list[str] = []
        self.registered: dict[str, None] = {}
        self.duration = 0.0
        self.failure: Exception | None = None
        self._version = 0
        self.controller: HorizontalController | None = None

    def now(self) -> int:
        return self.loop.now

    # -- reconciler, target pods, broadcaster --------------------------------------------------------------------------

    async def reconcile_autoscaler(self, _hpa: dict[str, Any], key: str) -> None:
        self.syncs.append((self.loop.time(), key))
        if self.duration:
            await asyncio.sleep(self.duration)
        if self.failure:
            raise self.failure

    def forget(self, key: str) -> None:
        self.forgotten.append(key)

    def add(self, key: str) -> None:
        self.registered[key] = None

    def delete(self, key: str) -> None:
        self.registered.pop(key, None)

    def start(self, _group: asyncio.TaskGroup) -> None:
        """There are no events to send."""

    # -- what a test does ----------------------------------------------------------------------------------------------

    def put(self, name: str = "web") -> dict[str, Any]:
        self._version += 1
        obj = hpa()
        obj["metadata"].update(name=name, resourceVersion=str(self._version))
        before = self.hpas.indexer.get_by_key(f"default/{name}")
        self.hpas.indexer.update(obj)
        if before is None:
            self.hpas.handler.on_add(obj)
        else:
            self.hpas.handler.on_update(before, obj)
        return obj

    def resync(self) -> None:
        for obj in self.hpas.indexer.list():
            self.hpas.handler.on_update(obj, obj)

    def remove(self, name: str = "web", *, tombstone: bool = False) -> None:
        obj = self.hpas.indexer.get_by_key(f"default/{name}")
        assert obj is not None
        self.hpas.indexer.delete(obj)
        self.hpas.handler.on_delete(DeletedFinalStateUnknown(f"default/{name}", obj) if tombstone else obj)

    async def until(self, seconds: float) -> None:
        await self.loop.world_sleep(seconds - self.loop.time())

    def play(self, script: Callable[[], Coroutine[Any, Any, None]]) -> list[tuple[float, str]]:
        fake: Any = self
        informer: Any = self.hpas
        pods: Any = FakeInformer()

        async def main() -> None:
            self.controller = HorizontalController(
                informer, pods, fake, fake, broadcaster=fake, clock=fake, sync_period=15, on_error=self.errors.append
            )
            running = asyncio.ensure_future(self.controller.run(self.workers))
            await script()
            running.cancel()

        run(self.loop, main())
        return self.syncs


@pytest.fixture
def world() -> World:
    return World()


def times(syncs: list[tuple[float, str]]) -> list[float]:
    return [at for at, _ in syncs]


def test_a_period_after_it_was_made_and_then_periodically(world: World) -> None:
    async def script() -> None:
        await world.until(4)
        world.put()
        await world.until(50)

    assert world.play(script) == [(19.0, "default/web"), (34.0, "default/web"), (49.0, "default/web")]
    assert world.hpas.resync_period == 15
    assert list(world.registered) == ["default/web"]


def test_changes_and_resyncs_hasten_nothing(world: World) -> None:
    async def script() -> None:
        world.put()
        for at in (3, 14, 15, 16, 29, 30, 44):
            await world.until(at)
            world.put()
            world.resync()
        await world.until(46)

    assert times(world.play(script)) == [15.0, 30.0, 45.0]


def test_a_failure_changes_nothing(world: World) -> None:
    world.failure = ReconcileError("nope")

    async def script() -> None:
        world.put()
        await world.until(31)

    assert times(world.play(script)) == [15.0, 30.0]
    assert world.errors == ["nope", "nope"]


def test_a_slow_sync_is_followed_by_a_whole_period(world: World) -> None:
    world.duration = 4

    async def script() -> None:
        world.put()
        await world.until(60)

    assert times(world.play(script)) == [15.0, 34.0, 53.0]


def test_unless_a_resync_queued_it_meanwhile(world: World) -> None:
    world.duration = 4

    async def script() -> None:
        world.put()
        await world.until(17)
        world.resync()
        await world.until(40)

    assert times(world.play(script)) == [15.0, 32.0]


def test_one_worker_takes_one_after_the_other(world: World) -> None:
    world.duration = 1

    async def script() -> None:
        for name in "abcd":
            world.put(name)
        await world.until(20)

    # In the order of Go's heap, which moves the last one to the top.
    assert [(at, key[-1]) for at, key in world.play(script)] == [(15.0, "a"), (16.0, "d"), (17.0, "c"), (18.0, "b")]


def test_several_workers_take_several_at_a_time() -> None:
    world = World(workers=3)
    world.duration = 1

    async def script() -> None:
        for name in "abcd":
            world.put(name)
        await world.until(20)

    assert times(world.play(script)) == [15.0, 15.0, 15.0, 16.0]


@pytest.mark.parametrize("tombstone", [False, True])
def test_a_deleted_one_is_forgotten_at_its_next_turn(world: World, tombstone: bool) -> None:
    async def script() -> None:
        world.put()
        await world.until(20)
        world.remove(tombstone=tombstone)
        assert list(world.registered) == []
        await world.until(29)
        assert world.forgotten == []
        await world.until(100)

    assert times(world.play(script)) == [15.0]
    assert world.forgotten == ["default/web"]


def test_one_that_comes_back_before_that_is_not_forgotten(world: World) -> None:
    async def script() -> None:
        world.put()
        await world.until(20)
        world.remove()
        await world.until(22)
        world.put()
        await world.until(46)

    assert times(world.play(script)) == [15.0, 30.0, 45.0]
    assert world.forgotten == []
    assert list(world.registered) == ["default/web"]


def test_shutting_down_ends_the_workers(world: World) -> None:
    async def script() -> None:
        assert world.controller is not None
        world.put()
        await world.until(14)
        world.controller.queue.shut_down()
        await world.until(40)

    assert world.play(script) == []


def test_the_rate_limiter_remembers_nothing() -> None:
    limiter = FixedItemIntervalRateLimiter(15)
    assert [limiter.when("a"), limiter.when("a")] == [15, 15]
    limiter.forget("a")
    assert limiter.num_requeues("a") == 1
