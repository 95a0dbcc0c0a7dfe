"""Estimates of what a container needs, one built on the other (pkg/recommender/logic/estimator.go).

Upstream has each estimator twice, for CPU and for memory. Here an estimator is a function from an aggregation to an
amount, and a `Source` tells which of the aggregation's histograms it is about.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from lockstep.wire.elementary import go_pow
from lockstep.wire.gomath import divide, int64, quotient
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.types import (
    cpu_amount_from_cores,
    memory_amount_from_bytes,
    scale_resource,
)
from lockstep_reference.vpa.recommender.util.times import difference

#: From the usage of containers to an amount of one resource.
Estimator = Callable[[AggregateContainerState], int]
_NANOSECONDS_PER_MINUTE = 60 * 10**9


def percentile_cpu_estimator(percentile: float) -> Estimator:
    """That percentile of CPU usage (NewPercentileCPUEstimator)."""
    return lambda state: cpu_amount_from_cores(state.aggregate_cpu_usage.percentile(percentile))


def percentile_memory_estimator(percentile: float) -> Estimator:
    """That percentile of the peaks of memory usage (NewPercentileMemoryEstimator)."""
    return lambda state: memory_amount_from_bytes(state.aggregate_memory_peaks.percentile(percentile))


def with_margin(fraction: float, base: Estimator) -> Estimator:
    """That fraction more (WithCPUMargin, WithMemoryMargin)."""

    def estimate(state: AggregateContainerState) -> int:
        amount = base(state)
        return int64(amount + scale_resource(amount, fraction))

    return estimate


def with_confidence_multiplier(multiplier: float, exponent: int, base: Estimator, interval: int) -> Estimator:
    """Times (1 + multiplier / confidence)^exponent: the less is known, the farther off.

    `interval` in nanoseconds (WithCPUConfidenceMultiplier, WithMemoryConfidenceMultiplier).
    """

    def estimate(state: AggregateContainerState) -> int:
        lifespan = difference(state.last_sample_start, state.first_sample_start)
        factor = _confidence_factor(multiplier, exponent, interval, lifespan, state.total_samples_count)
        return scale_resource(base(state), factor)

    return estimate


@lru_cache(maxsize=1024)
def _confidence_factor(multiplier: float, exponent: int, interval: int, lifespan: int, samples: int) -> float:
    """What the estimate is multiplied by. Containers of one age, and both resources of one, have the same factor."""
    return go_pow(1.0 + divide(multiplier, _get_confidence(interval, lifespan, samples)), exponent)


def _get_confidence(interval: int, lifespan: int, samples: int) -> float:
    """How many intervals the samples tell of, if there was one each minute (getConfidence)."""
    whole = quotient(interval, _NANOSECONDS_PER_MINUTE)
    minutes = float(whole) + float(interval - whole * _NANOSECONDS_PER_MINUTE) / 60e9  # Duration.Minutes
    return _go_min(divide(float(lifespan), float(interval)), divide(float(samples), minutes))


def _go_min(first: float, second: float) -> float:
    """math.Min: NaN if either is, unless the other one is negative infinity."""
    if math.isnan(first) or math.isnan(second):
        return -math.inf if -math.inf in (first, second) else math.nan
    return min(first, second)
