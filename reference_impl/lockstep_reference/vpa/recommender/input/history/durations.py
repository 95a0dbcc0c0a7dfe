"""Durations as Prometheus writes them: 8d, 1h30m (github.com/prometheus/common model/time.go, ParseDuration)."""

from __future__ import annotations

import re

from lockstep.wire.gotext import quote
from lockstep.wire.gotime import SECOND

_DAY = 86_400 * SECOND
#: Nanoseconds of each unit, from the largest to the smallest, which is the order that they must have.
_UNITS = {"y": 365 * _DAY, "w": 7 * _DAY, "d": _DAY, "h": 3600 * SECOND, "m": 60 * SECOND, "s": SECOND, "ms": 10**6}
_ORDER = list(_UNITS)
_PART = re.compile(r"([0-9]*)([^0-9]*)")
_LIMIT = 1 << 63


class InvalidDuration(ValueError):
    """The text is no duration; `str()` is Prometheus' text."""


def parse_duration(text: str) -> int:
    """Nanoseconds. Raises InvalidDuration."""
    if text == "0":
        return 0
    if not text:
        raise InvalidDuration("empty duration string")
    total, position, last = 0, 0, -1
    while position < len(text):
        match = _PART.match(text, position)
        assert match is not None  # both parts may be empty
        number, unit = match.groups()
        if not number or not unit or int(number) >= 1 << 64:
            raise InvalidDuration(f"not a valid duration string: {quote(text)}")
        if unit not in _UNITS:
            raise InvalidDuration(f"unknown unit {quote(unit)} in duration {quote(text)}")
        if _ORDER.index(unit) <= last:
            raise InvalidDuration(f"not a valid duration string: {quote(text)}")
        last = _ORDER.index(unit)
        if int(number) > _LIMIT // _UNITS[unit]:
            raise InvalidDuration("duration out of range")
        total += int(number) * _UNITS[unit]
        if total >= _LIMIT:
            raise InvalidDuration("duration out of range")
        position = match.end()
    return total
