"""Replicas by one number for all pods together: metrics of objects, and external metrics (replica_calculator.go)."""

from __future__ import annotations

from collections.abc import Iterable

from lockstep.wire.gomath import (
    MAX_INT32,
    MAX_INT64,
    ceil_to_int32,
    ceil_to_int64,
    divide,
    int64,
)
from lockstep_reference.hpa.unknown_pods import Tolerances


def add_capped(values: Iterable[int]) -> int:
    """The sum, at most MaxInt64 (GetExternalMetricReplicas)."""
    total = 0
    for value in values:
        if value > 0 and total > MAX_INT64 - value:
            return MAX_INT64
        total = int64(total + value)
    return total


def add_until_negative(values: Iterable[int]) -> int:
    """The sum; MaxInt64 as soon as it is below zero, for upstream takes that for an overflow.

    Upstream: GetExternalPerPodMetricReplicas.
    """
    total = 0
    for value in values:
        total = int64(total + value)
        if total < 0:
            return MAX_INT64
    return total


def clamp_to_int32(replicas: float) -> int:
    """Rounded up, at most MaxInt32."""
    return MAX_INT32 if replicas > MAX_INT32 else ceil_to_int32(replicas)


def per_pod_ratio(usage: int, target: int, replicas: int) -> float:
    """The ratio of usage to target, each for all replicas."""
    return divide(float(usage), float(target) * float(replicas))


def object_replicas_per_pod(usage: int, target: int, replicas: int, tolerances: Tolerances) -> int:
    """GetObjectPerPodMetricReplicas, which does not look for numbers of more than 32 bits."""
    if tolerances.is_within(per_pod_ratio(usage, target, replicas)):
        return replicas
    return ceil_to_int32(divide(float(usage), float(target)))


def external_replicas_per_pod(usage: int, target: int, replicas: int, tolerances: Tolerances) -> int:
    """GetExternalPerPodMetricReplicas."""
    if tolerances.is_within(per_pod_ratio(usage, target, replicas)):
        return replicas
    return clamp_to_int32(divide(float(usage), float(target)))


def average(usage: int, replicas: int) -> int:
    """Usage per replica, rounded up; without replicas it is MinInt64, as Go has it."""
    return ceil_to_int64(divide(float(usage), float(replicas)))


def external_average(usage: int, replicas: int) -> int:
    """The same, but what is nearly MaxInt64 is shown as such, however many replicas there are."""
    return MAX_INT64 if float(usage) >= float(MAX_INT64) else average(usage, replicas)
