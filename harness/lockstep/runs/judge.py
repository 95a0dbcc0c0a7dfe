"""Verdicts: always by a scenario's assertions and the invariants, and by comparison with recordings or another run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from lockstep.implementations.registry import release_of, takes_part
from lockstep.runs.command import command_of
from lockstep.runs.outcome import Outcome
from lockstep.trace import compare, recordings
from lockstep.trace.difference import FAILED_ASSERTION, Comparison, Difference
from lockstep.trace.explain import explain
from lockstep.trace.history import History
from lockstep.trace.invariants import checking as invariants
from lockstep.trace.ledger import Judged, Ledger
from lockstep.trace.normalise import Trace, normalise
from lockstep.trace.summary import summarize

if TYPE_CHECKING:
    from lockstep.environments.memory import RunResult
    from lockstep.project import Project
    from lockstep.runs.config import RunConfig
    from lockstep.scenarios.checks import FailedCheck
    from lockstep.scenarios.declare import Scenario

#: How often an implementation is run to collect the variants of its behaviour.
VARIANT_RUNS = 6
#: The most characters of a controller's error that are shown.
_LONGEST_ERROR = 200
#: Seconds by which a machine may be late on a real clock before it is reported.
_LATE = 0.5

#: The trace of a run in which nothing happened.
NOTHING = normalise(History())


class NotPassed(Exception):
    """The implementation to compare with does not pass the scenario itself."""


class Judge:
    """Judges the results of runs of one configuration, by the evidence of a project.

    `real`: whether the runs used the machine's clock; then summaries of traces are compared.
    """

    def __init__(self, config: RunConfig, project: Project, *, real: bool) -> None:
        self._config = config
        self._project = project
        self._real = real
        self._ledgers: dict[Path, Ledger] = {}

    def trace_of(self, result: RunResult) -> Trace:
        """The part of a run that is compared."""
        trace = normalise(result.history, result.start_instant)
        return summarize(trace) if self._real else trace

    def judge(
        self, scenario: Scenario, result: RunResult, trace: Trace, again: Callable[[], Trace] | None = None
    ) -> Outcome:
        """The verdict on a run, of which `trace` is compared. `again` runs the other implementation live.

        Raises LedgerError.
        """
        outcome = self.by_itself(scenario, result, trace)
        if outcome.green and self._config.against != "none":
            self._by_comparison(scenario, trace, again, outcome)
        if not outcome.green and result.late > _LATE:
            late = f"This machine was up to {result.late:.1f} s late for what was due; try fewer --jobs."
            outcome.message += f"\n\n{late}"
        return outcome

    def by_itself(self, scenario: Scenario, result: RunResult, trace: Trace) -> Outcome:
        """The verdict by the scenario's own assertions, and by the invariants. Raises LedgerError."""
        outcome = Outcome(
            scenario,
            "pass",
            result.assertions,
            0,
            result.virtual_seconds,
            result.wall_seconds,
            digest=trace.digest(),
        )
        excused = self._excused(scenario, self._config.implementation, result)
        if result.error:
            outcome.verdict, outcome.message = "error", result.error
        elif excused.remaining or excused.stale:
            outcome.verdict = "fail"
            outcome.message = result.failure or _gone(excused.stale)
        elif not result.assertions:
            outcome.verdict, outcome.message = "fail", "the scenario asserted nothing"
        elif broken := invariants.check(result.history, result.end_instant, False, result.broken_conditions):
            outcome.verdict, outcome.message = "fail", "\n".join(str(one) for one in broken)
        elif excused.explained:
            outcome.verdict, outcome.divergences = "divergent", excused.explained
        if not outcome.green and result.controller_errors:
            outcome.message += _reported(result.controller_errors)
        return outcome

    def standard(self, scenario: Scenario, spec: str, result: RunResult) -> Trace:
        """The trace of a run that others are compared with. Raises NotPassed if it does not pass, and LedgerError."""
        excused = self._excused(scenario, spec, result)
        if result.error or excused.remaining or excused.stale:
            reason = result.error or result.failure or _gone(excused.stale)
            raise NotPassed(f"{spec} does not pass this scenario itself: {reason}")
        return self.trace_of(result)

    def _excused(self, scenario: Scenario, spec: str, result: RunResult) -> Judged:
        """The ledger's entries for failed assertions. It knows releases of upstream, never the reference."""
        failed = [assertion_difference(check) for check in result.failed]
        comparison = Comparison(failed, NOTHING, NOTHING)
        if not takes_part("upstream", spec):
            return Judged(tuple(failed), (), (), comparison)
        release = release_of(spec) or self._config.release
        return self._ledger(scenario).judge_assertions(scenario.id, release, comparison)

    # -- by comparison ------------------------------------------------------------------------------------------------

    def _by_comparison(
        self, scenario: Scenario, trace: Trace, again: Callable[[], Trace] | None, outcome: Outcome
    ) -> None:
        try:
            if again is None:
                comparison, outcome.variants = self._with_recorded(scenario, trace)
            else:
                comparison, outcome.variants = self._with_live(scenario, trace, again)
        except (recordings.DamagedRecording, recordings.NoRecording, NotPassed) as problem:
            outcome.verdict, outcome.message = "error", str(problem)
            return
        outcome.writes_compared = trace.compared_items
        judged = self._by_ledger(scenario, comparison)
        outcome.divergences += judged.explained
        if judged.remaining or judged.stale:
            outcome.verdict = "fail"
            command = command_of([scenario.selector], self._config)
            outcome.message = explain(judged, scenario.id, scenario.must, self._names(), " ".join(command))
        elif outcome.divergences:
            outcome.verdict = "divergent"

    def _with_recorded(self, scenario: Scenario, trace: Trace) -> tuple[Comparison, int]:
        """Compare with the nearest variant of the recording; also how many there are. Raises as `recordings.load`."""
        folder = self._project.evidence_of(scenario.module).recordings
        known = recordings.load(folder, self._config.release, scenario.id).variants
        variants = [summarize(one) for one in known] if self._real else known
        return compare.nearest(variants, trace, scenario.tolerance), len(variants)

    def _with_live(self, scenario: Scenario, trace: Trace, again: Callable[[], Trace]) -> tuple[Comparison, int]:
        """Compare with the nearest of the variants that the other implementation shows in repeated runs.

        It is run again only while there are differences that the ledger does not explain.
        """
        variants: dict[str, Trace] = {}
        runs = 0
        while True:
            other = again()
            variants.setdefault(other.digest(), other)
            nearest = compare.nearest(list(variants.values()), trace, scenario.tolerance)
            runs += 1
            judged = self._by_ledger(scenario, nearest)
            if not nearest.differences or not (judged.remaining or judged.stale) or runs == VARIANT_RUNS:
                return nearest, len(variants)

    def _by_ledger(self, scenario: Scenario, comparison: Comparison) -> Judged:
        """The ledger's entries for the differences from what the run is compared with.

        It holds differences between the reference and upstream; upstream against itself has none.
        """
        sides = (self._config.implementation, self._config.against)
        applies = any(side not in ("recorded", "none") and takes_part("reference", side) for side in sides)
        return self._ledger(scenario).judge(scenario.id, self._config.release, applies, comparison)

    def _ledger(self, scenario: Scenario) -> Ledger:
        path = self._project.evidence_of(scenario.module).ledger
        if path not in self._ledgers:
            self._ledgers[path] = Ledger.load(path)
        return self._ledgers[path]

    def _names(self) -> tuple[str, str]:
        """Names of the expected and of the actual side."""
        config = self._config
        expected = f"upstream {config.release} (recorded)" if config.against == "recorded" else config.against
        return expected, config.implementation


def _reported(errors: tuple[str, ...]) -> str:
    """The last errors that the controllers reported without acting on them, as they may explain a failure."""
    lines = [error if len(error) <= _LONGEST_ERROR else f"{error[:_LONGEST_ERROR]} ..." for error in errors[-3:]]
    return "\n".join(["", "", "The controllers last reported:", *(f"  {line}" for line in lines)])


def assertion_difference(check: FailedCheck) -> Difference:
    """A failed assertion as the ledger sees it.

    The actual value is left out: older releases cause conflicts themselves, and their number varies.
    """
    return Difference(f"{check.at:.3f}", FAILED_ASSERTION, "scenario", check.what, _in_words(check.wanted), "otherwise")


def _in_words(value: Any) -> str:
    """JSON if possible; for other values only their type, since their text may differ from run to run."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS).decode()
    except TypeError:
        return type(value).__name__


def _gone(entries: tuple[str, ...]) -> str:
    return f"known difference {', '.join(entries)} is gone: this release meets the assertion; correct the entry"
