"""metav1.Time in JSON: RFC 3339, cut to whole seconds, shown in UTC (apimachinery/pkg/apis/meta/v1/time.go)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

#: Go's zero time, which is written as null.
ZERO = "0001-01-01T00:00:00Z"
_LAYOUT = "2006-01-02T15:04:05Z07:00"
_PATTERN = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,]\d+)?(?:Z|([+-])(\d{2}):(\d{2}))", re.ASCII
)


@lru_cache(maxsize=1024)
def rfc3339_time(text: str) -> str:
    """The time as the server writes it. Raises ValueError, worded as Go's time.Parse begins, if it is none."""
    found = _PATTERN.fullmatch(text)
    if found is None:
        raise ValueError(f'parsing time "{text}" as "{_LAYOUT}": cannot parse "{text}" as "2006"')
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    zone: timezone = UTC
    if found[7]:
        offset = timedelta(hours=int(found[8]), minutes=int(found[9]))
        zone = timezone(-offset if found[7] == "-" else offset)
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError) as problem:
        raise ValueError(f'parsing time "{text}": {problem}') from None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
