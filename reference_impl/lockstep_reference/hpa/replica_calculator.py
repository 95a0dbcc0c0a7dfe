"""From metrics to a number of replicas (pkg/controller/podautoscaler/replica_calculator.go).

Usage and targets are milli-units, instants nanoseconds. What the ratio of usage to target does with pods of which
nothing is known is in `settling`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lockstep.wire.gomath import ceil_to_int32, divide, int64, quotient
from lockstep.wire.gotime import ZERO_TIME
from lockstep.wire.selectors import Selector
from lockstep_reference.hpa import totals
from lockstep_reference.hpa.group_pods import Initialization
from lockstep_reference.hpa.metrics import MetricsClient, PodMetricsInfo
from lockstep_reference.hpa.metrics.explaining_client import ExplainingMetricsClient
from lockstep_reference.hpa.metrics.utilization import get_metric_usage_ratio, get_resource_utilization_ratio
from lockstep_reference.hpa.pod_groups import PodGroups
from lockstep_reference.hpa.pod_lister import PodLister
from lockstep_reference.hpa.unknown_pods import Fallback, Tolerances, replicas_with_unknown_pods
from lockstep_reference.machinery.transport import Clock

__all__ = ["ReplicaCalculator", "ResourceReplicas", "Tolerances", "UsageReplicas"]


class ResourceReplicas(NamedTuple):
    """Answer of get_resource_replicas: `utilization` in percent of the request, `raw_utilization` in milli-units."""

    replicas: int
    utilization: int
    raw_utilization: int
    timestamp: int


class UsageReplicas(NamedTuple):
    """Answer of all other methods: `usage` in milli-units, as it is shown in the HPA's status."""

    replicas: int
    usage: int
    timestamp: int


class ReplicaCalculator:
    """All of its methods raise MetricsError with upstream's text (ReplicaCalculator).

    Periods are nanoseconds. `pod_level_resources` is the feature gate of that name.
    """

    def __init__(
        self,
        metrics_client: MetricsClient,
        pod_lister: PodLister,
        clock: Clock,
        cpu_initialization_period: int,
        delay_of_initial_readiness_status: int,
        *,
        pod_level_resources: bool,
    ) -> None:
        self._metrics = ExplainingMetricsClient(metrics_client)
        initialization = Initialization(cpu_initialization_period, delay_of_initial_readiness_status)
        self._groups = PodGroups(pod_lister, clock, initialization, pod_level_resources=pod_level_resources)

    async def get_resource_replicas(
        self,
        current_replicas: int,
        target_utilization: int,
        resource: str,
        tolerances: Tolerances,
        namespace: str,
        selector: Selector,
        container: str,
    ) -> ResourceReplicas:
        """By utilisation in percent of the pods' requests (GetResourceReplicas); `container` "" means all."""
        metrics, timestamp = await self._metrics.resource(resource, namespace, selector, container)
        group = self._groups.pods(namespace, selector)
        grouping = self._groups.sort(group, metrics, resource)
        requests = self._groups.requests(group, container, resource)
        utilization = get_resource_utilization_ratio(metrics, requests, target_utilization)

        def missing_usage(pod: str) -> int:
            """All of its request, or more if the target is more."""
            return quotient(int64(requests[pod] * max(100, target_utilization)), 100)

        def ratio_of(completed: PodMetricsInfo) -> float:
            return get_resource_utilization_ratio(completed, requests, target_utilization).ratio

        fallback = Fallback(missing_usage, ratio_of)
        replicas = replicas_with_unknown_pods(
            current_replicas, utilization.ratio, grouping, metrics, tolerances, fallback
        )
        return ResourceReplicas(replicas, utilization.current, utilization.raw_average, timestamp)

    async def get_raw_resource_replicas(
        self,
        current_replicas: int,
        target_usage: int,
        resource: str,
        tolerances: Tolerances,
        namespace: str,
        selector: Selector,
        container: str,
    ) -> UsageReplicas:
        """By average usage of a resource (GetRawResourceReplicas)."""
        metrics, timestamp = await self._metrics.resource(resource, namespace, selector, container)
        return self._plain(
            metrics, current_replicas, target_usage, tolerances, namespace, selector, resource, timestamp
        )

    async def get_metric_replicas(
        self,
        current_replicas: int,
        target_usage: int,
        metric_name: str,
        tolerances: Tolerances,
        namespace: str,
        selector: Selector,
        metric_selector: Selector,
    ) -> UsageReplicas:
        """By a custom metric of pods (GetMetricReplicas)."""
        metrics, timestamp = await self._metrics.of_pods(metric_name, namespace, selector, metric_selector)
        return self._plain(metrics, current_replicas, target_usage, tolerances, namespace, selector, "", timestamp)

    async def get_object_metric_replicas(
        self,
        current_replicas: int,
        target_usage: int,
        metric_name: str,
        tolerances: Tolerances,
        namespace: str,
        object_ref: dict[str, Any],
        selector: Selector,
        metric_selector: Selector,
    ) -> UsageReplicas:
        """By the value of a metric of one object (GetObjectMetricReplicas). The timestamp is Go's zero time."""
        usage, _ = await self._metrics.of_object(metric_name, namespace, object_ref, metric_selector)
        ratio = divide(float(usage), float(target_usage))
        replicas = self._usage_ratio_replicas(current_replicas, ratio, tolerances, namespace, selector)
        return UsageReplicas(replicas, usage, ZERO_TIME)

    async def get_object_per_pod_metric_replicas(
        self,
        status_replicas: int,
        target_average_usage: int,
        metric_name: str,
        tolerances: Tolerances,
        namespace: str,
        object_ref: dict[str, Any],
        metric_selector: Selector,
    ) -> UsageReplicas:
        """By a metric of one object, divided by the pods (GetObjectPerPodMetricReplicas)."""
        usage, timestamp = await self._metrics.of_object(metric_name, namespace, object_ref, metric_selector)
        replicas = totals.object_replicas_per_pod(usage, target_average_usage, status_replicas, tolerances)
        return UsageReplicas(replicas, totals.average(usage, status_replicas), timestamp)

    async def get_external_metric_replicas(
        self,
        current_replicas: int,
        target_usage: int,
        metric_name: str,
        tolerances: Tolerances,
        namespace: str,
        metric_selector: dict[str, Any] | None,
        pod_selector: Selector,
    ) -> UsageReplicas:
        """By the value of an external metric (GetExternalMetricReplicas); `metric_selector` is a LabelSelector.

        The timestamp is Go's zero time.
        """
        values, _ = await self._metrics.external(metric_name, namespace, metric_selector)
        usage = totals.add_capped(values)
        ratio = divide(float(usage), float(target_usage))
        replicas = self._usage_ratio_replicas(current_replicas, ratio, tolerances, namespace, pod_selector)
        return UsageReplicas(replicas, usage, ZERO_TIME)

    async def get_external_per_pod_metric_replicas(
        self,
        status_replicas: int,
        target_usage_per_pod: int,
        metric_name: str,
        tolerances: Tolerances,
        namespace: str,
        metric_selector: dict[str, Any] | None,
    ) -> UsageReplicas:
        """By an external metric, divided by the pods (GetExternalPerPodMetricReplicas)."""
        values, timestamp = await self._metrics.external(metric_name, namespace, metric_selector)
        usage = totals.add_until_negative(values)
        replicas = totals.external_replicas_per_pod(usage, target_usage_per_pod, status_replicas, tolerances)
        return UsageReplicas(replicas, totals.external_average(usage, status_replicas), timestamp)

    # -- what they share -----------------------------------------------------------------------------------------------

    def _plain(
        self,
        metrics: PodMetricsInfo,
        current_replicas: int,
        target_usage: int,
        tolerances: Tolerances,
        namespace: str,
        selector: Selector,
        resource: str,
        timestamp: int,
    ) -> UsageReplicas:
        """By average usage of pods (calcPlainMetricReplicas); without a resource, readiness does not matter."""
        grouping = self._groups.sort(self._groups.pods(namespace, selector), metrics, resource)
        ratio, usage = get_metric_usage_ratio(metrics, target_usage)
        fallback = Fallback(
            lambda _: target_usage, lambda completed: get_metric_usage_ratio(completed, target_usage).ratio
        )
        replicas = replicas_with_unknown_pods(current_replicas, ratio, grouping, metrics, tolerances, fallback)
        return UsageReplicas(replicas, usage, timestamp)

    def _usage_ratio_replicas(
        self, current_replicas: int, ratio: float, tolerances: Tolerances, namespace: str, selector: Selector
    ) -> int:
        """By the ready pods, unless there are none to count, as at zero replicas (getUsageRatioReplicaCount)."""
        if current_replicas == 0:
            return ceil_to_int32(ratio)
        if tolerances.is_within(ratio):
            return current_replicas
        ready = self._groups.ready_count(namespace, selector)
        return totals.clamp_to_int32(ratio * float(ready))
