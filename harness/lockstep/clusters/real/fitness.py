"""Which scenarios can run on a real cluster, and why the others cannot.

A scenario is run in memory, which shows how long it takes, which faults it sets, and how finely it distinguishes
instants. `lockstep.clusters.real.obstacles` keeps the results.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lockstep.clusters.real.obstacles import LONGEST
from lockstep.clusters.real.programs import NAMES
from lockstep.controllers.options import Options
from lockstep.environments.memory import MemoryRun, result_of
from lockstep.implementations.reference import Reference
from lockstep.network import Fault
from lockstep.scenarios.cluster import Cluster

if TYPE_CHECKING:
    from lockstep.scenarios.declare import Scenario
    from lockstep.trace.history import Write

_DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
_DEFAULTS = Options()
#: The day on which virtual time begins.
_EPOCH = "2000-01-01"
#: Seconds: a scenario with shorter steps, or finer differences, is too fast for a real clock.
_FINEST = 1.0


def obstacles_of(scenarios: Sequence[Scenario]) -> dict[str, str]:
    """Determine the obstacles without the stored table."""
    found = {one.id: obstacle(one) for one in sorted(scenarios, key=lambda one: one.id)}
    return {name: why for name, why in found.items() if why}


def obstacle(scenario: Scenario) -> str:
    """Why a scenario cannot run on a real cluster, as a clause; "" if it can."""
    return scenario.virtual or _by_declaration(scenario) or _by_trial(scenario)


def _by_declaration(scenario: Scenario) -> str:
    options = scenario.options
    if options.burst_replicas != _DEFAULTS.burst_replicas:
        return "kube-controller-manager has no flag for burst_replicas"
    if options.resync != _DEFAULTS.resync:
        return "kube-controller-manager randomizes its resync period"
    if options.feature_gates:
        return "needs feature gates, which are those of the whole cluster"
    if _EPOCH in inspect.getsource(scenario.body):
        return "names timestamps of the virtual clock"
    return ""


def _by_trial(scenario: Scenario) -> str:
    runs: list[_NotingRun] = []

    def make() -> MemoryRun:
        runs.append(_NotingRun(scenario))
        return runs[0]

    result = result_of(make)
    if result.virtual_seconds > LONGEST:
        return f"takes {_span(result.virtual_seconds)} on a real clock"
    return runs[0].obstacle()


def _span(seconds: float) -> str:
    if seconds < 600:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3 * 3600 else f"{seconds / 3600:.0f} h"


class _Instant(float):
    """A time that records when it is used as a key."""

    __slots__ = ("notice",)

    def __hash__(self) -> int:
        self.notice()  # type: ignore[attr-defined]
        return float.__hash__(self)

    def __round__(self, digits: int | None = None) -> _Instant:  # type: ignore[override]
        return _made(round(float(self), digits), self.notice)  # type: ignore[attr-defined]

    def __sub__(self, other: float) -> _Instant:
        return _made(float(self) - other, self.notice)  # type: ignore[attr-defined]


def _made(value: float, notice: object) -> _Instant:
    made = _Instant(value)
    made.notice = notice  # type: ignore[attr-defined]
    return made


class _NotingCluster(Cluster):
    """A cluster that records the times at which the scenario looks."""

    def __init__(self, run: _NotingRun) -> None:
        super().__init__(run)
        self.instants: set[float] = set()
        self.counts_by_instant = False
        #: The shortest time between two looks of the scenario, in seconds.
        self.shortest = _FINEST

    async def run(self, duration: float) -> None:
        """Let time pass."""
        self._note(duration)
        await super().run(duration)

    async def run_until(self, at: float) -> None:
        """Let time pass."""
        self._note(round(at - self.now, 6))
        await super().run_until(at)

    def _note(self, duration: float) -> None:
        if 0 < duration < self.shortest:
            self.shortest = duration

    def at(self, write: Write) -> float:
        """When a write was made."""
        value = super().at(write)
        self.instants.add(value)
        return _made(value, self._notice)

    def _notice(self) -> None:
        self.counts_by_instant = True


class _NotingRun(MemoryRun):
    """A run of the reference in memory that records what no real cluster can do."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario, Reference(), 0)
        self.noting = self.cluster = _NotingCluster(self)
        self._notes: list[str] = []
        self.server.observers.append(self._see)
        self._add = self.network.faults.add
        self.network.faults.add = self._note_fault  # type: ignore[method-assign]

    def crash_controllers(self, names: Sequence[str] = ()) -> None:
        """Record it if only some of several controllers crash."""
        managed = {name for name in self.scenario.controllers if name in NAMES}
        if managed - set(names) and managed & set(names):
            self._notes.append("crashes one of several controllers, which on a real cluster are one program")
        super().crash_controllers(names)

    def _note_fault(self, fault: Fault) -> Fault:
        if fault.as_of is not None:
            self._notes.append("lists from a stale cache, which cannot be forced on a real server")
        return self._add(fault)

    def _see(self, write: Write) -> None:
        if write.resource == _DEFINITIONS and write.actor == "scenario":
            self._notes.append("defines a kind, which the whole cluster would have")

    def obstacle(self) -> str:
        """The first obstacle found."""
        if self._notes:
            return self._notes[0]
        if self.noting.shortest < _FINEST:
            return f"looks again after {self.noting.shortest * 1000:.3g} ms"
        if self.noting.counts_by_instant:
            return "counts what happens at one instant"
        instants = sorted(self.noting.instants)
        gaps = [after - before for before, after in itertools.pairwise(instants)]
        close = [gap for gap in gaps if gap < _FINEST]
        return f"distinguishes instants that are {min(close) * 1000:.3g} ms apart" if close else ""
