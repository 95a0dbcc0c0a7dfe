"""Failed pods: a pod that has ended, well or badly, is no replica any more.

It is replaced at once and left where it is: the garbage collector of pods removes it one day, the controller never.
There is no back-off: if every pod fails, the controller makes new ones as fast as they fail.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.world import InTurn, Lifecycle

_ACTIVE = (
    "pkg/controller/controller_utils.go: IsPodActive",
    "pkg/controller/replicaset/replica_set.go: syncReplicaSet",
)
_TERMINATING = "pkg/controller/controller_utils.go: IsPodTerminating"


def _created_at(cluster: Cluster) -> list[float]:
    return [round(cluster.at(write), 6) for write in cluster.writes("create", "pods", 201)]


def _phases(cluster: Cluster) -> list[str]:
    return sorted(pod["status"]["phase"] for pod in cluster.list("pods"))


@scenario(
    "replicaset/ended-pods-are-replaced-and-kept",
    must="A pod that failed or succeeded MUST be replaced in that instant, MUST NOT be counted in the status, and "
    "MUST NOT be deleted, not even at scale 0.",
    source=_ACTIVE,
    features=("failed-pods", "status"),
)
async def test_ended_pods_are_replaced_and_kept(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(20)
    cluster.kubelet.fail(cluster.kubelet.pick(cluster.pods("web")), "Evicted", "the node was low on memory")
    await cluster.run_until(30)
    cluster.kubelet.succeed(cluster.kubelet.pick(cluster.pods("web"), -1))
    await cluster.run(0)
    cluster.expect("creates", _created_at(cluster), [0.0, 0.0, 0.0, 20.0, 30.0])
    status = cluster.status()
    counts = [
        status.get(field) for field in ("replicas", "fullyLabeledReplicas", "readyReplicas", "terminatingReplicas")
    ]
    cluster.expect("replicas, fully labeled, ready, terminating", counts, [3, 3, 2, 0])
    await cluster.scale("web", 0)
    await cluster.settle()
    cluster.expect("phases of the pods that are left", _phases(cluster), ["Failed", "Succeeded"])
    cluster.expect("deletes", len(cluster.writes("delete", "pods")), 3)


@scenario(
    "replicaset/ended-pods-are-not-terminating",
    must="A pod that has ended MUST NOT be counted in terminatingReplicas, even while a finalizer keeps it.",
    source=_TERMINATING,
    features=("failed-pods", "terminating", "finalizer", "status"),
)
async def test_ended_pods_are_not_terminating(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(stop_after=5.0)
    template = objects.pod_template(objects.labels_of("web"), metadata={"finalizers": ["example.com/keep"]})
    await cluster.create(objects.replica_set("web", 1, template=template))
    await cluster.run_until(20)
    await cluster.delete("pods", cluster.pods("web")[0]["metadata"]["name"])
    cluster.expect("terminating while it runs", cluster.status().get("terminatingReplicas"), 1)
    await cluster.run_until(26)
    kept = [pod for pod in cluster.list("pods") if "deletionTimestamp" in pod["metadata"]]
    cluster.expect("pods that are being deleted", len(kept), 1)
    cluster.expect("its phase", kept[0]["status"]["phase"], "Succeeded")
    cluster.expect("terminating when it has ended", cluster.status().get("terminatingReplicas"), 0)
    await cluster.patch("pods", kept[0]["metadata"]["name"], {"metadata": {"finalizers": None}})
    await cluster.settle()
    cluster.expect("creates", _created_at(cluster), [0.0, 20.0])


@scenario(
    "replicaset/rejected-pods-are-replaced-without-back-off",
    must="When the kubelet refuses every pod, each MUST be replaced in the instant of the refusal: the controller "
    "itself sets no pace.",
    source=_ACTIVE,
    issues=("kubernetes/kubernetes#72593", "kubernetes/kubernetes#76370", "kubernetes/kubernetes#131116"),
    features=("failed-pods", "rejected", "R10"),
)
async def test_rejected_pods_are_replaced_without_back_off(cluster: Cluster) -> None:
    cluster.scheduler.delay = 0.25  # the only thing that takes time
    cluster.kubelet.lifecycles.default = Lifecycle(rejected="NodeAffinity")
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(59.9)
    created = _created_at(cluster)
    cluster.expect("pods created in a minute", len(created), 480)
    cluster.expect("instants", sorted(set(created)), [number * 0.25 for number in range(240)])
    cluster.expect("pods that count", len(cluster.pods("web")), 2)
    cluster.expect("deletes", cluster.writes("delete", "pods"), [])
    # The cause is removed: the next pods stay.
    cluster.kubelet.lifecycles.default = Lifecycle()
    await cluster.run_until(120)
    cluster.expect("pods created afterwards", len(_created_at(cluster)), 480)
    cluster.expect("ready", cluster.status()["readyReplicas"], 2)


@scenario(
    "replicaset/failing-pods-are-replaced-for-hours",
    must="A pod that always fails MUST be replaced each time, hour after hour, one for one.",
    source=_ACTIVE,
    issues="kubernetes/kubernetes#88851",
    features=("failed-pods", "long-horizon", "R11"),
)
async def test_failing_pods_are_replaced_for_hours(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_owner("web", InTurn(Lifecycle(), Lifecycle(fails_after=69.0)))
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(60)
    await cluster.delete("pods", cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"])
    await cluster.run_until(60 + 4 * 3600 + 39 * 60)
    created = _created_at(cluster)
    cluster.expect("pods created", len(created) - 3, 243)
    cluster.expect("their instants", created[3:], [60.0 + 69.0 * number for number in range(243)])
    cluster.expect("deletes by the controller", cluster.writes("delete", "pods"), [])
    cluster.expect("pods that count", len(cluster.pods("web")), 3)


@scenario(
    "replicaset/pods-of-a-lost-node",
    must="Pods of a lost node MUST count as replicas that are not ready until they are deleted; then they MUST be "
    "replaced at once, though nobody ends them.",
    source=(*_ACTIVE, _TERMINATING),
    features=("lost-node", "terminating", "status"),
)
async def test_pods_of_a_lost_node(cluster: Cluster) -> None:
    cluster.scheduler.place = lambda _: "node-1"
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(20)
    cluster.scheduler.place = lambda _: "node-2"
    cluster.kubelet.lose_node("node-1")
    await cluster.run_until(100)
    status = cluster.status()
    counts = (status["replicas"], status.get("readyReplicas", 0), status.get("availableReplicas", 0))
    cluster.expect("replicas, ready, available", counts, (3, 0, 0))
    cluster.expect("creates before any pod is deleted", _created_at(cluster), [0.0] * 3)
    lost = [pod["metadata"]["name"] for pod in cluster.pods("web")]
    for name in lost:  # as the eviction by taints would
        await cluster.delete("pods", name)
    cluster.expect("creates", _created_at(cluster), [0.0] * 3 + [100.0] * 3)
    await cluster.run_until(3600)
    status = cluster.status()
    counts = (status["replicas"], status["readyReplicas"], status.get("terminatingReplicas"))
    cluster.expect("replicas, ready, terminating an hour later", counts, (3, 3, 3))
    for name in lost:
        await cluster.delete("pods", name, gracePeriodSeconds=0)
    await cluster.settle()
    cluster.expect("terminating after force deletion", cluster.status().get("terminatingReplicas"), 0)
    cluster.expect("creates in the end", len(_created_at(cluster)), 6)
    cluster.expect("deletes by the controller", cluster.writes("delete", "pods"), [])
