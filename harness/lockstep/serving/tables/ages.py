"""Spans of time as kubectl prints them (apimachinery/pkg/util/duration, HumanDuration)."""

from __future__ import annotations

from typing import Any

from lockstep.time.clock import SECOND, parse_rfc3339

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_YEAR = 365 * _DAY
_UNKNOWN = "<unknown>"


def age(timestamp: Any, now: int) -> str:
    """How long ago a timestamp was; `<unknown>` without one."""
    if not timestamp:
        return _UNKNOWN
    try:
        instant = parse_rfc3339(str(timestamp))
    except ValueError:
        return _UNKNOWN
    return human_duration((now - instant) // SECOND)


def between(start: Any, end: Any) -> str:
    """The time between two timestamps."""
    try:
        return human_duration((parse_rfc3339(str(end)) - parse_rfc3339(str(start))) // SECOND)
    except ValueError:
        return _UNKNOWN


def human_duration(seconds: int) -> str:  # noqa: PLR0911 - a line for each magnitude, like upstream
    """Two or three digits of precision, and at most two units."""
    if seconds < -1:
        return "<invalid>"
    if seconds < 0:
        return "0s"
    minutes, hours, days = seconds // _MINUTE, seconds // _HOUR, seconds // _DAY
    if seconds < 2 * _MINUTE:
        return f"{seconds}s"
    if minutes < 10:
        return _two(minutes, "m", seconds % _MINUTE, "s")
    if minutes < 3 * 60:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if hours < 8 * 24:
        return _two(days, "d", hours % 24, "h")
    if hours < 2 * 365 * 24:
        return f"{days}d"
    years = seconds // _YEAR
    if years < 8:
        return _two(years, "y", days % 365, "d")
    return f"{years}y"


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"
