"""Runs the scenarios of one pytest process: one `Runner`, opened by the first scenario and closed with the session."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lockstep.pytest_plugin.items import ScenarioItem
from lockstep.pytest_plugin.progress import progress_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from lockstep.project import Project
    from lockstep.runs.config import RunConfig
    from lockstep.runs.outcome import Outcome
    from lockstep.runs.runner import Runner
    from lockstep.scenarios.declare import Scenario

SELECTED = "lockstep_selected"


class Execution:
    """Registered in every process, workers of pytest-xdist included."""

    def __init__(self, pytest_config: pytest.Config, config: RunConfig, project: Project) -> None:
        self._pytest_config = pytest_config
        self.config = config
        self._project = project
        self.selected = 0
        self._about: list[tuple[str, str]] = []
        self._stack = ExitStack()
        self._runner: Runner | None = None

    def keeps(self, file: Path) -> bool:
        """Whether a file is a saved case of this project."""
        return self._project.configured and file.resolve().is_relative_to(self._project.evidence.regressions.resolve())

    def run(self, scenario: Scenario) -> Outcome:
        """Run one scenario."""
        if self._runner is None:
            from lockstep.runs.runner import Runner

            runner = Runner(self.config, self._project, progress_of(self._pytest_config))
            self._runner = self._stack.enter_context(runner)
        return self._runner.run(scenario)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Build upstream before workers of pytest-xdist start: they show no progress, and would wait for each other."""
        if not session.config.getoption("numprocesses", None) or hasattr(session.config, "workerinput"):
            return
        from lockstep.errors import LockstepError
        from lockstep.runs.opening import prepare

        try:
            prepare(self.config, progress_of(session.config))
        except LockstepError as error:
            raise pytest.UsageError(str(error)) from error

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect scenarios whose controller the release does not have; the line below the header says how many."""
        scenarios = [item.scenario for item in items if isinstance(item, ScenarioItem)]
        if not scenarios:
            return
        places: dict[str, str] = {}
        for item in items:
            if isinstance(item, ScenarioItem) and item.nodeid != places.setdefault(item.scenario.id, item.nodeid):
                raise pytest.UsageError(
                    f"scenario {item.scenario.id} is there twice: {places[item.scenario.id]} and {item.nodeid}; "
                    "rename one, or do not import it"
                )
        from lockstep.runs.availability import available

        kept, self._about = available(self.config, scenarios)
        ids = {one.id for one in kept}
        left_out = [item for item in items if isinstance(item, ScenarioItem) and item.scenario.id not in ids]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item not in left_out]

    def pytest_report_collectionfinish(self) -> list[str]:
        """Report what was left out, and which controllers the reference replaces."""
        return [f"lockstep {name}: {value}" for name, value in self._about]

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the scenarios that will run: those that remain after `-k` and `-m`."""
        self.selected = sum(isinstance(item, ScenarioItem) for item in session.items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the scenario's row to the report, which a worker sends to its controller."""
        report = yield
        if isinstance(item, ScenarioItem) and call.when == "call" and item.row is not None:
            report.lockstep = item.row.to_wire()  # type: ignore[attr-defined]
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Close the runner, and send the controller the number of scenarios selected here."""
        self._stack.close()
        workeroutput = getattr(session.config, "workeroutput", None)
        if workeroutput is not None:
            workeroutput[SELECTED] = self.selected
