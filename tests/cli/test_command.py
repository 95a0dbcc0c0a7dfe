"""The command as a whole: verbs, help, start-up."""

from __future__ import annotations

import importlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import lockstep.quality.fuzz  # noqa: F401 - before a fake runner stands in for the one that it imports
from lockstep import __version__
from lockstep.cli import VERBS, main
from lockstep.errors import LockstepError
from lockstep.runs.config import RunConfig
from lockstep.scenarios.declare import ScenarioError
from lockstep.trace.history import History, Write
from lockstep.trace.history_file import save_history
from tests.processes import hear_interrupts

Lockstep = Callable[..., Any]
ROOT = Path(__file__).parents[2]


def _module(verb: str) -> ModuleType:
    return importlib.import_module(f"lockstep.cli.{verb.replace('-', '_')}_verb")


def test_short_help_in_the_overview_is_that_of_the_verb() -> None:
    verbs = {name: _module(name).command for name in VERBS}
    assert {name: verb.short_help for name, verb in verbs.items()} == VERBS
    assert {verb.name for verb in verbs.values()} == set(VERBS)


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_fits_80_columns(lockstep: Lockstep, verb: str) -> None:
    result = lockstep(*verb.split(), "--help")
    assert result.code == 0
    assert result.out.startswith("Usage: lockstep")
    assert [line for line in result.out.splitlines() if len(line) > 80] == []


def test_version(lockstep: Lockstep) -> None:
    assert lockstep("--version").out == f"lockstep {__version__}\n"


def test_no_arguments_show_the_help_and_are_bad_input(lockstep: Lockstep) -> None:
    result = lockstep()
    assert result.code == 2
    assert "Verbs:" in result.err


@pytest.mark.parametrize(
    ("verb", "message"),
    [("rnu", "there is no verb 'rnu'; did you mean run?"), ("x", "there is no verb 'x'; the verbs are run, list, ")],
)
def test_an_unknown_verb(lockstep: Lockstep, verb: str, message: str) -> None:
    result = lockstep(verb)
    assert result.code == 2
    assert result.err.startswith(f"lockstep: {message}")
    assert result.err.count("\n") == 1


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, contextlib, io; from lockstep.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()): main(['--help'])\n"
        "heavy = {'asyncio', 'hypothesis', 'pytest', 'rich', 'yaml'}\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & heavy))\n"
        "print(sorted(name for name in sys.modules if name.startswith('lockstep.')))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[]", "['lockstep.cli', 'lockstep.errors']"]


def test_list(lockstep: Lockstep) -> None:
    result = lockstep("list", scenarios=("replicaset/passes", "vpa/passes"))
    assert result.code == 0
    assert result.out.splitlines() == [
        "replicaset/passes",
        "    A controller MUST replicaset/passes.",
        "vpa/passes",
        "    A controller MUST vpa/passes.",
        "",
        "2 scenarios, 2 of them also on real clusters",
    ]


def test_list_says_which_scenarios_of_the_suite_run_on_real_clusters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "replicaset/burst-limits-creates", "replicaset/never-takes-an-owned-pod"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "    in memory only: kube-controller-manager has no flag for burst_replicas" in shown
    assert shown[-1] == "2 scenarios, 1 of them also on real clusters"


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["list", "--format", "json", *arguments]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert found
    return found


def test_list_by_text_feature_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    for one in listed(capsys, "--grep", "terminating"):
        assert "terminating" in f"{one['id']} {one['must']}".lower()
    for one in listed(capsys, "--feature", "Quota", "replicaset/*"):
        assert "quota" in one["features"]
    for one in listed(capsys, "--source", "slowstartbatch"):
        assert any("slowStartBatch" in source for source in one["source"])


def test_filters_of_a_list_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    several = {one["id"] for one in listed(capsys, "--source", "manageReplicas", "--feature", "quota")}
    assert several == {one["id"] for one in listed(capsys, "--source", "manageReplicas")} & {
        one["id"] for one in listed(capsys, "--feature", "quota")
    }


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--grep", "nowhere", "by --grep nowhere; try a shorter text"),
        ("--feature", "quotta", "by --feature quotta; did you mean quota?"),
        ("--feature", "zzz", "--format json shows them"),
        ("--source", "nowhere", "by --source nowhere"),
    ],
)
def test_a_list_of_nothing_is_a_mistake(option: str, value: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "replicaset/*", option, value]) == 2
    assert said in capsys.readouterr().err


def test_list_as_json(lockstep: Lockstep) -> None:
    result = lockstep("list", "--controller", "vpa", "--format", "json", scenarios=("replicaset/passes", "vpa/passes"))
    assert [(one["id"], one["must"]) for one in json.loads(result.out)] == [
        ("vpa/passes", "A controller MUST vpa/passes.")
    ]


def test_diff_of_reports(lockstep: Lockstep, tmp_path: Path) -> None:
    left, right = tmp_path / "a.json", tmp_path / "b.json"
    lockstep("run", "--report", left, scenarios=("replicaset/passes",))
    lockstep("run", "--report", right, "--seed", 1, scenarios=("replicaset/passes", "replicaset/fails"))
    result = lockstep("diff", left, right)
    assert result.code == 1
    assert result.out == "run 1: seed 0 -> 1\nreplicaset/fails: only in the second report (fail)\n"
    assert lockstep("diff", left, left).out == "no difference\n"


def test_diff_of_things_that_cannot_be_compared(lockstep: Lockstep, tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("no")
    result = lockstep("diff", tmp_path / "no.json", tmp_path / "no.json")
    assert result.code == 2
    assert "is not JSON" in result.err


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (LockstepError, "lockstep: two lines of text\n"),
        (ScenarioError, "lockstep: two lines of text\n"),
        (ValueError, "lockstep: internal error: ValueError: two\nlines of text; a bug in Lockstep"),
    ],
)
def test_errors_that_are_meant_for_the_user_are_one_line(
    lockstep: Lockstep, monkeypatch: pytest.MonkeyPatch, error: type[Exception], line: str
) -> None:
    def fail(**_: object) -> None:
        raise error("two\nlines of text")

    monkeypatch.setattr(RunConfig, "parse", fail)
    result = lockstep("run")
    assert line in result.err
    assert (result.code, "Traceback" in result.err) == ((3, True) if error is ValueError else (2, False))


def test_a_recording_is_compared_wherever_it_lies(lockstep: Lockstep, tmp_path: Path) -> None:
    left, right = tmp_path / "a.json", tmp_path / "b.json"
    instants = [{"at": "1.000", "writes": [{"verb": "create", "resource": "pods", "object": "web#1"}]}]
    for path, changed in ((left, []), (right, instants)):
        path.write_text(json.dumps({"variants": [{"instants": changed, "specs": {}, "final": {}}]}))
    same, other = lockstep("diff", left, left), lockstep("diff", left, right)
    assert (same.code, same.out) == (0, "no difference\n")
    assert other.code == 1
    assert "web#1" in other.out


def test_a_history_is_judged_again_without_running_anything(lockstep: Lockstep, tmp_path: Path) -> None:
    pod = {"metadata": {"name": "p", "namespace": "default", "uid": "u"}, "spec": {}, "status": {}}
    created = Write(0, "scenario", "create", "pods", "", "default", "p", 201, "", None, pod)
    save_history(tmp_path / "run.jsonl", History(["replicaset-controller"], [created]), {})
    result = lockstep("replay", tmp_path / "run.jsonl")
    assert (result.code, result.out, result.err) == (0, "green: it conforms\n", "")
    stolen = created._replace(at=1, actor="replicaset-controller", verb="delete", code=200, before=pod, after=None)
    save_history(tmp_path / "run.jsonl", History(["replicaset-controller"], [created, stolen]), {})
    result = lockstep("replay", tmp_path / "run.jsonl")
    assert result.code == 1
    assert result.out.endswith("not green: it does not conform\n")


def test_a_history_is_held_to_the_recording_of_its_scenario(lockstep: Lockstep, tmp_path: Path) -> None:
    scenario = "replicaset/scale-up-creates-the-difference"
    facts = {"scenario": scenario, "must": "It MUST.", "implementation": "reference", "release": "1.36.3", "start": 0}
    created = Write(0, "scenario", "create", "pods", "", "default", "p", 201, "", None, {"metadata": {"uid": "u"}})
    save_history(tmp_path / "run.jsonl", History(["replicaset-controller"], [created]), facts)
    result = lockstep("replay", tmp_path / "run.jsonl")
    assert result.code == 1
    assert "The first difference is at" in result.out


def test_a_file_that_cannot_be_replayed(lockstep: Lockstep, tmp_path: Path) -> None:
    (tmp_path / "odd").write_text("odd\n")
    result = lockstep("replay", tmp_path / "odd")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("lockstep: odd is not a complete history")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"controller": "replicaset", "plan": 5}, "is no saved case: its plan is no JSON object; take one that"),
        ({"controller": "../x", "plan": {}}, "is no saved case: '../x' is no name of a controller; take one that"),
        ({"controller": "teapot", "plan": {}}, "no case of controller 'teapot' can be played"),
        (
            {"controller": "replicaset", "plan": {"steps": []}},
            "holds no plan that can be played: a plan has lifecycles",
        ),
    ],
)
def test_a_case_that_cannot_be_played(
    lockstep: Lockstep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: object, reason: str
) -> None:
    monkeypatch.setattr("lockstep_fixtures.ROOT", tmp_path)
    (tmp_path / "case.json").write_text(json.dumps(content))
    result = lockstep("replay", tmp_path / "case.json")
    assert (result.code, result.out) == (2, "")
    assert reason in result.err
    assert result.err.count("\n") == 1


def on_a_terminal(program: str, **environment: str) -> str:
    """What a Python program shows on a terminal of 80 columns."""
    parent, child = pty.openpty()
    settings = {**os.environ, "TERM": "xterm", "COLUMNS": "80", **environment}
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=child, stderr=child, env=settings) as run:
        os.close(child)
        shown = b""
        try:
            while chunk := os.read(parent, 65536):
                shown += chunk
        except OSError:  # how Linux says that the other end of a terminal is closed
            pass
        os.close(parent)
    assert run.returncode == 0, shown.decode()
    return shown.decode()


PROGRAM = """
import sys
from tests.fakes import runner
sys.modules["lockstep.runs.runner"] = runner.as_module()
runner.stand_in(runner.declare("replicaset/passes", "replicaset/diverges"))
from lockstep.cli import main
sys.exit(main(["run"]))
"""


def test_a_terminal_gets_colour_and_a_bar_that_is_gone_at_the_end() -> None:
    shown = on_a_terminal(PROGRAM)
    assert "\x1b[1;32mgreen: 2 scenarios judged" in shown
    assert "2/2" in shown.split("held to")[0]
    assert "\x1b[2K" in shown


def test_no_color_is_honoured() -> None:
    shown = on_a_terminal(PROGRAM, NO_COLOR="1")
    assert re.search(r"\x1b\[(\d+;)*3\d", shown) is None
    assert "green: 2 scenarios judged" in shown


ENDLESS = """
import sys, time
from tests.fakes import runner
class Endless(runner.Runner):
    def __exit__(self, *_):
        print("closed", flush=True)
    def run(self, scenario):
        print("running", flush=True)
        time.sleep(60)
fake = runner.as_module()
fake.Runner = Endless
sys.modules["lockstep.runs.runner"] = fake
runner.stand_in(runner.declare("replicaset/passes"))
from lockstep.cli import main
sys.exit(main(["run"]))
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_what_is_open_is_closed_when_the_command_is_ended_from_outside(number: int, code: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,  # noqa: PLW1509 - no locks are taken in it
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if line == "running\n":
                run.send_signal(number)
                break
        assert run.stdout.read() == "closed\n"
    assert run.returncode == code
