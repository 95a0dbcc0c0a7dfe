"""Drives Hypothesis over a controller's plans, case by case, and keeps going after a difference."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as hypothesis_seed
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from lockstep.implementations.registry import UsageError, open_implementation
from lockstep.project import BUILT_IN
from lockstep.project.regressions import case_name
from lockstep.quality.fuzz.differential import CaseReport, Differential, as_scenario
from lockstep.time.python_gc import rarely_collected
from lockstep.trace.ledger import Ledger

#: How many plans are judged to find the smallest that shows a difference. Each that differs costs some fifty runs.
SHRINKING = 100
#: One draw in so many is not a plan.
_RARELY_NOTHING = 1024


@dataclass(slots=True)
class Found:
    """One difference: the smallest plan that was found to show it, and what differs."""

    plan: dict[str, Any]
    report: CaseReport


@dataclass(slots=True)
class FuzzResult:
    """What a fuzzing run did.

    `shrinking`: how many plans have been judged to shrink the present difference; 0 while cases are drawn. `seconds`:
    real time of generating and judging the cases, without shrinking.
    """

    controller: str
    seed: int
    cases: int = 0
    writes_compared: int = 0
    needed_variants: int = 0
    shrinking: int = 0
    seconds: float = 0.0
    differences: list[Found] = field(default_factory=list)

    @property
    def cases_per_second(self) -> float:
        """Cases that both implementations ran, and that were compared, per second."""
        return self.cases / self.seconds if self.seconds else 0.0


class _Different(AssertionError):
    """Makes Hypothesis shrink the plan."""


class _ShrunkEnough(BaseException):
    """Ends shrinking at once, because Hypothesis passes on what is not an Exception. Otherwise it would go on for
    minutes.
    """


def fuzz(
    controller: str,
    cases: int,
    seed: int,
    implementation: str = "reference",
    against: str = "upstream",
    release: str = "1.36.3",
    progress: Callable[[str], None] = lambda _: None,
    on_case: Callable[[FuzzResult], None] = lambda _: None,
) -> FuzzResult:
    """Run `cases` generated scenarios on both implementations and compare them. Raises UsageError.

    `on_case` is called after each case, and after each plan that is judged to shrink one.
    """
    try:
        plans = importlib.import_module(f"lockstep_conformance.{controller}.plans")
        strategy = importlib.import_module(f"lockstep_conformance.{controller}.strategies").plans()
    except ModuleNotFoundError as missing:
        raise UsageError(f"nothing can be generated for controller {controller!r}: {missing}") from missing
    result = FuzzResult(controller, seed)
    with ExitStack() as held:
        held.enter_context(rarely_collected())
        sides = [open_implementation(spec, release, progress) for spec in (implementation, against)]
        for side in sides:
            held.callback(side.close)
        differential = Differential(sides[0], sides[1], Ledger.load(BUILT_IN.ledger), release)
        numbers = count()
        while result.cases < cases:
            judge = _Judge(lambda plan: differential.judge(as_scenario(plan, plans)), result, on_case)
            _explore(judge, strategy, case_seed(seed, next(numbers)))
    return result


def case_seed(seed: int, number: int) -> int:
    """The seed of one case, different from those of other seeds' cases."""
    return seed * 1_000_003 + number


class _Judge:
    """Judges a case, and its smaller variants if it differs; counts only the case."""

    def __init__(
        self, judge: Callable[[dict[str, Any]], CaseReport], result: FuzzResult, on_case: Callable[[FuzzResult], None]
    ) -> None:
        self._judge = judge
        self.result = result
        self._on_case = on_case
        self.found: Found | None = None
        self._different: dict[str, CaseReport] = {}
        self._began = time.perf_counter()

    def __call__(self, plan: dict[str, Any]) -> None:
        report = self._different.get(case_name(plan))
        if report is None:
            if self.result.shrinking == SHRINKING:
                raise _ShrunkEnough
            report = self._judge(plan)
            self._count(report)
        if report.text:
            self._different[case_name(plan)] = report
            self.found = Found(plan, report)
            raise _Different(report.headline)

    def _count(self, report: CaseReport) -> None:
        if self.found is None:
            self.result.cases += 1
            self.result.writes_compared += report.writes_compared
            self.result.needed_variants += report.needed_variants
            self.result.seconds += time.perf_counter() - self._began
        else:
            self.result.shrinking += 1
        self._on_case(self.result)


def _explore(judge: _Judge, strategy: Any, seed: int) -> None:
    """Draw one plan, judge it, and shrink it if it differs.

    A run of Hypothesis begins with the simplest draw, which is always the same; here it is not a plan, which saves
    time. The next draw is random, and after it Hypothesis would only vary that one. So each case is a separate run.
    """
    drawn = st.integers(0, _RARELY_NOTHING).flatmap(lambda number: strategy if number else st.none())

    @hypothesis_seed(seed)
    @settings(
        max_examples=2,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
    )
    @given(drawn)
    def explore(plan: dict[str, Any] | None) -> None:
        if plan is not None:
            judge(plan)

    try:
        explore()
    except (_Different, _ShrunkEnough, Flaky):  # flaky: upstream chose differently this time, but the case did differ
        assert judge.found is not None
        judge.result.differences.append(judge.found)
        judge.result.shrinking = 0
