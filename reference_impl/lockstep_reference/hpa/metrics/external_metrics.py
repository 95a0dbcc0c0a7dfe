"""External metrics: series that belong to no object of the cluster.

Source: pkg/controller/podautoscaler/metrics/client.go (externalMetricsClient), k8s.io/metrics
pkg/client/external_metrics.
"""

from __future__ import annotations

from typing import Any

from lockstep.wire.metav1 import milli_of, time_of
from lockstep.wire.selectors import Selector
from lockstep_reference.hpa.metrics import MetricsError, rest
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.decoding import decode_into
from lockstep_reference.machinery.metrics_types import EXTERNAL_METRIC_VALUE_LIST

_GROUP = "external.metrics.k8s.io"
_NONE: dict[str, Any] = {}


class ExternalMetricsClient:
    """Asks `external.metrics.k8s.io`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def get_external_metric(self, metric_name: str, namespace: str, selector: Selector) -> tuple[list[int], int]:
        """The values of all series that match, and the first timestamp (GetExternalMetric). Raises MetricsError."""
        path = f"/apis/{_GROUP}/v1beta1/namespaces/{namespace}/{metric_name}"
        try:
            response = await rest.get(
                self._client, path, rest.query_of(labelSelector=selector), f"{metric_name}.{_GROUP}"
            )
            answer = decode_into(response, EXTERNAL_METRIC_VALUE_LIST)
        except rest.FetchErrors as error:
            raise MetricsError(f"unable to fetch metrics from external metrics API: {error}") from error
        items = answer.get("items")
        if not items:
            raise MetricsError("no metrics returned from external metrics API")
        values = [milli_of((item or _NONE).get("value")) for item in items]
        return values, time_of((items[0] or _NONE).get("timestamp"))
