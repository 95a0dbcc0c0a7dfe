"""A user's repository, and Lockstep as its user has it: from this checkout, or installed from a wheel.

`LOCKSTEP_TEST_PYTHON` names the interpreter of an environment in which a wheel is installed; `.ci/run wheel` makes one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
INSTALLED = os.environ.get("LOCKSTEP_TEST_PYTHON", "")
_PATHS = os.pathsep.join(str(ROOT / one) for one in ("harness", "reference_impl", "conformance", "fixtures"))
SCENARIO = """
from lockstep import Cluster, objects, scenario

@scenario("{id}", must="It MUST make its pods.", controllers=("replicaset",))
async def test_{name}(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.settle()
    cluster.expect("pods", len(cluster.pods("web")), {pods})
"""


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a Python module in a folder, as a user does after installing Lockstep."""
    env = {**os.environ, "COLUMNS": "80", **environment}
    for name in ("CI", "PYTHONPATH", "PYTEST_ADDOPTS"):
        env.pop(name, None)
    if not INSTALLED:
        env["PYTHONPATH"] = _PATHS
    command = [INSTALLED or sys.executable, "-m", *words]
    return subprocess.run(command, check=False, cwd=folder, env=env, capture_output=True, text=True)


def lockstep(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return run(folder, "lockstep.cli", *words)


def pytest_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest; without a wheel, no entry point says where the plugin is."""
    return run(folder, "pytest", *(() if INSTALLED else ("-p", "lockstep.pytest_plugin")), *words)
