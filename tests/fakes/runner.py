"""Stands in for `lockstep.runs.runner`: the first word of a scenario's name decides its outcome, and no time passes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, Self

from lockstep.project import index, loading
from lockstep.runs.config import RunConfig
from lockstep.scenarios.declare import Scenario, scenario


@dataclass
class Outcome:
    scenario: Scenario
    verdict: str
    assertions: int = 3
    writes_compared: int = 7
    virtual_seconds: float = 1800.0
    wall_seconds: float = 0.25
    message: str = ""
    divergences: tuple[str, ...] = ()
    digest: str = ""


class Runner:
    def __init__(self, config: RunConfig, project: Any, progress: Any = print, histories: Any = None) -> None:
        self.config = config
        self.progress = progress

    def __enter__(self) -> Self:
        if self.config.implementation.startswith("upstream"):
            self.progress("building upstream 1.36.3")
        return self

    def __exit__(self, *error: object) -> None:
        pass

    @contextmanager
    def run_all(self, scenarios: Sequence[Scenario], doing: Callable[[str], None]) -> Iterator[Iterator[Outcome]]:
        def outcomes() -> Iterator[Outcome]:
            for one in scenarios:
                doing(one.id)
                yield self.run(one)

        yield outcomes()

    def run(self, one: Scenario) -> Outcome:
        match one.name.split("-")[0]:
            case "diverges":
                return Outcome(one, "divergent", divergences=("KD-001",))
            case "fails":
                return Outcome(
                    one, "fail", message=f"{one.must}\n\nat +12.345 s:\n  status.replicas: expected 3, got 2"
                )
            case "errs":
                return Outcome(one, "error", message="no recording of this scenario; lockstep record makes one")
            case "unheld":
                return Outcome(one, "unsupported", message="memory cannot hold this scenario")
            case "silent":
                return Outcome(one, "pass", assertions=0)
            case "crashes":
                raise RuntimeError("the harness fell over")
            case "interrupts":
                raise KeyboardInterrupt
        return Outcome(one, "pass")


def stand_in(scenarios: Sequence[Scenario]) -> None:
    """Let these scenarios be the built-in suite, for the rest of this process."""
    loading.load = lambda modules=None: [one for one in scenarios if modules is None or one.module in modules]
    index.suite_entries = lambda: [index.Entry.of(one) for one in scenarios]


def _controller(name: str) -> str:
    return name.split("/", maxsplit=1)[0].replace("vpa", "vpa-updater")


def declare(*ids: str) -> list[Scenario]:
    """Scenarios with these ids."""

    async def body(cluster: Any) -> None:
        """Never runs: the fake runner looks at the name only."""

    return [
        replace(
            scenario(one, must=f"A controller MUST {one}.", source="tests", controllers=(_controller(one),))(body),
            module="lockstep_conformance.test_fake",
        )
        for one in ids
    ]


def as_module() -> ModuleType:
    """This module under the name of the one that it stands in for."""
    return sys.modules[__name__]
