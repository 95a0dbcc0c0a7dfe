"""Scenarios that run on real clusters leave time: they have the same summary where coming to rest takes a second.

On a real clock the scenario's clock stands still while the controllers come to rest, and their own timers go on. Here
that takes place on virtual time, so that a scenario without a margin is found at once and each time.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lockstep.clusters.real.loop import RealLoop
from lockstep.clusters.real.obstacles import known_obstacles
from lockstep.environments.memory import WARM_UP, MemoryRun, RunResult, result_of
from lockstep.implementations import Implementation
from lockstep.project import find_project
from lockstep.project.loading import load
from lockstep.runs import runner as running
from lockstep.runs.config import RunConfig
from lockstep.runs.opening import Memory
from lockstep.runs.runner import Runner
from lockstep.scenarios.declare import Scenario
from lockstep.time.clock import seconds
from lockstep.time.loop import VirtualLoop
from lockstep.trace.invariants.base import FRESH_CACHES, PROMPT_ANSWERS

#: Seconds that a rest takes, and the last one. On an idle machine it is a third of that.
_REST, _LAST = 1.0, 1.5


class _SlowLoop(RealLoop):
    """The scenario's clock of a real cluster, on virtual time."""

    def __init__(self) -> None:
        VirtualLoop.__init__(self)
        self.gateways = None
        self.begin()

    def clock(self) -> int:
        return self.now

    def _advance(self, until: int | None) -> None:
        VirtualLoop._advance(self, until)

    async def rest(self, calm: float = _REST) -> None:
        await VirtualLoop.world_sleep(self, calm)


class _SlowRun(MemoryRun):
    loop: _SlowLoop

    def make_loop(self) -> RealLoop:
        loop = _SlowLoop()
        loop.horizon = seconds(self.scenario.horizon + 300)
        return loop

    async def warm_up(self) -> None:
        await VirtualLoop.world_sleep(self.loop, WARM_UP)
        self.loop.begin()

    async def play(self) -> None:
        await super().play()
        await self.loop.rest(_LAST)


class _SlowMemory(Memory):
    real = True

    def run(self, scenario: Scenario, implementation: Implementation, seed: int) -> RunResult:
        result = result_of(lambda: _SlowRun(scenario, implementation, seed))
        result.broken_conditions |= {PROMPT_ANSWERS, FRESH_CACHES}
        return result


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(running, "open_environment", lambda _, progress: _SlowMemory(progress))
        with Runner(RunConfig(), find_project()) as runner:
            yield runner


_FITTING = [one for one in load() if one.id not in known_obstacles()]


@pytest.mark.parametrize("scenario", _FITTING, ids=lambda one: one.id)
def test_slow_rests_change_nothing(runner: Runner, scenario: Scenario) -> None:
    outcome = runner.run(scenario)
    assert outcome.verdict == "pass", outcome.message
