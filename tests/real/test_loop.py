"""The clock of a scenario on a real cluster: it stands still while the controllers come to rest."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from lockstep.clusters.real.loop import CALM, SLACK, Moment, RealLoop
from lockstep.serving.boxes import Inbox
from lockstep.time import loop as virtual
from lockstep.time.clock import SECOND, seconds


def test_rests_do_not_count_on_the_scenarios_clock() -> None:
    loop = RealLoop(Inbox())
    began = loop.now

    async def main() -> None:
        loop.begin()
        for _ in range(2):
            await loop.world_sleep(0.05)

    virtual.run(loop, main())
    assert loop.scenario_now - began == pytest.approx(seconds(0.1), abs=seconds(0.04))
    assert loop.now - began >= seconds(0.1 + 2 * CALM)


def test_what_comes_from_outside_is_waited_for_although_nothing_is_planned() -> None:
    inbox = Inbox()
    loop = RealLoop(inbox)
    loop.horizon = loop.now + seconds(60)

    async def main() -> str:
        answered: asyncio.Future[str] = loop.create_future()
        threading.Timer(0.05, lambda: inbox.put(lambda: answered.set_result("here"))).start()
        return await answered

    assert virtual.run(loop, main()) == "here"


def test_a_wait_for_nothing_ends_at_the_horizon() -> None:
    loop = RealLoop(Inbox())
    loop.horizon = loop.now + seconds(0.05)

    async def main() -> None:
        await loop.create_future()

    with pytest.raises(virtual.HorizonPassed):
        virtual.run(loop, main())


def test_nothing_rests_while_an_answer_is_on_its_way() -> None:
    loop = RealLoop(Inbox())
    answered_at = loop.now + seconds(2 * CALM)
    loop.busy = lambda: loop.now < answered_at

    async def main() -> None:
        await loop.world_sleep(0)

    virtual.run(loop, main())
    assert loop.now >= answered_at


def test_an_instant_inside_a_rest_is_that_of_the_step() -> None:
    loop = RealLoop(Inbox())
    seen: list[int] = []

    async def main() -> None:
        loop.begin()
        loop.world_after(CALM / 2, lambda: seen.append(loop.now))
        await loop.world_sleep(0)

    virtual.run(loop, main())
    assert float(loop.scenario_seconds(loop.scenario_now, seen[0])) == 0.0
    assert loop.instant_at(loop.scenario_now + SECOND) == loop.now + SECOND


def test_a_moment_is_what_was_planned_within_the_slack() -> None:
    assert Moment(5.3) == 5.0
    assert [("web", Moment(5.3))] == [("web", 5.0)]
    assert Moment(5.3) != 5.2 + SLACK + 0.2
    assert Moment(5.3 + SLACK) != 5.0
    assert not Moment(0.4)
    assert round(Moment(12.34567), 3) - 10 == 2.0
    with pytest.raises(TypeError):
        hash(Moment(1.0))


def test_a_moment_may_be_early_by_as_much_as_the_clock_stood_still() -> None:
    assert Moment(10.0, stood=3.0) == 15.0
    assert Moment(9.0, stood=3.0) != 15.0 + SLACK
    assert Moment(18.0, stood=3.0) != 15.0, "a clock that stands still makes nothing late"
    assert Moment(25.0, stood=4.0) - Moment(12.0, stood=3.0) == 15.0
    assert Moment(24.0, stood=4.0) - Moment(12.5, stood=3.0) != 15.0


def test_what_happens_in_one_go_is_one_moment() -> None:
    loop = RealLoop(Inbox())
    seen: list[int] = []

    async def main() -> None:
        loop.begin()
        for after in (0.01, 0.05, 0.1, 2 * CALM):
            loop.world_after(after, lambda: seen.append(loop.moment))
        await loop.world_sleep(3 * CALM)

    virtual.run(loop, main())
    assert len(seen) == 4
    assert seen[0] == seen[1] == seen[2] != seen[3]


def test_the_loop_knows_how_late_the_machine_was() -> None:
    loop = RealLoop(Inbox())

    async def main() -> None:
        loop.begin()
        loop.world_after(0.0, lambda: time.sleep(0.1))  # another process has the processor for so long
        loop.world_after(0.02, lambda: None)
        await loop.world_sleep(0.03)

    virtual.run(loop, main())
    assert seconds(0.05) < loop.late < seconds(10)
