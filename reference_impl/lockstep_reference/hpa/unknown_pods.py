"""From the ratio of usage to target to replicas, with pods of which nothing is known (replica_calculator.go).

Upstream has this twice, word for word, in GetResourceReplicas and calcPlainMetricReplicas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lockstep.wire.gomath import ceil_to_int32
from lockstep.wire.gotime import ZERO_TIME
from lockstep_reference.hpa.group_pods import Grouping
from lockstep_reference.hpa.metrics import PodMetric, PodMetricsInfo


class Tolerances(NamedTuple):
    """How far the ratio of usage to target may be from 1 without scaling (Tolerances), e.g. 0.1."""

    scale_down: float
    scale_up: float

    def is_within(self, usage_ratio: float) -> bool:
        """Whether that ratio leaves the number of replicas as it is (isWithin)."""
        return 1.0 - self.scale_down <= usage_ratio <= 1.0 + self.scale_up


class Fallback(NamedTuple):
    """What a pod without metrics is taken to use on the way down, and the ratio of metrics with such guesses."""

    missing_usage: Callable[[str], int]
    ratio_of: Callable[[PodMetricsInfo], float]


def replicas_with_unknown_pods(
    current_replicas: int,
    ratio: float,
    grouping: Grouping,
    metrics: PodMetricsInfo,
    tolerances: Tolerances,
    fallback: Fallback,
) -> int:
    """The replicas for a ratio of usage to target. Fills in the metrics of pods that have none.

    Unknown pods hold against the change: on the way up they count as idle, on the way down as busy. They may stop a
    change, but never turn it round.
    """
    scale_up_with_unready = bool(grouping.unready) and ratio > 1.0
    if not scale_up_with_unready and not grouping.missing:
        return current_replicas if tolerances.is_within(ratio) else ceil_to_int32(ratio * float(grouping.ready))
    if ratio < 1.0:
        metrics.update((pod, _guess(fallback.missing_usage(pod))) for pod in grouping.missing)
    elif ratio > 1.0:
        metrics.update((pod, _guess(0)) for pod in grouping.missing)
    if scale_up_with_unready:
        metrics.update((pod, _guess(0)) for pod in grouping.unready)
    new_ratio = fallback.ratio_of(metrics)
    if tolerances.is_within(new_ratio) or (ratio < 1.0 < new_ratio) or (new_ratio < 1.0 < ratio):
        return current_replicas
    replicas = ceil_to_int32(new_ratio * float(len(metrics)))
    if (new_ratio < 1.0 and replicas > current_replicas) or (new_ratio > 1.0 and replicas < current_replicas):
        return current_replicas
    return replicas


def _guess(value: int) -> PodMetric:
    return PodMetric(ZERO_TIME, 0, value)
