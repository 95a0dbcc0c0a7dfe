"""How the buckets of a histogram are cut (pkg/recommender/util/histogram_options.go)."""

from __future__ import annotations

from typing import Protocol

from lockstep.wire.elementary import go_log, go_pow
from lockstep.wire.gomath import ceil_to_int64, float_to_int64

_REMEMBERED = 1 << 16


class HistogramOptions(Protocol):
    """A bucketing scheme. Two histograms can be merged only if they share one such object."""

    #: How many buckets there are.
    num_buckets: int
    #: A bucket with less weight than this counts as empty.
    epsilon: float

    def find_bucket(self, value: float) -> int:
        """The index of the bucket into which `value` falls; the first or the last one for what lies outside."""

    def get_bucket_start(self, bucket: int) -> float:
        """The smallest value of that bucket."""


class LinearHistogramOptions:
    """Buckets of one size from 0 on; the last one begins at `max_value` or above (NewLinearHistogramOptions)."""

    def __init__(self, max_value: float, bucket_size: float, epsilon: float) -> None:
        if max_value <= 0.0 or bucket_size <= 0.0 or epsilon <= 0.0:
            raise ValueError("maxValue and bucketSize must both be positive")
        self.num_buckets = ceil_to_int64(max_value / bucket_size) + 1
        self.epsilon = epsilon
        self._bucket_size = bucket_size

    def find_bucket(self, value: float) -> int:
        """See the protocol."""
        return min(max(float_to_int64(value / self._bucket_size), 0), self.num_buckets - 1)

    def get_bucket_start(self, bucket: int) -> float:
        """See the protocol."""
        return float(bucket) * self._bucket_size


class ExponentialHistogramOptions:
    """Each bucket is `ratio` times as wide as the one before it (NewExponentialHistogramOptions).

    So bucket n > 0 begins at first_bucket_size * (ratio^n - 1) / (ratio - 1), the last one at `max_value` or above.
    """

    def __init__(self, max_value: float, first_bucket_size: float, ratio: float, epsilon: float) -> None:
        if max_value <= 0.0 or first_bucket_size <= 0.0 or ratio <= 1.0 or epsilon <= 0.0:
            raise ValueError("maxValue, firstBucketSize and epsilon must be > 0.0, ratio must be > 1.0")
        self.epsilon = epsilon
        self._first = first_bucket_size
        self._ratio = ratio
        self._log_ratio = go_log(ratio)
        self.num_buckets = ceil_to_int64(self._log(max_value)) + 1
        self._starts: dict[int, float] = {0: 0.0}
        self._found: dict[float, int] = {}

    def _log(self, value: float) -> float:
        """The logarithm, to the base of the ratio, that tells the bucket of a value."""
        return go_log(value * (self._ratio - 1) / self._first + 1) / self._log_ratio

    def find_bucket(self, value: float) -> int:
        """See the protocol. Answers are remembered, since workloads repeat themselves."""
        if value < self._first:
            return 0
        bucket = self._found.get(value)
        if bucket is None:
            bucket = min(float_to_int64(self._log(value)), self.num_buckets - 1)
            if len(self._found) >= _REMEMBERED:
                self._found.clear()
            self._found[value] = bucket
        return bucket

    def get_bucket_start(self, bucket: int) -> float:
        """See the protocol."""
        start = self._starts.get(bucket)
        if start is None:
            start = self._first * (go_pow(self._ratio, bucket) - 1) / (self._ratio - 1)
            self._starts[bucket] = start
        return start
