"""The virtual loop: who runs when, and where time moves."""

from __future__ import annotations

import asyncio

import pytest

from lockstep.time.clock import SECOND
from lockstep.time.loop import HorizonPassed, Standstill, Stuck, VirtualLoop, run


def test_controllers_go_before_the_world_at_the_same_instant() -> None:
    loop = VirtualLoop()
    log: list[str] = []

    async def controller() -> None:
        while True:
            await asyncio.sleep(1)
            log.append(f"controller {loop.time():g}")

    async def main() -> None:
        task = asyncio.ensure_future(controller())
        for _ in range(2):
            await loop.world_sleep(1)
            log.append(f"world {loop.time():g}")
        task.cancel()

    run(loop, main())
    assert log == ["controller 1", "world 1", "controller 2", "world 2"]


def test_a_pending_request_is_answered_before_a_world_step_of_the_same_instant() -> None:
    loop = VirtualLoop()
    log: list[str] = []
    pending = ["request"]

    def serve() -> bool:
        if pending:
            log.append(pending.pop())
            return True
        return False

    loop.serve_request = serve

    async def main() -> None:
        await loop.world_sleep(0)
        log.append("world")

    run(loop, main())
    assert log == ["request", "world"]


def test_the_world_takes_one_step_then_the_controllers_run() -> None:
    loop = VirtualLoop()
    log: list[str] = []
    woken = asyncio.Event()

    async def controller() -> None:
        await woken.wait()
        log.append("controller")

    def first() -> None:
        log.append("first")
        woken.set()

    async def main() -> None:
        task = asyncio.ensure_future(controller())
        loop.world_at(SECOND, first)
        loop.world_at(SECOND, lambda: log.append("second"))
        await loop.world_sleep(2)
        await task

    run(loop, main())
    assert log == ["first", "controller", "second"]


def test_a_cancelled_step_does_not_run() -> None:
    loop = VirtualLoop()
    log: list[str] = []

    async def main() -> None:
        loop.world_after(1, lambda: log.append("kept"))
        loop.world_after(1, lambda: log.append("cancelled")).cancel()
        await loop.world_sleep(2)

    run(loop, main())
    assert log == ["kept"]


def test_the_horizon_ends_what_never_ends() -> None:
    loop = VirtualLoop()
    loop.horizon = 5 * SECOND

    async def main() -> None:
        while True:
            await loop.world_sleep(1)

    with pytest.raises(HorizonPassed, match="horizon of 5 s"):
        run(loop, main())


def test_waiting_for_nothing_is_an_error_and_not_a_hang() -> None:
    loop = VirtualLoop()

    async def main() -> None:
        await loop.create_future()

    with pytest.raises(Stuck, match="nothing is scheduled"):
        run(loop, main())


def test_a_year_passes_at_once() -> None:
    loop = VirtualLoop()

    async def main() -> float:
        await loop.world_sleep(365 * 24 * 3600)
        return loop.time()

    assert run(loop, main()) == 365 * 24 * 3600


def test_work_without_delay_for_ever_is_an_error_and_not_a_hang() -> None:
    loop = VirtualLoop()

    async def main() -> None:
        while True:
            await loop.world_sleep(0)

    with pytest.raises(Standstill, match=r"virtual time stands still at 0\.000 s"):
        run(loop, main())
