"""Failed adoptions: the API server judges the patch, by the pod as it is now.

Unless the pod is gone, a refusal ends the sync before anything is created, and the controller tries again.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario

_CLAIM = "pkg/controller/controller_ref_manager.go: ClaimObject"


@scenario(
    "replicaset/adoption-refused-for-second-controller",
    must="An adoption that the API server refuses because the pod has a controller by now (422) MUST be tried again "
    "with a back-off that doubles from 5 ms, and no pod be created meanwhile.",
    source=(_CLAIM, "pkg/controller/replicaset/replica_set.go: processNextWorkItem"),
    features=("adoption", "back-off"),
)
async def test_adoption_refused_for_second_controller(cluster: Cluster) -> None:
    other = await cluster.create(objects.deployment("other"))
    await cluster.create(objects.pod("orphan", objects.labels_of("web")))
    await cluster.run_until(10)
    cluster.network.hold("pods")
    reference = objects.controller_reference(other)
    await cluster.patch("pods", "orphan", {"metadata": {"ownerReferences": [reference]}})
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(11)
    cluster.network.release("pods")
    await cluster.settle()
    patches = cluster.writes("patch", "pods")
    cluster.expect("answers", {(write.code, write.reason) for write in patches}, {(422, "Invalid")})
    times = [round(cluster.at(write) - 10, 3) for write in patches]
    cluster.expect("times of the attempts", times, [0.0, 0.005, 0.015, 0.035, 0.075, 0.155, 0.315, 0.635])
    created = [round(cluster.at(write) - 10, 3) for write in cluster.writes("create", "pods")]
    cluster.expect("time of the create", created, [1.275])
    cluster.expect("the pod's owners", cluster.get("pods", "orphan")["metadata"]["ownerReferences"], [reference])


@scenario(
    "replicaset/adoption-conflict-is-retried",
    must="An adoption that is answered 409 Conflict MUST end the sync without creates or a status, and be tried again "
    "after 5 ms.",
    source=(_CLAIM, "pkg/controller/replicaset/replica_set.go: syncReplicaSet"),
    features=("adoption", "back-off"),
)
async def test_adoption_conflict_is_retried(cluster: Cluster) -> None:
    await cluster.create(objects.pod("contended", objects.labels_of("web")))
    await cluster.run_until(10)
    cluster.faults.error(409, verb="patch", resource="pods")
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run(1)
    done = [(one.verb, one.code, cluster.at(one)) for one in cluster.writes(None, "pods")]
    wanted = [("patch", 409, 10.0), ("patch", 200, 10.005), ("create", 201, 10.005)]
    cluster.expect("what was done", done, wanted)
    cluster.expect("first status", cluster.at(cluster.writes("update", "replicasets.apps")[0]), 10.005)


@scenario(
    "replicaset/failed-adoption-does-not-stop-others",
    must="When one of two adoptions fails, the other MUST be made in the same sync, and no pod be created before both "
    "have succeeded.",
    source="pkg/controller/controller_ref_manager.go: ClaimPods",
    features=("adoption", "back-off"),
)
async def test_failed_adoption_does_not_stop_others(cluster: Cluster) -> None:
    # Two and no more: the order of adoptions is open, and with a third one so is what the next sync has seen of them.
    for name in ("contended", "free"):
        await cluster.create(objects.pod(name, objects.labels_of("web")))
    await cluster.run_until(10)
    cluster.faults.error(500, verb="patch", resource="pods", name="contended")
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run(60)
    free = [(one.code, cluster.at(one)) for one in cluster.writes("patch", "pods") if one.name == "free"]
    cluster.expect("the other adoption", free, [(200, 10.0)])
    # The adoption of the other wakes the ReplicaSet up, so that it does not wait for its back-off.
    tries = [(one.code, cluster.at(one)) for one in cluster.writes("patch", "pods") if one.name == "contended"]
    cluster.expect("attempts at the contended pod", tries, [(500, 10.0), (200, 10.0)])
    done = [one.verb for one in cluster.writes(None, "pods")]
    cluster.expect("creates, and the last request", (done.count("create"), done[-1]), (1, "create"))


@scenario(
    "replicaset/adoption-of-vanished-pod-is-ignored",
    must="An adoption that is answered 404 MUST NOT fail the sync: the pod does not count, and another is created.",
    source=(_CLAIM, "pkg/controller/replicaset/replica_set.go: syncReplicaSet"),
    features=("adoption",),
)
async def test_adoption_of_vanished_pod_is_ignored(cluster: Cluster) -> None:
    await cluster.create(objects.pod("orphan", objects.labels_of("web")))
    await cluster.run_until(10)
    cluster.network.hold("pods")
    await cluster.delete("pods", "orphan", gracePeriodSeconds=0)
    await cluster.create(objects.replica_set("web", 2))
    done = [(one.verb, one.code, cluster.at(one)) for one in cluster.writes(None, "pods")]
    cluster.expect("what was done", done[:3], [("patch", 404, 10.0), ("create", 201, 10.0), ("create", 201, 10.0)])
    cluster.network.release("pods")
    await cluster.settle()
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 2)
    cluster.expect("pods deleted", cluster.writes("delete", "pods"), [])
    cluster.expect("status.readyReplicas", cluster.status()["readyReplicas"], 2)
