"""Scenarios as pytest items, and saved cases of fuzzing as files that hold one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from lockstep.report import Row

if TYPE_CHECKING:
    from lockstep.runs.config import RunConfig
    from lockstep.runs.outcome import Outcome
    from lockstep.scenarios.declare import Scenario


class Executes(Protocol):
    """Runs scenarios: the plugin's part `lockstep-execution`."""

    config: RunConfig

    def run(self, scenario: Scenario) -> Outcome:
        """Run one scenario."""


class NotGreen(Exception):
    """A scenario did not get a green verdict; the message explains it to the user."""


class ScenarioItem(pytest.Item):
    """Runs one scenario. Its controllers and features are markers, its id and issues are words for `-k`."""

    def __init__(self, *, scenario: Scenario, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scenario = scenario
        self.row: Row | None = None
        self.add_marker("lockstep")
        for kind, names in (("controller", scenario.controllers), ("feature", scenario.features)):
            for name in names:
                self._add_marker_for(kind, name)
        self.extra_keyword_matches.update((scenario.id, *scenario.issues))

    def _add_marker_for(self, kind: str, name: str) -> None:
        # Strict markers must be declared, and only the scenarios know these names.
        line = f"{name}: scenarios with the {kind} {name}"
        if line not in self.config.getini("markers"):
            self.config.addinivalue_line("markers", line)
        self.add_marker(name)

    def runtest(self) -> None:
        """Run the scenario. Raises NotGreen with the explanation unless its verdict is green."""
        execution: Executes = self.config.pluginmanager.getplugin("lockstep-execution")
        outcome = execution.run(self.scenario)
        self.row = Row.of(outcome)
        self.user_properties += [
            ("lockstep.id", self.row.id),
            ("lockstep.implementation", execution.config.implementation),
            ("lockstep.verdict", self.row.verdict),
            ("lockstep.writes_compared", self.row.writes_compared),
            ("lockstep.divergences", ", ".join(self.row.divergences)),
        ]
        if self.row.flaw:
            raise NotGreen(outcome.message or f"{self.row.id}: {self.row.flaw}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Only the explanation; a traceback through the harness would hide it."""
        if isinstance(excinfo.value, NotGreen):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the scenario stands, and its id as the title of a failure."""
        return self.path, self.scenario.line - 1, self.scenario.id


class SavedCases(pytest.File):
    """A case that `lockstep fuzz --save` has saved."""

    def collect(self) -> Iterator[ScenarioItem]:
        """Yield the one scenario that it is."""
        from lockstep.project.regressions import scenario_in

        yield ScenarioItem.from_parent(self, name=self.path.stem, scenario=scenario_in(self.path))
