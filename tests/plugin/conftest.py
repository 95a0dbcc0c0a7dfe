"""A project of its own with the plugin over a fake runner, in this process or with the workers of pytest-xdist."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CONFTEST = """
import sys
from tests.fakes import runner
sys.modules["lockstep.runs.runner"] = runner.as_module()
pytest_plugins = ["lockstep.pytest_plugin"]
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pytest.RunResult]:
    """Run pytest over scenarios with these ids: `project("replicaset/passes", options=["-v"])`."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    pytester.makeconftest(CONFTEST)
    # Hypothesis has no part in these projects, and its plugin would import all of it for each of them.
    pytester.makeini(
        "[pytest]\nfilterwarnings = error\n"
        "addopts = --strict-config --strict-markers --import-mode=importlib -p no:hypothesispytest\n"
    )

    def run(*ids: str, options: tuple[str, ...] = (), extra: str = "") -> pytest.RunResult:
        lines = ["from tests.fakes.runner import declare", extra]
        lines += [f"test_{one.split('/')[1].replace('-', '_')}, = declare({one!r})" for one in ids]
        pytester.makepyfile(test_scenarios="\n".join(lines) + "\n")
        # Of a plugin named by -p, pytest 8 wants that nothing has imported it yet.
        if any(option.startswith("-n") or option == "lockstep.pytest_plugin" for option in options):
            return pytester.runpytest_subprocess(*options)
        return pytester.runpytest_inprocess(*options)

    return run
