"""Stale reads: since 1.36 the controller does not sync a ReplicaSet before its caches hold its own last writes.

Each create, adoption or release of a pod and each status write is remembered with its resourceVersion; a sync that
finds a cache older than that fails and is queued again (StaleControllerConsistencyReplicaSet). Without it, as in
1.34, only expectations hold a sync back, and only from creating and deleting: it would write statuses counted from
old caches, run into conflicts with itself, and go on after five minutes whatever the cache says. Deletes are not
remembered, today either; and nothing is, beyond the life of the process.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.world import Lifecycle
from lockstep_conformance.replicaset.steps import adopted, reported, status_writes

_CONSISTENCY = (
    "pkg/controller/util/consistency/consistency.go: EnsureReady",
    "pkg/controller/replicaset/replica_set.go: syncReplicaSet",
)
_FEATURES = ("stale-cache", "consistency")


@scenario(
    "replicaset/no-sync-before-own-creates-are-seen",
    must="Until the pod cache holds the pods that the controller created, it MUST NOT write anything about their "
    "ReplicaSet, be it a pod or a status, however long that takes.",
    source=_CONSISTENCY,
    issues="kubernetes/kubernetes#129795",
    features=(*_FEATURES, "watch-lag", "R1"),
)
async def test_no_sync_before_own_creates_are_seen(cluster: Cluster) -> None:
    cluster.network.hold("pods")
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(10)
    await cluster.scale("web", 3)
    # Past the five minutes after which expectations are forgotten, and with something new to sync.
    await cluster.run_until(400)
    await cluster.scale("web", 4)
    await cluster.run_until(600)
    creates = [cluster.at(write) for write in cluster.writes("create", "pods")]
    cluster.expect("creates while the watch is held", creates, [0.0, 0.0])
    updates = [cluster.at(write) for write in status_writes(cluster)]
    cluster.expect("status writes while the watch is held", updates, [0.0])
    cluster.expect("observedGeneration", cluster.status()["observedGeneration"], 1)
    cluster.network.release("pods")
    await cluster.run_until(700)
    creates = [cluster.at(write) for write in cluster.writes("create", "pods")]
    cluster.expect("creates", creates, [0.0, 0.0, 600.0, 600.0])
    cluster.expect("replicas by instant", reported(cluster, "replicas"), [(600.0, 4)])
    cluster.expect("deletes", cluster.writes("delete", "pods"), [])


@scenario(
    "replicaset/no-sync-before-own-status-is-seen",
    must="Until the ReplicaSet cache holds the status that the controller wrote last, it MUST NOT write another; so "
    "with a lagging watch it MUST NOT run into conflicts with itself.",
    source=_CONSISTENCY,
    features=(*_FEATURES, "watch-lag", "status", "conflict"),
)
async def test_no_sync_before_own_status_is_seen(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(ready_after=(2.0, 4.0, 6.0, 8.0, 10.0))
    cluster.network.set_lag("replicasets.apps", 3.0)
    await cluster.create(objects.replica_set("web", 5))
    await cluster.run_until(60)
    updates = [(round(cluster.at(write), 6), write.code) for write in status_writes(cluster)]
    # The pods are ready at 5, 7, 9, 11 and 13 s; each write waits until the one before it has arrived.
    cluster.expect("status writes", updates, [(3.0, 200), (6.0, 200), (9.0, 200), (12.0, 200), (15.0, 200)])
    wanted = [(6.0, 1), (9.0, 3), (12.0, 4), (15.0, 5)]
    cluster.expect("ready pods by instant", reported(cluster, "readyReplicas"), wanted)


@scenario(
    "replicaset/no-sync-before-own-adoption-is-seen",
    must="Until the pod cache holds the adoptions that the controller made, it MUST NOT adopt again or create pods.",
    source=_CONSISTENCY,
    features=(*_FEATURES, "watch-lag", "adoption"),
)
async def test_no_sync_before_own_adoption_is_seen(cluster: Cluster) -> None:
    await cluster.create(objects.pod("orphan", {"app": "web"}))
    await cluster.run_until(10)
    cluster.network.hold("pods")
    await cluster.create(objects.replica_set("web", 1))
    for at in (20, 400):
        await cluster.run_until(at)
        await cluster.patch("replicasets", "web", {"metadata": {"annotations": {"touched": str(at)}}})
    await cluster.run_until(500)
    patches = [(cluster.at(write), write.code) for write in cluster.writes("patch", "pods")]
    cluster.expect("adoptions", patches, [(10.0, 200)])
    cluster.network.release("pods")
    await cluster.settle()
    cluster.expect("adoptions in the end", len(cluster.writes("patch", "pods")), 1)
    cluster.expect("creates", cluster.writes("create", "pods"), [])
    cluster.expect("replicas by instant", reported(cluster, "replicas"), [(10.0, 1)])


@scenario(
    "replicaset/stale-cache-blocks-its-own-replica-set-only",
    must="A ReplicaSet whose pods have not been seen yet MUST NOT hold up another.",
    source=_CONSISTENCY,
    features=(*_FEATURES, "watch-lag"),
)
async def test_stale_cache_blocks_its_own_replica_set_only(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("calm", 2))
    await cluster.run_until(20)
    cluster.network.hold("pods")
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(30)
    for name in ("web", "calm"):
        await cluster.patch("replicasets", name, {"spec": {"minReadySeconds": 1}})
    await cluster.run_until(40)
    generations = [cluster.status(name)["observedGeneration"] for name in ("web", "calm")]
    cluster.expect("observedGeneration of web and calm", generations, [1, 2])
    await cluster.scale("calm", 3)
    cluster.expect("pods of calm", len(cluster.pods("calm")), 3)
    cluster.network.release("pods")
    await cluster.settle()
    generations = [cluster.status(name)["observedGeneration"] for name in ("web", "calm")]
    cluster.expect("observedGeneration in the end", generations, [2, 3])
    cluster.expect("creates", len(cluster.writes("create", "pods")), 5)


@scenario(
    "replicaset/unseen-deletes-may-be-repeated-after-five-minutes",
    must="Deletes that the cache never showed are forgotten after five minutes; the controller may then delete another "
    "pod for them, and MUST make up for it when the cache has caught up.",
    source=(*_CONSISTENCY, "pkg/controller/controller_utils.go: RealPodControl.DeletePod, ExpectationsTimeout"),
    issues="kubernetes/kubernetes#129795",
    features=(*_FEATURES, "watch-lag", "expectations", "ranking"),
)
async def test_unseen_deletes_may_be_repeated_after_five_minutes(cluster: Cluster) -> None:
    for name, after in (("a", 2.0), ("b", 90.0)):
        cluster.kubelet.lifecycles.for_labels({"case": name}, Lifecycle(ready_after=after))
    pods = [objects.pod(name, {"app": "web", "case": name}, nodeName="node-1") for name in ("a", "b")]
    await adopted(cluster, *pods)
    await cluster.run_until(100)
    cluster.network.hold("pods")
    await cluster.scale("web", 1)
    # b is ready for 10 s and a for 98 s: b is the younger.
    cluster.expect("deleted", [write.name for write in cluster.writes("delete", "pods")], ["b"])
    await cluster.run_until(399)
    await cluster.patch("replicasets", "web", {"metadata": {"annotations": {"touched": "once"}}})
    cluster.expect("deletes before five minutes have passed", len(cluster.writes("delete", "pods")), 1)
    await cluster.run_until(401)
    await cluster.patch("replicasets", "web", {"metadata": {"annotations": {"touched": "twice"}}})
    # In the cache both still live, for 399 s and 311 s: the same power of two, so that the UID decides.
    cluster.expect("deleted now", [write.name for write in cluster.writes("delete", "pods")], ["b", "a"])
    cluster.expect("pods left", cluster.pods("web"), [])
    cluster.expect("replicas, as the status says", cluster.status()["replicas"], 2)
    await cluster.run_until(410)
    cluster.network.release("pods")
    await cluster.settle()
    cluster.expect("creates", [cluster.at(write) for write in cluster.writes("create", "pods")], [410.0])
    cluster.expect("pods in the end", len(cluster.pods("web")), 1)
    cluster.expect("replicas in the end", cluster.status()["replicas"], 1)


@scenario(
    "replicaset/restart-with-an-old-replica-set-undoes-an-edit",
    must="A controller that restarts with an old version of a ReplicaSet knows nothing of what it wrote before: it "
    "acts on that version once, MUST then wait until its cache holds its own status write, and MUST put things "
    "right.",
    source=(*_CONSISTENCY, "pkg/controller/replicaset/replica_set_utils.go: updateReplicaSetStatus"),
    issues="kubernetes/kubernetes#14693",
    features=(*_FEATURES, "restart", "observed-generation", "R22"),
)
async def test_restart_with_an_old_replica_set_undoes_an_edit(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(20)
    old = cluster.version
    await cluster.scale("web", 4)
    await cluster.run_until(40)
    await cluster.crash()
    cluster.faults.stale(old, verb="watch", resource="replicasets.apps", times=1)
    cluster.network.hold("replicasets.apps")
    await cluster.start()
    await cluster.run_until(100)
    deletes = [write.before["metadata"] for write in cluster.writes("delete", "pods") if write.before]
    created = [metadata["creationTimestamp"] for metadata in deletes]
    cluster.expect("the pods of the edit are deleted", created, ["2000-01-01T00:00:21Z"] * 2)
    updates = [write for write in status_writes(cluster) if cluster.at(write) >= 40]
    outcomes = [(write.code, write.body["status"]["observedGeneration"]) for write in updates]
    cluster.expect("status writes after the restart", outcomes, [(409, 1), (200, 1)])
    cluster.expect("observedGeneration has gone back", cluster.status()["observedGeneration"], 1)
    cluster.network.release("replicasets.apps")
    await cluster.run_until(160)
    creates = [round(cluster.at(write), 6) for write in cluster.writes("create", "pods")]
    cluster.expect("creates", creates, [0.0] * 2 + [20.0] * 2 + [100.0] * 2)
    status = cluster.status()
    cluster.expect("observedGeneration, ready", (status["observedGeneration"], status["readyReplicas"]), (2, 4))
