"""Usage from an external metrics API (pkg/recommender/input/metrics/metrics_source.go, externalMetricsClient).

One request for each pod of each VPA and each resource. The pod is told by the label `pod`, which is added to the VPA's
selector, the container by a label of the series.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep.wire.gojson import DecodeError
from lockstep.wire.metav1 import time_of
from lockstep.wire.selectors import InvalidSelector, Selector, requirement, sorted_selector
from lockstep_reference.machinery.client import ApiError, Client
from lockstep_reference.machinery.decoding import decode_into
from lockstep_reference.machinery.errors import from_response
from lockstep_reference.machinery.metrics_types import EXTERNAL_METRIC_VALUE_LIST
from lockstep_reference.vpa.recommender.input.metrics import ContainerMetricsSnapshot, MetricsError
from lockstep_reference.vpa.recommender.input.metrics.source import calculate_usage
from lockstep_reference.vpa.recommender.model.cluster import ClusterState
from lockstep_reference.vpa.recommender.model.types import ContainerID, PodID

_GROUP = "external.metrics.k8s.io"
_NONE: Mapping[str, Any] = {}


class ExternalMetricsSource:
    """Asks for the metrics that `metrics` names by resource; `container_name_label` tells their containers.

    `namespace` is the only one that is looked at, "" for all.
    """

    def __init__(
        self,
        client: Client,
        cluster_state: ClusterState,
        namespace: str,
        metrics: Mapping[str, str],
        container_name_label: str,
    ) -> None:
        self._client = client
        self._cluster_state = cluster_state
        self._namespace = namespace
        self._metrics = metrics
        self._container_name_label = container_name_label

    async def get_containers_metrics(self) -> list[ContainerMetricsSnapshot]:
        """See MetricsClient. The first request that fails spoils everything."""
        found: list[ContainerMetricsSnapshot] = []
        for vpa in self._cluster_state.vpas.values():
            if vpa.pod_count == 0 or (self._namespace and vpa.id.namespace != self._namespace):
                continue
            for pod in self._cluster_state.get_matching_pods(vpa):
                try:
                    selector = sorted_selector(
                        [*vpa.pod_selector.requirements, requirement("pod", "=", (pod.pod_name,))]
                    )
                except InvalidSelector as error:
                    raise MetricsError(str(error)) from error
                found += await self._pod(PodID(vpa.id.namespace, pod.pod_name), selector)
        return found

    async def _pod(self, pod: PodID, selector: Selector) -> list[ContainerMetricsSnapshot]:
        """The containers of one pod; the time is that of the resource that was asked for last."""
        timestamp = time_of(None)
        usages: dict[str, dict[str, Any]] = {}
        for resource, metric in self._metrics.items():
            items = await self._items(pod.namespace, metric, selector)
            if not items:
                continue
            timestamp = time_of((items[0] or _NONE).get("timestamp"))
            for item in items:
                container = ((item or _NONE).get("metricLabels") or _NONE).get(self._container_name_label)
                if container is not None:
                    usages.setdefault(container, {})[resource] = (item or _NONE).get("value")
        return [
            ContainerMetricsSnapshot(ContainerID(pod, container), timestamp, *calculate_usage(usage))
            for container, usage in usages.items()
        ]

    async def _items(self, namespace: str, metric: str, selector: Selector) -> list[Mapping[str, Any] | None]:
        path = f"/apis/{_GROUP}/v1beta1/namespaces/{namespace}/{metric}"
        try:
            response = await self._client.request("GET", path, {"labelSelector": selector.text})
            if not response.succeeded:
                raise from_response(response, "GET", f"{metric}.{_GROUP}", "")
            return decode_into(response, EXTERNAL_METRIC_VALUE_LIST).get("items") or []
        except (ApiError, OSError, DecodeError) as error:
            raise MetricsError(str(error)) from error
