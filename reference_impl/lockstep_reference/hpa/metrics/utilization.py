"""How much is used, against the target (pkg/controller/podautoscaler/metrics/utilization.go)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lockstep.wire.gomath import divide, int32, int64, quotient
from lockstep_reference.hpa.metrics import MetricsError, PodMetricsInfo


class Utilization(NamedTuple):
    """`ratio` of usage to target, utilization in percent of the requests, average usage in milli-units."""

    ratio: float
    current: int
    raw_average: int


class Usage(NamedTuple):
    """`ratio` of usage to target, average usage in milli-units."""

    ratio: float
    current: int


def get_resource_utilization_ratio(
    metrics: PodMetricsInfo, requests: Mapping[str, int], target_utilization: int
) -> Utilization:
    """Of the pods that have requests (GetResourceUtilizationRatio). Raises MetricsError if these are nothing."""
    usage = requested = entries = 0
    for name, metric in metrics.items():
        request = requests.get(name)
        if request is not None:
            usage += metric[2]
            requested += request
            entries += 1
    usage, requested = int64(usage), int64(requested)
    if requested == 0:
        raise MetricsError("no metrics returned matched known pods")
    current = int32(quotient(int64(usage * 100), requested))
    return Utilization(divide(float(current), float(target_utilization)), current, quotient(usage, entries))


def get_metric_usage_ratio(metrics: PodMetricsInfo, target_usage: int) -> Usage:
    """Of all metrics, of which there is at least one (GetMetricUsageRatio)."""
    current = quotient(int64(sum([metric[2] for metric in metrics.values()])), len(metrics))
    return Usage(divide(float(current), float(target_usage)), current)
