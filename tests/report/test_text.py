"""The summary as people see it."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.report import Row, Session
from lockstep.report.text import closing, duration, rerun_command, summary
from lockstep.runs.config import RunConfig

ROWS = [
    Row("replicaset/a", "replicaset", "pass", 1200, 5000, 90000.0, 2.0),
    Row("replicaset/b", "replicaset", "divergent", 34, 678, 600.0, 0.3, ("KD-001",)),
    Row("vpa-recommender/a", "vpa-recommender", "fail", 3, 0, 60.0, 0.1),
]


def session(*rows: Row, **chosen: Any) -> Session:
    made = Session(RunConfig(**chosen), selected=len(rows))
    for row in rows:
        made.add(row)
    return made


def test_summary() -> None:
    assert "\n".join(summary(session(*ROWS))) == (
        """\
held to recorded upstream 1.36.3

controller       judged  pass  divergent  fail  error  unsupported
replicaset          2/2     1          1     0      0            0
vpa-recommender     1/1     0          0     1      0            0
total               3/3     1          1     1      0            0

controller       assertions  writes compared  cluster time  wall time    speed
replicaset            1,234            5,678       1 d 1 h      2.3 s  x39,391
vpa-recommender           3                0         1 min      0.1 s     x600
total                 1,237            5,678       1 d 1 h      2.4 s  x37,775"""
    )


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], []], ids=["many", "one", "none"])
def test_summary_fits_80_columns(rows: list[Row]) -> None:
    assert max(map(len, summary(session(*rows)))) <= 80


def test_last_word() -> None:
    assert closing(session(*ROWS[:2])) == [
        "green: 2 scenarios judged, no unknown difference (1 with a known divergence)"
    ]
    assert closing(session(*ROWS)) == ["not green: 1 scenario failed"]
    assert closing(session()) == ["not green: nothing was judged"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.00123, "0.00123 s"),
        (9.996, "10.0 s"),
        (59.94, "59.9 s"),
        (60, "1 min"),
        (125, "2 min 5 s"),
        (3600, "1 h"),
        (12000, "3 h 20 min"),
        (187200, "2 d 4 h"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_command_to_repeat_names_only_what_is_not_the_default() -> None:
    assert rerun_command(session(*ROWS)) == ["lockstep run vpa-recommender/a"]
    changed = session(*ROWS, implementation="upstream:1.34.4", release="1.34.4", seed=7)
    assert rerun_command(changed) == ["lockstep run vpa-recommender/a --implementation upstream:1.34.4 --seed 7"]
    other_release = session(*ROWS, implementation="upstream:1.34.4", against="none")
    assert "--release 1.36.3" in " ".join(rerun_command(other_release))


def test_a_long_command_is_folded_so_that_a_shell_joins_it_again() -> None:
    rows = [Row(f"replicaset/a-long-name-for-number-{n}", "replicaset", "fail", 1, 1, 1.0, 1.0) for n in range(5)]
    lines = rerun_command(session(*rows))
    assert len(lines) > 1
    assert all(len(line) <= 78 for line in lines)
    assert all(line.endswith(" \\") for line in lines[:-1])
    joined = "".join(line.removesuffix("\\") for line in lines).split()
    assert joined == ["lockstep", "run", *(row.id for row in rows)]
