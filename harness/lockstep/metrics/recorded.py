"""Curves from recordings: CSV files, and Prometheus's answers to range queries.

Times of a recording are Unix times, other seconds, or RFC 3339. Only their distances count: the first value is that of
the beginning of the scenario.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson

from lockstep.metrics.curves import Curve, held
from lockstep.metrics.handles import MetricsError
from lockstep.time.clock import EPOCH_NS, SECOND, parse_rfc3339

_Point = tuple[float, float]


def recorded(path: str | Path, *, labels: Mapping[str, str] | None = None, repeat: bool = False) -> Curve:
    """The curve in the file `path`: CSV with `time,value`, or the JSON of a range query. `labels` choose its series.

    Each value holds until the next one, the last for ever; with `repeat` the recording begins again one step after its
    end. Raises MetricsError if the file cannot be read or understood.
    """
    file = Path(path)
    try:
        content = file.read_bytes()
    except OSError as problem:
        raise MetricsError(f"{file}: cannot be read: {problem.strerror or problem}") from None
    if content.lstrip()[:1] in (b"{", b"["):
        points = _of_prometheus(file, content, labels or {})
    elif labels:
        raise MetricsError(f"{file}: a CSV file holds one series without labels; leave out labels={dict(labels)}")
    else:
        points = _of_csv(file, content)
    return _curve(file, points, repeat)


def _curve(file: Path, points: list[_Point], repeat: bool) -> Curve:
    if not points:
        raise MetricsError(f"{file}: holds no values; record a time range in which the series exists")
    times = [time - points[0][0] for time, _ in points]
    for number, (sooner, later) in enumerate(pairwise(times), start=2):
        if later <= sooner:
            raise MetricsError(f"{file}: the time of value {number} is not after the one before; sort the file by time")
    if not repeat:
        return held(times, [value for _, value in points])
    if len(points) < 2:
        raise MetricsError(f"{file}: one value has no period to repeat; leave out repeat=True")
    return held(times, [value for _, value in points], repeat=times[-1] + (times[-1] - times[-2]))


# -- CSV ---------------------------------------------------------------------------------------------------------------


def _of_csv(file: Path, content: bytes) -> list[_Point]:
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise MetricsError(f"{file}: is not text in UTF-8; export it as CSV or JSON") from None
    points = []
    for number, cells in enumerate(csv.reader(lines), start=1):
        if not cells or (number == 1 and _is_header(cells)):
            continue
        where = f"{file}, line {number}"
        if len(cells) != 2:
            raise MetricsError(f"{where}: has {len(cells)} columns; it needs two, time and value")
        points.append((_time(where, cells[0].strip()), _value(where, cells[1].strip())))
    return points


def _is_header(cells: list[str]) -> bool:
    try:
        float(cells[-1])
    except ValueError:
        return True
    return False


# -- Prometheus --------------------------------------------------------------------------------------------------------


def _of_prometheus(file: Path, content: bytes, labels: Mapping[str, str]) -> list[_Point]:
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as problem:
        raise MetricsError(f"{file}: is not JSON: {problem}; save the answer of /api/v1/query_range as it is") from None
    series = _series(file, document)
    chosen = [one for one in series if labels.items() <= (one.get("metric") or {}).items()]
    if len(chosen) != 1:
        known = "; ".join(str(one.get("metric") or {}) for one in series) or "none"
        raise MetricsError(f"{file}: {len(chosen)} series have the labels {dict(labels)}; choose one of: {known}")
    values = chosen[0].get("values")
    if not isinstance(values, list):
        raise MetricsError(f"{file}: the series has no `values`; save a range query, not an instant query")
    points = []
    for number, pair in enumerate(values, start=1):
        where = f"{file}, value {number}"
        if not isinstance(pair, list) or len(pair) != 2:
            raise MetricsError(f"{where}: {pair!r} is not a pair of time and value")
        points.append((_time(where, pair[0]), _value(where, pair[1])))
    return points


def _series(file: Path, document: Any) -> list[dict[str, Any]]:
    if isinstance(document, dict) and document.get("status") == "error":
        raise MetricsError(f"{file}: Prometheus answered with an error: {document.get('error', '')}")
    data = document.get("data") if isinstance(document, dict) else None
    result = data.get("result") if isinstance(data, dict) else None
    if not isinstance(result, list) or not all(isinstance(one, dict) for one in result):
        raise MetricsError(
            f"{file}: has no list of series at data.result; save the answer of /api/v1/query_range as it is"
        )
    return result


# -- cells -------------------------------------------------------------------------------------------------------------


def _time(where: str, text: Any) -> float:
    try:
        return _finite(text)
    except (TypeError, ValueError):
        pass
    try:
        return (parse_rfc3339(str(text)) + EPOCH_NS) / SECOND
    except ValueError:
        raise MetricsError(f"{where}: {text!r} is not a time; write seconds, or RFC 3339 with a time zone") from None


def _value(where: str, text: Any) -> float:
    try:
        return _finite(text)
    except (TypeError, ValueError):
        raise MetricsError(f"{where}: {text!r} is not a finite number; leave such values out") from None


def _finite(text: Any) -> float:
    if isinstance(text, bool) or not math.isfinite(number := float(text)):
        raise ValueError
    return number
