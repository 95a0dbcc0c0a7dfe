"""Times and durations: Go's time/format.go."""

from __future__ import annotations

import pytest

from lockstep.wire.gotime import (
    SECOND,
    ZERO_TIME,
    GoTimeError,
    format_duration,
    parse_duration,
    parse_rfc3339,
    rfc3339,
)

LAYOUT = '"2006-01-02T15:04:05Z07:00"'


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("2000-01-01T00:00:00Z", 0),
        ("2000-01-01T00:00:01.5Z", 3 * SECOND // 2),
        ("2000-01-01T00:00:01,25Z", 5 * SECOND // 4),
        ("2000-01-01T01:00:00.000002+01:00", 2000),
        ("2000-01-01T00:00:00.000003Z", 3000),
        ("0000-12-31T23:59:59Z", ZERO_TIME - SECOND),
        ("2000-01-01T01:00:00+01:00", 0),
        ("1999-12-31T22:30:00-01:30", 0),
        ("2000-01-01T7:00:00Z", 7 * 3600 * SECOND),
        ("2000-02-29T00:00:00Z", 59 * 86400 * SECOND),
        ("0001-01-01T00:00:00Z", ZERO_TIME),
        ("1999-12-31T23:59:59.999999999Z", -1),
    ],
)
def test_times(text: str, nanoseconds: int) -> None:
    assert parse_rfc3339(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", f'"" as {LAYOUT}: cannot parse "" as "2006"'),
        ("x", f'"x" as {LAYOUT}: cannot parse "x" as "2006"'),
        ("2000-01-01", f'"2000-01-01" as {LAYOUT}: cannot parse "" as "T"'),
        ("2000-1-01T00:00:00Z", f'"2000-1-01T00:00:00Z" as {LAYOUT}: cannot parse "1-01T00:00:00Z" as "01"'),
        ("2000-01-01T00:00:00", f'"2000-01-01T00:00:00" as {LAYOUT}: cannot parse "" as "Z07:00"'),
        ("2000-01-01T00:00:00+0100", f'"2000-01-01T00:00:00+0100" as {LAYOUT}: cannot parse "+0100" as "Z07:00"'),
        ("2000-13-01T00:00:00Z", '"2000-13-01T00:00:00Z": month out of range'),
        ("2001-02-29T00:00:00Z", '"2001-02-29T00:00:00Z": day out of range'),
        ("2000-01-01T24:00:00Z", '"2000-01-01T24:00:00Z": hour out of range'),
        ("2000-01-01T00:00:60Z", '"2000-01-01T00:00:60Z": second out of range'),
        ("2000-01-01T00:00:00+25:00", '"2000-01-01T00:00:00+25:00": time zone offset hour out of range'),
        ("2000-01-01T00:00:00Z ", '"2000-01-01T00:00:00Z ": extra text: " "'),
        ("\u00e9", f'"\\xc3\\xa9" as {LAYOUT}: cannot parse "\\xc3\\xa9" as "2006"'),
    ],
)
def test_texts_that_are_no_times(text: str, problem: str) -> None:
    with pytest.raises(GoTimeError) as caught:
        parse_rfc3339(text)
    assert str(caught.value) == f"parsing time {problem}"


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("15s", 15 * SECOND),
        ("1m0s", 60 * SECOND),
        ("1h2m3.5s", 3_723_500_000_000),
        ("-15s", -15 * SECOND),
        ("0", 0),
        ("1.5h", 5400 * SECOND),
        (".5ms", 500_000),
        ("3us", 3000),
        ("3\u00b5s", 3000),
        ("-9223372036854775808ns", -(2**63)),
    ],
)
def test_durations(text: str, nanoseconds: int) -> None:
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", 'invalid duration ""'),
        ("-", 'invalid duration "-"'),
        ("s", 'invalid duration "s"'),
        (".s", 'invalid duration ".s"'),
        ("15", 'missing unit in duration "15"'),
        ("15x", 'unknown unit "x" in duration "15x"'),
        ("9223372036854775808ns", 'invalid duration "9223372036854775808ns"'),
        ("2562048h", 'invalid duration "2562048h"'),
    ],
)
def test_texts_that_are_no_durations(text: str, problem: str) -> None:
    with pytest.raises(GoTimeError) as caught:
        parse_duration(text)
    assert str(caught.value) == f"time: {problem}"


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0s"),
        (15 * 10**9, "15s"),
        (60 * 10**9, "1m0s"),
        (3_600 * 10**9, "1h0m0s"),
        (90_500_000_000, "1m30.5s"),
        (10_059_000_000, "10.059s"),
        (250_000_000, "250ms"),
        (1_500, "1.5µs"),
        (7, "7ns"),
        (-15 * 10**9, "-15s"),
    ],
)
def test_durations_as_text(nanoseconds: int, text: str) -> None:
    assert format_duration(nanoseconds) == text


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (61 * SECOND + 999_999_999, "2000-01-01T00:01:01Z"),
        (-1, "1999-12-31T23:59:59Z"),
        (59 * 86400 * SECOND, "2000-02-29T00:00:00Z"),
        (ZERO_TIME, "0001-01-01T00:00:00Z"),
        (ZERO_TIME - SECOND, "0000-12-31T23:59:59Z"),
        (252_455_616_000 * SECOND, "10000-01-01T00:00:00Z"),
    ],
)
def test_instants_as_text(nanoseconds: int, text: str) -> None:
    assert rfc3339(nanoseconds) == text


def test_instants_there_and_back() -> None:
    for day in range(-800_000, 800_000, 997):
        instant = (day * 86_400 + 86_399) * SECOND
        if instant >= ZERO_TIME:
            assert parse_rfc3339(rfc3339(instant)) == instant
