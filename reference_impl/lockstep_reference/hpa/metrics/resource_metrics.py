"""Resource metrics: what metrics-server knows of pods (metrics/client.go, resourceMetricsClient)."""

from __future__ import annotations

from typing import Any

from lockstep.wire.gomath import int64
from lockstep.wire.metav1 import duration_of, milli_of, time_of
from lockstep.wire.selectors import Selector
from lockstep_reference.hpa.metrics import MetricsError, PodMetric, PodMetricsInfo, fast_path, rest
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.decoding import JSON, decode_list
from lockstep_reference.machinery.metrics_types import (
    NODE_METRICS,
    NODE_METRICS_LIST,
    POD_METRICS,
    POD_METRICS_LIST,
)

_GROUP_VERSION = "metrics.k8s.io/v1beta1"
_KINDS = {
    "PodMetrics": POD_METRICS,
    "PodMetricsList": POD_METRICS_LIST,
    "NodeMetrics": NODE_METRICS,
    "NodeMetricsList": NODE_METRICS_LIST,
}
_NONE: dict[str, Any] = {}


class ResourceMetricsClient:
    """Asks `metrics.k8s.io`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def get_resource_metric(
        self, resource: str, namespace: str, selector: Selector, container: str
    ) -> tuple[PodMetricsInfo, int]:
        """Usage of `resource` by pod, and the first timestamp (GetResourceMetric). Raises MetricsError."""
        path = f"/apis/{_GROUP_VERSION}/namespaces/{namespace}/pods"
        query = rest.query_of(labelSelector=selector)
        try:
            response = await rest.get(self._client, path, query, "pods.metrics.k8s.io")
            found = fast_path.read(response.body, _GROUP_VERSION, resource, container)
            if found is not None and response.headers.get("Content-Type") == JSON:
                return found
            items = decode_list(response, _GROUP_VERSION, "PodMetricsList", _KINDS).get("items")
        except rest.FetchErrors as error:
            raise MetricsError(f"unable to fetch metrics from resource metrics API: {error}") from error
        if not items:
            raise MetricsError("no metrics returned from resource metrics API")
        info = _container_metrics(items, resource, container) if container else _pod_metrics(items, resource)
        return info, time_of((items[0] or _NONE).get("timestamp"))


def _container_metrics(items: list[Any], resource: str, container: str) -> PodMetricsInfo:
    """The usage of the first container of that name; pods without it have none (getContainerMetrics)."""
    found: PodMetricsInfo = {}
    for entry in items:
        item = entry or _NONE
        for each in item.get("containers") or ():
            one = each or _NONE
            if (one.get("name") or "") == container:
                usage = one.get("usage") or _NONE
                if resource in usage:
                    found[_name(item)] = _metric(item, milli_of(usage[resource]))
                break
    return found


def _pod_metrics(items: list[Any], resource: str) -> PodMetricsInfo:
    """The usage of all containers together; pods of which one is missing have none (getPodMetrics)."""
    found: PodMetricsInfo = {}
    for entry in items:
        item = entry or _NONE
        containers = item.get("containers")
        if not containers:
            continue
        total = 0
        for one in containers:
            usage = (one or _NONE).get("usage")
            if not usage or resource not in usage:
                break
            total += milli_of(usage[resource])
        else:
            found[_name(item)] = _metric(item, int64(total))
    return found


def _name(item: dict[str, Any]) -> str:
    return (item.get("metadata") or _NONE).get("name") or ""


def _metric(item: dict[str, Any], value: int) -> PodMetric:
    window = duration_of(item["window"]) if "window" in item else 0
    return PodMetric(time_of(item.get("timestamp")), window, value)
