"""A trial: the suite in its own process, against a controller that may be wrong in any way.

This runs inside of the process that `lockstep.quality.mutants.suite` starts. It reads one `Trial` per line from its
standard input, and runs each in a child, which writes one line of JSON for each scenario. Loading all scenarios takes
longer than running most of them, so they are loaded once, before the first child. The reference is loaded in each
child.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import IO

from lockstep.project import find_project
from lockstep.project.loading import at_hand
from lockstep.runs.config import RunConfig
from lockstep.runs.outcome import Outcome
from lockstep.runs.runner import Runner
from lockstep.scenarios.declare import SUITE, Scenario

#: Verdicts that mean that the controller is wrong.
RED = frozenset({"fail", "error"})
#: How often a scenario is run before a verdict counts as certain.
REPEATS = 3
#: The implementation that is deterministic.
_CERTAIN = "reference"


@dataclass(frozen=True, slots=True)
class Trial:
    """What to run: scenario ids in order. `live` are those without a recording: they need upstream, run live."""

    implementation: str
    release: str
    scenarios: tuple[str, ...]
    live: tuple[str, ...] = ()
    fail_fast: bool = True
    #: Whether those that have none are the user's, and judged by their own assertions alone, which needs no Go.
    alone: bool = False

    def dumps(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def loads(cls, text: str) -> Trial:
        """From JSON."""
        fields = json.loads(text)
        return cls(**{**fields, "scenarios": tuple(fields["scenarios"]), "live": tuple(fields["live"])})


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one scenario."""

    scenario: str
    verdict: str
    message: str

    def dumps(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))


class _Runners:
    """One runner for each thing to compare with, opened when it is first needed."""

    def __init__(self, trial: Trial, stack: ExitStack) -> None:
        self._trial = trial
        self._stack = stack
        self._open: dict[str, Runner] = {}

    def run(self, scenario: Scenario) -> Outcome:
        live = "none" if self._trial.alone else f"upstream:{self._trial.release}"
        against = live if scenario.id in self._trial.live else "recorded"
        if against not in self._open:
            config = RunConfig.parse(
                implementation=self._trial.implementation, against=against, release=self._trial.release
            )
            self._open[against] = self._stack.enter_context(Runner(config, find_project()))
        return self._open[against].run(scenario)


def answers(trial: Trial, known: Mapping[str, Scenario]) -> Iterator[Answer]:
    """Run the trial's scenarios one by one; with `fail_fast`, up to the first that is red.

    Upstream leaves some choices to chance. So a scenario kills a mutant only if it is red every time, and the
    unmodified controller passes a scenario only if it is never red. The reference is run once, unless it is compared
    with upstream run live.
    """
    with ExitStack() as stack:
        runners = _Runners(trial, stack)
        for scenario_id in trial.scenarios:
            outcome = runners.run(known[scenario_id])
            certain = trial.implementation == _CERTAIN and (trial.alone or scenario_id not in trial.live)
            for _ in range(0 if certain else REPEATS - 1):
                if (outcome.verdict in RED) is not trial.fail_fast:
                    break
                outcome = runners.run(known[scenario_id])
            yield Answer(scenario_id, outcome.verdict, outcome.message)
            if trial.fail_fast and outcome.verdict in RED:
                return


def hold(trial: Trial, sink: IO[str], known: Mapping[str, Scenario]) -> None:
    """Report which reference is loaded, run the trial, and write its answers as they come."""
    import_module("lockstep.implementations.reference")  # with all of the reference, or a mutant in its place
    print(json.dumps({"reference": sys.modules["lockstep_reference"].__file__}), file=sink, flush=True)
    for answer in answers(trial, known):
        print(answer.dumps(), file=sink, flush=True)


def main(source: IO[str] = sys.stdin, sink: IO[str] = sys.stdout, *, suite: bool = True) -> None:
    """Run the trials from `source`, one after the other, and report the exit code of each one's child."""
    known = {one.id: one for one in at_hand(find_project(), suite=suite)}
    for line in source:
        child = os.fork()
        if child == 0:
            os._exit(_code(Trial.loads(line), sink, known))
        _, status = os.waitpid(child, 0)
        print(json.dumps({"ended": os.waitstatus_to_exitcode(status)}), file=sink, flush=True)


def _code(trial: Trial, sink: IO[str], known: Mapping[str, Scenario]) -> int:
    """The exit code of a child that runs this trial. No exception in the child may reach the parent's code."""
    try:
        hold(trial, sink, known)
    except BaseException:  # a wrong controller may raise anything, SystemExit included
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    main(suite=SUITE in sys.argv)
