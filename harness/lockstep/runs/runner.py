"""Runs scenarios: holds the environment and the implementations open, and yields outcomes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from lockstep.runs.judge import Judge
from lockstep.runs.opening import open_environment
from lockstep.runs.outcome import Outcome
from lockstep.runs.recorder import record
from lockstep.time.python_gc import rarely_collected
from lockstep.trace.history_file import save_history

if TYPE_CHECKING:
    from lockstep.environments.memory import RunResult
    from lockstep.implementations import Implementation
    from lockstep.project import Project
    from lockstep.runs.config import RunConfig
    from lockstep.scenarios.declare import Scenario
    from lockstep.trace.model import Trace

#: The default number of scenarios that run at a time on a real cluster.
_ON_A_CLUSTER = 8


class Runner:
    """Context manager that holds the implementations (and their processes) open over many scenarios.

    Scenarios are judged by the evidence of `project`. `progress` gets a line about each slow step;
    `histories` is a folder for the history of each run.
    """

    def __init__(
        self,
        config: RunConfig,
        project: Project,
        progress: Callable[[str], None] = lambda _: None,
        histories: Path | None = None,
    ) -> None:
        self.config = config
        self._project = project
        self._histories = histories
        self._implementation: Implementation | None = None
        self._other: Implementation | None = None
        self._held = ExitStack()
        self._environment = open_environment(config, progress)
        self._judge = Judge(config, project, real=self._environment.real)

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
        implementation = self._environment.implementation(spec, self.config.release)
        self._held.callback(implementation.close)
        return implementation

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._held.close()

    def run(self, scenario: Scenario) -> Outcome:
        """Run one scenario and judge it; with `update`, record it instead.

        Raises LedgerError, ProjectError if there is no place for a recording, and RecordingRefused.
        """
        assert self._implementation is not None, "use Runner as a context manager"
        if self.config.update:
            return self._record(scenario, self._implementation)
        result = self._play(scenario, self._implementation)
        again = partial(self._again, scenario, self._other) if self._other is not None else None
        return self._judge.judge(scenario, result, self._judge.trace_of(result), again)

    @contextmanager
    def run_all(self, scenarios: Sequence[Scenario], doing: Callable[[str], None]) -> Iterator[Iterator[Outcome]]:
        """Run scenarios, `jobs` at a time, while the block lasts; outcomes come in the order given.

        In memory, processes are forked at once: enter the block before any scenario has run and any thread is started.
        """
        if self._environment.real:
            with self._threads(scenarios, doing) as outcomes:
                yield outcomes
            return
        jobs = min(self.config.jobs or _processors(), len(scenarios))
        if jobs > 1:
            from lockstep.runs.workers import Workers

            with Workers(scenarios, self.run, self._held.close, jobs) as workers:
                yield workers.outcomes(doing)
        else:
            yield self._one_by_one(scenarios, doing)

    def _one_by_one(self, scenarios: Sequence[Scenario], doing: Callable[[str], None]) -> Iterator[Outcome]:
        for scenario in scenarios:
            doing(scenario.id)
            yield self.run(scenario)

    @contextmanager
    def _threads(self, scenarios: Sequence[Scenario], doing: Callable[[str], None]) -> Iterator[Iterator[Outcome]]:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.config.jobs or _ON_A_CLUSTER, thread_name_prefix="lockstep-scenario") as pool:
            futures = [pool.submit(self.run, scenario) for scenario in scenarios]

            def outcomes() -> Iterator[Outcome]:
                for scenario, future in zip(scenarios, futures, strict=True):
                    doing(scenario.id)
                    yield future.result()

            try:
                yield outcomes()
            finally:
                if not all(future.done() for future in futures):  # the caller wants no more outcomes
                    for future in futures:
                        future.cancel()
                    self._environment.abandon()

    def _record(self, scenario: Scenario, implementation: Implementation) -> Outcome:
        folder = self._project.writable(self._project.evidence_of(scenario.module)).recordings
        result = self._play(scenario, implementation)
        first = self._judge.trace_of(result)
        outcome = self._judge.by_itself(scenario, result, first)
        if outcome.green:
            again = partial(self._again, scenario, implementation)
            record(folder, first, again, partial(implementation.provenance, self.config.seed), outcome)
        return outcome

    def _play(self, scenario: Scenario, implementation: Implementation) -> RunResult:
        """Run the scenario for its verdict, and save its history if requested."""
        result = self._environment.run(scenario, implementation, self.config.seed)
        if self._histories is not None:
            save_history(self._histories / f"{scenario.id}.jsonl", result.history, self._facts(scenario, result))
        return result

    def _again(self, scenario: Scenario, implementation: Implementation) -> Trace:
        """The trace of an implementation that others are compared with. Raises NotPassed if it does not pass."""
        result = self._environment.run(scenario, implementation, self.config.seed)
        return self._judge.standard(scenario, implementation.spec, result)

    def _facts(self, scenario: Scenario, result: RunResult) -> dict[str, Any]:
        """The facts about a run that `lockstep replay` needs to judge its history again."""
        return {
            "scenario": scenario.id,
            "module": scenario.module,
            "must": scenario.must,
            "implementation": self.config.implementation,
            "release": self.config.release,
            "seed": self.config.seed,
            "start": result.start_instant,
            "end": result.end_instant,
            "broken_conditions": sorted(result.broken_conditions),
        }


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
