"""How a quantity is distributed: the weight of the samples in each bucket (pkg/recommender/util/histogram.go)."""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import accumulate
from operator import add

from lockstep.wire.gomath import divide, float_to_int64
from lockstep.wire.gotime import ZERO_TIME
from lockstep_reference.vpa.recommender.util.checkpoint import CheckpointError, HistogramCheckpoint
from lockstep_reference.vpa.recommender.util.histogram_options import HistogramOptions

#: The weight of the heaviest bucket in a checkpoint (MaxCheckpointWeight).
_MAX_CHECKPOINT_WEIGHT = 10000.0
_UINT32 = 0xFFFFFFFF
_EXACT = 2.0**62  # from here on floats are whole anyway


def go_round(value: float) -> int:
    """The nearest whole number, upwards from the middle (round)."""
    value += 0.5
    return math.floor(value) if abs(value) < _EXACT else float_to_int64(value)


class Histogram:
    """Weights by bucket, their sum, and the first and the last bucket that are not empty.

    An empty one has them the wrong way round. Times are for the histogram that decays; this one ignores them.
    """

    __slots__ = ("_options", "_sums", "bucket_weight", "max_bucket", "min_bucket", "total_weight")

    def __init__(self, options: HistogramOptions) -> None:
        self._options = options
        self.bucket_weight = [0.0] * options.num_buckets
        self.total_weight = 0.0
        self.min_bucket = options.num_buckets - 1
        self.max_bucket = 0
        self._sums: list[float] | None = None

    def percentile(self, percentile: float) -> float:
        """The end of the bucket in which that share of the weight, from 0 to 1, is reached (Percentile).

        0 if the histogram is empty; the start of the last bucket, which has no end.
        """
        if self.is_empty():
            return 0.0
        if self._sums is None:
            self._sums = list(accumulate(self.bucket_weight[self.min_bucket : self.max_bucket]))
        threshold = percentile * self.total_weight
        if threshold == threshold:  # noqa: PLR0124 - which tells NaN faster than a call
            bucket = self.min_bucket + bisect_left(self._sums, threshold)
        else:
            bucket = max(self.min_bucket, self.max_bucket)
        return self._options.get_bucket_start(min(bucket + 1, self._options.num_buckets - 1))

    def add_sample(self, value: float, weight: float, time: int) -> None:
        """Add a sample. Raises ValueError for a negative weight, where upstream panics (AddSample)."""
        if weight < 0.0:
            raise ValueError("sample weight must be non-negative")
        bucket = self._options.find_bucket(value)
        self._sums = None
        weights = self.bucket_weight
        weights[bucket] += weight
        self.total_weight += weight
        if bucket < self.min_bucket and weights[bucket] >= self._options.epsilon:
            self.min_bucket = bucket
        if bucket > self.max_bucket and weights[bucket] >= self._options.epsilon:
            self.max_bucket = bucket

    def subtract_sample(self, value: float, weight: float, time: int) -> None:
        """Take back a sample that was added; what is left of less than epsilon is nothing (SubtractSample).

        Raises ValueError for a negative weight, where upstream panics.
        """
        if weight < 0.0:
            raise ValueError("sample weight must be non-negative")
        bucket = self._options.find_bucket(value)
        epsilon = self._options.epsilon
        self.total_weight = _safe_subtract(self.total_weight, weight, epsilon)
        self.bucket_weight[bucket] = _safe_subtract(self.bucket_weight[bucket], weight, epsilon)
        self._update_min_and_max_bucket()

    def merge(self, other: Histogram) -> None:
        """Add all that another one of the same options has (Merge). Raises ValueError where upstream panics."""
        if self._options is not other._options:
            raise ValueError("can't merge histograms with different options")
        low, high = other.min_bucket, other.max_bucket
        self._sums = None
        if low <= high:
            weights, kept = self.bucket_weight, slice(low, high + 1)
            weights[kept] = map(add, weights[kept], other.bucket_weight[kept])
        self.total_weight += other.total_weight
        self.min_bucket = min(self.min_bucket, low)
        self.max_bucket = max(self.max_bucket, high)

    def is_empty(self) -> bool:
        """Whether no bucket has weight worth mentioning (IsEmpty)."""
        return self.bucket_weight[self.min_bucket] < self._options.epsilon

    def save_to_checkpoint(self) -> HistogramCheckpoint:
        """The weights as shares of the heaviest one; what rounds to none is left out (SaveToChekpoint)."""
        first, end = self.min_bucket, self.max_bucket + 1
        weights = self.bucket_weight[first:end]
        heaviest = 0.0
        for weight in weights:
            heaviest = max(heaviest, weight)
        ratio = divide(_MAX_CHECKPOINT_WEIGHT, heaviest)
        saved = {}
        for bucket, weight in enumerate(weights, first):
            share = go_round(weight * ratio) & _UINT32
            if share:
                saved[bucket] = share
        return HistogramCheckpoint(saved, self.total_weight, ZERO_TIME)

    def load_from_checkpoint(self, checkpoint: HistogramCheckpoint) -> None:
        """Add what a checkpoint holds (LoadFromCheckpoint). Raises CheckpointError, and has changed nothing then."""
        if checkpoint.total_weight < 0.0:
            raise CheckpointError(f"cannot load checkpoint with negative weight {_text(checkpoint.total_weight)}")
        total = 0
        for bucket, share in checkpoint.bucket_weights.items():
            total += share
            if bucket >= self._options.num_buckets:
                raise CheckpointError(
                    f"checkpoint has bucket {bucket} that is exceeding histogram buckets {self._options.num_buckets}"
                )
            if bucket < 0:
                raise CheckpointError(f"checkpoint has a negative bucket {bucket}")
        if not total:
            return
        ratio = checkpoint.total_weight / total
        for bucket, share in checkpoint.bucket_weights.items():
            self.min_bucket = min(self.min_bucket, bucket)
            self.max_bucket = max(self.max_bucket, bucket)
            self.bucket_weight[bucket] += share * ratio
        self.total_weight += checkpoint.total_weight
        self._update_min_and_max_bucket()  # rounding may have left a bucket with less than epsilon

    def _scale(self, factor: float) -> None:
        """Multiply all weights, which changes no percentile (scale)."""
        kept = slice(self.min_bucket, self.max_bucket + 1)
        if self.min_bucket <= self.max_bucket:
            self.bucket_weight[kept] = [weight * factor for weight in self.bucket_weight[kept]]
        self.total_weight *= factor
        self._update_min_and_max_bucket()

    def _update_min_and_max_bucket(self) -> None:
        """After weights have become smaller (updateMinAndMaxBucket)."""
        self._sums = None
        weights, epsilon, last = self.bucket_weight, self._options.epsilon, self._options.num_buckets - 1
        while weights[self.min_bucket] < epsilon and self.min_bucket < last:
            self.min_bucket += 1
        while weights[self.max_bucket] < epsilon and self.max_bucket > 0:
            self.max_bucket -= 1


def _safe_subtract(value: float, subtracted: float, epsilon: float) -> float:
    value -= subtracted
    return 0.0 if value < epsilon else value


def _text(number: float) -> str:
    """As %v prints it, but for very small and very large numbers."""
    return repr(number).removesuffix(".0")
