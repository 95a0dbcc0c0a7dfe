"""Malformed answers for object metrics and external metrics."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import put
from lockstep_conformance.hpa.malformed import FAILURE, answer, each_item, show
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import scales

_PANICS = ("kubernetes/kubernetes#80390", "zalando-incubator/kube-metrics-adapter#40", "kubernetes/kubernetes#39680")


@scenario(
    "hpa/malformed-object-metric",
    must=(
        "An answer that does not hold exactly one value for the object MUST fail the sync with a condition, and have "
        "no other effect."
    ),
    source="metrics/pkg/client/custom_metrics/versioned_client.go: GetForObject",
    issues=_PANICS,
    controllers=("hpa", "replicaset"),
    features=("malformed", "object-metric", "H19"),
)
async def test_malformed_object_metric(cluster: Cluster) -> None:
    cluster.metrics.object("requests", "services", "web", 100)
    service = objects.reference("Service", "web", "v1")
    await serve(cluster, 2, metrics=[objects.object_metric("requests", service, value="100")])
    # upstream mixes up the order of the words
    fetch = "unable to get metric requests: Service on default web/unable to fetch metrics from custom metrics API: "
    asked = "results when we asked for exactly one"
    table = {
        "no items": (put("items", to=[]), f"{fetch}the custom metrics API server returned 0 {asked}"),
        "two items": (
            lambda document: {**document, "items": document["items"] * 2},
            f"{fetch}the custom metrics API server returned 2 {asked}",
        ),
        "a Status": (
            answer(FAILURE),
            f"{fetch}the custom metrics API server didn't return MetricValueList, the type is *v1.Status",
        ),
        "another object": (each_item(describedObject={"kind": "Service", "name": "db"}), ""),
        "no time": (each_item(timestamp=None), ""),
    }
    await show(cluster, "custom.metrics.k8s.io", table)
    cluster.expect("scales", scales(cluster), [])


@scenario(
    "hpa/malformed-external-metric",
    must=(
        "An answer without values MUST fail the sync with a condition, and have no other effect; missing fields of a "
        "value MUST count as empty."
    ),
    source="pkg/controller/podautoscaler/metrics/client.go: GetExternalMetric",
    issues=_PANICS,
    controllers=("hpa", "replicaset"),
    features=("malformed", "external-metric", "H19"),
)
async def test_malformed_external_metric(cluster: Cluster) -> None:
    cluster.metrics.external("queue_depth", 100)
    await serve(cluster, 2, metrics=[objects.external_metric("queue_depth", value="100")])
    unable = "unable to get external metric default/queue_depth/nil: "
    fetch = f"{unable}unable to fetch metrics from external metrics API: "
    items = "[]v1beta1.ExternalMetricValue"
    none = f"{unable}no metrics returned from external metrics API"
    table = {
        "no items": (put("items", to=[]), none),
        "items that are null": (put("items", to=None), none),
        "a Status": (answer(FAILURE), none),
        "items that are no list": (
            put("items", to="many"),
            f"{fetch}json: cannot unmarshal string into Go struct field ExternalMetricValueList.items of type {items}",
        ),
        "a value that is no quantity": (
            each_item(value="many"),
            f"{fetch}quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        "no time": (each_item(timestamp=None), ""),
        "another name": (each_item(metricName="length"), ""),
    }
    await show(cluster, "external.metrics.k8s.io", table)
    cluster.expect("scales", scales(cluster), [])
