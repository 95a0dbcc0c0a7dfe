"""`lockstep fuzz`: what is shown, kept and reported of a fuzzing run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lockstep.quality.fuzz
from lockstep.quality.fuzz.differential import CaseReport
from lockstep.quality.fuzz.engine import Found, FuzzResult

Lockstep = Callable[..., Any]
DIFFERENCE = Found(
    {"replicas": 3, "steps": [{"crash": "replicaset"}]},
    CaseReport("expected 3 pods, got 2", "at +1.000: missing write", needed_variants=False, writes_compared=5),
)


@pytest.fixture
def fuzzing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., list[Any]]:
    """Let fuzzing end with a given result; returns the arguments that it was called with."""

    def end_with(**facts: Any) -> list[Any]:
        calls: list[Any] = []

        def fuzz(*arguments: Any, progress: Any, on_case: Any) -> FuzzResult:
            calls.append(arguments)
            result = FuzzResult("replicaset", 7, seconds=2.0, **facts)
            on_case(result)
            return result

        monkeypatch.setattr(lockstep.quality.fuzz, "fuzz", fuzz)
        (tmp_path / "pyproject.toml").write_text('[tool.lockstep]\nregressions = "regressions"\n')
        monkeypatch.chdir(tmp_path)
        return calls

    return end_with


def test_no_difference_is_green(lockstep: Lockstep, fuzzing: Callable[..., list[Any]]) -> None:
    calls = fuzzing(cases=1500, writes_compared=60000, needed_variants=4)
    result = lockstep("fuzz", "replicaset", "--cases", 1500, "--seed", 7)
    assert calls == [("replicaset", 1500, 7, "reference", "upstream", "1.36.3")]
    assert result.code == 0
    assert result.out.endswith(
        "cases           1,500 generated, controller replicaset\n\n"
        "1,500 cases, 0 differences, 750.0 cases a second\n"
        "60,000 writes compared; 4 cases agreed in another order that upstream leaves open\n"
        "green: no unknown difference\n"
    )


def test_a_difference_is_shown_kept_and_reported(
    lockstep: Lockstep, fuzzing: Callable[..., list[Any]], tmp_path: Path
) -> None:
    fuzzing(cases=10, writes_compared=50, differences=[DIFFERENCE])
    result = lockstep("fuzz", "replicaset", "--cases", 10, "--save", "--report", tmp_path / "r.json")
    assert result.code == 1
    assert "-- difference 1: at +1.000: missing write ---" in result.out
    assert "the smallest case that shows it:\n  replicas: 3\n  steps:\n  - crash: replicaset\n" in result.out
    assert result.out.endswith("not green: 1 case differed\n")
    (kept,) = (tmp_path / "regressions" / "replicaset").iterdir()
    assert json.loads(kept.read_text())["plan"] == DIFFERENCE.plan
    assert str(kept) in result.out
    content = json.loads((tmp_path / "r.json").read_text())["fuzz"]
    assert content["green"] is False
    assert content["differences"] == [{"headline": "at +1.000: missing write", "plan": DIFFERENCE.plan}]


def test_nothing_is_kept_unless_asked(lockstep: Lockstep, fuzzing: Callable[..., list[Any]], tmp_path: Path) -> None:
    fuzzing(cases=10, writes_compared=50, differences=[DIFFERENCE])
    assert lockstep("fuzz", "replicaset").code == 1
    assert [one.name for one in tmp_path.iterdir()] == ["pyproject.toml"]


def test_a_run_that_compared_nothing_is_not_green(lockstep: Lockstep, fuzzing: Callable[..., list[Any]]) -> None:
    fuzzing(cases=10, writes_compared=0)
    result = lockstep("fuzz", "replicaset")
    assert result.code == 1
    assert result.out.endswith("not green: nothing was compared\n")


def test_generated_cases_have_no_recording(lockstep: Lockstep) -> None:
    result = lockstep("fuzz", "replicaset", "--against", "recorded")
    assert (result.code, result.out) == (2, "")
    assert "generated cases have no recording" in result.err
