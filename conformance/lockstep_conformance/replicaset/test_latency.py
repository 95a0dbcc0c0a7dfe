"""Latency: answers that take long, with their effect at once or at the end, change when things happen, not what.

A sync waits for its answers, and only one sync of a ReplicaSet runs at a time; so no request is made twice because the
first has not been answered yet.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.replicaset.steps import by_instant, status_writes, touch

_MANAGE = "pkg/controller/replicaset/replica_set.go: manageReplicas"
_SYNC = "pkg/controller/replicaset/replica_set.go: syncReplicaSet"


@scenario(
    "replicaset/slow-creates-are-not-repeated",
    must="While creates are under way, whatever happens MUST NOT lead to further ones.",
    source=(_MANAGE, "client-go/util/workqueue/queue.go"),
    features=("latency", "scale-up"),
)
async def test_slow_creates_are_not_repeated(cluster: Cluster) -> None:
    cluster.faults.latency(10.0, verb="create", resource="pods")
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(5)
    await touch(cluster, "web")
    await cluster.run_until(15)
    await touch(cluster, "web")
    await cluster.settle(calm=30)
    cluster.expect("creates by instant", by_instant(cluster, "create"), {10.0: 1, 20.0: 2})
    cluster.expect("pods of web", len(cluster.pods("web")), 3)


@scenario(
    "replicaset/pods-seen-before-their-creates-are-answered",
    must="Pods that are observed before their creates have been answered MUST count once.",
    source=(_MANAGE, "pkg/controller/controller_utils.go: CreationObserved"),
    features=("latency", "expectations"),
)
async def test_pods_seen_before_their_creates_are_answered(cluster: Cluster) -> None:
    cluster.faults.latency(10.0, effect_first=True, verb="create", resource="pods")
    await cluster.create(objects.replica_set("web", 7))
    await cluster.run_until(9)
    cluster.expect("ready pods before the first answer", cluster.ready("web"), 1)
    cluster.expect("status before the sync ends", cluster.status()["replicas"], 0)
    await cluster.settle(calm=30)
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 1, 10.0: 2, 20.0: 4})
    cluster.expect("ready", cluster.status()["readyReplicas"], 7)


@scenario(
    "replicaset/slow-deletes-are-not-repeated",
    must="While deletes are under way no pod MUST be deleted twice, and no other one instead.",
    source=(_MANAGE, "client-go/util/workqueue/queue.go"),
    features=("latency", "scale-down"),
)
async def test_slow_deletes_are_not_repeated(cluster: Cluster) -> None:
    cluster.scheduler.place = lambda _: "node-1"  # no pod is better placed than another
    await cluster.create(objects.replica_set("web", 5))
    await cluster.settle()
    began = cluster.now
    cluster.faults.latency(10.0, verb="delete", resource="pods")
    await cluster.scale("web", 2)
    await cluster.run_until(began + 5)
    await touch(cluster, "web")
    await cluster.settle(calm=30)
    cluster.expect("deletes by instant", by_instant(cluster, "delete"), {began + 10: 3})
    cluster.expect("pods of web", len(cluster.pods("web")), 2)


@scenario(
    "replicaset/pods-gone-before-their-deletes-are-answered",
    must="Pods that are gone before their deletes have been answered MUST count once, and MUST NOT be replaced.",
    source=(_MANAGE, "pkg/controller/controller_utils.go: DeletionObserved"),
    features=("latency", "expectations"),
)
async def test_pods_gone_before_their_deletes_are_answered(cluster: Cluster) -> None:
    cluster.scheduler.place = lambda _: "node-1"  # no pod is better placed than another
    await cluster.create(objects.replica_set("web", 5))
    await cluster.settle()
    began = cluster.now
    cluster.faults.latency(10.0, effect_first=True, verb="delete", resource="pods")
    await cluster.scale("web", 2)
    await cluster.run_until(began + 5)
    cluster.expect("pods before the answers", len(cluster.pods("web", terminating=True)), 2)
    await cluster.scale("web", 3)
    await cluster.settle(calm=30)
    cluster.expect("deletes by instant", by_instant(cluster, "delete"), {began: 3})
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 5, began + 10: 1})


@scenario(
    "replicaset/slow-status-updates-delay-the-next-sync",
    must="A sync ends with the answer to its status update: changes meanwhile MUST be acted upon after that, once.",
    source=_SYNC,
    features=("latency", "status"),
)
async def test_slow_status_updates_delay_the_next_sync(cluster: Cluster) -> None:
    cluster.faults.latency(10.0, effect_first=True, verb="update", resource="replicasets.apps", subresource="status")
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(5)
    await cluster.scale("web", 4)
    await cluster.run_until(9)
    cluster.expect("pods while the status is written", len(cluster.pods("web")), 2)
    await cluster.settle(calm=60)
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 2, 10.0: 2})
    status = cluster.status()
    cluster.expect("replicas, ready", (status["replicas"], status["readyReplicas"]), (4, 4))


@scenario(
    "replicaset/status-read-again-after-a-slow-conflict",
    must="A status update that conflicts MUST be repeated on the object as it is then, keeping the counts of the sync.",
    source="pkg/controller/replicaset/replica_set_utils.go: updateReplicaSetStatus",
    features=("latency", "status", "conflict"),
)
async def test_status_read_again_after_a_slow_conflict(cluster: Cluster) -> None:
    cluster.faults.latency(8.0, verb="update", resource="replicasets.apps", subresource="status", times=1)
    cluster.faults.latency(8.0, verb="get", resource="replicasets.apps", times=1)
    await cluster.create(objects.replica_set("web", 0))
    await cluster.run_until(2)
    await cluster.patch("replicasets", "web", {"metadata": {"annotations": {"note": "conflict"}}})
    await cluster.run_until(60)
    answers = [(cluster.at(write), write.code) for write in status_writes(cluster)]
    cluster.expect("status updates", answers[:2], [(8.0, 409), (16.0, 200)])
    cluster.expect("observedGeneration", cluster.status()["observedGeneration"], 1)
    cluster.expect("annotations", cluster.get("replicasets", "web")["metadata"]["annotations"], {"note": "conflict"})


@scenario(
    "replicaset/nothing-happens-before-the-caches-are-filled",
    must="Before the first list of the pods has arrived, no pod MUST be created.",
    source="pkg/controller/replicaset/replica_set.go: Run",
    features=("latency", "start"),
    autostart=False,
)
async def test_nothing_happens_before_the_caches_are_filled(cluster: Cluster) -> None:
    web = await cluster.create(objects.replica_set("web", 3))
    async with cluster.batch():
        for name in ("first", "second"):
            await cluster.create(objects.pod(name, objects.labels_of("web"), owner=web))
    for verb in ("list", "watch"):
        cluster.faults.latency(20.0, verb=verb, resource="pods")
    began = cluster.now
    await cluster.start()
    await cluster.run_until(began + 19.9)
    cluster.expect("writes before the pods are listed", cluster.writes(), [])
    await cluster.settle(calm=30)
    cluster.expect("creates", len(cluster.writes("create", "pods")), 1)
    cluster.expect("pods of web", len(cluster.pods("web")), 3)
