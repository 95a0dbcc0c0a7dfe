"""Pods that the target's selector matches but that it does not own: the HPA ignores owners."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.served import CPU_50, serve, workload
from lockstep_conformance.hpa.steps import HPAS, condition, scale_writes, scales, status

_CALCULATOR = "pkg/controller/podautoscaler/replica_calculator.go"
_SHARED = {"app": "web"}
_ISSUES = (
    "kubernetes/kubernetes#124307",
    "kubernetes/kubernetes#116898",
    "kubernetes/kubernetes#83878",
    "kubernetes/kubernetes#107676",
)


async def _beside_batch(cluster: Cluster, web: str, batch: str, batches: int) -> None:
    """Two pods of `web`, others of `batch`, all labelled `app: web`. The selector of `batch` is narrower."""
    cluster.metrics.load({"app": "web", "job": ""}, cpu=each(web))
    cluster.metrics.load({"job": "yes"}, cpu=each(batch))
    other = {"app": "web", "job": "yes"}
    app = objects.container("app", resources={"requests": {"cpu": "1"}})
    template = objects.pod_template(other, containers=[app])
    mine = workload("web", 2)
    mine["spec"]["template"]["metadata"]["labels"]["job"] = ""
    await cluster.create(objects.replica_set("batch", batches, labels=other, template=template), mine)
    await cluster.create(objects.hpa("web", metrics=[CPU_50]))


@scenario(
    "hpa/idle-pods-of-another-workload-hide-overload",
    must=(
        "All pods that the target's selector matches MUST count, whatever their owner: idle pods of another workload "
        "prevent the scale-up of an overloaded one."
    ),
    source=f"{_CALCULATOR}: GetResourceReplicas",
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("selector", "H16"),
)
async def test_idle_pods_of_another_workload_hide_overload(cluster: Cluster) -> None:
    await _beside_batch(cluster, "800m", "200m", 2)
    await cluster.run_until(300)
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization", current, {"averageUtilization": 50, "averageValue": "500m"})
    cluster.expect("scales", scales(cluster), [])


@scenario(
    "hpa/pods-of-another-workload-count-as-replicas",
    must=(
        "Replicas MUST be computed from all pods that the target's selector matches, so that pods of another workload "
        "scale up the target by what they need."
    ),
    source=f"{_CALCULATOR}: GetResourceReplicas",
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("selector", "H16"),
)
async def test_pods_of_another_workload_count_as_replicas(cluster: Cluster) -> None:
    """Two pods at 90 % would make 4 replicas at 50 %. With four others at 10 % it is 2.2 cores, hence 5."""
    await _beside_batch(cluster, "900m", "100m", 4)
    await cluster.run_until(36)
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization", current, {"averageUtilization": 36, "averageValue": "366m"})
    cluster.expect("scales", scales(cluster), [(30.0, 4)])
    limited = ("True", "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), limited)


@scenario(
    "hpa/finished-pod-without-a-request-blocks-utilization",
    must=(
        "A pod that has succeeded, matches the selector and requests no CPU MUST make utilization fail for as long as "
        "it exists, and events of the same failure MUST be counted together."
    ),
    source=f"{_CALCULATOR}: calculatePodRequestsFromContainers",
    issues="kubernetes/kubernetes#87935",
    controllers=("hpa", "replicaset"),
    features=("selector", "requests", "events", "H18"),
)
async def test_finished_pod_without_a_request_blocks_utilization(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_labels({"test": "smoke"}, Lifecycle(succeeds_after=5))
    cluster.metrics.load("web", cpu=each("900m"))
    await cluster.create(objects.pod("web-smoke", {**_SHARED, "test": "smoke"}, restartPolicy="Never"))
    await serve(cluster, 2)
    await cluster.run_until(3600)
    cluster.expect("phase of the test's pod", cluster.get("pods", "web-smoke")["status"]["phase"], "Succeeded")
    missing = "failed to get cpu utilization: missing request for cpu in container main of Pod web-smoke"
    why = ("False", "FailedGetResourceMetric", f"the HPA was unable to compute the replica count: {missing}")
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), why)
    cluster.expect("scales", scales(cluster), [])
    # All are counted, but only 25 events per object are sent in a burst, and then one every five minutes.
    counted = [event["count"] for event in cluster.events("FailedGetResourceMetric") if event["message"] == missing]
    cluster.expect("counted by the last event sent", counted, [220])
    await cluster.delete("pods", "web-smoke")
    await cluster.run_until(3620)
    cluster.expect("scales once it is gone", scales(cluster), [(3615.0, 4)])


@scenario(
    "hpa/pods-of-another-namespace-do-not-count",
    must="Pods with the same labels in another namespace and their metrics MUST NOT count.",
    source=f"{_CALCULATOR}: GetResourceReplicas",
    controllers=("hpa", "replicaset"),
    features=("selector", "namespaces"),
)
async def test_pods_of_another_namespace_do_not_count(cluster: Cluster) -> None:
    other = {"namespace": "other"}
    await cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}})
    cluster.metrics.load("web", cpu=each("900m"))
    cluster.metrics.load("web", cpu=each("200m"), namespace="other")
    there = workload("web", 3)
    there["metadata"] |= other
    await cluster.create(there)
    await serve(cluster, 2)
    await cluster.create(objects.hpa("web", min_replicas=2, metrics=[CPU_50], metadata=other))
    await cluster.run_until(36)
    for namespace, utilization in (("default", 90), ("other", 20)):
        shown = cluster.get(HPAS, "web", namespace)["status"]["currentMetrics"][0]["resource"]["current"]
        cluster.expect(f"utilization in {namespace}", shown["averageUtilization"], utilization)
    done = [(cluster.at(write), write.namespace, write.body["spec"]["replicas"]) for write in scale_writes(cluster)]
    cluster.expect("scales", done, [(30.0, "default", 4)])
