"""One generated case: whether both implementations act alike when they run it.

Upstream leaves some choices open (the order of Go maps, which goroutine runs first), and a plan may hit one. So when
two traces differ, both sides are run again with other seeds, each an order that real concurrency can produce. It does
not count as a difference if upstream, in another order, does what the reference did. Nor does it if upstream's
behaviour varies and some order of each side gives equal traces. To find one, the reference is also given the order that
upstream's choices reveal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lockstep.environments.memory import RunResult, run_scenario
from lockstep.implementations.following import Acts
from lockstep.implementations.reference import Reference
from lockstep.project.regressions import case_name, tolerance_of
from lockstep.scenarios.declare import Scenario
from lockstep.trace import compare
from lockstep.trace.explain import explain
from lockstep.trace.invariants import checking as invariants
from lockstep.trace.ledger import Ledger
from lockstep.trace.normalise import Trace, normalise

if TYPE_CHECKING:
    from lockstep.implementations import Implementation
    from lockstep.scenarios.cluster import Cluster
    from lockstep.trace.history import History

#: How many other orders each side is given before two traces count as different.
ATTEMPTS = 24
#: How often the right side is first run again in the same order: a Go map may give it another choice. If it has not
#: chosen differently after `ENOUGH` runs, it hardly will.
REPEATS = 16
ENOUGH = 3


@dataclass(frozen=True, slots=True)
class CaseReport:
    """The result of one case. `text` explains a difference or a broken invariant; empty if there is none."""

    text: str
    #: A stable one-line form of the first difference, to identify it.
    headline: str
    #: Whether the sides agreed only after other orders had been tried.
    needed_variants: bool
    writes_compared: int


def as_scenario(plan: dict[str, Any], plans: ModuleType) -> Scenario:
    """A plan as a scenario.

    `plans` is the controller's module that can play it. It has `play`, `check`, `CONTROLLERS` (the names of those that
    run; the first is part of the scenario's id), and `options`, which gives a plan's configuration of them. It may have
    a `TOLERANCE`.
    """

    async def body(cluster: Cluster) -> None:
        await plans.play(cluster, plan)

    return Scenario(
        id=f"{plans.CONTROLLERS[0]}/case-{case_name(plan)}",
        must="The controller MUST act as upstream does in a generated scenario.",
        source=("generated",),
        body=body,
        controllers=plans.CONTROLLERS,
        options=plans.options(plan),
        tolerance=tolerance_of(plans),
    )


class Differential:
    """Judges cases with two open implementations."""

    def __init__(self, left: Implementation, right: Implementation, ledger: Ledger, release: str) -> None:
        self._sides = (left, right)
        self._ledger = ledger
        self._release = release

    def judge(self, scenario: Scenario) -> CaseReport:
        """Run one case on both sides."""
        runs = [run_scenario(scenario, side) for side in self._sides]
        for side, run in zip(self._sides, runs, strict=True):
            if trouble := _trouble(run):
                return CaseReport(f"{side.spec}: {trouble}", f"{side.spec}: {trouble.splitlines()[0]}", False, 0)
        left, right = (normalise(run.history, run.start_instant) for run in runs)
        if _alike(left, right, scenario.tolerance):
            return CaseReport("", "", False, left.compared_items)
        if self._meet(scenario, runs):
            return CaseReport("", "", True, left.compared_items)
        return self._report(scenario, left, right)

    def _meet(self, scenario: Scenario, runs: Sequence[RunResult]) -> bool:
        """Whether some order gives both sides equal traces.

        If the right side does the same in every order, upstream leaves nothing open, and the left must do just that.
        """
        mine, theirs = _Traces(scenario.tolerance), _Traces(scenario.tolerance)
        for traces, run in zip((mine, theirs), runs, strict=True):
            traces.add(normalise(run.history, run.start_instant), run.history)
        for again in range(REPEATS):
            self._run(scenario, 1, 0, theirs)
            if mine.meet(theirs):
                return True
            if again == ENOUGH and len(theirs) == 1:
                break
        behind: list[int] = []
        for seed in range(1, ATTEMPTS + 1):
            self._run(scenario, 1, seed, theirs)
            behind.append(seed)
            if len(theirs) == 1:
                continue
            for acts in theirs.fresh_acts():
                self._run(scenario, 0, 0, mine, acts)
            while behind and not mine.meet(theirs):
                self._run(scenario, 0, behind.pop(0), mine)
            if mine.meet(theirs):
                return True
        return False

    def _run(self, scenario: Scenario, side: int, seed: int, traces: _Traces, acts: Acts | None = None) -> None:
        """Add a side's trace in another order, unless the run was cut short, which shows nothing."""
        implementation = self._sides[side]
        if acts is not None:
            if not isinstance(implementation, Reference):
                return
            implementation = Reference(acts)
        run = run_scenario(scenario, implementation, seed)
        if not run.error:
            traces.add(normalise(run.history, run.start_instant), run.history)

    def _report(self, scenario: Scenario, left: Trace, right: Trace) -> CaseReport:
        comparison = compare.compare(right, left, scenario.tolerance)
        judged = self._ledger.judge(scenario.id, self._release, True, comparison)
        names = (self._sides[1].spec, self._sides[0].spec)
        text = explain(judged, scenario.id, scenario.must, names, "lockstep replay FILE, with the saved case")
        return CaseReport(text, comparison.differences[0].line(), False, left.compared_items)


class _Traces:
    """The different traces of one side in several orders."""

    def __init__(self, tolerance: Sequence[compare.Tolerance]) -> None:
        self._tolerance = tolerance
        self._known: list[Trace] = []
        self._digests: set[str] = set()
        self._fresh: list[History] = []

    def __len__(self) -> int:
        return len(self._known)

    def add(self, trace: Trace, history: History) -> None:
        """Add a trace, unless there is one like it."""
        if trace.digest() not in self._digests and not self._has(trace):
            self._known.append(trace)
            self._fresh.append(history)
        self._digests.add(trace.digest())

    def fresh_acts(self) -> list[Acts]:
        """What controllers did to pods in the traces that are new since the last call."""
        fresh, self._fresh = self._fresh, []
        return [Acts(history) for history in fresh]

    def meet(self, other: _Traces) -> bool:
        """Whether both sides have an equal trace."""
        return not self._digests.isdisjoint(other._digests) or any(map(self._has, other._known))

    def _has(self, trace: Trace) -> bool:
        return any(_alike(one, trace, self._tolerance) for one in self._known)


def _alike(one: Trace, other: Trace, tolerance: Sequence[compare.Tolerance]) -> bool:
    if one.digest() == other.digest():
        return True
    return bool(tolerance) and not compare.compare(one, other, tolerance).differences


def _trouble(run: RunResult) -> str:
    if run.error or run.failure:
        return run.error or run.failure
    broken = invariants.check(run.history, run.end_instant, settled=True, broken=run.broken_conditions)
    return "\n".join(str(one) for one in broken)
