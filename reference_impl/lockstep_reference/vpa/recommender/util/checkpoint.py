"""A histogram as a VerticalPodAutoscalerCheckpoint keeps it (pkg/apis/autoscaling.k8s.io/v1, HistogramCheckpoint)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lockstep.wire.gotime import ZERO_TIME, rfc3339
from lockstep.wire.metav1 import time_of


class CheckpointError(ValueError):
    """A checkpoint that cannot be loaded; the text is upstream's."""


class HistogramCheckpoint(NamedTuple):
    """Shares of the heaviest bucket's weight by bucket, the sum of the true weights, and the reference time."""

    bucket_weights: Mapping[int, int]
    total_weight: float
    reference_timestamp: int

    def to_wire(self) -> dict[str, Any]:
        """As JSON has it; the reference time loses its fraction of a second."""
        wire: dict[str, Any] = {"referenceTimestamp": time_to_wire(self.reference_timestamp)}
        if self.bucket_weights:
            wire["bucketWeights"] = {str(bucket): share for bucket, share in self.bucket_weights.items()}
        if self.total_weight:
            wire["totalWeight"] = self.total_weight
        return wire

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any] | None) -> HistogramCheckpoint:
        """From JSON that client-go would decode; what is missing is empty. Raises ValueError otherwise."""
        wire = wire or {}
        return cls(
            {int(bucket): int(share) for bucket, share in (wire.get("bucketWeights") or {}).items()},
            float(wire.get("totalWeight") or 0.0),
            time_of(wire.get("referenceTimestamp")),
        )


def time_to_wire(instant: int) -> str | None:
    """A metav1.Time: null for the zero time, otherwise whole seconds."""
    return None if instant == ZERO_TIME else rfc3339(instant)
