"""Virtual time.

An instant is an integer: nanoseconds since the virtual epoch, 2000-01-01T00:00:00Z. That is where the clock of a Go
`testing/synctest` bubble starts, so the Go and the Python half of a run count from the same zero. On the wire an
instant is RFC 3339 in whole seconds (`metav1.Time`).
"""

from __future__ import annotations

from lockstep.wire.gotime import EPOCH_NS, SECOND, parse_rfc3339, rfc3339

__all__ = ["EPOCH_NS", "SECOND", "parse_rfc3339", "rfc3339", "seconds"]


def seconds(duration: float) -> int:
    """A duration in seconds as nanoseconds."""
    return round(duration * SECOND)
