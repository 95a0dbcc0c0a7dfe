"""A histogram in which samples count the less the older they are (pkg/recommender/util/decaying_histogram.go).

A sample's weight is multiplied by 2^((its time - reference) / half-life), so that newer samples weigh more rather than
older ones less. When the factors get too large, the reference time moves on and all weights shrink.
"""

from __future__ import annotations

from lockstep.wire.elementary import go_exp2, go_ldexp
from lockstep.wire.gomath import divide, int64
from lockstep.wire.gotime import ZERO_TIME
from lockstep_reference.vpa.recommender.util.checkpoint import HistogramCheckpoint
from lockstep_reference.vpa.recommender.util.histogram import Histogram, go_round
from lockstep_reference.vpa.recommender.util.histogram_options import HistogramOptions
from lockstep_reference.vpa.recommender.util.times import difference, round_time

#: Half-lives between the reference time and the newest sample, at most (maxDecayExponent).
_MAX_DECAY_EXPONENT = 100


class DecayingHistogram(Histogram):
    """See the module docstring. `half_life` in nanoseconds; the reference time is a multiple of it."""

    __slots__ = ("_factor", "_factor_time", "_max_allowed", "half_life", "reference_timestamp")

    def __init__(self, options: HistogramOptions, half_life: int) -> None:
        super().__init__(options)
        self.half_life = half_life
        self._refer_to(ZERO_TIME)

    def add_sample(self, value: float, weight: float, time: int) -> None:
        """Add a sample of that time (AddSample)."""
        factor = self._factor if time == self._factor_time else self._decay_factor(time)
        super().add_sample(value, weight * factor, time)

    def subtract_sample(self, value: float, weight: float, time: int) -> None:
        """Take back a sample of that time (SubtractSample)."""
        super().subtract_sample(value, weight * self._decay_factor(time), time)

    def merge(self, other: Histogram) -> None:
        """Add all that another one has, which may have to move its reference time for that (Merge).

        Raises ValueError where upstream panics.
        """
        assert isinstance(other, DecayingHistogram)
        if self.half_life != other.half_life:
            raise ValueError("can't merge decaying histograms with different half life periods")
        if self.reference_timestamp < other.reference_timestamp:
            if self._blank():
                self._refer_to(round_time(other.reference_timestamp, self.half_life))
            else:
                self.shift_reference_timestamp(other.reference_timestamp)
        elif other.reference_timestamp < self.reference_timestamp:
            other.shift_reference_timestamp(self.reference_timestamp)
        super().merge(other)

    def save_to_checkpoint(self) -> HistogramCheckpoint:
        """With the reference time (SaveToChekpoint)."""
        return super().save_to_checkpoint()._replace(reference_timestamp=self.reference_timestamp)

    def load_from_checkpoint(self, checkpoint: HistogramCheckpoint) -> None:
        """Add what a checkpoint holds, and take its reference time as it is (LoadFromCheckpoint).

        Raises CheckpointError, and has changed nothing then.
        """
        super().load_from_checkpoint(checkpoint)
        self._refer_to(checkpoint.reference_timestamp)

    def _blank(self) -> bool:
        """Whether there is nothing that shifting would scale: so most merges begin."""
        return not self.total_weight and self.min_bucket > self.max_bucket and self.half_life > 0

    def _refer_to(self, reference: int) -> None:
        self.reference_timestamp = reference
        self._max_allowed = reference + int64(self.half_life * _MAX_DECAY_EXPONENT)
        self._factor_time: int | None = (
            None  # the last question to _decay_factor: samples come in bunches, which have one answer
        )
        self._factor = 0.0

    def shift_reference_timestamp(self, new_reference: int) -> None:
        """Move the reference time to the multiple of the half-life next to this one (shiftReferenceTimestamp)."""
        new_reference = round_time(new_reference, self.half_life)
        shift = divide(float(difference(self.reference_timestamp, new_reference)), float(self.half_life))
        self._scale(go_ldexp(1.0, go_round(shift)))
        self._refer_to(new_reference)

    def _decay_factor(self, time: int) -> float:
        """What a sample of that time counts (decayFactor)."""
        if time > self._max_allowed:
            self.shift_reference_timestamp(time)
        exponent = divide(float(difference(time, self.reference_timestamp)), float(self.half_life))
        self._factor_time, self._factor = time, go_exp2(exponent)
        return self._factor
