"""Pods metrics: a value of the custom metrics API for each pod, of which the average is compared with the target."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.steps import condition, messages, status
from lockstep_conformance.hpa.tables import BOTH, NEVER, Example, expect_unable, prepare, sync, work_out

_CALCULATOR = "pkg/controller/podautoscaler/replica_calculator.go: GetMetricReplicas"
_PLAIN = "pkg/controller/podautoscaler/replica_calculator.go: calcPlainMetricReplicas"
_CLIENT = "pkg/controller/podautoscaler/metrics/client.go: GetRawMetric"
_STATUS = "pkg/controller/podautoscaler/horizontal.go: computeStatusForPodsMetric"
_TEN = objects.pods_metric("requests", "10")


@scenario(
    "hpa/average-of-a-pods-metric",
    must="The replicas MUST be the number of pods times the average of the metric over the target, rounded up.",
    source=(_CALCULATOR, _PLAIN, _STATUS),
    controllers=BOTH,
)
async def test_average_of_a_pods_metric(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "grows": Example(["20", "10", "15"], 5, {"averageValue": "15"}),
            "stays": Example(["9", "11", "12"], 3, {"averageValue": "10666m"}),
            "shrinks": Example(["1", "2", "3", "4"], 1, {"averageValue": "2500m"}),
            "idles": Example(["0", "0", "0"], 1, {"averageValue": "0"}),
            "thousands": Example(["120000", "130000"], 8, {"averageValue": "125k"}, maximum=8),
        },
        metric=_TEN,
    )
    wanted = [f"New size: {size}; reason: All metrics below target" for size in (1, 1)]
    wanted += [f"New size: {size}; reason: pods metric requests above target" for size in (5, 8)]
    cluster.expect("what the events say", sorted(messages(cluster, "SuccessfulRescale")), sorted(wanted))
    active = (
        "True",
        "ValidMetricFound",
        "the HPA was able to successfully calculate a replica count from pods metric requests",
    )
    cluster.expect("condition ScalingActive", condition(cluster, "ScalingActive", "grows"), active)


@scenario(
    "hpa/pods-metric-does-not-ask-for-readiness",
    must="A pod that runs MUST count with its value of a custom metric whether or not it is ready.",
    source=(_PLAIN, "pkg/controller/podautoscaler/replica_calculator.go: groupPods"),
    controllers=BOTH,
)
async def test_pods_metric_does_not_ask_for_readiness(cluster: Cluster) -> None:
    one_never = Lifecycle(ready_after=(2.0, 2.0, NEVER))
    await work_out(
        cluster,
        {
            "grows": Example(["30", "10", "20"], 6, "20", lifecycle=one_never),
            "shrinks": Example(["0", "10", "6"], 2, "5333m", lifecycle=one_never),
            "nobody-ready": Example(["15", "15"], 3, "15", lifecycle=Lifecycle(ready_after=None)),
        },
        metric=_TEN,
    )


@scenario(
    "hpa/pods-without-the-metric",
    must="A pod without the metric MUST count as idle when the others want more replicas, and as one exactly at the "
    "target when they want fewer; it MUST NOT turn a change round.",
    source=_PLAIN,
    issues="kubernetes/kubernetes#33593",
    controllers=BOTH,
)
async def test_pods_without_the_metric(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "grows": Example(["30", "30", None], 6, "30"),  # 20
            "grows-to-tolerance": Example(["16", "16", None], 3, "16"),  # 10.67
            "grows-to-shrinking": Example(["15", None, None], 3, "15"),  # 5
            "shrinks": Example(["2", "2", "2", None], 2, "2"),  # 4
            "shrinks-to-tolerance": Example(["7", None, None], 3, "7"),  # 9
            "at-target": Example(["10", None], 2, "10"),
        },
        metric=_TEN,
    )


@scenario(
    "hpa/pods-metric-with-a-selector",
    must="The selector of the metric MUST choose among its series, and the status MUST show it.",
    source=(_CALCULATOR, _STATUS),
    controllers=BOTH,
)
async def test_pods_metric_with_a_selector(cluster: Cluster) -> None:
    examples = {}
    for name, labels, wanted, shown in (
        ("of-get", {"verb": "get"}, 6, "30"),
        ("of-put", {"verb": "put"}, 1, "5"),
        ("of-both", {}, 7, "35"),
        ("of-none", {"verb": "post"}, 2, None),
    ):
        cluster.metrics.pods("requests", name, each("30"), labels={"verb": "get", "code": "200"})
        cluster.metrics.pods("requests", name, each("5"), labels={"verb": "put"})
        metric = objects.pods_metric("requests", "10", labels=labels)
        examples[name] = Example([], wanted, shown, replicas=2, metric=metric)
    await work_out(cluster, examples)
    told = [one["pods"]["metric"] for one in status(cluster, "of-get")["currentMetrics"]]
    cluster.expect("metric in the status", told, [{"name": "requests", "selector": {"matchLabels": {"verb": "get"}}}])


@scenario(
    "hpa/pods-metric-unknown-to-the-api",
    must="If the custom metrics API does not know the metric, or knows it for none of the pods, the HPA MUST say so "
    "and MUST NOT scale.",
    source=(_CLIENT, _STATUS),
    controllers=BOTH,
)
async def test_pods_metric_unknown_to_the_api(cluster: Cluster) -> None:
    examples = {
        "empty": Example([None, None], 2, None, metric=_TEN),
        "unknown": Example([], 2, None, replicas=2, metric=objects.pods_metric("unheard-of", "10")),
    }
    await prepare(cluster, examples)
    await sync(cluster, examples)
    api = "unable to fetch metrics from custom metrics API"
    errors = {
        "empty": "unable to get metric requests: no metrics returned from custom metrics API",
        "unknown": f"unable to get metric unheard-of: {api}: the server could not find the metric unheard-of for pods",
    }
    for name, error in errors.items():
        expect_unable(cluster, "FailedGetPodsMetric", error, name)
    cluster.expect("what the events say", sorted(messages(cluster, "FailedGetPodsMetric")), sorted(errors.values()))
    said = [
        f"invalid metrics (1 invalid out of 1), first error is: failed to get pods metric value: {error}"
        for error in errors.values()
    ]
    cluster.expect("what the syncs say", sorted(messages(cluster, "FailedComputeMetricsReplicas")), sorted(said))
