"""Scenarios in pytest: every `Scenario` in a test module is an item of its own, judged as `lockstep run` judges it.

Loaded by the root conftest, or by the entry point of the installed distribution; both use this module's name, so that
pytest loads it once. The harness itself is imported by the first scenario, not before.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from lockstep.pytest_plugin.options import add_options
from lockstep.pytest_plugin.serving import MARKER, kube_api

if TYPE_CHECKING:
    from lockstep.pytest_plugin.items import ScenarioItem

__all__ = ["kube_api", "pytest_addoption", "pytest_configure", "pytest_pycollect_makeitem"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the `--lockstep-...` options."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and register the parts that run scenarios and report on them."""
    from lockstep.pytest_plugin.execution import Execution
    from lockstep.pytest_plugin.options import facts_of, settings
    from lockstep.pytest_plugin.reporting import Reporting
    from lockstep.pytest_plugin.status import Status

    config.addinivalue_line("markers", "lockstep: every Lockstep scenario")
    config.addinivalue_line("markers", MARKER)
    chosen = settings(config)
    facts = facts_of(chosen)
    config.pluginmanager.register(Execution(chosen), "lockstep-execution")
    config.pluginmanager.register(Status(), "lockstep-status")
    if not hasattr(config, "workerinput"):  # a worker of pytest-xdist reports to its controller, not to people
        config.pluginmanager.register(Reporting(config, facts), "lockstep-reporting")


def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str, obj: object) -> ScenarioItem | None:
    """Collect a scenario that stands in a test module under the name of a test."""
    declared = sys.modules.get("lockstep.scenarios.declare")  # whoever declares a scenario has imported it
    if declared is None:
        return None
    from lockstep.pytest_plugin.items import ScenarioItem

    if isinstance(obj, declared.Scenario) and collector.funcnamefilter(name):
        return ScenarioItem.from_parent(collector, name=name, scenario=obj)
    return None
