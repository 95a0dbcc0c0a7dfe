"""When a run is green, and what its JSON report says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lockstep.report import ReportError, Row, Session, document, read, write
from lockstep.report.differ import diff_reports
from lockstep.runs.config import RunConfig

_USUAL = RunConfig()
PASS = Row("replicaset/a", "replicaset", "pass", 2, 10, 60.0, 0.01)


def session(*rows: Row, selected: int | None = None, config: RunConfig = _USUAL) -> Session:
    made = Session(config, selected)
    for row in rows:
        made.add(row)
    return made


@pytest.mark.parametrize("verdict", ["pass", "divergent"])
def test_green_verdicts(verdict: str) -> None:
    assert session(replace(PASS, verdict=verdict), selected=1).green


@pytest.mark.parametrize(
    ("rows", "selected", "reason"),
    [
        ([], None, "nothing was judged"),
        ([], 3, "nothing was judged"),
        ([PASS], 2, "1 scenario of 2 did not run"),
        ([replace(PASS, verdict="fail")], 1, "1 scenario failed"),
        ([PASS, replace(PASS, id="replicaset/b", verdict="error")], 2, "1 scenario ended in an error"),
        ([PASS, replace(PASS, id="replicaset/b", verdict="unsupported")], 2, "1 scenario could not be held"),
        ([replace(PASS, assertions=0)], 1, "1 scenario asserted nothing"),
        ([PASS, replace(PASS, id="replicaset/b", verdict="odd")], 2, "unknown verdict 'odd'"),
    ],
    ids=["empty", "none-ran", "one-missing", "fail", "error", "unsupported", "no-assertion", "unknown-verdict"],
)
def test_not_green(rows: list[Row], selected: int | None, reason: str) -> None:
    made = session(*rows, selected=selected)
    assert not made.green
    assert reason in made.reasons()


@pytest.mark.parametrize("changes", [{"verdict": "unsupported"}, {"verdict": "error"}, {"assertions": 0}])
def test_what_says_nothing_about_the_controller_is_not_judged(changes: dict[str, Any]) -> None:
    assert "nothing was judged" in session(replace(PASS, **changes), selected=1).reasons()


def test_report_does_not_depend_on_the_order_of_outcomes(tmp_path: Path) -> None:
    rows = [replace(PASS, id=f"replicaset/{name}") for name in "cab"]
    for name, order in (("one", rows), ("two", rows[::-1])):
        write(tmp_path / name, document([session(*order, selected=3)]))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_shape_of_the_report() -> None:
    content = document([session(PASS, selected=1)])
    assert sorted(content) == ["lockstep", "runs"]
    run = content["runs"][0]
    assert sorted(run) == ["against", "environment", "implementation", "release", "scenarios", "seed", "summary"]
    assert run["scenarios"] == [
        {
            "id": "replicaset/a",
            "controller": "replicaset",
            "verdict": "pass",
            "assertions": 2,
            "writes_compared": 10,
            "virtual_seconds": 60.0,
            "wall_seconds": 0.01,
        }
    ]
    assert run["summary"]["green"] is True
    assert run["summary"]["controllers"]["replicaset"]["writes_compared"] == 10


def test_a_report_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    content = document([session(PASS, selected=1)])
    write(tmp_path / "report.json", content)
    assert read(tmp_path / "report.json") == content
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_failed_write_leaves_the_old_report_whole(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    write(target, document([session(PASS, selected=1)]))
    before = target.read_bytes()
    with pytest.raises(TypeError):
        write(target, {"not json": object()})
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_report_that_cannot_be_written_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match=r"cannot write the report .*/file/r\.json: .+; name a file in a folder"):
        write(tmp_path / "file" / "r.json", {})


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"lockstep": {}, "runs": [{"scenarios": [{"id": 1}]}]}'])
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(ReportError, match="not a report"):
        read(tmp_path / "r.json")


def test_rows_travel_as_json() -> None:
    row = replace(PASS, divergences=("KD-001",))
    assert Row.from_wire(json.loads(json.dumps(row.to_wire()))) == row


def test_difference_of_two_reports() -> None:
    gone = replace(PASS, id="replicaset/gone")
    left = document([session(PASS, gone, selected=2)])
    changed = replace(PASS, verdict="fail", wall_seconds=9.0)
    right = document([session(changed, selected=1, config=RunConfig(seed=4))])
    assert diff_reports(left, right) == [
        "run 1: seed 0 -> 4",
        "replicaset/a: verdict pass -> fail",
        "replicaset/gone: only in the first report (pass)",
    ]


def test_wall_time_is_no_difference() -> None:
    left, right = (document([session(replace(PASS, wall_seconds=wall), selected=1)]) for wall in (1.0, 2.0))
    assert diff_reports(left, right) == []
