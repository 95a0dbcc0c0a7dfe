"""All three metrics APIs behind one client (metrics/client.go, restMetricsClient)."""

from __future__ import annotations

from lockstep_reference.hpa.metrics.available_apis import AvailableApis
from lockstep_reference.hpa.metrics.custom_metrics import CustomMetricsClient, RestMapper
from lockstep_reference.hpa.metrics.external_metrics import ExternalMetricsClient
from lockstep_reference.hpa.metrics.resource_metrics import ResourceMetricsClient
from lockstep_reference.machinery.client import Client


class RestMetricsClient:
    """A `lockstep_reference.hpa.metrics.MetricsClient` (NewRESTMetricsClient)."""

    def __init__(self, client: Client, mapper: RestMapper, available_apis: AvailableApis) -> None:
        custom = CustomMetricsClient(client, mapper, available_apis)
        self.get_resource_metric = ResourceMetricsClient(client).get_resource_metric
        self.get_raw_metric = custom.get_raw_metric
        self.get_object_metric = custom.get_object_metric
        self.get_external_metric = ExternalMetricsClient(client).get_external_metric
