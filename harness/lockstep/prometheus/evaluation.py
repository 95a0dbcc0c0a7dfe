"""Evaluating queries as Prometheus 2 does (promql/engine.go, promql/functions.go: extrapolatedRate).

Ranges include both of their ends. Prometheus 3 leaves out the first one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from lockstep.prometheus.queries import BadQuery, Query
from lockstep.prometheus.series import NAME, Series

#: For how long the last sample of a series counts, in milliseconds (--query.lookback-delta).
LOOKBACK = 300_000
#: A range query gives at most so many points for each series (web/api/v1/api.go).
MAX_POINTS = 11_000
_Sample = tuple[int, float]


class Line(NamedTuple):
    """A series of a result."""

    labels: Mapping[str, str]
    samples: Sequence[_Sample]


def evaluate_range(query: Query, series: Iterable[Series], start: int, end: int, step: int) -> list[Line]:
    """The values at each step; times in milliseconds. Raises BadQuery."""
    if query.range and not query.rate:
        raise BadQuery('invalid expression type "range vector" for range query, must be Scalar or instant Vector')
    times = range(start, end + 1, step)
    lines = []
    for one in series:
        if query.selects(one.labels):
            samples = [(time, value) for time in times if (value := _value(query, one, time)) is not None]
            if samples:
                lines.append(Line(_labels(query, one), samples))
    return sorted(lines, key=_order)


def evaluate_instant(query: Query, series: Iterable[Series], time: int) -> list[Line]:
    """The value at one time, or with a range all samples in it: a matrix."""
    lines = []
    for one in series:
        if not query.selects(one.labels):
            continue
        if query.range and not query.rate:
            samples = one.within(time - query.range, time)
        else:
            value = _value(query, one, time)
            samples = [] if value is None else [(time, value)]
        if samples:
            lines.append(Line(_labels(query, one), samples))
    return sorted(lines, key=_order)


def _order(line: Line) -> list[tuple[str, str]]:
    return list(line.labels.items())


def _labels(query: Query, series: Series) -> Mapping[str, str]:
    """A result's labels. A rate drops the metric name, since it no longer is that metric."""
    if not query.rate:
        return series.labels
    return {label: value for label, value in series.labels.items() if label != NAME}


def _value(query: Query, series: Series, time: int) -> float | None:
    if not query.rate:
        return series.at(time, LOOKBACK)
    return extrapolated_rate(series.within(time - query.range, time), time, query.range)


def extrapolated_rate(samples: Sequence[_Sample], time: int, range_: int) -> float | None:
    """How fast a counter rises per second; None with fewer than two samples. A reset of the counter is taken into
    account.

    The rise between the first and the last sample is extrapolated to the ends of the range if those are near, but not
    to before the counter was zero.
    """
    if len(samples) < 2:
        return None
    (first, lowest), (last, highest) = samples[0], samples[-1]
    rise, previous = highest - lowest, lowest
    for _, value in samples[1:]:
        if value < previous:
            rise += previous
        previous = value
    to_start, to_end = (first - (time - range_)) / 1000, (time - last) / 1000
    sampled = (last - first) / 1000
    between = sampled / (len(samples) - 1)
    if rise > 0 and lowest >= 0:
        to_start = min(to_start, sampled * (lowest / rise))
    near = between * 1.1
    interval = sampled
    interval += to_start if to_start < near else between / 2
    interval += to_end if to_end < near else between / 2
    return rise * (interval / sampled / (range_ / 1000))
