"""Terminating pods: a pod counts no longer from the moment its deletion begins, however long it takes to end.

So its replacement comes at once and both run side by side for the grace period; `status.terminatingReplicas` tells
how many pods are still ending.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.world import Lifecycle
from lockstep_conformance.replicaset.steps import reported

_DELETION = "pkg/controller/replicaset/replica_set.go: updatePod, deletePod"
_TERMINATING = "pkg/controller/controller_utils.go: IsPodTerminating, FilterClaimedPods"
_GRACE_300 = objects.pod_template(objects.labels_of("web"), terminationGracePeriodSeconds=300)


def _created_at(cluster: Cluster) -> list[float]:
    return [round(cluster.at(write), 6) for write in cluster.writes("create", "pods", 201)]


def _counts(cluster: Cluster) -> tuple[int, int, int | None]:
    """Replicas, ready replicas and terminating replicas, as the status says."""
    status = cluster.status()
    return status["replicas"], status.get("readyReplicas", 0), status.get("terminatingReplicas")


@scenario(
    "replicaset/new-pods-start-while-old-ones-terminate",
    must="After a scale to 0 and up again, new pods MUST start at once while the old ones use up their grace period, "
    "and terminatingReplicas MUST count those.",
    source=(_DELETION, _TERMINATING),
    issues="kubernetes/kubernetes#32567",
    features=("terminating", "scale-down", "scale-up", "status", "R23"),
)
async def test_new_pods_start_while_old_ones_terminate(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(stop_after=None)
    await cluster.create(objects.replica_set("web", 3, template=_GRACE_300))
    await cluster.run_until(20)
    await cluster.scale("web", 0)
    cluster.expect("replicas, ready, terminating at 0", _counts(cluster), (0, 0, 3))
    await cluster.run_until(30)
    await cluster.scale("web", 2)
    await cluster.run_until(40)
    cluster.expect("replicas, ready, terminating 10 s later", _counts(cluster), (2, 2, 3))
    cluster.expect("pods that run", [pod["status"]["phase"] for pod in cluster.list("pods")], ["Running"] * 5)
    await cluster.run_until(600)
    cluster.expect("terminating pods by instant", reported(cluster, "terminatingReplicas"), [(20.0, 3), (320.0, 0)])
    cluster.expect("creates", _created_at(cluster), [0.0] * 3 + [30.0] * 2)
    cluster.expect("deletes", len(cluster.writes("delete", "pods")), 3)


@scenario(
    "replicaset/deleted-pod-is-replaced-at-once",
    must="A pod that a user deletes MUST be replaced when its deletion begins, not when it is gone.",
    source=(_DELETION, _TERMINATING),
    features=("terminating", "status"),
)
async def test_deleted_pod_is_replaced_at_once(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(stop_after=None)
    await cluster.create(objects.replica_set("web", 2, template=_GRACE_300))
    await cluster.run_until(20)
    await cluster.delete("pods", cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"])
    cluster.expect("creates", _created_at(cluster), [0.0, 0.0, 20.0])
    cluster.expect("replicas, ready, terminating", _counts(cluster), (2, 1, 1))
    await cluster.run_until(600)
    cluster.expect("terminating pods by instant", reported(cluster, "terminatingReplicas"), [(20.0, 1), (320.0, 0)])
    cluster.expect("creates in the end", len(_created_at(cluster)), 3)


@scenario(
    "replicaset/force-deleted-pod-is-replaced-once",
    must="A pod that is removed without a grace period MUST be replaced by exactly one, and MUST NOT be counted as "
    "terminating.",
    source=_DELETION,
    features=("terminating", "force-deletion"),
)
async def test_force_deleted_pod_is_replaced_once(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(20)
    for _ in range(2):
        pod = cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"]
        await cluster.delete("pods", pod, gracePeriodSeconds=0)
    cluster.expect("creates", _created_at(cluster), [0.0, 0.0, 20.0, 20.0])
    await cluster.settle()
    cluster.expect("terminating pods by instant", reported(cluster, "terminatingReplicas"), [])
    cluster.expect("creates in the end", len(_created_at(cluster)), 4)
    cluster.expect("deletes by the controller", cluster.writes("delete", "pods"), [])


@scenario(
    "replicaset/deletion-is-observed-once",
    must="A pod's deletion MUST count once, though several events tell of it: when it begins, when its grace period is "
    "shortened, and when the pod is gone.",
    source=(_DELETION, "pkg/controller/controller_utils.go: UIDTrackingControllerExpectations.DeletionObserved"),
    issues="kubernetes/kubernetes#22061",
    features=("terminating", "expectations", "force-deletion", "R19"),
)
async def test_deletion_is_observed_once(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(stop_after=None)
    cluster.scheduler.place = lambda _: "node-1"  # no pod is better placed than another
    await cluster.create(objects.replica_set("web", 4, template=_GRACE_300))
    await cluster.run_until(20)
    await cluster.scale("web", 3)
    ending = next(pod for pod in cluster.list("pods") if "deletionTimestamp" in pod["metadata"])["metadata"]["name"]
    # The next sync deletes two pods more, and the answers take a second: it must wait for those two, not for `ending`.
    cluster.faults.latency(1.0, verb="delete", resource="pods")
    await cluster.run_until(30)
    await cluster.scale("web", 1)
    await cluster.run(0.2)
    await cluster.delete("pods", ending, gracePeriodSeconds=5)
    await cluster.run(0.2)
    await cluster.delete("pods", ending, gracePeriodSeconds=0)
    await cluster.run(0.2)
    cluster.expect("deletes before the answers", len(cluster.writes("delete", "pods")), 1)
    await cluster.run_until(60)
    deletes = [round(cluster.at(write), 6) for write in cluster.writes("delete", "pods")]
    cluster.expect("deletes", deletes, [20.0, 31.0, 31.0])
    cluster.expect("creates", _created_at(cluster), [0.0] * 4)
    cluster.expect("replicas, ready, terminating", _counts(cluster), (1, 1, 2))


@scenario(
    "replicaset/only-own-terminating-pods-are-counted",
    must="terminatingReplicas MUST count the pods that the ReplicaSet controls and selects, and no others: not "
    "orphans, and not pods whose labels no longer match.",
    source=_TERMINATING,
    features=("terminating", "status", "selector"),
)
async def test_only_own_terminating_pods_are_counted(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(ready_after=5.0, stop_after=None)
    await cluster.create(objects.pod("orphan", objects.labels_of("web"), terminationGracePeriodSeconds=300))
    await cluster.run_until(10)
    await cluster.delete("pods", "orphan")
    await cluster.create(objects.replica_set("web", 2, template=_GRACE_300))
    await cluster.run_until(20)
    cluster.expect("replicas, ready, terminating", _counts(cluster), (2, 2, 0))
    cluster.expect("adoptions", cluster.writes("patch", "pods"), [])
    ending = cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"]
    await cluster.delete("pods", ending)
    cluster.expect("replicas, ready, terminating after a deletion", _counts(cluster), (2, 1, 1))
    await cluster.patch("pods", ending, {"metadata": {"labels": {"app": "other"}}})
    cluster.expect("replicas, ready, terminating after a change of labels", _counts(cluster), (2, 1, 0))
    cluster.expect("releases", cluster.writes("patch", "pods"), [])
