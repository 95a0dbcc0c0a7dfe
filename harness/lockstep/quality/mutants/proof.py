"""The proof that a list of mutants is caught: first the unmodified controller, then every mutant, scenario by scenario.

Mutants are tried on the scenarios of their controller, or of all controllers of their group, and a scenario counts as
evidence only if the unmodified controller passes it; that is found out for those that catch a mutant. The first
scenario that a mutant does not pass kills it; one that passes all of them survives. Scenarios with many controllers
come last: closed loops take long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from lockstep.controllers.names import GROUPS
from lockstep.project import BUILT_IN, find_project
from lockstep.project.loading import at_hand, has_own
from lockstep.quality.mutants.bench import Bench
from lockstep.quality.mutants.catalogue import Catalogue, Mutant, MutantError
from lockstep.quality.mutants.suite import Report
from lockstep.quality.mutants.trial import Answer, Trial
from lockstep.trace import recordings

_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one mutant: the scenario that killed it, if one did, and its failure.

    `tried` scenarios were run, in `seconds` of real time with the build.
    """

    name: str
    says: str
    killed_by: tuple[str, ...]
    how: str
    tried: int
    seconds: float


class Prover:
    """Tries the mutants of one list: `bench` makes them, and `hold` holds the trials."""

    def __init__(
        self,
        bench: Bench,
        hold: Callable[[Trial], Report],
        catalogue: Catalogue,
        progress: Callable[[str], None],
        *,
        suite: bool = True,
    ) -> None:
        self._bench = bench
        self._hold = hold
        self._release = catalogue.release
        self._progress = progress
        mine = GROUPS.get(catalogue.controller, (catalogue.controller,))
        project = find_project()
        self._alone = has_own(project) and not suite
        self._evidence = project.evidence if self._alone else BUILT_IN
        judging = [one for one in at_hand(project, suite=suite) if one.controller in mine]
        judging.sort(key=lambda one: (len(one.controllers), one.horizon))
        self._scenarios = tuple(one.id for one in judging)
        self._passed: dict[str, bool] = {}  # scenarios that the unmodified controller passes or not, as far as known

    def establish(self, mutants: Sequence[Mutant]) -> None:
        """Run the unmodified controller on the scenarios that are likely to catch these mutants.

        Any other scenario is run when it catches a mutant. Raises MutantError if the controller passes none of the
        likely ones.
        """
        if not self._scenarios:
            raise MutantError("no scenario is about this controller, so none can catch its mutants; add --suite")
        likely = [one for one in self._scenarios if any(_is_likely(one, mutant) for mutant in mutants)]
        died = self._run_unmodified(likely or self._scenarios)
        if died or not any(self._passed.values()):
            reason = died or "passes none of the likely scenarios"
            raise MutantError(f"the unmodified {self._bench.implementation} {reason}; see `lockstep run`")

    def prove(self, mutant: Mutant) -> Result:
        """Try one mutant, on the likely scenarios first."""
        began = time.monotonic()
        waiting, tried = self._order(mutant), 0
        killer: Answer | None = None
        while waiting and killer is None:
            with self._bench.ready(mutant):
                report = self._run(waiting, fail_fast=True)
            waiting, tried = waiting[len(report.answers) :], tried + len(report.answers)
            if not report.red:
                break
            if self._proves(report.red[0].scenario):
                killer = report.red[0]
        return Result(
            mutant.id,
            mutant.says,
            (killer.scenario,) if killer else (),
            _short(killer.message) if killer else "",
            tried,
            time.monotonic() - began,
        )

    def _proves(self, scenario: str) -> bool:
        """Whether the unmodified controller passes a scenario."""
        if scenario not in self._passed:
            self._run_unmodified([scenario])
        return self._passed.get(scenario, False)

    def _run_unmodified(self, scenarios: Sequence[str]) -> str:
        """Record which scenarios it passes. Returns how it died, if it did."""
        with self._bench.ready(None):
            report = self._run(scenarios, fail_fast=False)
        red = {one.scenario: one.message for one in report.red}
        self._passed |= {one.scenario: one.scenario not in red for one in report.answers}
        for scenario, message in red.items():
            why = f"the unmodified controller does not pass it: {_short(message)}"
            self._progress(f"{scenario} proves nothing: {why}")
        return report.died

    def _run(self, scenarios: Sequence[str], *, fail_fast: bool) -> Report:
        live = tuple(
            one for one in scenarios if not recordings.path_of(self._evidence.recordings, self._release, one).exists()
        )
        return self._hold(
            Trial(self._bench.implementation, self._release, tuple(scenarios), live, fail_fast, self._alone)
        )

    def _order(self, mutant: Mutant) -> list[str]:
        evidence = [one for one in self._scenarios if self._passed.get(one, True)]
        return sorted(evidence, key=lambda one: not _is_likely(one, mutant))  # stable: otherwise their order is kept


def _is_likely(scenario: str, mutant: Mutant) -> bool:
    return any(fnmatchcase(scenario, pattern) for pattern in mutant.likely)


def _short(message: str) -> str:
    text = " ".join(message.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
