"""A task that sleeps until there is more to do."""

from __future__ import annotations

import asyncio

from lockstep_reference.machinery.wakeup import Wakeup


def test_ends_a_sleep() -> None:
    async def sleep_and_report(wakeup: Wakeup, reported: list[str]) -> None:
        while True:
            await wakeup.sleep()
            reported.append("awake")

    async def main() -> list[str]:
        wakeup, reported = Wakeup(), list[str]()
        wakeup.wake()  # no task sleeps: the call is not kept for later
        sleeper = asyncio.ensure_future(sleep_and_report(wakeup, reported))
        await asyncio.sleep(0)
        before = list(reported)
        for _ in range(2):
            wakeup.wake()
            wakeup.wake()  # no task sleeps when the second one comes
            await asyncio.sleep(0)
        sleeper.cancel()
        return [*before, "woken", *reported]

    assert asyncio.run(main()) == ["woken", "awake", "awake"]


def test_a_cancelled_sleeper_is_left_alone() -> None:
    async def main() -> bool:
        wakeup = Wakeup()
        sleep = wakeup.sleep()
        sleep.cancel()
        wakeup.wake()
        return sleep.cancelled()

    assert asyncio.run(main())
