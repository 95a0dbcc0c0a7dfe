"""One of many pods, or one container, has no metrics: the others decide, conservatively."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each
from lockstep_conformance.hpa.served import serve, workload
from lockstep_conformance.hpa.steps import reason, scales, status

_CALCULATOR = "pkg/controller/podautoscaler/replica_calculator.go: GetResourceReplicas"
_CONTAINERS = "pkg/controller/podautoscaler/metrics/client.go: getContainerMetrics"
_AT_ONCE = objects.behavior(up=objects.scaling(("Pods", 100, 15)), down=objects.scaling(("Pods", 100, 15), window=0))


@scenario(
    "hpa/one-of-seventy-pods-without-metrics",
    must="One pod of many without metrics MUST NOT prevent a scale-up: it counts as idle.",
    source=_CALCULATOR,
    issues="kubernetes/kubernetes#30471",
    controllers=("hpa", "replicaset"),
    features=("missing", "H10"),
    virtual="its first sync comes at the instant of the first measurement",
)
async def test_one_of_seventy_pods_without_metrics(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each("800m"))
    cluster.metrics.lose("web", 0)
    await serve(cluster, 70, max_replicas=200, behavior=_AT_ONCE)
    await cluster.run_until(31)
    cluster.expect("scales", scales(cluster), [(30.0, 110)])  # all 70 together are at 78 % of 50 %
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization of those measured", current, {"averageUtilization": 80, "averageValue": "800m"})


@scenario(
    "hpa/one-of-160-containers-without-metrics",
    must=(
        "One container of many without metrics MUST NOT prevent a scale-down from the maximum: it counts as fully "
        "busy, and the workload shrinks."
    ),
    source=(_CALCULATOR, _CONTAINERS),
    issues="kubernetes/kubernetes#127193",
    controllers=("hpa", "replicaset"),
    features=("missing", "container-resource", "H15"),
    virtual="waits for 160 pods no longer than simulated kubelets need in memory",
)
async def test_one_of_160_containers_without_metrics(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each("200m"), container="app")
    cluster.metrics.lose("web", 0, container="app")
    app = objects.container_metric("app", "cpu", utilization=50)
    await cluster.create(workload("web", 160))
    await cluster.create(objects.hpa("web", max_replicas=160, metrics=[app], behavior=_AT_ONCE))
    await cluster.run_until(31)
    cluster.expect("scales", scales(cluster), [(30.0, 64)])  # all together are at 20 % of 50 %
    current = status(cluster)["currentMetrics"][0]["containerResource"]["current"]
    cluster.expect("utilization of those measured", current, {"averageUtilization": 20, "averageValue": "200m"})
    cluster.expect("ScalingActive", reason(cluster, "ScalingActive"), "True ValidMetricFound")
