"""Asking for metrics, with upstream's words about what was asked for when it fails (replica_calculator.go)."""

from __future__ import annotations

from typing import Any

from lockstep.wire import gotext
from lockstep.wire.selectors import InvalidSelector, Selector, selector_from
from lockstep_reference.hpa.metrics import MetricsClient, MetricsError, PodMetricsInfo


class ExplainingMetricsClient:
    """A MetricsClient whose errors tell what was asked for. All methods raise MetricsError."""

    def __init__(self, client: MetricsClient) -> None:
        self._client = client

    async def resource(
        self, resource: str, namespace: str, selector: Selector, container: str
    ) -> tuple[PodMetricsInfo, int]:
        """Usage by pod, and the first timestamp."""
        try:
            return await self._client.get_resource_metric(resource, namespace, selector, container)
        except MetricsError as error:
            raise MetricsError(f"unable to get metrics for resource {resource}: {error}") from error

    async def of_pods(
        self, metric_name: str, namespace: str, selector: Selector, metric_selector: Selector
    ) -> tuple[PodMetricsInfo, int]:
        """A custom metric by pod, and the first timestamp."""
        try:
            return await self._client.get_raw_metric(metric_name, namespace, selector, metric_selector)
        except MetricsError as error:
            raise MetricsError(f"unable to get metric {metric_name}: {error}") from error

    async def of_object(
        self, metric_name: str, namespace: str, object_ref: dict[str, Any], metric_selector: Selector
    ) -> tuple[int, int]:
        """The value of a custom metric, and its timestamp."""
        try:
            return await self._client.get_object_metric(metric_name, namespace, object_ref, metric_selector)
        except MetricsError as error:
            kind, name = object_ref.get("kind") or "", object_ref.get("name") or ""
            # The words are in upstream's order.
            raise MetricsError(f"unable to get metric {metric_name}: {kind} on {namespace} {name}/{error}") from error

    async def external(
        self, metric_name: str, namespace: str, metric_selector: dict[str, Any] | None
    ) -> tuple[list[int], int]:
        """The values of all series that the LabelSelector selects, and the first timestamp."""
        try:
            selector = selector_from(metric_selector)
        except InvalidSelector as error:
            raise MetricsError(str(error)) from error
        try:
            return await self._client.get_external_metric(metric_name, namespace, selector)
        except MetricsError as error:
            what = f"{namespace}/{metric_name}/{gotext.label_selector(metric_selector)}"
            raise MetricsError(f"unable to get external metric {what}: {error}") from error
