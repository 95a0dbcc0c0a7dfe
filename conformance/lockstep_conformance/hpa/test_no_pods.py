"""Targets that have no pods yet, because a quota forbids them: what each type of metric makes of that.

Their spec asks for two replicas, their status has none.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.tables import BOTH, Example, expect_unable, prepare, sync, work_out

_CALCULATOR = "pkg/controller/podautoscaler/replica_calculator.go"
_NONE = "no pods returned by selector while calculating replica count"


@scenario(
    "hpa/metrics-of-pods-without-pods",
    must="If there are metrics but no pods of the selector, the HPA MUST say that it found none, and MUST NOT scale.",
    source=(f"{_CALCULATOR}: GetResourceReplicas", f"{_CALCULATOR}: calcPlainMetricReplicas"),
    controllers=BOTH,
)
async def test_metrics_of_pods_without_pods(cluster: Cluster) -> None:
    def with_ghost(document: Any) -> Any:
        usage = {"containers": [{"name": "app", "usage": {"cpu": "1"}}], "window": "15s"}
        value = {"describedObject": {"kind": "Pod", "name": "ghost", "apiVersion": "v1"}, "value": "40"}
        entry = {"metadata": {"name": "ghost"}, "timestamp": "2000-01-01T00:01:00Z"}
        document["items"].append(entry | (value if document["kind"] == "MetricValueList" else usage))
        return document

    await cluster.create(objects.resource_quota("none", {"pods": "0"}))
    examples = {
        "utilization": Example([None], 2, None, replicas=2),
        "average": Example([None], 2, None, replicas=2, metric=objects.resource_metric("cpu", average="1")),
        "pods": Example([None], 2, None, replicas=2, metric=objects.pods_metric("requests", "10")),
    }
    cluster.metrics.garble("metrics.k8s.io", with_ghost)
    await prepare(cluster, examples)
    cluster.metrics.garble("custom.metrics.k8s.io", with_ghost)
    await sync(cluster, examples)
    expect_unable(cluster, "FailedGetResourceMetric", f"failed to get cpu utilization: {_NONE}", "utilization")
    expect_unable(cluster, "FailedGetResourceMetric", f"failed to get cpu usage: {_NONE}", "average")
    expect_unable(cluster, "FailedGetPodsMetric", _NONE, "pods")


@scenario(
    "hpa/values-without-pods",
    must="With a value as target and no pods, the HPA MUST say that it found none and MUST NOT scale, unless the ratio "
    "is within the tolerance, which MUST be looked at first.",
    source=f"{_CALCULATOR}: getUsageRatioReplicaCount",
    controllers=BOTH,
)
async def test_values_without_pods(cluster: Cluster) -> None:
    await cluster.create(objects.resource_quota("none", {"pods": "0"}))
    service = objects.reference("Service", "main", "v1")
    cluster.metrics.object("requests", "services", "main", "110")
    cluster.metrics.external("depth", "110")
    await work_out(
        cluster,
        {
            "object-outside": Example(
                [], 2, None, replicas=2, metric=objects.object_metric("requests", service, value="90")
            ),
            "object-within": Example(
                [], 2, "110", replicas=2, metric=objects.object_metric("requests", service, value="100")
            ),
            "external-outside": Example([], 2, None, replicas=2, metric=objects.external_metric("depth", value="90")),
            "external-within": Example([], 2, "110", replicas=2, metric=objects.external_metric("depth", value="100")),
        },
    )
    error = f"unable to calculate ready pods: {_NONE}"
    expect_unable(cluster, "FailedGetObjectMetric", error, "object-outside")
    expect_unable(cluster, "FailedGetExternalMetric", error, "external-outside")


@scenario(
    "hpa/averages-without-replicas",
    must="With an average as target, the replicas MUST be the metric over the target even if the target has none yet; "
    "the average, a division by zero, MUST be the smallest number of 64 bits, as Go's conversion gives it on amd64.",
    source=(f"{_CALCULATOR}: GetObjectPerPodMetricReplicas", f"{_CALCULATOR}: GetExternalPerPodMetricReplicas"),
    issues="kubernetes/kubernetes#140956",
    controllers=BOTH,
)
async def test_averages_without_replicas(cluster: Cluster) -> None:
    await cluster.create(objects.resource_quota("none", {"pods": "0"}))
    service = objects.reference("Service", "main", "v1")
    cluster.metrics.object("requests", "services", "main", "900")
    cluster.metrics.external("depth", "110")
    smallest = "-9223372036854775808m"
    by_object = objects.object_metric("requests", service, average="100")
    await work_out(
        cluster,
        {
            "object": Example([], 9, smallest, replicas=2, metric=by_object),
            "external": Example([], 3, smallest, replicas=2, metric=objects.external_metric("depth", average="50")),
            "stays": Example([], 2, smallest, replicas=2, metric=objects.external_metric("depth", average="100")),
        },
    )
