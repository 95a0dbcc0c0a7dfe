"""Which pods count, and which have metrics to count with (replica_calculator.go, groupPods)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lockstep_reference.hpa.metrics import PodMetric, PodMetricsInfo
from lockstep_reference.hpa.pod_facts import PodFacts


class Grouping(NamedTuple):
    """The number of ready pods, and the names of the others."""

    ready: int
    unready: list[str]
    missing: list[str]
    ignored: list[str]


class Initialization(NamedTuple):
    """How long a pod is given, in nanoseconds, before its CPU usage is believed."""

    cpu_initialization_period: int
    delay_of_initial_readiness_status: int


def group_pods(
    pods: Iterable[PodFacts], metrics: PodMetricsInfo, resource: str, initialization: Initialization, now: int
) -> Grouping:
    """Sort the pods by what is known of them at the instant `now` (groupPods). Readiness only matters for CPU."""
    ready = 0
    unready: list[str] = []
    missing: list[str] = []
    ignored: list[str] = []
    cpu = resource == "cpu"
    for pod in pods:
        if pod.ignored:
            ignored.append(pod.name)
        elif pod.pending:
            unready.append(pod.name)
        elif (metric := metrics.get(pod.name)) is None:
            missing.append(pod.name)
        elif cpu and _is_unready(pod, metric, initialization, now):
            unready.append(pod.name)
        else:
            ready += 1
    return Grouping(ready, unready, missing, ignored)


def _is_unready(pod: PodFacts, metric: PodMetric, initialization: Initialization, now: int) -> bool:
    if not pod.has_ready_condition or pod.start_time is None:
        return True
    if pod.start_time + initialization.cpu_initialization_period > now:
        # It may still be starting up: one whole window must have passed since it became ready.
        return pod.unready or metric.timestamp < pod.since + metric.window
    # It is over: only a pod that has never been ready is left out.
    return pod.unready and pod.start_time + initialization.delay_of_initial_readiness_status > pod.since
