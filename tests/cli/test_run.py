"""`lockstep run`: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lockstep import __version__

Lockstep = Callable[..., Any]


def test_a_green_run(lockstep: Lockstep) -> None:
    result = lockstep("run", scenarios=("replicaset/passes", "replicaset/diverges"))
    assert result.code == 0
    assert result.err == ""
    assert result.out == (
        f"lockstep        {__version__}\n"
        """\
implementation  reference
environment     in memory, virtual time
against         recorded upstream 1.36.3
seed            0
scenarios       2

divergent     replicaset/diverges  KD-001

held to recorded upstream 1.36.3

controller  judged  pass  divergent  fail  error  unsupported
replicaset     2/2     1          1     0      0            0

controller  assertions  writes compared  cluster time  wall time   speed
replicaset           6               14           1 h      0.5 s  x7,200

green: 2 scenarios judged, no unknown difference (1 with a known divergence)
"""
    )


def test_parts_are_one_empty_line_apart(lockstep: Lockstep) -> None:
    for scenarios in (("replicaset/passes",), ("replicaset/passes", "replicaset/fails")):
        assert "\n\n\n" not in lockstep("run", "--list-divergences", scenarios=scenarios).out
        assert "\n\nheld to" in lockstep("run", scenarios=scenarios).out


def test_a_failing_run_explains_itself_and_says_how_to_repeat_it(lockstep: Lockstep) -> None:
    result = lockstep(
        "run", "--against", "upstream", "--seed", 3, scenarios=("replicaset/fails-b", "replicaset/passes")
    )
    assert result.code == 1
    assert result.out.endswith(
        "not green: 1 scenario failed\nto repeat:\n  lockstep run replicaset/fails-b --against upstream --seed 3\n"
    )
    assert "-- fail: replicaset/fails-b ---" in result.out
    assert "A controller MUST replicaset/fails-b.\n\nat +12.345 s:\n  status.replicas: expected 3, got 2" in result.out


def test_a_run_that_takes_minutes_logs_its_progress(lockstep: Lockstep) -> None:
    names = [f"replicaset/{name}-{number:02}" for number in range(10) for name in ("passes", "fails")]
    out = lockstep("run", "--environment", "control-plane", scenarios=tuple(names)).out
    reported = [line for line in out.splitlines() if " of 20, " in line]
    assert reported == [f"{2 * number} of 20, {number} not green" for number in range(1, 10)]
    assert " of 20, " not in lockstep("run", scenarios=tuple(names)).out


@pytest.mark.parametrize("name", ["fails", "errs", "unheld", "silent"])
def test_whatever_is_not_known_to_be_good_is_not_green(lockstep: Lockstep, name: str) -> None:
    assert lockstep("run", scenarios=("replicaset/passes", f"replicaset/{name}")).code == 1


def test_fail_fast_stops_and_says_what_did_not_run(lockstep: Lockstep) -> None:
    result = lockstep("run", "-x", scenarios=("replicaset/fails", "replicaset/passes"))
    assert result.code == 1
    assert "not green: 1 scenario of 2 did not run, 1 scenario failed" in result.out


def test_nothing_of_what_is_printed_is_wider_than_80_columns(lockstep: Lockstep) -> None:
    names = ("passes", "diverges", "fails", "errs", "unheld", "silent")
    scenarios = tuple(f"replicaset/{name}-{number}" for name in names for number in range(4))
    result = lockstep("run", "--list-divergences", scenarios=scenarios)
    assert [line for line in result.out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("pattern", ["replicaset/pass*", "passes", "replicaset"])
def test_a_pattern_matches_id_name_or_controller(lockstep: Lockstep, pattern: str) -> None:
    result = lockstep("run", pattern, scenarios=("replicaset/passes", "vpa/fails"))
    assert result.code == 0
    assert "scenarios       1\n" in result.out


IMPLEMENTATIONS = (
    "reference, upstream, upstream:RELEASE, upstream:path=DIR, or a mix such as upstream,vpa-updater=reference"
)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("replicaset/passed",),
            "lockstep run: no scenario matches 'replicaset/passed'; did you mean replicaset/passes?",
        ),
        (("zzz",), "lockstep run: no scenario matches 'zzz'; lockstep list shows all of them"),
        (("--controller", "hpa"), "lockstep run: no scenario is about controller 'hpa'; known: replicaset"),
        (
            ("--implementation", "go"),
            f"lockstep: unknown implementation 'go'; known: {IMPLEMENTATIONS}",
        ),
        (("--seed", "x"), "lockstep run: Invalid value for '--seed': 'x' is not a valid integer."),
        (("--sed", "1"), "lockstep run: No such option '--sed'. (Did you mean one of: '--seed', '--suite'?)"),
        (
            ("--report", "missing/r.json"),
            "lockstep run: --report missing/r.json: there is no folder missing; create it first",
        ),
    ],
    ids=["close", "nothing-close", "controller", "implementation", "type", "option", "report"],
)
def test_bad_input_is_one_line_and_exit_2(lockstep: Lockstep, arguments: tuple[str, ...], message: str) -> None:
    result = lockstep("run", *arguments)
    assert (result.code, result.out, result.err) == (2, "", message + "\n")


def test_an_internal_error_is_not_a_verdict(lockstep: Lockstep) -> None:
    result = lockstep("run", scenarios=("replicaset/crashes",))
    assert result.code == 3
    assert result.err.endswith(
        "lockstep: internal error: RuntimeError: the harness fell over; a bug in Lockstep, not in what it tests\n"
    )


def test_an_interrupted_run_writes_no_report(lockstep: Lockstep, tmp_path: Path) -> None:
    result = lockstep("run", "--report", tmp_path / "r.json", scenarios=("replicaset/interrupts",))
    assert result.code == 130
    assert result.err.strip() == "lockstep: interrupted"
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_run_explains_what_has_failed_until_then(lockstep: Lockstep) -> None:
    result = lockstep("run", scenarios=("replicaset/fails", "replicaset/interrupts", "replicaset/passes"))
    assert result.code == 130
    assert "-- fail: replicaset/fails --" in result.out
    assert "status.replicas: expected 3, got 2" in result.out
    assert "green" not in result.out


def test_report(lockstep: Lockstep, tmp_path: Path) -> None:
    scenarios = ("replicaset/fails", "replicaset/passes")
    assert lockstep("run", "--report", tmp_path / "r.json", scenarios=scenarios).code == 1
    run = json.loads((tmp_path / "r.json").read_text())["runs"][0]
    assert [(row["id"], row["verdict"]) for row in run["scenarios"]] == [
        ("replicaset/fails", "fail"),
        ("replicaset/passes", "pass"),
    ]
    assert run["summary"]["green"] is False
    assert run["summary"]["not_green_because"] == ["1 scenario failed"]


def test_notes_of_a_build_do_not_mix_with_results(lockstep: Lockstep) -> None:
    result = lockstep("run", "--implementation", "upstream")
    assert result.code == 0
    assert result.err == "building upstream 1.36.3\n"
    assert "building" not in result.out
