"""Arithmetic with Go's times (time/time.go): instants in nanoseconds since 2000-01-01T00:00:00Z, durations likewise."""

from __future__ import annotations

import math

from lockstep.wire.gomath import MAX_INT64, MIN_INT64
from lockstep.wire.gotime import ZERO_TIME


def difference(later: int, earlier: int) -> int:
    """later.Sub(earlier): at most 292 years either way."""
    return min(max(later - earlier, MIN_INT64), MAX_INT64)


def round_time(instant: int, unit: int) -> int:
    """instant.Round(unit): the nearest multiple, counted from Go's zero time; the later one of two."""
    if unit <= 0:
        return instant
    rest = (instant - ZERO_TIME) % unit
    return instant - rest if rest + rest < unit else instant + unit - rest


def truncate_duration(duration: int, unit: int) -> int:
    """duration.Truncate(unit): the nearest multiple towards zero."""
    if unit <= 0:
        return duration
    return duration - int(math.copysign(abs(duration) % unit, duration))
