"""Recordings: what files give curves, and what is said of the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lockstep.metrics import MetricsError, recorded


def written(folder: Path, text: str | bytes, name: str = "load.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def exported(folder: Path, *series: dict[str, Any]) -> Path:
    document = {"status": "success", "data": {"resultType": "matrix", "result": list(series)}}
    return written(folder, json.dumps(document), "range.json")


@pytest.mark.parametrize(
    "text",
    [
        "time,value\n100,1.5\n160,3\n",
        "100,1.5\n160,3",
        '"100" ,"1.5"\n\n160, 3\n',
        "\ufefftimestamp,cpu\r\n2024-05-01T12:00:00Z,1.5\r\n2024-05-01T14:01:00+02:00,3\r\n",
        "1714564800.25,1.5\n1714564860.25,3\n",
    ],
    ids=["header", "no header", "quotes and gaps", "RFC 3339", "unix"],
)
def test_csv_begins_at_the_beginning_and_holds(tmp_path: Path, text: str) -> None:
    curve = recorded(written(tmp_path, text))
    assert [curve(time) for time in (-5, 0, 59.999, 60, 1e6)] == [1.5, 1.5, 1.5, 3, 3]


def test_a_recording_can_repeat(tmp_path: Path) -> None:
    curve = recorded(written(tmp_path, "0,1\n10,2\n20,3\n"), repeat=True)
    assert [curve(time) for time in (0, 15, 29.9, 30, 41, 325)] == [1, 2, 3, 1, 2, 3]


def test_a_range_query_of_prometheus(tmp_path: Path) -> None:
    web = {"metric": {"job": "web", "pod": "a"}, "values": [[1714564800.123, "0.5"], [1714564815.123, "2e-1"]]}
    db = {"metric": {"job": "db"}, "values": [[0, "7"]]}
    path = exported(tmp_path, web, db)
    assert [recorded(path, labels={"job": "web"})(time) for time in (0, 14, 15)] == [0.5, 0.5, 0.2]
    assert recorded(exported(tmp_path, db))(3) == 7


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("time,value\n1,2\n3\n", "load.csv, line 3: has 1 columns; it needs two"),
        ("1,2\n2,NaN\n", "line 2: 'NaN' is not a finite number"),
        ("1,2\n2,many\n", "line 2: 'many' is not a finite number"),
        ("1,2\nnoon,3\n", "line 2: 'noon' is not a time"),
        ("2024-05-01T12:00:00,3\n", "with a time zone"),
        ("2024-05-01T24:00:00Z,3\n", "is not a time"),
        ("10,1\n5,2\n", "the time of value 2 is not after the one before"),
        ("time,value\n", "holds no values"),
        ("", "holds no values"),
        (b"\xff\xfe\x00", "is not text in UTF-8"),
        ('{"data": ', "is not JSON"),
        ('{"status": "error", "error": "query timed out"}', "Prometheus answered with an error: query timed out"),
        ("{}", "no list of series at data.result"),
        ("[1, 2]", "no list of series at data.result"),
        ('{"data": {"result": []}}', r"0 series have the labels {}; choose one of: none"),
        ('{"data": {"result": [{"metric": {}, "value": [1, "2"]}]}}', "save a range query, not an instant query"),
        ('{"data": {"result": [{"metric": {}, "values": []}]}}', "holds no values"),
        ('{"data": {"result": [{"metric": {}, "values": [[1, "2", 3]]}]}}', "value 1: .* is not a pair"),
        ('{"data": {"result": [{"metric": {}, "values": [[1, "+Inf"]]}]}}', r"value 1: '\+Inf' is not a finite number"),
        ('{"data": {"result": [{"metric": {}, "values": [[1, true]]}]}}', "value 1: True is not a finite number"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, content: str | bytes, complaint: str) -> None:
    with pytest.raises(MetricsError, match=complaint):
        recorded(written(tmp_path, content))


def test_the_series_must_be_unique(tmp_path: Path) -> None:
    one, two = ({"metric": {"job": "web", "pod": pod}, "values": [[0, "1"]]} for pod in "ab")
    with pytest.raises(MetricsError, match=r"2 series have the labels {'job': 'web'}; choose one of: .*'pod': 'a'"):
        recorded(exported(tmp_path, one, two), labels={"job": "web"})


def test_what_labels_and_repetition_cannot_do(tmp_path: Path) -> None:
    path = written(tmp_path, "0,1\n")
    with pytest.raises(MetricsError, match="leave out labels"):
        recorded(path, labels={"job": "web"})
    with pytest.raises(MetricsError, match="leave out repeat"):
        recorded(path, repeat=True)
    with pytest.raises(MetricsError, match=r"absent.csv: cannot be read: No such file"):
        recorded(tmp_path / "absent.csv")
