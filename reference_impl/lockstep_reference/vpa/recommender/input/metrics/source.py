"""Usage from metrics-server (pkg/recommender/input/metrics: metrics_client.go, metrics_source.go)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep.wire.gojson import DecodeError
from lockstep.wire.metav1 import milli_of, time_of
from lockstep_reference.machinery.client import ApiError, Client
from lockstep_reference.machinery.decoding import JSON, decode_list
from lockstep_reference.machinery.errors import from_response
from lockstep_reference.machinery.metrics_types import (
    NODE_METRICS,
    NODE_METRICS_LIST,
    POD_METRICS,
    POD_METRICS_LIST,
)
from lockstep_reference.vpa.apis import CPU, MEMORY, quantity_from_wire
from lockstep_reference.vpa.recommender.input.metrics import ContainerMetricsSnapshot, MetricsError, fast_path
from lockstep_reference.vpa.recommender.model.types import ContainerID, PodID

GROUP_VERSION = "metrics.k8s.io/v1beta1"
_KINDS = {
    "PodMetrics": POD_METRICS,
    "PodMetricsList": POD_METRICS_LIST,
    "NodeMetrics": NODE_METRICS,
    "NodeMetricsList": NODE_METRICS_LIST,
}
_NONE: Mapping[str, Any] = {}


class PodMetricsSource:
    """Asks `metrics.k8s.io` for the pods of a namespace, "" for all (podMetricsSource and metricsClient)."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        scope = f"/namespaces/{namespace}" if namespace else ""
        self._path = f"/apis/{GROUP_VERSION}{scope}/pods"

    async def get_containers_metrics(self) -> list[ContainerMetricsSnapshot]:
        """See MetricsClient."""
        try:
            response = await self._client.request("GET", self._path)
            if not response.succeeded:
                raise from_response(response, "GET", "pods.metrics.k8s.io", "")
            if response.headers.get("Content-Type") == JSON:
                found = fast_path.read(response.body, GROUP_VERSION)
                if found is not None:
                    return found
            answer = decode_list(response, GROUP_VERSION, "PodMetricsList", _KINDS)
        except (ApiError, OSError, DecodeError) as error:
            raise MetricsError(str(error)) from error
        return [snapshot for item in answer.get("items") or () for snapshot in _snapshots(item or _NONE)]


def _snapshots(item: Mapping[str, Any]) -> list[ContainerMetricsSnapshot]:
    """One for each container of a pod (createContainerMetricsSnapshots)."""
    metadata = item.get("metadata") or _NONE
    pod = PodID(metadata.get("namespace") or "", metadata.get("name") or "")
    timestamp = time_of(item.get("timestamp"))
    containers = [one or _NONE for one in item.get("containers") or ()]
    return [
        ContainerMetricsSnapshot(
            ContainerID(pod, one.get("name") or ""), timestamp, *calculate_usage(one.get("usage") or _NONE)
        )
        for one in containers
    ]


def calculate_usage(usage: Mapping[str, Any]) -> tuple[int, int]:
    """Millicores and bytes, rounded up; 0 for what is missing (calculateUsage)."""
    return milli_of(usage.get(CPU)), quantity_from_wire(usage.get(MEMORY)).value()
