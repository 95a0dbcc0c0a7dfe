"""Rollouts: for a while there are more pods than replicas, and the new ones have no metrics, or others."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.rollout import VERSIONED, rolling_out
from lockstep_conformance.hpa.served import CPU_50
from lockstep_conformance.hpa.steps import condition, messages, scales, status

_PLAIN = "pkg/controller/podautoscaler/replica_calculator.go: calcPlainMetricReplicas"
_RESOURCE = "pkg/controller/podautoscaler/replica_calculator.go: GetResourceReplicas"
_REQUESTS = objects.pods_metric("http_requests", average="80")
_DEPLOYMENTS = "deployments.apps"


@scenario(
    "hpa/crash-looping-rollout-does-not-scale-up",
    must=(
        "New pods that crash before they have metrics MUST NOT scale up a workload whose metric is far below its "
        "target."
    ),
    source=_PLAIN,
    issues="kubernetes/kubernetes#87199",
    controllers=("hpa", "replicaset"),
    features=("rollout", "missing", "pods-metric", "H7"),
)
async def test_crash_looping_rollout_does_not_scale_up(cluster: Cluster) -> None:
    crashing = Lifecycle(ready_after=None, restarts=tuple(range(5, 600, 20)))
    cluster.kubelet.lifecycles.for_owner("web-new", crashing)
    cluster.metrics.pods("http_requests", VERSIONED["old"], each(10))
    await rolling_out(cluster, replicas=2, old=2, new=1, metrics=[_REQUESTS])
    await cluster.run_until(600)
    cluster.expect("scales", scales(cluster, resource=_DEPLOYMENTS), [])
    current = status(cluster)["currentMetrics"][0]["pods"]["current"]
    cluster.expect("current metric", current, {"averageValue": "10"})
    within = ("False", "DesiredWithinRange", "the desired count is within the acceptable range")
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), within)


@scenario(
    "hpa/surge-pod-without-metrics-does-not-scale-up",
    must="With more pods than replicas, some of them without metrics, replicas MUST NOT grow while utilization is "
    "below the target.",
    source=(_RESOURCE, _PLAIN),
    issues=("kubernetes/kubernetes#85027", "kubernetes/kubernetes#89465", "kubernetes/kubernetes#84142"),
    controllers=("hpa", "replicaset"),
    features=("rollout", "missing", "H8"),
)
async def test_surge_pod_without_metrics_does_not_scale_up(cluster: Cluster) -> None:
    """By resource and by pods metric. Five pods at 40 % of 50 % and two missing: (5 * 40 + 2 * 100) / 50 would be 8."""
    cluster.metrics.load(VERSIONED["old"], cpu=each("400m"))
    cluster.metrics.pods("http_requests", VERSIONED["old"], each(64))
    await rolling_out(cluster, replicas=5, old=5, new=2, metrics=[CPU_50, _REQUESTS])
    await cluster.run_until(600)
    cluster.expect("scales", scales(cluster, resource=_DEPLOYMENTS), [])
    found = [one[one["type"].lower()]["current"] for one in status(cluster)["currentMetrics"]]
    cluster.expect(
        "current metrics", found, [{"averageUtilization": 40, "averageValue": "400m"}, {"averageValue": "64"}]
    )


@scenario(
    "hpa/surge-pod-with-metrics-counts-as-a-replica",
    must=(
        "With more pods than replicas, all of them ready and measured, the recommendation MUST be what all pods "
        "together need, even if that exceeds the replicas while each pod is below the target."
    ),
    source=_RESOURCE,
    issues=("kubernetes/kubernetes#89465", "kubernetes/kubernetes#123325"),
    controllers=("hpa", "replicaset"),
    features=("rollout", "H8"),
)
async def test_surge_pod_with_metrics_counts_as_a_replica(cluster: Cluster) -> None:
    """Upstream fixed this only for missing metrics."""
    cluster.metrics.load("web", cpu=each("420m"))
    await rolling_out(cluster, replicas=5, old=5, new=2, metrics=[CPU_50])
    await cluster.run_until(36)
    cluster.expect("scales", scales(cluster, resource=_DEPLOYMENTS), [(30.0, 6)])  # 7 pods at 42 % of 50 %
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization", current, {"averageUtilization": 42, "averageValue": "420m"})
    wanted = ["New size: 6; reason: cpu resource utilization (percentage of request) above target"]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)


@scenario(
    "hpa/draining-pods-of-the-old-version-hide-overload",
    must=(
        "All pods that the target's selector matches MUST count, including draining pods of an old version; so a "
        "selector without the version hides the overload of the new one."
    ),
    source=_RESOURCE,
    issues="restatedev/restate-operator#139",
    controllers=("hpa", "replicaset"),
    features=("rollout", "selector", "H25"),
)
async def test_draining_pods_of_the_old_version_hide_overload(cluster: Cluster) -> None:
    """The Deployment's selector matches both versions, that of the ReplicaSet of the new version only its own."""
    cluster.metrics.load(VERSIONED["new"], cpu=each("600m"))
    cluster.metrics.load(VERSIONED["old"], cpu=each("0"))
    await rolling_out(cluster, replicas=4, old=1, new=4, metrics=[CPU_50])
    await cluster.run_until(599)
    cluster.expect("scales while the old version drains", scales(cluster, resource=_DEPLOYMENTS), [])
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization of both", current, {"averageUtilization": 48, "averageValue": "480m"})
    await cluster.scale("web-old", 0)
    await cluster.run_until(629)
    cluster.expect("scales once it is gone", scales(cluster, resource=_DEPLOYMENTS), [(600.0, 5)])
