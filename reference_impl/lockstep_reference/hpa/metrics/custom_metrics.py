"""Custom metrics: of pods, and of single objects.

Source: pkg/controller/podautoscaler/metrics/client.go (customMetricsClient), k8s.io/metrics pkg/client/custom_metrics
(multi_client.go, versioned_client.go, converter.go).
"""

from __future__ import annotations

from typing import Any, Protocol

from lockstep.wire.gojson import DecodeError
from lockstep.wire.gomath import int64
from lockstep.wire.gotime import SECOND
from lockstep.wire.metav1 import milli_of, time_of
from lockstep.wire.selectors import NOTHING, Selector
from lockstep_reference.hpa.metrics import MetricsError, PodMetric, PodMetricsInfo, rest
from lockstep_reference.hpa.metrics.available_apis import GROUP, AvailableApis, NoKnownVersion
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.decoding import decode_registered
from lockstep_reference.machinery.metrics_types import (
    METRIC_VALUE_LIST_V1BETA1,
    METRIC_VALUE_LIST_V1BETA2,
    METRIC_VALUE_V1BETA1,
    METRIC_VALUE_V1BETA2,
)
from lockstep_reference.machinery.restmapper import GroupVersionResource, NoMatchError

_LIST = "MetricValueList"
_VERSIONS = {
    f"{GROUP}/v1beta1": {_LIST: METRIC_VALUE_LIST_V1BETA1, "MetricValue": METRIC_VALUE_V1BETA1},
    f"{GROUP}/v1beta2": {_LIST: METRIC_VALUE_LIST_V1BETA2, "MetricValue": METRIC_VALUE_V1BETA2},
}
_WINDOW_FIELDS = {f"{GROUP}/v1beta1": "window", f"{GROUP}/v1beta2": "windowSeconds"}
#: The window of metrics that do not tell theirs (metricServerDefaultMetricWindow).
_DEFAULT_WINDOW = 60 * SECOND
_NONE: dict[str, Any] = {}


class _NotMapped(Exception):
    """The kind of the object has no resource that is known."""


_Failures = (*rest.FetchErrors, NoKnownVersion, _NotMapped)


class RestMapper(Protocol):
    """What is asked of the RESTMapper: see `lockstep_reference.machinery.restmapper`."""

    async def rest_mapping(self, group: str, kind: str) -> GroupVersionResource:
        """The resource of a kind. Raises NoMatchError and DiscoveryErrors."""


class CustomMetricsClient:
    """Asks `custom.metrics.k8s.io` in the version that the server prefers."""

    def __init__(self, client: Client, mapper: RestMapper, available_apis: AvailableApis) -> None:
        self._client = client
        self._mapper = mapper
        self._available_apis = available_apis

    async def get_raw_metric(
        self, metric_name: str, namespace: str, selector: Selector, metric_selector: Selector
    ) -> tuple[PodMetricsInfo, int]:
        """The metric by pod, and the first timestamp (GetRawMetric). Raises MetricsError."""
        try:
            version = await self._available_apis.preferred_version()
            resource = await self._resource("", "Pod")
            answer, items = await self._fetch(
                version, f"namespaces/{namespace}", resource, "*", metric_name, selector, metric_selector
            )
        except _Failures as error:
            raise MetricsError(f"unable to fetch metrics from custom metrics API: {error}") from error
        if not items:
            raise MetricsError("no metrics returned from custom metrics API")
        field = _WINDOW_FIELDS[answer]
        info = {}
        for entry in items:
            item = entry or _NONE
            seconds = item.get(field)
            window = _DEFAULT_WINDOW if seconds is None else int64(seconds * SECOND)
            name = (item.get("describedObject") or _NONE).get("name") or ""
            info[name] = PodMetric(time_of(item.get("timestamp")), window, milli_of(item.get("value")))
        return info, time_of((items[0] or _NONE).get("timestamp"))

    async def get_object_metric(
        self, metric_name: str, namespace: str, object_ref: dict[str, Any], metric_selector: Selector
    ) -> tuple[int, int]:
        """The metric of one object, and its timestamp (GetObjectMetric). Raises MetricsError.

        Whatever Namespace the reference names, the HPA's own is meant.
        """
        group, kind = _group_kind(object_ref)
        try:
            version = await self._available_apis.preferred_version()
            if kind == "Namespace" and not group:
                resource, name, subresource = "metrics", metric_name, ""
            else:
                resource, name = await self._resource(group, kind), object_ref.get("name") or ""
                subresource = metric_name
            _, items = await self._fetch(
                version, f"namespaces/{namespace}", resource, name, subresource, NOTHING, metric_selector
            )
        except _Failures as error:
            raise MetricsError(f"unable to fetch metrics from custom metrics API: {error}") from error
        if len(items) != 1:
            raise MetricsError(
                "unable to fetch metrics from custom metrics API: "
                f"the custom metrics API server returned {len(items)} results when we asked for exactly one"
            )
        item = items[0] or _NONE
        return milli_of(item.get("value")), time_of(item.get("timestamp"))

    async def _resource(self, group: str, kind: str) -> str:
        """How paths name the resource of a kind: `plural[.group]` (qualResourceForKind)."""
        try:
            mapping = await self._mapper.rest_mapping(group, kind)
        except (NoMatchError, *rest.FetchErrors) as error:
            what = f"{kind}.{group}" if group else kind
            raise _NotMapped(f"unable to map kind {what} to resource: {error}") from error
        return f"{mapping.resource}.{mapping.group}" if mapping.group else mapping.resource

    async def _fetch(
        self,
        version: str,
        scope: str,
        resource: str,
        name: str,
        subresource: str,
        selector: Selector,
        metric_selector: Selector,
    ) -> tuple[str, list[Any]]:
        """Group and version of the answer, and its items. Raises FetchErrors."""
        path = f"/apis/{GROUP}/{version}/{scope}/{resource}/{name}"
        query = rest.query_of(labelSelector=selector, metricLabelSelector=metric_selector)
        response = await rest.get(
            self._client, f"{path}/{subresource}" if subresource else path, query, f"{resource}.{GROUP}", name
        )
        group_version, kind, answer = decode_registered(response, _VERSIONS)
        if kind != _LIST:
            # Every version is converted to v1beta2; a Status stays what it is.
            type_ = "*v1.Status" if kind == "Status" else f"*v1beta2.{kind}"
            raise DecodeError(f"the custom metrics API server didn't return MetricValueList, the type is {type_}")
        return group_version, answer.get("items") or []


def _group_kind(object_ref: dict[str, Any]) -> tuple[str, str]:
    """Group and kind of a CrossVersionObjectReference; an API version that is none has no group."""
    group, slash, version = (object_ref.get("apiVersion") or "").partition("/")
    return group if slash and "/" not in version else "", object_ref.get("kind") or ""
