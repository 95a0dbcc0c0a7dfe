"""Scenarios in pytest: every `Scenario` in a test module is its own item, judged as `lockstep run` judges it.

Lockstep is neither imported nor mentioned before the first scenario is collected or an option of Lockstep is given, so
that a session without scenarios has no costs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lockstep.pytest_plugin.options import add_options, is_asked_for
from lockstep.pytest_plugin.serving import MARKER, kube_api

if TYPE_CHECKING:
    from lockstep.pytest_plugin.items import SavedCases, ScenarioItem
    from lockstep.pytest_plugin.reporting import Reporting

__all__ = [
    "kube_api",
    "pytest_addoption",
    "pytest_collect_file",
    "pytest_configure",
    "pytest_pycollect_makeitem",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the `--lockstep-...` options and the ini keys of the same names."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers; if the project or an option enables Lockstep, check the options at once."""
    config.addinivalue_line("markers", "lockstep: every Lockstep scenario")
    config.addinivalue_line("markers", MARKER)
    if is_asked_for(config):
        activate(config)
    elif config.getoption("numprocesses", None):
        config.pluginmanager.register(Workers(config), "lockstep-workers")


def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str, obj: object) -> ScenarioItem | None:
    """Collect a scenario that stands in a test module under the name of a test."""
    declared = sys.modules.get("lockstep.scenarios.declare")  # a module that declares one has imported it
    if declared is None or not collector.funcnamefilter(name):
        return None
    marks: list[pytest.MarkDecorator] = []
    while isinstance(obj, pytest.MarkDecorator) and obj.args:  # a mark above @scenario
        marks.append(getattr(pytest.mark, obj.name).with_args(*obj.args[:-1], **obj.kwargs))
        obj = obj.args[-1]
    if not isinstance(obj, declared.Scenario):
        return None
    from lockstep.pytest_plugin.items import ScenarioItem

    activate(collector.config)
    item: ScenarioItem = ScenarioItem.from_parent(collector, name=name, scenario=obj)
    for mark in marks:
        item.add_marker(mark)
    item.own_markers.extend(getattr(obj.body, "pytestmark", ()))  # marks below @scenario
    return item


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SavedCases | None:
    """Collect a case that fuzzing has saved in the project's folder of regressions."""
    execution = parent.config.pluginmanager.getplugin("lockstep-execution")
    if file_path.suffix != ".json" or execution is None or not execution.keeps(file_path):
        return None
    from lockstep.pytest_plugin.items import SavedCases

    return SavedCases.from_parent(parent, path=file_path)


class Workers:
    """In the controller of pytest-xdist, which collects nothing: waits for the first scenario of a worker."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Begin to report with the first row. pytest does not pass this call to the part that is registered now."""
        if hasattr(report, "lockstep") and not self._config.pluginmanager.hasplugin("lockstep-reporting"):
            activate(self._config)
            reporting: Reporting = self._config.pluginmanager.getplugin("lockstep-reporting")
            reporting.pytest_runtest_logreport(report)


def activate(config: pytest.Config) -> None:
    """Register the parts that run scenarios and report on them, once. Raises pytest.UsageError on wrong options."""
    if config.pluginmanager.hasplugin("lockstep-execution"):
        return
    from lockstep.pytest_plugin.execution import Execution
    from lockstep.pytest_plugin.options import run_config
    from lockstep.pytest_plugin.reporting import Reporting
    from lockstep.pytest_plugin.status import Status

    chosen, project = run_config(config)
    config.pluginmanager.register(Execution(config, chosen, project), "lockstep-execution")
    config.pluginmanager.register(Status(), "lockstep-status")
    if not hasattr(config, "workerinput"):  # a worker of pytest-xdist reports to its controller, not to people
        config.pluginmanager.register(Reporting(config, chosen), "lockstep-reporting")
