"""The work queue: client-go util/workqueue."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from lockstep_reference.machinery.workqueue import RateLimitingQueue

if TYPE_CHECKING:
    from tests.machinery.fake_server import World


def test_a_key_is_queued_once_and_again_only_after_done(world: World) -> None:
    async def main() -> list[Any]:
        queue: RateLimitingQueue[str] = RateLimitingQueue(world.clock)
        queue.add("a")
        queue.add("a")
        queue.add("b")
        seen: list[Any] = [await queue.get()]
        queue.add("a")  # dirty while processing
        seen.append(len(queue))
        seen.append(await queue.get())
        queue.done("a")
        queue.done("b")
        seen.append(await queue.get())
        return seen

    assert world.run(main()) == [("a", False), 1, ("b", False), ("a", False)]


def test_get_does_not_yield_when_a_key_is_ready(world: World) -> None:
    async def main() -> list[str]:
        queue: RateLimitingQueue[str] = RateLimitingQueue(world.clock)
        order: list[str] = []
        queue.add("a")
        asyncio.get_running_loop().call_soon(order.append, "someone else")
        await queue.get()
        order.append("worker")
        await asyncio.sleep(0)
        return order

    assert world.run(main()) == ["worker", "someone else"]


def test_a_waiting_worker_is_woken_and_shutdown_drains(world: World) -> None:
    async def main() -> list[Any]:
        queue: RateLimitingQueue[str] = RateLimitingQueue(world.clock)
        worker = asyncio.ensure_future(queue.get())
        await world.sleep(1)
        queue.add("a")
        seen: list[Any] = [await worker]
        queue.add("b")
        queue.shut_down()
        queue.add("c")
        seen.append(await queue.get())
        seen.append(await queue.get())
        return seen

    assert world.run(main()) == [("a", False), ("b", False), (None, True)]


def test_a_cancelled_worker_passes_its_wake_up_on(world: World) -> None:
    async def main() -> Any:
        queue: RateLimitingQueue[str] = RateLimitingQueue(world.clock)
        first, second = asyncio.ensure_future(queue.get()), asyncio.ensure_future(queue.get())
        await world.sleep(0)
        queue.add("a")
        first.cancel()
        return await asyncio.wait_for(second, 1)

    assert world.run(main()) == ("a", False)


def test_add_after_keeps_the_earlier_instant(world: World) -> None:
    async def main() -> list[tuple[str | None, float]]:
        queue: RateLimitingQueue[str] = RateLimitingQueue(world.clock)
        queue.add_after("a", 5)
        queue.add_after("b", 1)
        queue.add_after("a", 2)
        queue.add_after("a", 9)
        queue.add_after("now", 0)
        seen = []
        for _ in range(3):
            key, _shutdown = await queue.get()
            seen.append((key, world.now))
            queue.done(key or "")
        await world.sleep(20)
        assert len(queue) == 0
        return seen

    assert world.run(main()) == [("now", 0), ("b", 1), ("a", 2)]


def test_failures_back_off_exponentially_to_the_nanosecond(world: World) -> None:
    async def main() -> list[int]:
        queue: RateLimitingQueue[str] = RateLimitingQueue(world.clock)
        instants = []
        for _ in range(6):
            queue.add_rate_limited("a")
            await queue.get()
            queue.done("a")
            instants.append(world.loop.now)
        assert queue.num_requeues("a") == 6
        queue.forget("a")
        assert queue.num_requeues("a") == 0
        return instants

    assert world.run(main()) == [5_000_000 * (2**n - 1) for n in range(1, 7)]


def test_the_bucket_limits_all_keys_together(world: World) -> None:
    async def main() -> list[float]:
        queue: RateLimitingQueue[int] = RateLimitingQueue(world.clock)
        for key in range(103):
            queue.add_rate_limited(key)
        instants = []
        for _ in range(103):
            key_got, _ = await queue.get()
            assert key_got is not None
            instants.append(world.now)
        return instants[99:]

    assert world.run(main()) == [0.005, 0.1, 0.2, 0.3]


@pytest.mark.parametrize(("failures", "seconds"), [(17, 655.36), (18, 1000.0), (100, 1000.0)])
def test_the_back_off_is_capped(world: World, failures: int, seconds: float) -> None:
    async def main() -> float:
        queue: RateLimitingQueue[str] = RateLimitingQueue(world.clock)
        start = 0.0
        for _ in range(failures + 1):
            start = world.now
            queue.add_rate_limited("a")
            await queue.get()
            queue.done("a")
        return world.now - start

    assert world.run(main()) == pytest.approx(seconds)


def test_shutting_down_leaves_no_timer_behind(world: World) -> None:
    async def main() -> None:
        queue: RateLimitingQueue[str] = RateLimitingQueue(world.clock)
        queue.add_after("a", 1000)
        queue.shut_down()
        queue.add_after("b", 1000)
        assert await queue.get() == (None, True)
        await world.sleep(1)

    world.loop.horizon = 2 * 10**9
    world.run(main())
