"""When usage is measured and when answers show it: the kubelet's period, then the scrape, then the lag.

Modelled on metrics-server (pkg/storage/pod.go, podStorage.Store): a rate needs two points of a container, or one that
is at least 10 s after its start, and less than a period.
"""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.metrics.handles import MetricsError
from lockstep.time.clock import SECOND, seconds

#: How long a container must run before its first point alone gives a rate (freshContainerMinMetricsResolution).
_FRESH = 10 * SECOND
_WINDOW = 15 * SECOND


@dataclass(frozen=True, slots=True)
class Rhythm:
    """All in nanoseconds; `start` is the instant at which the scenario began. Without a `period`, answers show the
    present moment.
    """

    start: int
    period: int = 15 * SECOND
    lag: int = 0
    offset: int = 0
    kubelet: int = 0
    window: int | None = None

    @classmethod
    def of(cls, start: int, period: float, lag: float, offset: float, kubelet: float, window: float | None) -> Rhythm:
        """From seconds. Raises MetricsError on a negative one."""
        if min(period, lag, offset, kubelet, window or 0.0) < 0:
            raise MetricsError("scrape(): periods, lag, offset and window are seconds; use 0 or more")
        if not period and (lag or offset or kubelet):
            raise MetricsError("scrape(period=0) shows usage at the moment; lag, offset and kubelet need a period")
        chosen = None if window is None else seconds(window)
        return cls(start, seconds(period), seconds(lag), seconds(offset), seconds(kubelet), chosen)

    @property
    def reach(self) -> int:
        """The greatest age of a measurement that an answer can show."""
        return self.lag + self.period + self.kubelet

    def measured(self, now: int) -> int:
        """The instant of the measurement that answers show at `now`."""
        if not self.period:
            return now
        return self._point(self._scrape(now - self.lag))

    def before(self, measured: int) -> int:
        """The instant of the measurement before."""
        if not self.period:
            return measured - _WINDOW
        scrape = self._scrape(measured)
        while (earlier := self._point(scrape)) >= measured:
            scrape -= self.period
        return earlier

    def window_of(self, started: int, measured: int, before: int) -> int | None:
        """The window of a container's first or later measurement; None as long as it has no rate."""
        age = measured - started
        if not self.period:
            natural = _WINDOW
        elif _FRESH <= age <= self.period != _FRESH:  # as old as the period: started just after the last scrape
            natural = age
        elif started < before:
            natural = measured - before
        else:
            return None
        return natural if self.window is None else self.window

    def _scrape(self, instant: int) -> int:
        """The last scrape up to an instant."""
        return instant - (instant - self.start - self.offset) % self.period

    def _point(self, scrape: int) -> int:
        """What a scrape gets: the last point of the kubelet, which counts from the beginning of the scenario."""
        return scrape - (scrape - self.start) % self.kubelet if self.kubelet else scrape
