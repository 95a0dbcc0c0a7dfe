"""Time series: labels, and samples at times in milliseconds since 1970."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

NAME = "__name__"


class Series:
    """One series; `labels` include its name. Raises ValueError unless the times ascend."""

    __slots__ = ("labels", "times", "values")

    def __init__(self, labels: Mapping[str, str], samples: Sequence[tuple[int, float]]) -> None:
        self.labels = dict(sorted(labels.items()))
        self.times = [time for time, _ in samples]
        self.values = [value for _, value in samples]
        if any(later <= sooner for sooner, later in zip(self.times, self.times[1:], strict=False)):
            raise ValueError(f"the times of {self.labels} do not ascend: sort the samples, and give one for each time")

    def at(self, time: int, lookback: int) -> float | None:
        """The last value at `time`, if it is not older than `lookback`."""
        index = bisect_right(self.times, time) - 1
        return self.values[index] if index >= 0 and self.times[index] >= time - lookback else None

    def within(self, first: int, last: int) -> list[tuple[int, float]]:
        """The samples from `first` to `last`, both included."""
        begin, end = bisect_left(self.times, first), bisect_right(self.times, last)
        return list(zip(self.times[begin:end], self.values[begin:end], strict=True))
