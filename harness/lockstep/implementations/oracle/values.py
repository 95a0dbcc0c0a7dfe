"""Floats and instants in the form of the oracle's answers."""

from __future__ import annotations

import math

from lockstep.wire.gotime import ZERO_TIME


def number(value: float) -> float | str:
    """A float; infinities and NaN as text, since JSON lacks them."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


def instant(value: int) -> int | None:
    """Go's zero time is null; the others saturate, as nanoseconds do there."""
    return None if value == ZERO_TIME else min(max(value, -(2**63)), 2**63 - 1)


def time(value: int | None) -> int:
    """An instant of a question."""
    return ZERO_TIME if value is None else value


class StoppedClock:
    """A clock that stands still."""

    def __init__(self, now: int) -> None:
        self._now = now

    def now(self) -> int:
        """Always the same instant."""
        return self._now
