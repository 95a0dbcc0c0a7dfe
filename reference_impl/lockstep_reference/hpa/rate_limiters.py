"""How long an HPA waits between two syncs (pkg/controller/podautoscaler/rate_limiters.go)."""

from __future__ import annotations

from collections.abc import Hashable


class FixedItemIntervalRateLimiter:
    """Always the same interval, in nanoseconds, whatever happened before (NewDefaultHPARateLimiter)."""

    def __init__(self, interval: int) -> None:
        self._interval = interval

    def when(self, _item: Hashable) -> int:
        """The interval."""
        return self._interval

    def forget(self, _item: Hashable) -> None:
        """Nothing to forget."""

    def num_requeues(self, _item: Hashable) -> int:
        """Always 1, as upstream."""
        return 1
