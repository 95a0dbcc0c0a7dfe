"""Lockstep as it is installed: what a wheel brings, beside other plugins. `.ci/run wheel` runs this."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.project.kit import INSTALLED, lockstep, pytest_in

pytestmark = pytest.mark.wheel


@pytest.fixture(autouse=True)
def _installed() -> None:
    assert INSTALLED, "set LOCKSTEP_TEST_PYTHON to the interpreter of an environment with the wheel"


def test_every_name_that_the_wheel_installs_begins_with_lockstep() -> None:
    code = "import importlib.metadata as m; print(*{f.parts[0] for f in m.files('kube-lockstep')}, sep='\\n')"
    names = subprocess.run([INSTALLED, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    tops = {name for name in names if not name.startswith(("..", "kube_lockstep-"))}
    assert tops == {"lockstep", "lockstep_conformance", "lockstep_fixtures", "lockstep_reference"}


def test_the_command_and_the_module_are_the_same(repository: Path) -> None:
    command = [str(Path(INSTALLED).with_name("lockstep")), "list"]
    shown = subprocess.run(command, cwd=repository, check=True, capture_output=True, text=True).stdout
    assert shown == lockstep(repository, "list").stdout


def test_what_an_extra_brings_is_named_with_the_command_that_installs_it(repository: Path) -> None:
    result = lockstep(
        repository, "run", "--environment", "control-plane", "--suite", "replicaset/readopts-stripped-pod"
    )
    assert result.returncode == 2
    assert "pip install 'kube-lockstep[cluster]'" in result.stderr


def test_pytest_orders_and_event_loops_of_others_change_nothing(repository: Path) -> None:
    (repository / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n")
    (repository / "tests/test_other.py").write_text("async def test_other():\n    assert True\n")
    result = pytest_in(repository)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "2 passed" in result.stdout
    assert "green: 1 scenario judged" in result.stdout
