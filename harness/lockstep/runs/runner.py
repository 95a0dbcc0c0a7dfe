"""Runs scenarios and gives each a verdict: by its own assertions always, and by comparison with what it is held to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import orjson

from lockstep.implementations.registry import release_of, takes_part
from lockstep.runs.opening import open_environment
from lockstep.runs.outcome import Outcome
from lockstep.time.python_gc import rarely_collected
from lockstep.trace import compare, recordings
from lockstep.trace.difference import FAILED_ASSERTION, Comparison, Difference
from lockstep.trace.explain import explain
from lockstep.trace.history import History
from lockstep.trace.history_file import save_history
from lockstep.trace.invariants import checking as invariants
from lockstep.trace.ledger import Judged, Ledger
from lockstep.trace.normalise import Trace, normalise
from lockstep.trace.summary import summarize
from lockstep_fixtures import ROOT as FIXTURES

if TYPE_CHECKING:
    from lockstep.environments.memory import RunResult
    from lockstep.implementations import Implementation
    from lockstep.runs.config import RunConfig
    from lockstep.scenarios.checks import FailedCheck
    from lockstep.scenarios.declare import Scenario

#: How often upstream is run to collect the admissible variants of a recording.
VARIANT_RUNS = 6
#: How much is shown of an error that a controller reported.
_LONGEST_ERROR = 200
#: Seconds by which a machine may be late on a real clock, and not be said to be so.
_LATE = 0.5

#: The trace of a run in which nothing happened.
NOTHING = normalise(History())


class Runner:
    """Context manager that holds the implementations (and their processes) open over many scenarios."""

    def __init__(
        self, config: RunConfig, progress: Callable[[str], None] = lambda _: None, histories: Path | None = None
    ) -> None:
        self.config = config
        self._histories = histories
        self._progress = progress
        self._ledger = Ledger.load(FIXTURES / "divergences.yaml")
        self._implementation: Implementation | None = None
        self._other: Implementation | None = None
        self._held = ExitStack()
        self._environment = open_environment(config, progress)

    def __enter__(self) -> Self:
        self._held.enter_context(rarely_collected())
        try:
            self._held.enter_context(self._environment)
            self._implementation = self._open(self.config.implementation)
            if self.config.against not in ("recorded", "none"):
                self._other = self._open(self.config.against)
        except BaseException:
            self._held.close()
            raise
        return self

    def _open(self, spec: str) -> Implementation:
        return self._environment.implementation(spec, self.config.release)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for implementation in (self._implementation, self._other):
            if implementation is not None:
                implementation.close()
        self._held.close()

    def run(self, scenario: Scenario) -> Outcome:
        """Run one scenario and judge it; with `update`, record it instead."""
        assert self._implementation is not None, "use Runner as a context manager"
        result = self._environment.run(scenario, self._implementation, self.config.seed)
        trace = self._told(normalise(result.history, result.start_instant))
        outcome = Outcome(
            scenario,
            "pass",
            result.assertions,
            0,
            result.virtual_seconds,
            result.wall_seconds,
            digest=trace.digest(),
        )
        if self._histories is not None:
            save_history(self._histories / f"{scenario.id}.jsonl", result.history, self._facts(scenario, result))
        self._judge_by_itself(scenario, result, outcome)
        if outcome.verdict not in ("pass", "divergent") and result.controller_errors:
            outcome.message += _reported(result.controller_errors)
        if outcome.verdict in ("pass", "divergent"):
            if self.config.update:
                self._record(scenario, trace, outcome)
            elif self.config.against != "none":
                self._judge_by_comparison(scenario, trace, outcome)
        if outcome.verdict not in ("pass", "divergent") and result.late > _LATE:
            late = f"This machine was up to {result.late:.1f} s late for what was due; try fewer --jobs."
            outcome.message += f"\n\n{late}"
        return outcome

    def run_all(self, scenarios: Sequence[Scenario], doing: Callable[[str], None]) -> Iterator[Outcome]:
        """Run scenarios, several at a time where the clock is the machine's; outcomes come in the order given."""
        if not self._environment.real:
            for scenario in scenarios:
                doing(scenario.id)
                yield self.run(scenario)
            return
        with ThreadPoolExecutor(self.config.ground.jobs, thread_name_prefix="lockstep-scenario") as pool:
            futures = [pool.submit(self.run, scenario) for scenario in scenarios]
            try:
                for scenario, future in zip(scenarios, futures, strict=True):
                    doing(scenario.id)
                    yield future.result()
            except BaseException:  # also where the caller wants no more
                for future in futures:
                    future.cancel()
                self._environment.abandon()
                raise

    def _facts(self, scenario: Scenario, result: RunResult) -> dict[str, Any]:
        """What `lockstep replay` must know of a run to judge its history again."""
        return {
            "scenario": scenario.id,
            "must": scenario.must,
            "implementation": self.config.implementation,
            "release": self.config.release,
            "seed": self.config.seed,
            "start": result.start_instant,
            "end": result.end_instant,
            "broken_conditions": sorted(result.broken_conditions),
        }

    # -- judging ------------------------------------------------------------------------------------------------------

    def _judge_by_itself(self, scenario: Scenario, result: RunResult, outcome: Outcome) -> None:
        """By the scenario's own assertions, and by the invariants."""
        excused = self._excused(scenario, self.config.implementation, result)
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

    def _excused(self, scenario: Scenario, spec: str, result: RunResult) -> Judged:
        """What the ledger says of assertions that do not hold. It knows releases of upstream, never the reference."""
        failed = [assertion_difference(check) for check in result.failed]
        comparison = Comparison(failed, NOTHING, NOTHING)
        if not takes_part("upstream", spec):
            return Judged(tuple(failed), (), (), comparison)
        return self._ledger.judge_assertions(scenario.id, release_of(spec) or self.config.release, comparison)

    def _judge_by_comparison(self, scenario: Scenario, trace: Trace, outcome: Outcome) -> None:
        try:
            comparison, outcome.variants = self._compare(scenario, trace)
        except (recordings.DamagedRecording, recordings.NoRecording, NotPassed) as problem:
            outcome.verdict, outcome.message = "error", str(problem)
            return
        outcome.writes_compared = trace.compared_items
        judged = self._by_ledger(scenario, comparison)
        outcome.divergences += judged.explained
        if judged.remaining or judged.stale:
            outcome.verdict = "fail"
            outcome.message = explain(judged, scenario.id, scenario.must, self._names(), self._reproduce(scenario))
        elif outcome.divergences:
            outcome.verdict = "divergent"

    def _compare(self, scenario: Scenario, trace: Trace) -> tuple[Comparison, int]:
        """With the variants that are known, or that show while the other implementation is run again.

        That is done only as long as something is left that the ledger does not explain.
        """
        if self._other is None:
            known = recordings.load(FIXTURES, self.config.release, scenario.id).variants
            return compare.nearest([self._told(one) for one in known], trace, scenario.tolerance), len(known)
        variants: dict[str, Trace] = {}
        runs = 0
        while True:
            other = self._passed(scenario, self._other)
            variants.setdefault(other.digest(), other)
            nearest = compare.nearest(list(variants.values()), trace, scenario.tolerance)
            runs += 1
            judged = self._by_ledger(scenario, nearest)
            if not nearest.differences or not (judged.remaining or judged.stale) or runs == VARIANT_RUNS:
                return nearest, len(variants)

    def _by_ledger(self, scenario: Scenario, comparison: Comparison) -> Judged:
        """What the ledger says of the differences from what the run is held to."""
        return self._ledger.judge(scenario.id, self.config.release, self._ledgered(), comparison)

    def _passed(self, scenario: Scenario, yardstick: Implementation) -> Trace:
        """What an implementation does that others are held to. Raises NotPassed if it does not get through."""
        result = self._environment.run(scenario, yardstick, self.config.seed)
        excused = self._excused(scenario, yardstick.spec, result)
        if result.error or excused.remaining or excused.stale:
            reason = result.error or result.failure or _gone(excused.stale)
            raise NotPassed(f"{yardstick.spec} does not pass this scenario itself: {reason}")
        return self._told(normalise(result.history, result.start_instant))

    def _told(self, trace: Trace) -> Trace:
        """What of a trace is compared: on a real clock, its summary."""
        return summarize(trace) if self._environment.real else trace

    def _ledgered(self) -> bool:
        """The ledger holds differences between the reference and upstream; upstream against itself has none."""
        sides = (self.config.implementation, self.config.against)
        return any(side not in ("recorded", "none") and takes_part("reference", side) for side in sides)

    def _names(self) -> tuple[str, str]:
        """What is expected, and what was got, in words."""
        if self.config.against == "recorded":
            return f"upstream {self.config.release} (recorded)", self.config.implementation
        return self.config.against, self.config.implementation

    def _reproduce(self, scenario: Scenario) -> str:
        config, words = self.config, ["lockstep", "run", scenario.id]
        for option, value, default in (
            ("--implementation", config.implementation, "reference"),
            ("--environment", config.environment, "memory"),
            ("--against", config.against, "recorded"),
            ("--release", config.release, "1.36.3"),
            ("--seed", str(config.seed), "0"),
        ):
            if value != default:
                words += [option, value]
        return " ".join(words)

    # -- recording ----------------------------------------------------------------------------------------------------

    def _record(self, scenario: Scenario, first: Trace, outcome: Outcome) -> None:
        assert self._implementation is not None
        variants = {first.digest(): first}
        try:
            for _ in range(VARIANT_RUNS - 1):
                trace = self._passed(scenario, self._implementation)
                variants.setdefault(trace.digest(), trace)
        except NotPassed as problem:
            outcome.verdict, outcome.message = "error", f"{problem}; nothing was recorded"
            return
        outcome.variants = len(variants)
        recordings.save(
            FIXTURES,
            scenario_id=scenario.id,
            must=scenario.must,
            provenance=self._implementation.provenance(self.config.seed),
            variants=[variants[key] for key in sorted(variants)],
        )


class NotPassed(Exception):
    """What a scenario should be held to does not pass it itself."""


def _reported(errors: tuple[str, ...]) -> str:
    """The last errors that the controllers reported without acting on them, as they may explain a failure."""
    lines = [error if len(error) <= _LONGEST_ERROR else f"{error[:_LONGEST_ERROR]} ..." for error in errors[-3:]]
    return "\n".join(["", "", "The controllers last reported:", *(f"  {line}" for line in lines)])


def assertion_difference(check: FailedCheck) -> Difference:
    """A failed assertion as the ledger sees it.

    What was got instead is left out: older releases meet conflicts of their own making, whose number varies.
    """
    return Difference(f"{check.at:.3f}", FAILED_ASSERTION, "scenario", check.what, _in_words(check.wanted), "otherwise")


def _in_words(value: Any) -> str:
    """JSON where that is possible; of anything else only what it is, since its text may differ from run to run."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS).decode()
    except TypeError:
        return type(value).__name__


def _gone(entries: tuple[str, ...]) -> str:
    return f"known difference {', '.join(entries)} is gone: this release meets the assertion; correct the entry"
