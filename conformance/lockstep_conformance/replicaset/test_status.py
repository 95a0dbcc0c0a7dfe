"""Status: what the controller reports of its pods, when it writes it, and what it does when the write is refused.

Every sync counts the pods anew, and writes only if a count, a condition or the observed generation differs from what
the cache holds. A refused write is tried once more on the object as the server has it; after that the sync fails and
the ReplicaSet is queued again with back-off. The ReplicaFailure condition has a module of its own,
`test_status_failure`.
"""

from __future__ import annotations

from lockstep import Cluster, Fault, Options, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep.world import Lifecycle
from lockstep_conformance.replicaset.steps import status_writes

_CALCULATE = "pkg/controller/replicaset/replica_set_utils.go: calculateStatus"
_UPDATE = "pkg/controller/replicaset/replica_set_utils.go: updateReplicaSetStatus"
_STATUS: Object = {"verb": "update", "resource": "replicasets.apps", "subresource": "status"}


def _live_reads(cluster: Cluster) -> Fault:
    """Counts the reads of single ReplicaSets from the server (`hits`), and changes nothing."""
    return cluster.faults.add(Fault(verb="get", resource="replicasets.apps", times=None))


def _codes(cluster: Cluster) -> list[tuple[float, int]]:
    """When the status was written, and with what answer."""
    return [(round(cluster.at(write), 6), write.code) for write in status_writes(cluster)]


@scenario(
    "replicaset/status-counts-pods-by-state",
    must="The status MUST count the active pods, those with all labels of the template, the ready and the available "
    "ones, and those that are being deleted.",
    source=_CALCULATE,
    features=("status", "terminating", "fully-labeled", "minReadySeconds"),
    virtual="has margins of a second",
)
async def test_status_counts_pods_by_state(cluster: Cluster) -> None:
    # Of five pods one is never ready. Deleted pods take their whole grace period.
    cluster.kubelet.lifecycles.default = Lifecycle(ready_after=(2.0, 4.0, 50.0, 50.0), stop_after=None)
    template = objects.pod_template({"app": "web", "tier": "one"})
    selector = {"matchLabels": {"app": "web"}}
    await cluster.create(objects.replica_set("web", 5, selector=selector, template=template, min_ready_seconds=10))
    expected: Object = {"replicas": 5, "fullyLabeledReplicas": 5, "terminatingReplicas": 0, "observedGeneration": 1}
    cluster.expect("status of new pods", cluster.status(), expected)
    await cluster.run_until(13)
    expected |= {"readyReplicas": 2, "availableReplicas": 1}
    cluster.expect("status after 13 s", cluster.status(), expected)
    unready = cluster.kubelet.pick(cluster.pods("web"), 0)["metadata"]["name"]
    await cluster.patch("pods", unready, {"metadata": {"labels": {"tier": "two"}}})
    expected |= {"fullyLabeledReplicas": 4}
    cluster.expect("status when a pod has lost a label of the template", cluster.status(), expected)
    await cluster.delete("pods", unready)
    expected |= {"fullyLabeledReplicas": 5, "terminatingReplicas": 1}
    cluster.expect("status while that pod is being deleted", cluster.status(), expected)
    await cluster.run_until(44)
    expected |= {"terminatingReplicas": 0, "readyReplicas": 3, "availableReplicas": 3}
    cluster.expect("status when it is gone, and its successor is available", cluster.status(), expected)


@scenario(
    "replicaset/unchanged-status-is-not-written",
    must="A sync that finds nothing new MUST NOT write.",
    source=_UPDATE,
    features=("status", "no-op", "resync"),
    options=Options(resync=30.0),
)
async def test_unchanged_status_is_not_written(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(20)
    known = len(cluster.writes())
    replicas = [write.body["status"] for write in status_writes(cluster)]
    counts = [(status["replicas"], status.get("readyReplicas", 0)) for status in replicas]
    # The first sync counts the pods that it saw before it created some.
    cluster.expect("replicas and ready ones, as written", counts, [(0, 0), (3, 0), (3, 3)])
    await cluster.run_until(600)
    cluster.expect("writes in 19 resyncs", len(cluster.writes()), known)


@scenario(
    "replicaset/status-conflict-is-retried-once-on-a-live-read",
    must="When a status write is refused, the controller MUST read the ReplicaSet from the server and write the same "
    "status once more, at once.",
    source=_UPDATE,
    features=("status", "conflict"),
)
async def test_status_conflict_is_retried_once_on_a_live_read(cluster: Cluster) -> None:
    reads = _live_reads(cluster)
    cluster.faults.error(409, **_STATUS)
    await cluster.create(objects.replica_set("web", 2))
    # The sync that creates the pods tries twice; the next one counts them.
    cluster.expect("status writes", _codes(cluster), [(0.0, 409), (0.0, 200), (0.0, 200)])
    tried = [write.body["status"] for write in status_writes(cluster)[:2]]
    cluster.expect("what the second try says", tried[1], tried[0])
    cluster.expect("live reads", reads.hits, 1)
    cluster.expect("replicas", cluster.status()["replicas"], 2)
    cluster.expect("creates", len(cluster.writes("create", "pods")), 2)


@scenario(
    "replicaset/second-status-conflict-ends-the-sync",
    must="When the second try is refused too, the sync MUST fail, and the next one comes with the queue's back-off.",
    source=(_UPDATE, "client-go/util/workqueue/default_rate_limiters.go: ItemExponentialFailureRateLimiter"),
    features=("status", "conflict", "backoff"),
)
async def test_second_status_conflict_ends_the_sync(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.settle()
    began, known = cluster.now, len(status_writes(cluster))
    reads = _live_reads(cluster)
    cluster.faults.error(409, times=6, **_STATUS)
    # Nothing else happens to this ReplicaSet that could wake the controller.
    await cluster.patch("replicasets", "web", {"spec": {"minReadySeconds": 1}})
    await cluster.run(10)
    found = [(round(at - began, 6), code) for at, code in _codes(cluster)[known:]]
    wanted = [(0.0, 409)] * 2 + [(0.005, 409)] * 2 + [(0.015, 409)] * 2 + [(0.035, 200)]
    cluster.expect("status writes", found, wanted)
    cluster.expect("live reads", reads.hits, 3)
    cluster.expect("observedGeneration", cluster.status()["observedGeneration"], 2)


@scenario(
    "replicaset/failed-live-read-ends-the-sync",
    must="When the read after a refused status write fails, the sync MUST fail without a second try.",
    source=_UPDATE,
    features=("status", "conflict", "backoff"),
)
async def test_failed_live_read_ends_the_sync(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.settle()
    began, known = cluster.now, len(status_writes(cluster))
    cluster.faults.error(409, **_STATUS)
    cluster.faults.error(500, verb="get", resource="replicasets.apps")
    await cluster.patch("replicasets", "web", {"spec": {"minReadySeconds": 1}})
    await cluster.run(10)
    found = [(round(at - began, 6), code) for at, code in _codes(cluster)[known:]]
    cluster.expect("status writes", found, [(0.0, 409), (0.005, 200)])


@scenario(
    "replicaset/observed-generation-is-that-of-the-sync",
    must="observedGeneration MUST be the generation that the sync acted upon, even if the write succeeds only on an "
    "object of a later one.",
    source=_UPDATE,
    features=("status", "conflict", "observed-generation"),
)
async def test_observed_generation_is_that_of_the_sync(cluster: Cluster) -> None:
    cluster.faults.latency(1.0, verb="create", resource="pods")
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run(0.5)
    await cluster.patch("replicasets", "web", {"spec": {"minReadySeconds": 5}})
    await cluster.run_until(1.5)
    cluster.expect("status writes", _codes(cluster), [(1.0, 409), (1.0, 200), (1.0, 200)])
    written = [write.after for write in status_writes(cluster) if write.after]
    generations = [(one["metadata"]["generation"], one["status"]["observedGeneration"]) for one in written]
    cluster.expect("generation and observedGeneration", generations, [(2, 1), (2, 2)])


@scenario(
    "replicaset/status-follows-a-scale-down-despite-conflicts",
    must="After a scale-down whose status writes are refused, the status MUST still come to agree with the pods.",
    source=(_UPDATE, _CALCULATE),
    issues="kubernetes/kubernetes#41697",
    features=("status", "conflict", "scale-down", "R12"),
)
async def test_status_follows_a_scale_down_despite_conflicts(cluster: Cluster) -> None:
    cluster.scheduler.place = lambda _: "node-1"  # no pod is better placed than another
    cluster.kubelet.lifecycles.default = Lifecycle(stop_after=0.0)
    await cluster.create(objects.replica_set("web", 5))
    await cluster.run_until(30)
    cluster.expect("available", cluster.status()["availableReplicas"], 5)
    cluster.faults.error(409, times=3, **_STATUS)
    await cluster.scale("web", 1)
    await cluster.run(1)
    status = cluster.status()
    counts = [status.get(field) for field in ("replicas", "readyReplicas", "availableReplicas", "terminatingReplicas")]
    cluster.expect("replicas, ready, available, terminating", counts, [1, 1, 1, 0])
    cluster.expect("observedGeneration", status["observedGeneration"], 2)
    cluster.expect("deletes", len(cluster.writes("delete", "pods")), 4)
    codes = [code for at, code in _codes(cluster) if at >= 30]
    cluster.expect("refused status writes", codes.count(409), 3)
    await cluster.never("another write", lambda: len([1 for at, _ in _codes(cluster) if at > 31]), during=3600)
