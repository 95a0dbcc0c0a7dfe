"""The proof that a list of mutants is caught: first the unmodified controller, then every mutant, scenario by scenario.

Mutants are tried on the scenarios of their controller, and a scenario counts as evidence only if the unmodified
controller passes it. The first scenario that a mutant does not pass kills it; one that passes all of them survives.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from harness.mutants.bench import Bench
from harness.mutants.catalogue import Catalogue, Mutant
from harness.mutants.errors import MutantError
from harness.mutants.suite import Report, run
from harness.mutants.trial import Trial
from harness.runner import FIXTURES
from harness.scenario import load
from harness.trace import recordings

_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one mutant: the scenario that killed it, if one did, and how it showed.

    `tried` scenarios were run, in `seconds` of real time with the build.
    """

    name: str
    says: str
    killed_by: tuple[str, ...]
    how: str
    tried: int
    seconds: float


class Prover:
    """Tries the mutants of one list at a bench."""

    def __init__(self, bench: Bench, catalogue: Catalogue, progress: Callable[[str], None]) -> None:
        self._bench = bench
        self._controller = catalogue.controller
        self._release = catalogue.release
        self._progress = progress
        self._scenarios: tuple[str, ...] = ()

    def establish(self) -> None:
        """Find the scenarios that the unmodified controller passes. Raises MutantError if there are none."""
        every = [one.id for one in load() if one.controller == self._controller]
        with self._bench.ready(None):
            report = self._run(every, fail_fast=False)
        red = {one.scenario: one.message for one in report.red}
        self._scenarios = tuple(one.scenario for one in report.answers if one.scenario not in red)
        for scenario, message in red.items():
            self._progress(f"{scenario} proves nothing: the unmodified controller does not pass it: {_short(message)}")
        if report.died or not self._scenarios:
            reason = report.died or "passes no scenario"
            raise MutantError(f"the unmodified {self._bench.implementation} {reason}; see `lockstep run`")

    def prove(self, mutant: Mutant) -> Result:
        """Try one mutant, on the likely scenarios first."""
        began = time.monotonic()
        with self._bench.ready(mutant):
            report = self._run(self._order(mutant), fail_fast=True)
        killers = report.red
        return Result(
            mutant.id,
            mutant.says,
            tuple(one.scenario for one in killers),
            _short(killers[0].message) if killers else "",
            len(report.answers),
            time.monotonic() - began,
        )

    def _run(self, scenarios: Sequence[str], *, fail_fast: bool) -> Report:
        live = tuple(one for one in scenarios if not recordings.path_of(FIXTURES, self._release, one).exists())
        trial = Trial(self._bench.implementation, self._release, tuple(scenarios), live, fail_fast)
        return run(trial, self._bench.reference)

    def _order(self, mutant: Mutant) -> list[str]:
        def is_unlikely(scenario: str) -> bool:
            return not any(fnmatchcase(scenario, pattern) for pattern in mutant.likely)

        return sorted(self._scenarios, key=is_unlikely)  # stable: otherwise in their order


def _short(message: str) -> str:
    text = " ".join(message.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
