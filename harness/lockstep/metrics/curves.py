"""Curves: a number for each moment, in base units (cores, bytes, requests a second).

A moment is a time in seconds since the scenario began. A curve has no state: the same moment always gives the same
number. Curves can be added and multiplied.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from lockstep.metrics.handles import MetricsError
from lockstep.metrics.noise import deviation
from lockstep.wire.quantity import parse_quantity

_DAY = 86_400.0


class Curve:
    """A function of time that can be added and multiplied. Call it with a moment."""

    __slots__ = ("_value",)

    def __init__(self, value: Callable[[float], float]) -> None:
        self._value = value

    def __call__(self, time: float) -> float:
        """The value at `time`, seconds since the scenario began."""
        return self._value(time)

    def __add__(self, other: Number) -> Curve:
        """Both together."""
        one, two = self._value, curve_of(other)
        return Curve(lambda time: one(time) + two(time))

    def __mul__(self, other: Number) -> Curve:
        """The product: scale a curve by a number, or modulate it by another."""
        one, two = self._value, curve_of(other)
        return Curve(lambda time: one(time) * two(time))

    __radd__ = __add__
    __rmul__ = __mul__


#: What can be given for a curve: a curve, a number, or a quantity such as "500m".
Number = Curve | float | int | str


def curve_of(value: Number) -> Curve:
    """The curve that `value` stands for. Raises MetricsError if it is neither a curve, a number nor a quantity."""
    return value if isinstance(value, Curve) else constant(amount(value))


def amount(value: Number) -> float:
    """A number, or a quantity in base units. Raises MetricsError for anything else."""
    if isinstance(value, str):
        try:
            return float(parse_quantity(value).exact())
        except ValueError:
            raise MetricsError(
                f"{value!r} is not a quantity: write a number, or a quantity like 500m, 1.5 or 64Mi"
            ) from None
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise MetricsError(f"{value!r} is not a number: write one like 0.5, or a quantity like 500m")
    return float(value)


def constant(value: float | str) -> Curve:
    """Always `value`."""
    number = amount(value)
    return Curve(lambda _: number)


def steps(*points: tuple[float, float | str]) -> Curve:
    """From each (time, value) on, that value; before the first, the first value. Raises MetricsError if times do not
    ascend.
    """
    return held(
        _ascending([time for time, _ in points], "steps"),
        [amount(value) for _, value in points],
    )


def ramp(start: float, end: float, low: float | str, high: float | str) -> Curve:
    """`low` until `start`, then linear up to `high` at `end`, and `high` from there on. `high` may be below `low`."""
    _ascending((start, end), "ramp")
    first, last = amount(low), amount(high)

    def value(time: float) -> float:
        part = min(max((time - start) / (end - start), 0.0), 1.0)
        return first + (last - first) * part

    return Curve(value)


def spike(extra: float | str, seconds: float) -> Curve:
    """`extra` for the first `seconds`, then nothing: what a container uses while it starts, by its age."""
    return steps((0.0, extra), (seconds, 0.0))


def daily(low: float | str, high: float | str, *, peak_hour: float = 14.0) -> Curve:
    """A wave of one day between `low` and `high`, highest at `peak_hour`. The scenario begins at midnight."""
    mean, swing = (amount(low) + amount(high)) / 2, (amount(high) - amount(low)) / 2
    peak = peak_hour * 3600.0
    return Curve(lambda time: mean + swing * math.cos((time - peak) / _DAY * math.tau))


def peaks(low: float | str, high: float | str, *, every: float, lasting: float, first: float = 0.0) -> Curve:
    """`high` for `lasting` seconds, again and again after `every` seconds, from `first` on; `low` otherwise.

    Raises MetricsError if a peak lasts until the next one begins.
    """
    if not 0 < lasting <= every:
        raise MetricsError(f"peaks: {lasting} s every {every} s; a peak must end before the next one begins")
    least, most = amount(low), amount(high)
    return Curve(lambda time: most if time >= first and (time - first) % every < lasting else least)


def noisy(curve: Number, part: float, *, seed: int = 0) -> Curve:
    """The curve, up to `part` (0.1: ten per cent) more or less. The noise depends on `seed` and the moment only."""
    base = curve_of(curve)
    return Curve(lambda time: base(time) * (1.0 + part * deviation(seed, round(time * 1000), 0)))


def held(times: Sequence[float], values: Sequence[float], *, repeat: float = 0.0) -> Curve:
    """`values` from `times` on, each until the next one; with `repeat`, again every `repeat` seconds."""

    def value(time: float) -> float:
        moment = time % repeat if repeat else time
        return values[max(bisect_right(times, moment) - 1, 0)]

    return Curve(value)


def _ascending(times: Iterable[float], what: str) -> list[float]:
    listed = list(times)
    if not listed or any(later <= sooner for sooner, later in pairwise(listed)):
        raise MetricsError(f"{what}: the times {listed} must ascend; give each point a later time than the one before")
    return listed
