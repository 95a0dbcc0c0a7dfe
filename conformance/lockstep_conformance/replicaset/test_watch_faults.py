"""Watch faults: the controller learns of the cluster late, in another order, or only from a new list.

It acts on its caches, so nothing is done before an event arrives; but whatever way the news takes, nothing is done
twice and in the end everything has been noticed. A pod that vanished while the watch was cut off is found missing in
the next list: its last known state, a tombstone, stands in for the event.
"""

from __future__ import annotations

from lockstep import Cluster, Options, objects, scenario
from lockstep.world import Lifecycle
from lockstep_conformance.replicaset.steps import reported

_HANDLERS = "pkg/controller/replicaset/replica_set.go: addPod, updatePod, deletePod"
_REFLECTOR = "client-go/tools/cache/reflector.go"
_TOMBSTONE = "client-go/tools/cache/delta_fifo.go: DeletedFinalStateUnknown"


def _times(cluster: Cluster, verb: str) -> list[float]:
    return [round(cluster.at(write), 6) for write in cluster.writes(verb, "pods", 201 if verb == "create" else 200)]


@scenario(
    "replicaset/late-pod-events-delay-and-repeat-nothing",
    must="With pod events late, each pod MUST be created and deleted once, and the status MUST follow as the events "
    "arrive.",
    source=_HANDLERS,
    features=("watch-lag", "status"),
)
async def test_late_pod_events_delay_and_repeat_nothing(cluster: Cluster) -> None:
    cluster.network.set_lag("pods", 5.0)
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(30)
    await cluster.scale("web", 0)
    await cluster.run_until(60)
    cluster.expect("creates", _times(cluster, "create"), [0.0] * 3)
    cluster.expect("deletes", _times(cluster, "delete"), [30.0] * 3)
    cluster.expect("replicas by instant", reported(cluster, "replicas"), [(5.0, 3), (35.0, 0)])
    cluster.expect("ready pods by instant", reported(cluster, "readyReplicas"), [(7.0, 3), (35.0, 0)])
    # They began to end at 30 s and were gone at 31 s.
    cluster.expect("terminating by instant", reported(cluster, "terminatingReplicas"), [(35.0, 3), (36.0, 0)])


@scenario(
    "replicaset/late-replica-set-events-delay-and-repeat-nothing",
    must="With ReplicaSet events late, an edit MUST be acted upon when it arrives, once.",
    source=("pkg/controller/replicaset/replica_set.go: addRS, updateRS", _HANDLERS),
    features=("watch-lag",),
)
async def test_late_replica_set_events_delay_and_repeat_nothing(cluster: Cluster) -> None:
    cluster.scheduler.place = lambda _: "node-1"  # no pod is better placed than another
    cluster.network.set_lag("replicasets.apps", 5.0)
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(20)
    await cluster.scale("web", 4)
    await cluster.run_until(21)
    await cluster.scale("web", 3)  # arrives a second after the other edit
    await cluster.run_until(60)
    cluster.expect("creates", _times(cluster, "create"), [5.0] * 2 + [25.0] * 2)
    # The second edit arrives at 26 s, but the status written at 25 s only at 30 s: until then nothing is done.
    cluster.expect("deletes", _times(cluster, "delete"), [30.0])
    cluster.expect("pods", len(cluster.pods("web")), 3)
    # The sync of the first edit writes its status on a version that the second has made stale, and reads anew.
    refused = [round(cluster.at(write), 6) for write in cluster.writes("update", "replicasets.apps", 409)]
    cluster.expect("refused status writes", refused, [25.0])


@scenario(
    "replicaset/pods-seen-before-their-replica-set",
    must="A pod whose controller is not in the cache yet MUST be counted once that arrives, not created again.",
    source=(_HANDLERS, "pkg/controller/replicaset/replica_set.go: resolveControllerRef"),
    features=("watch-lag", "order"),
    virtual="has margins of less than its steps take",
)
async def test_pods_seen_before_their_replica_set(cluster: Cluster) -> None:
    cluster.network.set_lag("replicasets.apps", 5.0)
    owner = await cluster.create(objects.replica_set("web", 3))
    await cluster.create(objects.pod("early-1", {"app": "web"}, owner=owner))
    await cluster.create(objects.pod("early-2", {"app": "web"}, owner=owner))
    await cluster.run_until(4.9)
    cluster.expect("writes before the ReplicaSet is seen", cluster.writes(), [])
    await cluster.run_until(60)
    cluster.expect("creates", _times(cluster, "create"), [5.0])
    cluster.expect("pods", len(cluster.pods("web")), 3)


@scenario(
    "replicaset/replica-set-edits-seen-before-pods",
    must="An edit that arrives before the events of the last pods MUST wait for those.",
    source=(_HANDLERS, "pkg/controller/replicaset/replica_set.go: syncReplicaSet"),
    features=("watch-lag", "order", "expectations"),
)
async def test_replica_set_edits_seen_before_pods(cluster: Cluster) -> None:
    cluster.network.set_lag("pods", 5.0)
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(1)
    await cluster.scale("web", 5)
    await cluster.run_until(60)
    cluster.expect("creates", _times(cluster, "create"), [0.0] * 2 + [5.0] * 3)
    cluster.expect("replicas by instant", reported(cluster, "replicas"), [(5.0, 2), (10.0, 5)])


@scenario(
    "replicaset/dropped-watch-loses-nothing",
    must="When a watch ends, the next one MUST go on where it ended: events that were on their way are not lost.",
    source=(f"{_REFLECTOR}: watch", _HANDLERS),
    features=("watch-drop",),
)
async def test_dropped_watch_loses_nothing(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(20)
    cluster.network.set_lag("pods", 30.0)
    await cluster.delete("pods", cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"], gracePeriodSeconds=0)
    await cluster.run_until(22)
    cluster.expect("creates before", _times(cluster, "create"), [0.0] * 3)
    cluster.network.set_lag("pods", 0.0)  # for the next watch: what is on its way stays there
    await cluster.run_until(24)
    cluster.expect("creates while the event is on its way", _times(cluster, "create"), [0.0] * 3)
    await cluster.drop_watch("pods")
    await cluster.run_until(120)
    cluster.expect("creates", _times(cluster, "create"), [0.0] * 3 + [24.0])
    cluster.expect("pods", len(cluster.pods("web")), 3)


@scenario(
    "replicaset/tombstone-stands-in-for-a-missed-deletion",
    must="A pod that is missing from the list after 410 Gone MUST be replaced as if its deletion had been seen.",
    source=(_HANDLERS, _TOMBSTONE, f"{_REFLECTOR}: list"),
    issues="kubernetes/kubernetes#22061",
    features=("watch-expired", "tombstone", "R19"),
)
async def test_tombstone_stands_in_for_a_missed_deletion(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(20)
    cluster.network.hold("pods")
    await cluster.delete("pods", cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"], gracePeriodSeconds=0)
    await cluster.run_until(25)
    await cluster.expire_watch("pods", relist_at=30.0)
    cluster.network.release("pods")
    await cluster.run_until(120)
    cluster.expect("creates", _times(cluster, "create"), [0.0] * 3 + [30.0])
    cluster.expect("deletes", cluster.writes("delete", "pods"), [])
    cluster.expect("replicas by instant", reported(cluster, "replicas")[:1], [(0.0, 3)])
    cluster.expect("ready", cluster.status()["readyReplicas"], 3)


@scenario(
    "replicaset/pod-first-seen-when-it-ends-wakes-its-owner",
    must="A pod that is already being deleted when it is first seen MUST bring a sync of its owner.",
    source=(_HANDLERS, f"{_REFLECTOR}: list"),
    features=("watch-expired", "terminating", "status"),
)
async def test_pod_first_seen_when_it_ends_wakes_its_owner(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(stop_after=None)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(20)
    cluster.network.hold("pods")
    owner = cluster.get("replicasets", "web")
    await cluster.create(
        objects.pod("other", {"app": "web"}, owner=owner, nodeName="node-1", terminationGracePeriodSeconds=60)
    )
    await cluster.run_until(25)
    await cluster.delete("pods", "other")
    await cluster.expire_watch("pods", relist_at=30.0)
    cluster.network.release("pods")
    await cluster.run_until(120)
    wanted = [(30.0, 1), (85.0, 0)]
    cluster.expect("terminating pods by instant", reported(cluster, "terminatingReplicas"), wanted)
    cluster.expect("creates", _times(cluster, "create"), [0.0])
    cluster.expect("deletes", _times(cluster, "delete"), [])


@scenario(
    "replicaset/expired-replica-set-watch-is-listed-anew",
    must="After 410 Gone on the ReplicaSets, edits and deletions MUST be noticed by the next list.",
    source=("pkg/controller/replicaset/replica_set.go: updateRS, deleteRS", f"{_REFLECTOR}: list", _TOMBSTONE),
    features=("watch-expired", "tombstone"),
)
async def test_expired_replica_set_watch_is_listed_anew(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 1), objects.replica_set("gone", 1))
    await cluster.run_until(20)
    cluster.network.hold("replicasets.apps")
    await cluster.scale("web", 3)
    await cluster.delete("replicasets", "gone", propagationPolicy="Orphan")
    await cluster.create(objects.replica_set("new", 2))
    await cluster.run_until(25)
    cluster.expect("creates while nothing arrives", _times(cluster, "create"), [0.0] * 2)
    await cluster.expire_watch("replicasets.apps", relist_at=30.0)
    cluster.network.release("replicasets.apps")
    await cluster.run_until(60)
    cluster.expect("creates", _times(cluster, "create"), [0.0] * 2 + [30.0] * 4)
    owned = [len(cluster.pods(name)) for name in ("web", "gone", "new")]
    cluster.expect("pods of web, gone and new", owned, [3, 0, 2])
    cluster.expect("pods in all", len(cluster.pods()), 6)


@scenario(
    "replicaset/resync-brings-a-sync-before-the-back-off-ends",
    must="A resync of the informer MUST queue every ReplicaSet, so that one that waits for its back-off is tried "
    "again.",
    source=("pkg/controller/replicaset/replica_set.go: updateRS", f"{_REFLECTOR}: startResync"),
    features=("resync", "backoff", "failed-create"),
    options=Options(resync=30.0),
)
async def test_resync_brings_a_sync_before_the_back_off_ends(cluster: Cluster) -> None:
    outage = cluster.faults.error(500, verb="create", resource="pods", times=None)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(100)
    outage.stop()
    await cluster.run_until(300)
    # The informers' periods began a second before the scenario.
    failed = [round(cluster.at(write), 6) for write in cluster.writes("create", "pods", 500)]
    cluster.expect("attempts at resyncs", [at for at in failed if at in (29.0, 59.0, 89.0)], [29.0, 59.0, 89.0])
    cluster.expect("attempts between them after 41 s", [at for at in failed if at > 41], [59.0, 89.0])
    cluster.expect("creates", _times(cluster, "create"), [119.0])
