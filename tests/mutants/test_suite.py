"""Trials in a process of their own: what a wrong controller may do to it, and what counts as certain."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from lockstep.quality.mutants import suite, trial
from lockstep.quality.mutants.catalogue import MutantError
from lockstep.quality.mutants.suite import Report, Stage
from lockstep.quality.mutants.trial import Answer, Trial

READY = """print('{"reference": "/copy/reference_impl/__init__.py"}', flush=True);"""
GREEN = """print('{"scenario": "replicaset/one", "verdict": "pass", "message": ""}', flush=True);"""
TRIAL = Trial("reference", "1.36.3", ("replicaset/one", "replicaset/two"), ("replicaset/two",))
Process = Callable[[str], None]


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Process:
    """Let trials be held by this piece of Python."""

    def be(code: str) -> None:
        def start(_: Path | None, errors: Any, *, suite: bool) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-S", "-c", f"import sys, time; sys.stdin.readline(); {code}"]
            return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)

        monkeypatch.setattr(suite, "_process", start)

    return be


def held(reference: Path | None = None, patience: float = suite.PATIENCE) -> Report:
    with Stage(reference, patience) as stage:
        return stage.run(TRIAL)


def test_a_trial_travels_as_json() -> None:
    assert Trial.loads(TRIAL.dumps()) == TRIAL


def test_answers_come_back(process: Process) -> None:
    process(READY + GREEN + GREEN.replace("one", "two").replace('"pass"', '"fail"').replace('""', '"3, not 2"'))
    report = held()
    assert report.answers == (Answer("replicaset/one", "pass", ""), Answer("replicaset/two", "fail", "3, not 2"))
    assert [one.scenario for one in report.red] == ["replicaset/two"]
    assert report.died == ""


def test_a_process_that_dies_makes_its_scenario_an_error(process: Process) -> None:
    process(READY + GREEN + "sys.exit('panic: nil map')")
    report = held()
    assert report.red == [Answer("replicaset/two", "error", "the process ended with code 1: panic: nil map")]


def test_a_process_that_hangs_makes_its_scenario_an_error(process: Process) -> None:
    process(READY + GREEN + "sys.stdin.close(); time.sleep(60)")
    report = held(patience=2)
    assert report.red == [Answer("replicaset/two", "error", "the process said nothing for 2 s of real time")]


def test_a_process_that_does_not_start_kills_nothing(process: Process) -> None:
    process("raise ImportError('no module named clock')")
    with pytest.raises(MutantError, match=r"its process ended with code 1: .*named clock"):
        held()


def test_another_reference_than_the_mutant_proves_nothing(process: Process) -> None:
    process(READY + GREEN)
    with pytest.raises(MutantError, match=r"the reference was loaded from /copy/reference_impl/__init__.py, not from"):
        held(Path("/mutant"))


def test_the_mutant_comes_before_the_folder_one_stands_in(tmp_path: Path) -> None:
    (tmp_path / "lockstep_reference").mkdir()
    (tmp_path / "lockstep_reference/__init__.py").write_text("raise SystemExit('the mutant was loaded')")
    with pytest.raises(MutantError, match="the mutant was loaded"):
        held(tmp_path)


def test_each_trial_loads_the_reference_anew(tmp_path: Path) -> None:
    (tmp_path / "lockstep_reference").mkdir()
    package = tmp_path / "lockstep_reference/__init__.py"
    with Stage(tmp_path) as stage:
        for mistake in ("first", "other"):
            package.write_text(f"raise SystemExit('the {mistake} mutant was loaded')")
            with pytest.raises(MutantError, match=f"the {mistake} mutant was loaded"):
                stage.run(TRIAL)


def test_after_a_trial_that_hung_comes_another(process: Process) -> None:
    with Stage(patience=2) as stage:
        process(READY + "time.sleep(60)")
        assert stage.run(TRIAL).died == "said nothing for 2 s of real time"
        process(READY + GREEN + GREEN.replace("one", "two") + """print('{"ended": 0}', flush=True);""")
        assert stage.run(TRIAL).died == ""


@dataclass
class _FakeRunner:
    """Gives the verdicts of a list, one after the other, and notes what was asked."""

    config: Any
    verdicts: list[str]
    asked: list[tuple[str, str]]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held."""

    def run(self, scenario: Any) -> Any:
        self.asked.append((scenario.id, self.config.against))
        return SimpleNamespace(verdict=self.verdicts.pop(0), message="")


def tried(
    monkeypatch: pytest.MonkeyPatch,
    verdicts: list[str],
    *,
    fail_fast: bool,
    implementation: str = "upstream",
) -> tuple[list[str], list[Any]]:
    asked: list[tuple[str, str]] = []
    known: Any = {name: SimpleNamespace(id=name) for name in TRIAL.scenarios}
    monkeypatch.setattr(trial, "Runner", lambda config, _: _FakeRunner(config, verdicts, asked))
    once = Trial(implementation, "1.36.3", TRIAL.scenarios, TRIAL.live, fail_fast)
    return [one.verdict for one in trial.answers(once, known)], asked


def test_a_scenario_kills_only_if_it_is_red_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts, _ = tried(monkeypatch, ["fail", "pass", "error", "fail", "fail"], fail_fast=True)
    assert verdicts == ["pass", "fail"]


def test_the_first_kill_ends_the_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts, asked = tried(monkeypatch, ["fail"] * 3, fail_fast=True)
    assert verdicts == ["fail"]
    assert len(asked) == 3


def test_the_unmodified_controller_must_pass_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts, _ = tried(monkeypatch, ["pass", "divergent", "fail", "pass", "pass", "pass"], fail_fast=False)
    assert verdicts == ["fail", "pass"]


def test_the_reference_is_run_once_where_it_is_held_to_what_does_not_change(monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts, asked = tried(monkeypatch, ["pass"] * 4, fail_fast=False, implementation="reference")
    assert verdicts == ["pass", "pass"]
    assert [one for one, _ in asked] == ["replicaset/one", *["replicaset/two"] * 3]


def test_what_has_no_recording_is_compared_live(monkeypatch: pytest.MonkeyPatch) -> None:
    _, asked = tried(monkeypatch, ["pass", "pass"], fail_fast=True)
    assert asked == [("replicaset/one", "recorded"), ("replicaset/two", "upstream:1.36.3")]
