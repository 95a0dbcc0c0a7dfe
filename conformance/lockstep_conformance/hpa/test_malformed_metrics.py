"""Answers that are not metrics of pods: the sync fails with a condition, and the controller continues."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each, put
from lockstep_conformance.hpa.malformed import FAILURE, PROSE, answer, each_item, show
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import scales

_RESOURCE = "pkg/controller/podautoscaler/metrics/client.go: GetResourceMetric, getPodMetrics"
_CUSTOM = "metrics/pkg/client/custom_metrics/versioned_client.go: GetForObjects"
_PANICS = ("kubernetes/kubernetes#80390", "zalando-incubator/kube-metrics-adapter#40", "kubernetes/kubernetes#39680")


@scenario(
    "hpa/malformed-resource-metrics",
    must=(
        "An answer of the resource metrics API that cannot be decoded MUST fail the sync with a condition, and have no "
        "other effect."
    ),
    source=_RESOURCE,
    issues=_PANICS,
    controllers=("hpa", "replicaset"),
    features=("malformed", "H19"),
)
async def test_malformed_resource_metrics(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each("500m"))
    await serve(cluster, 2)
    unable = "failed to get cpu utilization: unable to get metrics for resource cpu: "
    fetch = f"{unable}unable to fetch metrics from resource metrics API: "
    none = "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)"
    table = {
        "no items": (put("items", to=[]), f"{unable}no metrics returned from resource metrics API"),
        "items that are null": (put("items", to=None), f"{unable}no metrics returned from resource metrics API"),
        "prose": (
            answer(PROSE),
            f"{fetch}couldn't get version/kind; json parse error: invalid character 's' looking for beginning of value",
        ),
        "a Status": (answer(FAILURE), f"{fetch}{FAILURE['message']}"),
        "a usage that is no quantity": (
            put("items", 0, "containers", 0, "usage", "cpu", to="12 cores"),
            f"{fetch}quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        "a time that is none": (
            each_item(timestamp="yesterday"),
            f'{fetch}parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
        ),
        "no containers": (each_item(containers=[]), none),
        "memory only": (each_item(containers=[{"name": "app", "usage": {"memory": "1Mi"}}]), none),
        "no timestamps": (each_item(timestamp=None), none),
        "other pods only": (
            each_item(metadata={"name": "db", "namespace": "default"}),
            "failed to get cpu utilization: no metrics returned matched known pods",
        ),
    }
    await show(cluster, "metrics.k8s.io", table)
    cluster.expect("scales", scales(cluster), [])


@scenario(
    "hpa/malformed-custom-metrics",
    must=(
        "An answer of the custom metrics API that is not a list of metrics MUST fail the sync with a condition, and "
        "have no other effect, even if its code is 200."
    ),
    source=_CUSTOM,
    issues=_PANICS,
    controllers=("hpa", "replicaset"),
    features=("malformed", "pods-metric", "H19"),
)
async def test_malformed_custom_metrics(cluster: Cluster) -> None:
    cluster.metrics.pods("http_requests", "web", each(10))
    await serve(cluster, 2, metrics=[objects.pods_metric("http_requests", "10")])
    unable = "unable to get metric http_requests: "
    fetch = f"{unable}unable to fetch metrics from custom metrics API: "
    table = {
        "a Status": (
            answer(FAILURE),
            f"{fetch}the custom metrics API server didn't return MetricValueList, the type is *v1.Status",
        ),
        "no items": (put("items", to=[]), f"{unable}no metrics returned from custom metrics API"),
        "no kind": (answer({"items": []}), f"{fetch}Object 'Kind' is missing in '{{\"items\":[]}}'"),
        "no timestamps": (each_item(timestamp=None), ""),
        "no values": (each_item(value=None), ""),
        "other pods only": (each_item(describedObject={"kind": "Pod", "namespace": "default", "name": "db"}), ""),
    }
    await show(cluster, "custom.metrics.k8s.io", table)
    cluster.expect("scales", scales(cluster), [])
