"""`.ci/run`: its stages, who calls them, and that it installs packages only where that was asked for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CI = ROOT / ".ci"


def ran(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = environment.pop("PATH", "/usr/bin:/bin")
    return subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": path, **environment})


def test_the_workflow_runs_every_stage() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    steps = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    called = [line.partition(".ci/run ")[2] for line in steps if ".ci/run" in line]
    named = {stage for stages in called for stage in stages.split() if stage.isalpha()}
    named |= set(workflow["jobs"]["stages"]["strategy"]["matrix"]["stage"])
    assert sorted(named) == sorted(ran(CI / "run", "--list").stdout.split())


def test_a_stage_that_is_not_there_is_refused_before_anything_is_made() -> None:
    refused = ran(CI / "run", "lint", "tsts")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "there is no stage tsts; the stages are lint types" in refused.stderr


@pytest.fixture
def needing(tmp_path: Path) -> Path:
    """Programs for a script that needs a program: root, and an apt-get that notes what it was asked."""
    for name, text in {
        "id": "echo 0",
        "apt-get": f'echo "$@" >>{tmp_path}/asked',
        "script": f". {CI}/packages; need sh:dash prometheus-x:prometheus promtool-x:prometheus; echo goes on",
    }.items():
        program = tmp_path / name
        program.write_text(f"#!/usr/bin/env bash\nset -e\n{text}\n", encoding="utf-8")
        program.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("environment", [{}, {"CI": "true", "LOCKSTEP_CI_INSTALL": "no"}, {"CI": "false"}], ids=str)
def test_what_is_missing_is_named_and_not_installed(needing: Path, environment: dict[str, str]) -> None:
    stopped = ran(needing / "script", PATH=f"{needing}:/usr/bin:/bin", **environment)
    assert (stopped.returncode, stopped.stdout) == (1, "")
    assert "not on PATH: prometheus-x promtool-x; as root: apt-get install prometheus" in stopped.stderr
    assert "LOCKSTEP_CI_INSTALL=yes" in stopped.stderr
    assert not (needing / "asked").exists()


@pytest.mark.parametrize("environment", [{"CI": "true"}, {"LOCKSTEP_CI_INSTALL": "yes"}], ids=str)
def test_what_is_missing_is_installed_where_that_is_asked_for(needing: Path, environment: dict[str, str]) -> None:
    assert ran(needing / "script", PATH=f"{needing}:/usr/bin:/bin", **environment).stdout == "goes on\n"
    assert (needing / "asked").read_text().splitlines()[1].endswith("--no-install-recommends prometheus")


def test_only_root_installs(needing: Path) -> None:
    (needing / "id").write_text("#!/bin/sh\necho 1000\n", encoding="utf-8")
    stopped = ran(needing / "script", PATH=f"{needing}:/usr/bin:/bin", LOCKSTEP_CI_INSTALL="yes")
    assert stopped.returncode == 1
    assert not (needing / "asked").exists()
