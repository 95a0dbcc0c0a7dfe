"""Times and durations as Go reads and writes them (time/format.go, time.go), with its messages for invalid ones.

An instant is an integer: nanoseconds since 2000-01-01T00:00:00Z, where the clock of a Go `testing/synctest` bubble
starts. A duration is nanoseconds, too.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import lru_cache

#: Unix time of the instant 0, in nanoseconds.
EPOCH_NS = 946_684_800 * 10**9
SECOND = 10**9
_UNIX_YEAR_1 = -62_135_596_800  # seconds from 1970 back to the year 1
#: Go's zero time: the beginning of the year 1.
ZERO_TIME = _UNIX_YEAR_1 * SECOND - EPOCH_NS
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_FIRST_DAY = 730_120  # of the instant 0, as date.toordinal counts
_DAYS_OF_400_YEARS = 146_097

_LAYOUT = '"2006-01-02T15:04:05Z07:00"'
#: What API servers write (metav1.Time, metav1.MicroTime).
_PLAIN_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?Z")
_NUMBER = re.compile(r"[0-9]+")
_ZONE = re.compile(r"(.)([0-9]{2}):(.{2})", re.DOTALL)
_UNITS = {
    "ns": 1,
    "us": 1000,
    "\u00b5s": 1000,
    "\u03bcs": 1000,
    "ms": 10**6,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
_SMALL_UNITS = (("ms", 10**6), ("\u00b5s", 1000), ("ns", 1))
_LIMIT = 1 << 63
_PART = re.compile(r"([0-9]*)(?:(\.)([0-9]*))?([^.0-9]*)")
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class GoTimeError(ValueError):
    """The text is not a time, or not a duration; `str()` is Go's message."""


@lru_cache(maxsize=8192)
def parse_rfc3339(text: str) -> int:
    """The instant that `text` names: time.Parse(time.RFC3339, text). Raises GoTimeError."""
    if _PLAIN_TIME.fullmatch(text):
        with suppress(ValueError):  # a day that does not exist, or the year 0, which Go knows
            delta = datetime.fromisoformat(text) - _EPOCH
            return (delta.days * 86_400 + delta.seconds) * SECOND + delta.microseconds * 1000
    return _TimeParser(text).parse()


def rfc3339(instant: int) -> str:
    """The instant as metav1.Time writes it: UTC, whole seconds, the fraction cut off."""
    return _rfc3339_seconds(instant // SECOND)


@lru_cache(maxsize=8192)
def _rfc3339_seconds(seconds: int) -> str:
    days, second = divmod(seconds, 86_400)
    # A time zone can lead beyond Python's range of dates: the calendar repeats itself after 400 years.
    cycles, day = divmod(days + _FIRST_DAY - 1, _DAYS_OF_400_YEARS)
    on = date.fromordinal(day + 1)
    minute, second = divmod(second, 60)
    time = f"{minute // 60:02}:{minute % 60:02}:{second:02}"
    return f"{on.year + 400 * cycles:04}-{on.month:02}-{on.day:02}T{time}Z"


class _TimeParser:
    """Reads the layout piece by piece; hours may have one digit, and a fraction may follow a comma, as in Go."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._rest = text

    def parse(self) -> int:
        year = self._year()
        self._skip("-")
        month = self._number("01", "month", 1, 12)
        self._skip("-")
        day = self._number("02", "", 0, 99)
        self._skip("T")
        hour = self._number("15", "hour", 0, 23)
        self._skip(":")
        minute = self._number("04", "minute", 0, 59)
        self._skip(":")
        second = self._number("05", "second", 0, 59)
        nanosecond = self._fraction()
        offset = self._zone()
        if self._rest:
            raise self._error(f": extra text: {_quote(self._rest)}")
        if not 1 <= day <= _days_in(year, month):
            raise self._error(": day out of range")
        seconds = ((_days_since_2000(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset
        return seconds * SECOND + nanosecond

    def _error(self, message: str) -> GoTimeError:
        return GoTimeError(f"parsing time {_quote(self._text)}{message}")

    def _bad(self, element: str, rest: str) -> GoTimeError:
        return self._error(f" as {_LAYOUT}: cannot parse {_quote(rest)} as {_quote(element)}")

    def _year(self) -> int:
        digits = self._rest[:4]
        if len(digits) < 4 or not _NUMBER.fullmatch(digits):
            raise self._bad("2006", self._rest)
        self._rest = self._rest[4:]
        return int(digits)

    def _skip(self, character: str) -> None:
        if not self._rest.startswith(character):
            raise self._bad(character, self._rest)
        self._rest = self._rest[1:]

    def _number(self, element: str, what: str, low: int, high: int) -> int:
        rest = self._rest
        match = _NUMBER.match(rest[:2])
        if match is None or (match.end() < 2 and element != "15"):
            raise self._bad(element, rest)
        self._rest = rest[match.end() :]
        number = int(match[0])
        if not low <= number <= high:
            raise self._error(f": {what} out of range")
        return number

    def _fraction(self) -> int:
        rest = self._rest
        if rest[:1] not in (".", ",") or not rest:
            return 0
        match = _NUMBER.match(rest, 1)
        if match is None:
            return 0
        self._rest = rest[match.end() :]
        return int(match[0][:9].ljust(9, "0"))

    def _zone(self) -> int:
        """The offset from UTC in seconds."""
        rest = self._rest
        if rest.startswith("Z"):
            self._rest = rest[1:]
            return 0
        match = _ZONE.fullmatch(rest[:6])
        if match is None or not rest[:6].isascii():
            raise self._bad("Z07:00", rest)
        hours, minutes = int(match[2]), int(match[3]) if _NUMBER.fullmatch(match[3]) else None
        if hours > 24 or (minutes or 0) > 60:
            raise self._error(f": time zone offset {'minute' if (minutes or 0) > 60 else 'hour'} out of range")
        if match[1] not in "+-" or minutes is None:
            raise self._bad("Z07:00", rest)
        self._rest = rest[6:]
        offset = (hours * 60 + minutes) * 60
        return -offset if match[1] == "-" else offset


def _days_in(year: int, month: int) -> int:
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if leap else _DAYS[month - 1]


def _days_since_2000(year: int, month: int, day: int) -> int:
    """Also for the year 0, which Python's dates do not have."""
    before = year - 1
    leaps = before // 4 - before // 100 + before // 400
    return 365 * before + leaps + sum(_days_in(year, one) for one in range(1, month)) + day - _FIRST_DAY


@lru_cache(maxsize=8192)
def parse_duration(text: str) -> int:
    """time.ParseDuration(text). Raises GoTimeError."""
    invalid = GoTimeError(f"time: invalid duration {_quote(text)}")
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return 0
    if not rest:
        raise invalid
    total = position = 0
    while position < len(rest):
        match = _PART.match(rest, position)
        assert match is not None  # every part of it may be empty
        whole, _, fraction, unit = match.groups("")
        if not (whole or fraction):
            raise invalid
        if not unit:
            raise invalid if int(whole or 0) > _LIMIT else GoTimeError(f"time: missing unit in duration {_quote(text)}")
        total += _part(int(whole or 0), fraction, unit, invalid, text)
        if total > _LIMIT:
            raise invalid
        position = match.end()
    if text[0] == "-":
        return -total
    if total == _LIMIT:
        raise invalid
    return total


@lru_cache(maxsize=1024)
def format_duration(nanoseconds: int) -> str:
    """time.Duration.String: 15s, 1m0s, 1h0m0.5s, 250ms."""
    if nanoseconds < 0:
        return f"-{format_duration(-nanoseconds)}"
    if nanoseconds == 0:
        return "0s"
    if nanoseconds < SECOND:
        unit, size = next((unit, size) for unit, size in _SMALL_UNITS if nanoseconds >= size)
        return f"{_decimal(nanoseconds, size)}{unit}"
    minutes, rest = divmod(nanoseconds, 60 * SECOND)
    text = f"{_decimal(rest, SECOND)}s"
    if minutes:
        hours, minutes = divmod(minutes, 60)
        text = f"{hours}h{minutes}m{text}" if hours else f"{minutes}m{text}"
    return text


def _decimal(amount: int, unit: int) -> str:
    whole, part = divmod(amount, unit)
    if not part:
        return str(whole)
    digits = str(part).rjust(len(str(unit)) - 1, "0").rstrip("0")
    return f"{whole}.{digits}"


def _part(whole: int, fraction: str, unit: str, invalid: GoTimeError, text: str) -> int:
    """One number with its unit, in nanoseconds; the fraction is computed in floating point, as in Go."""
    if whole > _LIMIT:
        raise invalid
    factor = _UNITS.get(unit)
    if factor is None:
        raise GoTimeError(f"time: unknown unit {_quote(unit)} in duration {_quote(text)}")
    if whole > _LIMIT // factor:
        raise invalid
    nanoseconds = whole * factor
    digits, scale = _leading_fraction(fraction)
    if digits:
        nanoseconds += int(float(digits) * (factor / scale))
        if nanoseconds > _LIMIT:
            raise invalid
    return nanoseconds


def _leading_fraction(text: str) -> tuple[int, float]:
    """The digits that fit into 63 bits, and the power of ten that they are divided by (leadingFraction)."""
    digits, scale = 0, 1.0
    for digit in text:
        if digits > (_LIMIT - 1) // 10 or digits * 10 + int(digit) > _LIMIT:
            break
        digits = digits * 10 + int(digit)
        scale *= 10
    return digits, scale


def _quote(text: str) -> str:
    """In double quotes, with bytes beyond ASCII, and controls, in hexadecimal (time.quote)."""
    parts = []
    for character in text:
        if character in ('"', "\\"):
            parts.append(f"\\{character}")
        elif " " <= character < "\x80":
            parts.append(character)
        else:
            parts.extend(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    return f'"{"".join(parts)}"'
