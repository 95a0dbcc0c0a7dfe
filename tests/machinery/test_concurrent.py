"""Calls at the same time: in which order they start, and that they end together."""

from __future__ import annotations

import asyncio

import pytest

from lockstep_reference.machinery.concurrent import concurrently


def test_the_last_call_starts_first_and_the_others_follow() -> None:
    log: list[str] = []

    async def call(name: str) -> None:
        log.append(f"start {name}")
        await asyncio.sleep(0.001)
        log.append(f"end {name}")

    asyncio.run(concurrently([call(name) for name in "abc"]))
    assert log[:3] == ["start c", "start a", "start b"]
    assert sorted(log[3:]) == ["end a", "end b", "end c"]


def test_no_calls() -> None:
    asyncio.run(concurrently([]))


def test_a_single_call_does_not_yield() -> None:
    log: list[str] = []

    async def call() -> None:
        log.append("call")

    async def main() -> None:
        asyncio.get_running_loop().call_soon(log.append, "someone else")
        await concurrently([call()])
        log.append("caller")

    asyncio.run(main())
    assert log[:2] == ["call", "caller"]


@pytest.mark.parametrize("started", [0, 1, 2])
def test_cancelling_the_caller_stops_every_call(started: int) -> None:
    ended: list[int] = []

    async def call(number: int) -> None:
        await asyncio.sleep(0.01 * (3 - number))
        ended.append(number)

    async def main() -> None:
        task = asyncio.ensure_future(concurrently([call(number) for number in range(3)]))
        for _ in range(started):
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.05)

    asyncio.run(main())
    assert ended == []
