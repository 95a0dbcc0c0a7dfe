"""Availability: a pod that stays ready for `minReadySeconds` becomes available at exactly that second.

No event announces that instant, so the controller has to look again by itself: after each sync it plans the next one
for the moment at which the next ready pod becomes available, and each pod that becomes ready plans one as well.
Readiness counts from the Ready condition's lastTransitionTime, whole seconds by the clock of the pod's node.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.world import InTurn, Lifecycle
from lockstep_conformance.replicaset.steps import reported, status_writes

_NEXT = "pkg/controller/controller_utils.go: FindMinNextPodAvailabilityCheck"
_SYNC = "pkg/controller/replicaset/replica_set.go: syncReplicaSet"
_AVAILABLE = ("pkg/api/v1/pod/util.go: IsPodAvailable", _NEXT)


@scenario(
    "replicaset/available-at-the-exact-second",
    must="A pod MUST be counted as available from the instant at which it has been ready for minReadySeconds.",
    source=_AVAILABLE,
    issues="kubernetes/kubernetes#108266",
    features=("minReadySeconds", "status", "R13"),
)
async def test_available_at_the_exact_second(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3, min_ready_seconds=30))
    await cluster.run_until(31.999)
    cluster.expect("available just before", cluster.status().get("availableReplicas", 0), 0)
    cluster.expect("ready just before", cluster.status()["readyReplicas"], 3)
    await cluster.run_until(60)
    cluster.expect("available pods by instant", reported(cluster, "availableReplicas"), [(32.0, 3)])
    await cluster.run(600)
    cluster.expect("last status write", max(cluster.at(write) for write in status_writes(cluster)), 32.0)


@scenario(
    "replicaset/ready-since-counts-in-whole-seconds",
    must="The time of being ready MUST count from the whole second that the Ready condition names, even if the pod "
    "became ready later in that second.",
    source=_AVAILABLE,
    features=("minReadySeconds", "status"),
)
async def test_ready_since_counts_in_whole_seconds(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(ready_after=2.75)
    await cluster.create(objects.replica_set("web", 1, min_ready_seconds=10))
    await cluster.run(60)
    cluster.expect("available pods by instant", reported(cluster, "availableReplicas"), [(12.0, 1)])


@scenario(
    "replicaset/pods-become-available-one-by-one",
    must="Each of several pods MUST be counted as available at its own second, however many wait at the same time.",
    source=(*_AVAILABLE, _SYNC),
    issues="kubernetes/kubernetes#108266",
    features=("minReadySeconds", "status", "R13"),
)
async def test_pods_become_available_one_by_one(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(ready_after=(2.0, 5.0, 5.0, 9.0, 31.0))
    await cluster.create(objects.replica_set("web", 5, min_ready_seconds=20))
    await cluster.run(120)
    wanted = [(22.0, 1), (25.0, 3), (29.0, 4), (51.0, 5)]
    cluster.expect("available pods by instant", reported(cluster, "availableReplicas"), wanted)


@scenario(
    "replicaset/flapping-readiness-starts-over",
    must="A pod that ceases to be ready MUST lose its time, and MUST be counted as available minReadySeconds after it "
    "is ready again.",
    source=(*_AVAILABLE, "pkg/controller/replicaset/replica_set.go: updatePod"),
    issues="kubernetes/kubernetes#108266",
    features=("minReadySeconds", "readiness", "status", "R13"),
)
async def test_flapping_readiness_starts_over(cluster: Cluster) -> None:
    flaps = ((8.0, False), (11.0, True), (17.0, False), (18.0, True))
    flapping = Lifecycle(flaps=flaps)
    cluster.kubelet.lifecycles.for_owner("web", InTurn(flapping, Lifecycle()))
    await cluster.create(objects.replica_set("web", 1, min_ready_seconds=10))
    await cluster.run_until(4)
    await cluster.scale("web", 2)  # its readiness at 6 s and availability at 16 s must not be lost among the flaps
    await cluster.run_until(40)
    cluster.kubelet.set_ready(cluster.kubelet.pick(cluster.pods("web"), 0), False)
    await cluster.run_until(45)
    cluster.expect(
        "available pods by instant", reported(cluster, "availableReplicas"), [(16.0, 1), (28.0, 2), (40.0, 1)]
    )


@scenario(
    "replicaset/late-pod-is-not-forgotten-among-available-ones",
    must="A pod that becomes ready long after the others MUST be counted as available at its second, without any "
    "event.",
    source=(*_AVAILABLE, _SYNC),
    issues="kubernetes/kubernetes#108266",
    features=("minReadySeconds", "status", "R13"),
)
async def test_late_pod_is_not_forgotten_among_available_ones(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(ready_after=(2.0, 2.0, 100.0))
    await cluster.create(objects.replica_set("web", 3, min_ready_seconds=60))
    # At 130 s a pod that is ready is replaced by one that is ready at 132 s and available at 192 s.
    await cluster.run_until(130)
    await cluster.delete("pods", cluster.kubelet.pick(cluster.pods("web"), 0)["metadata"]["name"])
    await cluster.run_until(300)
    cluster.expect(
        "available pods by instant",
        reported(cluster, "availableReplicas"),
        [(62.0, 2), (130.0, 1), (160.0, 2), (192.0, 3)],
    )


@scenario(
    "replicaset/edited-min-ready-seconds-count-at-once",
    must="A new value of minReadySeconds MUST apply at once, to pods that are ready already: a smaller one makes them "
    "available, a larger one takes that back until their time has come.",
    source=(*_AVAILABLE, _SYNC),
    features=("minReadySeconds", "status"),
)
async def test_edited_min_ready_seconds_count_at_once(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2, min_ready_seconds=3600))
    await cluster.run_until(20)
    await cluster.patch("replicasets", "web", {"spec": {"minReadySeconds": 25}})
    await cluster.run_until(50)
    await cluster.patch("replicasets", "web", {"spec": {"minReadySeconds": 100}})
    await cluster.run_until(60)
    await cluster.patch("replicasets", "web", {"spec": {"minReadySeconds": 10}})
    await cluster.run_until(70)
    await cluster.patch("replicasets", "web", {"spec": {"minReadySeconds": 80}})
    await cluster.run_until(4000)
    wanted = [(27.0, 2), (50.0, 0), (60.0, 2), (70.0, 0), (82.0, 2)]
    cluster.expect("available pods by instant", reported(cluster, "availableReplicas"), wanted)


@scenario(
    "replicaset/node-clock-ahead-delays-availability",
    must="With a node's clock ahead, a ready pod MUST become available later by as much, and MUST NOT be forgotten; "
    "without minReadySeconds it MUST be available at once.",
    source=(*_AVAILABLE, _SYNC),
    issues=("kubernetes/kubernetes#42295", "kubernetes/kubernetes#44070"),
    features=("minReadySeconds", "clock-skew", "R14"),
)
async def test_node_clock_ahead_delays_availability(cluster: Cluster) -> None:
    cluster.nodes["node-1"].skew = 90.0
    cluster.scheduler.place = lambda _: "node-1"
    await cluster.create(objects.replica_set("web", 2, min_ready_seconds=10), objects.replica_set("plain", 1))
    await cluster.run_until(3)
    cluster.expect("ready", cluster.status()["readyReplicas"], 2)
    cluster.expect("available without minReadySeconds", cluster.status("plain")["availableReplicas"], 1)
    await cluster.run_until(600)
    cluster.expect("available pods by instant", reported(cluster, "availableReplicas"), [(102.0, 2)])


@scenario(
    "replicaset/node-clock-behind-hastens-availability",
    must="With a node's clock behind by more than minReadySeconds, a ready pod MUST be available at once.",
    source=_AVAILABLE,
    issues=("kubernetes/kubernetes#42295", "kubernetes/kubernetes#44070"),
    features=("minReadySeconds", "clock-skew", "R14"),
)
async def test_node_clock_behind_hastens_availability(cluster: Cluster) -> None:
    cluster.nodes["node-1"].skew = -20.0
    cluster.nodes["node-2"].skew = -4.0
    # One pod on each node: the ReplicaSets name theirs.
    for name, node in (("web", "node-1"), ("late", "node-2")):
        template = objects.pod_template(objects.labels_of(name), nodeName=node)
        await cluster.create(objects.replica_set(name, 1, template=template, min_ready_seconds=10))
    await cluster.run_until(60)
    cluster.expect("available on the node 20 s behind", reported(cluster, "availableReplicas"), [(2.0, 1)])
    cluster.expect("available on the node 4 s behind", reported(cluster, "availableReplicas", "late"), [(8.0, 1)])


@scenario(
    "replicaset/ready-since-nobody-knows-when",
    must="A ready pod that does not say since when MUST NOT become available with minReadySeconds; without, it MUST be "
    "available at once.",
    source=_AVAILABLE,
    features=("minReadySeconds", "status"),
)
async def test_ready_since_nobody_knows_when(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(ready_after=None)
    await cluster.create(objects.replica_set("web", 1, min_ready_seconds=10), objects.replica_set("plain", 1))
    await cluster.run_until(20)
    for name in ("web", "plain"):
        (pod,) = cluster.pods(name)
        ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        await cluster.set_status("pods", pod["metadata"]["name"], ready)
    await cluster.run_until(600)
    cluster.expect("ready by instant", reported(cluster, "readyReplicas"), [(20.0, 1)])
    cluster.expect("available by instant", reported(cluster, "availableReplicas"), [])
    cluster.expect("available without minReadySeconds", reported(cluster, "availableReplicas", "plain"), [(20.0, 1)])
