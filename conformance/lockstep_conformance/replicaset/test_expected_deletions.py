"""Expected deletions: they are known by the names of the pods, and each counts once.

A graceful deletion shows up as an update with a deletionTimestamp and again when the pod is gone; others delete pods
too; and a watch may miss all of it. None of this may make the controller act early, or wait for nothing.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.world import Lifecycle
from lockstep_conformance.replicaset.steps import by_instant, delete_first

_UTILS = "pkg/controller/controller_utils.go"
_RS = "pkg/controller/replicaset/replica_set.go"


@scenario(
    "replicaset/deletions-are-expected-by-name",
    must="The deletion of another pod MUST NOT be taken for the one that is waited for.",
    source=f"{_UTILS}: UIDTrackingControllerExpectations",
    issues="kubernetes/kubernetes#22061",
    features=("expectations", "watch-lag", "scale-down", "R19"),
)
async def test_deletions_are_expected_by_name(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    mine = await delete_first(cluster, "web")
    foreign = cluster.kubelet.pick([pod for pod in cluster.pods("web") if pod["metadata"]["name"] != mine])
    cluster.network.set_lag("pods", 10.0)
    began = cluster.now
    await cluster.delete("pods", foreign["metadata"]["name"])
    await cluster.run_until(began + 1)
    await cluster.scale("web", 2)  # three are in the cache: deletes one
    await cluster.run_until(began + 5)
    await cluster.scale("web", 1)
    # At +10 s the foreign deletion arrives, at +11 s the awaited one: with both, one pod is left and none is too many.
    await cluster.settle()
    deletes = [(one.name, cluster.at(one) - began) for one in cluster.writes("delete", "pods")]
    cluster.expect("deletes", deletes, [(mine, 1.0)])
    cluster.expect("pods of web", len(cluster.pods("web")), 1)


@scenario(
    "replicaset/deletion-timestamp-counts-once",
    must="A graceful deletion MUST count when it begins, and MUST NOT count again when the pod is gone.",
    source=(f"{_RS}: updatePod, deletePod", f"{_UTILS}: DeletionObserved"),
    issues="kubernetes/kubernetes#22061",
    features=("expectations", "watch-lag", "terminating", "R19"),
)
async def test_deletion_timestamp_counts_once(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(stop_after=None)  # the whole grace period, 30 s
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    began = cluster.now
    await cluster.scale("web", 2)  # the first pod is gone at +30 s
    await delete_first(cluster, "web")
    await cluster.run_until(began + 25)
    cluster.network.set_lag("pods", 5.0)
    await cluster.run_until(began + 31)
    await cluster.scale("web", 1)  # seen at +36 s
    await cluster.run_until(began + 32)
    await cluster.scale("web", 0)
    await cluster.run_until(began + 35.5)  # by now the end of the first pod has been seen
    cluster.expect("deletes", by_instant(cluster, "delete"), {began: 1, began + 31: 1})
    await cluster.settle()
    cluster.expect("deletes", by_instant(cluster, "delete"), {began: 1, began + 31: 1, began + 36: 1})
    cluster.expect("pods in the end", cluster.pods("web", terminating=True), [])


@scenario(
    "replicaset/missed-deletions-are-observed-by-relist",
    must="A deletion that only a new list reveals MUST count as observed.",
    source=(f"{_RS}: deletePod", "client-go/tools/cache/the_real_fifo.go: Replace"),
    issues="kubernetes/kubernetes#22061",
    features=("expectations", "relist", "tombstone", "R19"),
)
async def test_missed_deletions_are_observed_by_relist(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    began = cluster.now
    cluster.network.hold("pods")
    await cluster.scale("web", 1)
    await cluster.run_until(began + 10)
    cluster.expect("pods", len(cluster.pods("web", terminating=True)), 1)
    cluster.expect("status, from the stale cache", cluster.status()["replicas"], 3)
    cluster.network.held.discard("pods")
    await cluster.expire_watch("pods", relist_at=began + 20)
    await cluster.run_until(began + 20.5)
    cluster.expect("status after the new list", cluster.status()["replicas"], 1)
    await cluster.run_until(began + 25)
    await cluster.scale("web", 2)
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 3, began + 25: 1})
    await cluster.settle()
    cluster.expect("deletes by instant", by_instant(cluster, "delete"), {began: 2})


@scenario(
    "replicaset/delete-of-a-missing-pod-is-not-expected",
    must="A delete answered with 404 MUST be taken as done: no error, no event, nothing to wait for.",
    source=(f"{_RS}: manageReplicas", f"{_UTILS}: DeletePod"),
    features=("expectations", "stale-cache", "404"),
    virtual="counts the retries of a few milliseconds",
)
async def test_delete_of_a_missing_pod_is_not_expected(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    gone = await delete_first(cluster, "web")
    cluster.network.set_lag("pods", 60.0)
    began = cluster.now
    await cluster.delete("pods", gone, gracePeriodSeconds=0)
    await cluster.scale("web", 2)
    # The new observedGeneration wakes the controller at once: nothing holds it back from trying the same again.
    deletes = [(one.name, one.code) for one in cluster.writes("delete", "pods")]
    cluster.expect("deletes", deletes, [(gone, 404), (gone, 404)])
    await cluster.run_until(began + 2)
    cluster.expect("deletes without a reason to try again", len(cluster.writes("delete", "pods")), 2)
    cluster.expect("conditions", cluster.status().get("conditions", []), [])
    await cluster.scale("web", 1)
    answers = sorted(one.code for one in cluster.writes("delete", "pods") if cluster.at(one) == began + 2)
    cluster.expect("deletes of the next sync, at once", answers, [200, 404])
    await cluster.settle()
    cluster.expect("pods of web", len(cluster.pods("web")), 1)
    reasons = {event["reason"] for event in cluster.events()}
    cluster.expect("kinds of events", reasons, {"SuccessfulCreate", "SuccessfulDelete"})
