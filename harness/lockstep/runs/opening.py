"""Makes the environment that a run names."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from lockstep.environments import Environment
from lockstep.environments.memory import RunResult, run_scenario
from lockstep.implementations.registry import open_implementation, takes_part

if TYPE_CHECKING:
    from lockstep.implementations import Implementation
    from lockstep.runs.config import RunConfig
    from lockstep.scenarios.declare import Scenario


def open_environment(config: RunConfig, progress: Callable[[str], None]) -> Environment:
    """The environment of a run, as a context manager; `progress` gets a line about each slow step."""
    if config.environment == "memory":
        return Memory(progress)
    from lockstep.clusters.real.environment import RealEnvironment

    return RealEnvironment(config.environment, config.release, config.cluster, progress)


def prepare(config: RunConfig, progress: Callable[[str], None]) -> None:
    """Build what implementations of this run need and does not exist yet: upstream, in memory. Raises LockstepError."""
    if config.environment != "memory":
        return
    for spec in (config.implementation, config.against):
        if spec not in ("recorded", "none") and takes_part("upstream", spec):
            open_implementation(spec, config.release, progress).close()


class Memory:
    """The in-memory API server on virtual time: a fresh cluster for each scenario."""

    real = False

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._progress = progress

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """There is nothing to close."""

    def implementation(self, spec: str, release: str) -> Implementation:
        """Python code, or a Go program on the same clock."""
        return open_implementation(spec, release, self._progress)

    def run(self, scenario: Scenario, implementation: Implementation, seed: int) -> RunResult:
        """On virtual time, as fast as possible."""
        return run_scenario(scenario, implementation, seed)

    def abandon(self) -> None:
        """There is only one thread."""
