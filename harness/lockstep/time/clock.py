"""Virtual time and its form on the wire.

An instant is an integer: nanoseconds since the virtual epoch, 2000-01-01T00:00:00Z. That is where the clock of a Go
`testing/synctest` bubble starts, so the Go and the Python half of a run count from the same zero. On the wire an
instant is RFC 3339 in whole seconds (`metav1.Time`).
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

#: Unix time of the virtual epoch, in nanoseconds.
EPOCH_NS = 946_684_800 * 10**9
SECOND = 10**9


@lru_cache(maxsize=4096)
def _rfc3339_seconds(seconds: int) -> str:
    moment = datetime.fromtimestamp(EPOCH_NS // SECOND + seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def rfc3339(instant: int) -> str:
    """The instant as `metav1.Time` writes it: UTC, fraction cut off."""
    return _rfc3339_seconds(instant // SECOND)


def parse_rfc3339(text: str) -> int:
    """The instant that `text` names, in nanoseconds since the virtual epoch. Raises ValueError on anything else."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    if text[11:13] == "24":  # Python 3.14 takes it for the next midnight
        raise ValueError(f"{text!r} has no such hour: the last one of a day is 23")
    delta = moment - datetime(2000, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * SECOND + delta.microseconds * 1000


def seconds(duration: float) -> int:
    """A duration in seconds as nanoseconds."""
    return round(duration * SECOND)
