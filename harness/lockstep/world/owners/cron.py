"""Cron schedules: five fields, or a macro (github.com/robfig/cron/v3, ParseStandard). All times are UTC.

A library would be one more dependency for a hundred lines: croniter was unmaintained for long, and others run jobs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
#: For each field: its least value, its greatest, and the names of its values in order.
_FIELDS: tuple[tuple[int, int, tuple[str, ...]], ...] = (
    (0, 59, ()),
    (0, 23, ()),
    (1, 31, ()),
    (1, 12, _MONTHS),
    (0, 6, _DAYS),
)
_PART = re.compile(r"(\*|\?|\w+)(?:-(\w+))?(?:/(\d+))?")
#: The library gives up after so many years without a match.
_YEARS = 5


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a schedule fires."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    #: A day matches by day of the month or by day of the week, unless one of the two fields is unrestricted.
    either_day: bool

    def after(self, moment: datetime) -> datetime | None:
        """The first time after `moment`, or None if there is none in five years."""
        time = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
        end = time.year + _YEARS
        while time.year <= end:
            if time.month not in self.months or not self._on_day(time):
                time = (time + timedelta(days=1)).replace(hour=0, minute=0)
            elif time.hour not in self.hours:
                time = (time + timedelta(hours=1)).replace(minute=0)
            elif time.minute not in self.minutes:
                time += timedelta(minutes=1)
            else:
                return time
        return None

    def _on_day(self, time: datetime) -> bool:
        day, weekday = time.day in self.days, (time.weekday() + 1) % 7 in self.weekdays
        return day or weekday if self.either_day else day and weekday


def parse(text: str) -> Schedule:
    """The schedule that `text` describes. Raises ValueError on anything else."""
    fields = _MACROS.get(text, text).lower().split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"{text!r} is no cron schedule: it has {len(fields)} fields, five are expected")
    sets = (_values(field, *limits, text) for field, limits in zip(fields, _FIELDS, strict=True))
    minutes, hours, days, months, weekdays = sets
    starred = any(fields[at].startswith(("*", "?")) for at in (2, 4))
    return Schedule(minutes, hours, days, months, weekdays, either_day=not starred)


def epoch(seconds: float) -> datetime:
    """The time at `seconds` after the Unix epoch."""
    return datetime.fromtimestamp(seconds, UTC)


def _values(field: str, least: int, most: int, names: tuple[str, ...], text: str) -> frozenset[int]:
    chosen: set[int] = set()
    for part in field.split(","):
        found = _PART.fullmatch(part)
        if found is None:
            raise ValueError(f"{text!r} is no cron schedule: {part!r} is not understood")
        first, last, step = found.groups()
        if first in ("*", "?"):
            low, high = least, most
        else:
            low = _number(first, least, names, text)
            high = _number(last, least, names, text) if last else most if step else low
        if not least <= low <= high <= most or step == "0":
            raise ValueError(f"{text!r} is no cron schedule: {part!r} is not within {least} and {most}")
        chosen.update(range(low, high + 1, int(step or 1)))
    return frozenset(chosen)


def _number(word: str, least: int, names: tuple[str, ...], text: str) -> int:
    if word in names:
        return names.index(word) + least
    if not word.isdecimal():
        raise ValueError(f"{text!r} is no cron schedule: {word!r} is not a number")
    return int(word)
