"""What metrics asked for lately: the history that scaling is stabilized by.

Source: pkg/controller/podautoscaler/horizontal.go (stabilizeRecommendation, stabilizeRecommendationWithBehaviors).
"""

from __future__ import annotations

from typing import NamedTuple

from lockstep.wire.gotime import SECOND


class Recommendation(NamedTuple):
    """Replicas that were asked for, and when (timestampedRecommendation)."""

    replicas: int
    timestamp: int


class Recommendations:
    """Those of one HPA. The last one that is too old to count gives its place to the next."""

    def __init__(self, first: Recommendation | None = None) -> None:
        self.items = [] if first is None else [first]

    def stabilize(self, desired_replicas: int, window: int, now: int) -> int:
        """The most that was asked for within the window, in nanoseconds (stabilizeRecommendation)."""
        cutoff = now - window
        most = desired_replicas
        old = None
        for index, (replicas, timestamp) in enumerate(self.items):
            if timestamp < cutoff:
                old = index
            elif replicas > most:
                most = replicas
        self._record(desired_replicas, old, now)
        return most

    def stabilize_with_behaviors(
        self, current_replicas: int, desired_replicas: int, up_seconds: int, down_seconds: int, now: int
    ) -> int:
        """The nearest to the current replicas that was asked for (stabilizeRecommendationWithBehaviors).

        On the way up the least within `up_seconds`, on the way down the most within `down_seconds`. A recommendation at
        the very edge of a window does not count, and is not replaced either.
        """
        up_cutoff, down_cutoff = now - SECOND * up_seconds, now - SECOND * down_seconds
        first_cutoff = min(up_cutoff, down_cutoff)
        least = most = desired_replicas
        old = None
        for index, (replicas, timestamp) in enumerate(self.items):
            if timestamp > up_cutoff and replicas < least:
                least = replicas
            if timestamp > down_cutoff and replicas > most:
                most = replicas
            if timestamp < first_cutoff:
                old = index
        self._record(desired_replicas, old, now)
        return min(max(current_replicas, least), most)

    def _record(self, replicas: int, old: int | None, now: int) -> None:
        new = Recommendation(replicas, now)
        if old is None:
            self.items.append(new)
        else:
            self.items[old] = new
