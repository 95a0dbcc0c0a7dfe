"""From metrics to a number of replicas (pkg/controller/podautoscaler/replica_calculator.go).

Usage and targets are milli-units, instants nanoseconds. What the ratio of usage to target does with pods of which
nothing is known is in `settling`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from reference_impl.hpa import totals
from reference_impl.hpa.metrics import MetricsClient, MetricsError, PodMetricsInfo
from reference_impl.hpa.metrics.utilization import get_metric_usage_ratio, get_resource_utilization_ratio
from reference_impl.hpa.pod_facts import PodFacts, PodGroup
from reference_impl.hpa.pod_grouping import Grouping, Initialization, group_pods
from reference_impl.hpa.pod_lister import PodLister
from reference_impl.hpa.requests import calculate_requests
from reference_impl.hpa.settling import Fallback, Tolerances, settle
from reference_impl.machinery import gotext
from reference_impl.machinery.gomath import ceil_to_int32, divide, int64, quotient
from reference_impl.machinery.gotime import ZERO_TIME
from reference_impl.machinery.labels import InvalidSelector, Selector, selector_from
from reference_impl.machinery.transport import Clock

__all__ = ["ReplicaCalculator", "ResourceReplicas", "Tolerances", "UsageReplicas"]

_NO_PODS = "no pods returned by selector while calculating replica count"
_NO_METRICS = "did not receive metrics for targeted pods (pods might be unready)"


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
        self._metrics_client = metrics_client
        self._pod_lister = pod_lister
        self._clock = clock
        self._initialization = Initialization(cpu_initialization_period, delay_of_initial_readiness_status)
        self._pod_level_resources = pod_level_resources
        self._groups: dict[tuple[str, str], PodGroup] = {}

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
        metrics, timestamp = await self._resource_metric(resource, namespace, selector, container)
        group = self._pods(namespace, selector)
        grouping = self._group(group.pods, metrics, resource)
        requests = self._requests(group, container, resource)
        utilization = get_resource_utilization_ratio(metrics, requests, target_utilization)

        def missing_usage(pod: str) -> int:
            """All of its request, or more if the target is more."""
            return quotient(int64(requests[pod] * max(100, target_utilization)), 100)

        def ratio_of(completed: PodMetricsInfo) -> float:
            return get_resource_utilization_ratio(completed, requests, target_utilization).ratio

        fallback = Fallback(missing_usage, ratio_of)
        replicas = settle(current_replicas, utilization.ratio, grouping, metrics, tolerances, fallback)
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
        metrics, timestamp = await self._resource_metric(resource, namespace, selector, container)
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
        try:
            metrics, timestamp = await self._metrics_client.get_raw_metric(
                metric_name, namespace, selector, metric_selector
            )
        except MetricsError as error:
            raise MetricsError(f"unable to get metric {metric_name}: {error}") from error
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
        usage, _ = await self._object_metric(metric_name, namespace, object_ref, metric_selector)
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
        usage, timestamp = await self._object_metric(metric_name, namespace, object_ref, metric_selector)
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
        values, _ = await self._external_metric(metric_name, namespace, metric_selector)
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
        values, timestamp = await self._external_metric(metric_name, namespace, metric_selector)
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
        grouping = self._group(self._pods(namespace, selector).pods, metrics, resource)
        ratio, usage = get_metric_usage_ratio(metrics, target_usage)
        fallback = Fallback(
            lambda _: target_usage, lambda completed: get_metric_usage_ratio(completed, target_usage).ratio
        )
        replicas = settle(current_replicas, ratio, grouping, metrics, tolerances, fallback)
        return UsageReplicas(replicas, usage, timestamp)

    def _usage_ratio_replicas(
        self, current_replicas: int, ratio: float, tolerances: Tolerances, namespace: str, selector: Selector
    ) -> int:
        """By the ready pods, unless there are none to count, as at zero replicas (getUsageRatioReplicaCount)."""
        if current_replicas == 0:
            return ceil_to_int32(ratio)
        if tolerances.is_within(ratio):
            return current_replicas
        try:
            ready = sum([pod.ready for pod in self._pods(namespace, selector).pods])
        except MetricsError as error:
            raise MetricsError(f"unable to calculate ready pods: {error}") from error
        return totals.clamp_to_int32(ratio * float(ready))

    def _pods(self, namespace: str, selector: Selector) -> PodGroup:
        """The pods of the selector. Raises MetricsError if there are none."""
        key = (namespace, selector.text)
        objects = self._pod_lister.list(namespace, selector)
        group = self._groups.get(key)
        if group is None or group.objects is not objects:
            if not objects:
                self._groups.pop(key, None)
                raise MetricsError(_NO_PODS)
            group = self._groups[key] = PodGroup(objects, group)
        return group

    def _group(self, pods: list[PodFacts], metrics: PodMetricsInfo, resource: str) -> Grouping:
        """Group the pods, and take the metrics of those out that do not count. Raises MetricsError if none is left."""
        grouping = group_pods(pods, metrics, resource, self._initialization, self._clock.now())
        for pod in (*grouping.ignored, *grouping.unready):
            metrics.pop(pod, None)
        if not metrics:
            raise MetricsError(_NO_METRICS)
        return grouping

    def _requests(self, group: PodGroup, container: str, resource: str) -> dict[str, int]:
        """calculateRequests, once per state of the cache."""
        requests = group.requests.get((container, resource))
        if requests is None:
            requests = calculate_requests(
                group.pods, container, resource, pod_level_resources=self._pod_level_resources
            )
            group.requests[container, resource] = requests
        return requests

    async def _resource_metric(
        self, resource: str, namespace: str, selector: Selector, container: str
    ) -> tuple[PodMetricsInfo, int]:
        try:
            return await self._metrics_client.get_resource_metric(resource, namespace, selector, container)
        except MetricsError as error:
            raise MetricsError(f"unable to get metrics for resource {resource}: {error}") from error

    async def _object_metric(
        self, metric_name: str, namespace: str, object_ref: dict[str, Any], metric_selector: Selector
    ) -> tuple[int, int]:
        try:
            return await self._metrics_client.get_object_metric(metric_name, namespace, object_ref, metric_selector)
        except MetricsError as error:
            kind, name = object_ref.get("kind") or "", object_ref.get("name") or ""
            # The words are in upstream's order.
            raise MetricsError(f"unable to get metric {metric_name}: {kind} on {namespace} {name}/{error}") from error

    async def _external_metric(
        self, metric_name: str, namespace: str, metric_selector: dict[str, Any] | None
    ) -> tuple[list[int], int]:
        try:
            selector = selector_from(metric_selector)
        except InvalidSelector as error:
            raise MetricsError(str(error)) from error
        try:
            return await self._metrics_client.get_external_metric(metric_name, namespace, selector)
        except MetricsError as error:
            what = f"{namespace}/{metric_name}/{gotext.label_selector(metric_selector)}"
            raise MetricsError(f"unable to get external metric {what}: {error}") from error
