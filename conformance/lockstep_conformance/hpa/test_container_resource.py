"""ContainerResource metrics: the usage of one container of each pod, and what that container requests."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import drop
from lockstep_conformance.hpa.steps import messages, status
from lockstep_conformance.hpa.tables import (
    BOTH,
    Example,
    expect_unable,
    pod_of,
    prepare,
    requesting,
    sync,
    work_out,
)

_CLIENT = "pkg/controller/podautoscaler/metrics/client.go: getContainerMetrics"
_REQUESTS = "pkg/controller/podautoscaler/replica_calculator.go: calculatePodRequestsFromContainers"
_STATUS = "pkg/controller/podautoscaler/horizontal.go: computeStatusForContainerResourceMetric"
_PAIR = pod_of(requesting("400m"), requesting("2", name="proxy"))
_HALF = objects.container_metric("app", "cpu", utilization=50)
_HALF_OF_PROXY = objects.container_metric("proxy", "cpu", utilization=50)


@scenario(
    "hpa/container-utilization",
    must="Only the usage and the request of the container that the metric names MUST count; the others need no "
    "request, and one of the pod as a whole does not matter.",
    source=(_CLIENT, _REQUESTS, _STATUS),
    controllers=BOTH,
)
async def test_container_utilization(cluster: Cluster) -> None:
    modest = pod_of(requesting("400m"), requesting(None, name="proxy"))
    usage = {"app": "300m", "proxy": "1200m"}
    sidecar = pod_of(requesting("400m"), initContainers=[requesting("2", name="proxy") | {"restartPolicy": "Always"}])
    whole = _PAIR | {"resources": {"requests": {"cpu": "4"}}}
    half_cpu = objects.resource_metric("cpu", utilization=50)
    await work_out(
        cluster,
        {
            "app": Example([usage] * 2, 3, {"averageUtilization": 75, "averageValue": "300m"}),
            "proxy": Example(
                [usage] * 2, 3, {"averageUtilization": 60, "averageValue": "1200m"}, metric=_HALF_OF_PROXY
            ),
            "sidecar": Example([usage] * 2, 3, 60, metric=_HALF_OF_PROXY, pod=sidecar),
            "idle": Example([{"app": "100m", "proxy": "2"}] * 4, 2, 25),
            "pod-as-a-whole": Example([usage] * 2, 3, 75, pod=whole),
            "proxy-without-request": Example([usage] * 2, 3, 75, pod=modest),
            "all-containers": Example([usage] * 2, 3, 62, metric=half_cpu),
        },
        metric=_HALF,
        pod=_PAIR,
    )
    wanted = [
        f"New size: 3; reason: cpu {what}resource utilization (percentage of request) above target"
        for what in ("", *["container "] * 5)
    ]
    wanted.insert(0, "New size: 2; reason: All metrics below target")
    cluster.expect("what the events say", sorted(messages(cluster, "SuccessfulRescale")), sorted(wanted))
    source = {"container": "app", "name": "cpu", "current": {"averageUtilization": 75, "averageValue": "300m"}}
    told = [{"type": "ContainerResource", "containerResource": source}]
    cluster.expect("metrics in the status", status(cluster, "app")["currentMetrics"], told)


@scenario(
    "hpa/container-average",
    must="An average of a container MUST be that of this container alone, without regard to requests.",
    source=(_CLIENT, _STATUS),
    controllers=BOTH,
)
async def test_container_average(cluster: Cluster) -> None:
    pair = pod_of(requesting(None), requesting(None, name="proxy"))
    await work_out(
        cluster,
        {
            "grows": Example(
                [{"app": "300m", "proxy": "2"}, {"app": "150m", "proxy": "2"}], 3, {"averageValue": "225m"}
            ),
            "stays": Example([{"app": "210m", "proxy": "0"}], 1, {"averageValue": "210m"}),
            "shrinks": Example([{"app": "50m", "proxy": "3"}] * 4, 1, {"averageValue": "50m"}),
        },
        metric=objects.container_metric("app", "cpu", average="200m"),
        pod=pair,
    )
    wanted = ["New size: 1; reason: All metrics below target", "New size: 3; reason: cpu resource above target"]
    cluster.expect("what the events say", sorted(messages(cluster, "SuccessfulRescale")), wanted)


@scenario(
    "hpa/container-without-metrics-makes-its-pod-missing",
    must="A pod whose metrics do not have the container, or not the resource of it, MUST be taken for one without "
    "metrics: idle when the others want more replicas, at its full request when they want fewer.",
    source=(_CLIENT, "pkg/controller/podautoscaler/replica_calculator.go: GetResourceReplicas"),
    issues="kubernetes/kubernetes#127193",
    controllers=BOTH,
)
async def test_container_without_metrics_makes_its_pod_missing(cluster: Cluster) -> None:
    both, proxy_only = {"app": "400m", "proxy": "1"}, {"proxy": "1"}
    idle = {"app": "40m", "proxy": "1"}
    await work_out(
        cluster,
        {
            "grows": Example([both, both, proxy_only], 4, {"averageUtilization": 100, "averageValue": "400m"}),
            "shrinks": Example(
                [idle, idle, idle, idle, proxy_only], 3, {"averageUtilization": 10, "averageValue": "40m"}
            ),
            "other-container": Example([both, both, proxy_only], 3, 50, metric=_HALF_OF_PROXY),
            "all-containers": Example([both] * 2, 3, 58, metric=objects.resource_metric("cpu", utilization=50)),
        },
        metric=_HALF,
        pod=_PAIR,
    )


@scenario(
    "hpa/container-without-usage-of-the-resource",
    must="A container in the metrics that shows no usage of the resource MUST make its pod one without metrics, for a "
    "metric of this container and for one of the whole pod.",
    source=(_CLIENT, "pkg/controller/podautoscaler/metrics/client.go: getPodMetrics"),
    controllers=BOTH,
)
async def test_container_without_usage_of_the_resource(cluster: Cluster) -> None:
    for name in ("container", "pod", "proxy"):
        cluster.metrics.alter(name, 0, drop("containers", 0, "usage", "cpu"))
    busy = {"app": "600m", "proxy": "1800m"}
    await work_out(
        cluster,
        {
            "container": Example([busy] * 2, 3, 150),  # 600m of 800m requested
            "pod": Example([busy] * 2, 2, 100, metric=objects.resource_metric("cpu", utilization=50)),
            "proxy": Example([busy] * 2, 4, 90, metric=_HALF_OF_PROXY),
        },
        metric=_HALF,
        pod=_PAIR,
    )


@scenario(
    "hpa/container-without-request-or-metrics",
    must="If the container has no request, or no pod has metrics of it, the HPA MUST say so and MUST NOT scale.",
    source=(_REQUESTS, _STATUS),
    controllers=BOTH,
)
async def test_container_without_request_or_metrics(cluster: Cluster) -> None:
    examples = {
        "free": Example(["1"], 1, None, pod=[pod_of(requesting(None))]),
        "silent": Example([{"proxy": "1"}], 1, None, pod=[_PAIR]),
    }
    await prepare(cluster, examples)
    await sync(cluster, examples, metric=_HALF)
    reason, failed = "FailedGetContainerResourceMetric", "failed to get cpu utilization: "
    errors = {
        "free": f"{failed}missing request for cpu in container app of Pod free-0",
        "silent": f"{failed}did not receive metrics for targeted pods (pods might be unready)",
    }
    for name, error in errors.items():
        expect_unable(cluster, reason, error, name)
    cluster.expect("what the events say", sorted(messages(cluster, reason)), sorted(errors.values()))
    lead = "invalid metrics (1 invalid out of 1), first error is: failed to get app container metric value: "
    said = sorted(messages(cluster, "FailedComputeMetricsReplicas"))
    cluster.expect("what the syncs say", said, sorted(lead + error for error in errors.values()))


@scenario(
    "hpa/container-that-pods-do-not-have",
    must="If a pod has metrics of a container that its spec does not have, the HPA MUST name the container and the "
    "pod, and MUST NOT scale.",
    source=(_REQUESTS, _STATUS),
    controllers=BOTH,
)
async def test_container_that_pods_do_not_have(cluster: Cluster) -> None:
    examples = {"web": Example([{"app": "1", "main": "1"}], 1, None, pod=[pod_of()])}
    await prepare(cluster, examples)
    await sync(cluster, examples, metric=objects.container_metric("main", "cpu", utilization=50))
    error = "failed to get cpu utilization: container main not found in Pod web-0"
    expect_unable(cluster, "FailedGetContainerResourceMetric", error)
