"""Scenarios on several processors: the same outcomes in the same order, whatever dies or is ended from outside.

Each test runs a program of its own: pytest may have threads, and a process with threads must not be forked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.processes import hear_interrupts, until

ROOT = Path(__file__).parents[2]

#: A user's scenarios, in a file of no package. What each does is the first part of its name.
SCENARIOS = """
import os, signal, sys, time
from pathlib import Path
from lockstep import LockstepError, objects, scenario

def declare(name, controllers=("replicaset",), horizon=1e6):
    @scenario(f"mine/{name}", must="It MUST work.", controllers=controllers, horizon=horizon)
    async def body(cluster):
        match name.partition("-")[0]:
            case "dies":
                os.kill(os.getpid(), signal.SIGKILL)
            case "leaves":
                os._exit(7)
            case "fails":
                cluster.expect("truth", True, False)
            case "hangs":
                Path(f"{os.getpid()}.pid").touch()
                time.sleep(60)
        await cluster.create(objects.replica_set("web", 1 + len(name) % 3))
        await cluster.settle()
        cluster.expect("the controllers run", True, cluster.controllers_running)
    return body

for name in NAMES:
    globals()["test_" + name.replace("-", "_")] = declare(name)
"""

PROGRAM = """
import json, multiprocessing, sys
from pathlib import Path
from lockstep.errors import LockstepError
from lockstep.project import Evidence, Project
from lockstep.project.loading import load_files
from lockstep.runs.config import RunConfig
from lockstep.runs.runner import Runner

here = Path.cwd()
evidence = Evidence(here / "recordings", here / "regressions", here / "divergences.yaml")
project = Project(here, configured=True, evidence=evidence)
scenarios = load_files(project, [here / "mine.py"])
begun = []

def run(runner):
    with runner.run_all(scenarios, begun.append) as outcomes:
        for one in outcomes:
            row = [one.scenario.id, one.verdict, one.digest, one.assertions, one.message]
            print(json.dumps(row), flush=True)

def main(jobs):
    with Runner(RunConfig(against="none", jobs=jobs), project) as runner:
        run(runner)
    print(json.dumps({"begun": begun, "left": len(multiprocessing.active_children())}))
"""


def written(folder: Path, *names: str) -> Path:
    file = folder / "mine.py"
    file.write_text(f"NAMES = {names!r}\n{SCENARIOS}")
    return file


def ran(folder: Path, code: str, *names: str) -> tuple[list[list[Any]], dict[str, Any]]:
    """The outcomes of the program, and what it says at the end."""
    written(folder, *names)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    *rows, end = map(json.loads, done.stdout.splitlines())
    return rows, end


NAMES = ("a", "bb", "ccc", "fails-d", "eeee", "f", "gg", "hhh")


def test_outcomes_and_their_order_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    alone, _ = ran(tmp_path, "main(1)", *NAMES)
    together, end = ran(tmp_path, "main(3)", *NAMES)
    assert [row[0] for row in alone] == sorted(f"mine/{name}" for name in NAMES)
    assert [row[1] for row in alone].count("fail") == 1
    assert together == alone
    assert end["left"] == 0


@pytest.mark.parametrize(
    ("how", "words"), [("dies", "was killed by signal 9"), ("leaves", "ended with code 7")], ids=["killed", "exit"]
)
def test_a_process_that_dies_takes_one_scenario_with_it(tmp_path: Path, how: str, words: str) -> None:
    doomed = tuple(f"{how}-{number}" for number in range(3))
    rows, end = ran(tmp_path, "main(2)", *NAMES, *doomed)
    errors = {row[0]: row[4] for row in rows if row[1] == "error"}
    assert list(errors) == [f"mine/{name}" for name in doomed]
    assert errors[f"mine/{doomed[0]}"] == (
        f"the process that ran this scenario {words}; to see why: lockstep run mine/{doomed[0]} --jobs 1"
    )
    assert len(rows) == len(NAMES) + 3
    assert end["left"] == 0


def test_who_wants_no_more_leaves_no_process_behind(tmp_path: Path) -> None:
    code = """
with Runner(RunConfig(against="none", jobs=2), project) as runner:
    with runner.run_all(scenarios, begun.append) as outcomes:
        print(json.dumps([next(outcomes).verdict]))
    print(json.dumps({"left": len(multiprocessing.active_children())}))
"""
    rows, end = ran(tmp_path, code, "a", "hangs-b", "hangs-c")
    assert rows == [["pass"]]
    assert end == {"left": 0}


@pytest.mark.parametrize(
    ("error", "raised"), [("LockstepError", "LockstepError: no"), ("KeyError", "WorkerFailed: in a worker, at mine/bb")]
)
def test_what_a_run_raises_ends_all_when_its_turn_comes(tmp_path: Path, error: str, raised: str) -> None:
    code = f"""
class Broken(Runner):
    def run(self, scenario):
        if scenario.id == "mine/bb":
            raise {error}("no")
        return super().run(scenario)
try:
    with Broken(RunConfig(against="none", jobs=2), project) as runner:
        run(runner)
except Exception as error:
    print(json.dumps({{"raised": f"{{type(error).__name__}}: {{error}}"}}))
"""
    rows, end = ran(tmp_path, code, "a", "bb", "ccc")
    assert [row[0] for row in rows] == ["mine/a"]
    assert end["raised"].startswith(raised)


def test_scenarios_that_take_long_do_not_come_last(tmp_path: Path) -> None:
    code = """
import dataclasses
loop = {"controllers": ("hpa", "replicaset", "vpa-updater")}
scenarios[5:] = [dataclasses.replace(one, horizon=1e6 + at, **loop) for at, one in enumerate(scenarios[5:])]
main(2)
"""
    rows, end = ran(tmp_path, code, "a", "b", "c", "d", "e", "f", "g")
    assert end["begun"][:2] == ["mine/g", "mine/a"]
    assert [row[0] for row in rows] == [f"mine/{name}" for name in "abcdefg"]


def test_histories_and_recordings_are_those_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    code = """
from lockstep.implementations.reference import Reference
from lockstep.runs import opening
from lockstep.trace.recordings import Provenance

class Recordable(Reference):
    spec = "upstream"
    def provenance(self, seed):
        return Provenance("upstream", "1.36.3", "sum", "go", "0", seed, "2026-01-01")

opening.open_implementation = lambda *_: Recordable()
with Runner(RunConfig("upstream", update=True, jobs=JOBS), project, histories=here / "histories") as runner:
    run(runner)
print(json.dumps({}))
"""
    found: list[dict[str, bytes]] = []
    for jobs in ("1", "3"):
        folder = tmp_path / jobs
        folder.mkdir()
        ran(folder, code.replace("JOBS", jobs), "a", "bb", "ccc", "dddd")
        made = [*(folder / "recordings").rglob("*.json"), *(folder / "histories").rglob("*.jsonl")]
        found.append({str(one.relative_to(folder)): one.read_bytes() for one in made})
    assert len(found[0]) == 8
    assert found[0] == found[1]


def test_one_scenario_starts_no_process(tmp_path: Path) -> None:
    code = "main(8)\nprint(json.dumps({'workers': 'lockstep.runs.workers' in sys.modules}))"
    assert ran(tmp_path, code, "a")[1] == {"workers": False}
    assert ran(tmp_path, code, "a", "bb")[1] == {"workers": True}


def _command(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "lockstep.cli", "run", "mine.py", "--against", "none", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
        preexec_fn=hear_interrupts,  # noqa: PLW1509 - no locks are taken in it
    )


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("number", "send", "code"),
    [(signal.SIGTERM, os.kill, 143), (signal.SIGINT, os.killpg, 130)],  # Ctrl-C reaches all processes of a terminal
    ids=["terminate", "interrupt"],
)
def test_a_signal_ends_all_processes(tmp_path: Path, number: int, send: Callable[[int, int], None], code: int) -> None:
    written(tmp_path, "hangs-a", "hangs-b", "c")
    with _command(tmp_path, "--jobs", "2", "--report", "report.json") as run:
        until(lambda: len(list(tmp_path.glob("*.pid"))) == 2, "two workers at work")
        send(run.pid, number)
        out, err = run.communicate(timeout=30)
    assert run.returncode == code
    assert "Traceback" not in out + err
    assert not any(_lives(int(one.stem)) for one in tmp_path.glob("*.pid"))
    assert not (tmp_path / "report.json").exists()


def test_the_report_is_that_of_one_process_but_for_wall_times(tmp_path: Path) -> None:
    written(tmp_path, *NAMES)
    texts = []
    for jobs in ("1", "3"):
        with _command(tmp_path, "--jobs", jobs, "--report", f"{jobs}.json") as run:
            out, err = run.communicate(timeout=60)
        assert (run.returncode, err) == (1, "")
        report = (tmp_path / f"{jobs}.json").read_text()
        texts.append([line for line in (out + report).splitlines() if "wall" not in line and " x" not in line])
    assert texts[0] == texts[1]
