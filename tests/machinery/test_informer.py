"""Informers: what handlers hear, synced caches, resync (client-go tools/cache/shared_informer.go)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from lockstep_reference.machinery.informer import EventHandler, wait_for_named_cache_sync
from tests.machinery.informers import Pods, run

if TYPE_CHECKING:
    from tests.machinery.fake_server import World


def test_synced_caches_are_seen_at_once(world: World) -> None:
    async def main() -> float:
        await wait_for_named_cache_sync(lambda: True)
        return world.now

    assert world.run(main()) == 0.0


def test_changes_reach_the_handler_in_order_without_coalescing(world: World) -> None:
    pods = Pods(world)

    async def body() -> None:
        await world.sleep(1)
        world.server.put("a")
        world.server.put("a")
        world.server.remove("a")
        await world.sleep(0)
        assert pods.informer.indexer.list() == []
        assert pods.informer.indexer.last_store_sync_resource_version() == "13"
        world.server.version = 20
        world.server.emit("BOOKMARK", world.server.bookmark())
        await world.sleep(0)
        assert pods.informer.indexer.last_store_sync_resource_version() == "20"

    run(world, pods, body)
    assert pods.heard == [(1.0, "add", "a"), (1.0, "update", "a", "11", "12"), (1.0, "delete", "a", "13")]


def test_resync_repeats_updates_for_those_who_asked(world: World) -> None:
    world.server.put("a")
    pods = Pods(world, resync=30)
    quiet: list[str] = []

    def hear(obj: dict[str, Any]) -> None:
        quiet.append("add")

    def hear_update(old: dict[str, Any], new: dict[str, Any]) -> None:
        quiet.append("update")

    pods.informer.add_event_handler(EventHandler(hear, hear_update), resync_period=0)

    async def body() -> None:
        await world.sleep(65)

    run(world, pods, body)
    assert pods.heard == [(0.0, "add", "a"), (30.0, "update", "a", "11", "11"), (60.0, "update", "a", "11", "11")]
    assert quiet == ["add"]
    assert len(world.server.requests) == 1


def test_a_late_handler_gets_every_existing_object(world: World) -> None:
    world.server.put("a")
    pods = Pods(world)
    late: list[str] = []

    async def body() -> None:
        await world.sleep(3)
        registration = pods.informer.add_event_handler(EventHandler(lambda obj: late.append(obj["metadata"]["name"])))
        assert not registration.has_synced()
        await world.sleep(0)
        assert registration.has_synced()
        world.server.put("b")
        await world.sleep(0)

    run(world, pods, body)
    assert late == ["a", "b"]


def test_a_failing_handler_stops_the_controller(world: World) -> None:
    world.server.put("a")
    pods = Pods(world)

    def fail(obj: dict[str, Any]) -> None:
        raise LookupError(obj["metadata"]["name"])

    pods.informer.add_event_handler(EventHandler(fail))

    async def body() -> None:
        await world.sleep(1)

    with pytest.raises(LookupError, match="a"):
        run(world, pods, body)


def test_a_crash_ends_every_task_without_another_request(world: World) -> None:
    world.server.put("a")
    pods = Pods(world, resync=1)

    async def main() -> list[Any]:
        async def own() -> None:
            async with asyncio.TaskGroup() as group:
                pods.factory.start(group)
                pods.factory.start(group)  # starting what runs already changes nothing

        controller = asyncio.ensure_future(own())
        await world.sleep(0.5)
        controller.cancel()
        await world.sleep(0)
        assert controller.cancelled()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        world.server.put("b")
        await world.sleep(100)
        return pods.heard

    assert world.run(main()) == [(0.0, "add", "a")]
    assert len(world.server.requests) == 1
    assert all(stream.closed for stream in world.server.streams)


def test_ten_thousand_pods_are_streamed_and_indexed(world: World) -> None:
    for number in range(10_000):
        world.server.put(f"p{number}")
    pods = Pods(world)
    pods.informer.add_indexers({"owner": lambda obj: [obj["metadata"]["name"][-1]]})

    async def body() -> None:
        await world.sleep(1)
        assert len(pods.informer.indexer.by_index("owner", "7")) == 1000
        assert len(pods.informer.indexer.by_index("namespace", "default")) == 10_000

    run(world, pods, body)
    assert len(pods.heard) == 10_000
