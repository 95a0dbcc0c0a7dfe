"""Release: a ReplicaSet lets go of its pods that its selector no longer matches, and replaces them.

The releasing patch names the pod's uid, so that it never hits a new pod of the same name. A pod that is gone, or is
another one by now, needs no release.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import controller_name

_CLAIM = "pkg/controller/controller_ref_manager.go: ClaimObject"
_RELEASE = "pkg/controller/controller_ref_manager.go: ReleasePod"
_RELABEL = {"metadata": {"labels": {"app": "debug"}}}


@scenario(
    "replicaset/releases-relabelled-pod",
    must="A pod whose labels leave the selector MUST be released by a patch, left running, and replaced at once.",
    source=_RELEASE,
    features=("release",),
)
async def test_releases_relabelled_pod(cluster: Cluster) -> None:
    web = await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(60)
    pod = cluster.kubelet.pick(cluster.pods("web"))
    name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
    await cluster.patch("pods", name, _RELABEL)
    done = [one for one in cluster.writes(None, "pods") if cluster.at(one) > 0]
    cluster.expect("what was done", [(one.verb, cluster.at(one)) for one in done], [("patch", 60.0), ("create", 60.0)])
    reference = {"$patch": "delete", "uid": web["metadata"]["uid"]}
    cluster.expect("the patch", done[0].body, {"metadata": {"uid": uid, "ownerReferences": [reference]}})
    await cluster.settle()
    cluster.expect("its owners", cluster.get("pods", name)["metadata"].get("ownerReferences"), None)
    cluster.expect("its phase", cluster.get("pods", name)["status"]["phase"], "Running")
    cluster.expect("pods of web", len(cluster.pods("web")), 3)
    cluster.expect("status.replicas", cluster.status()["replicas"], 3)
    cluster.expect("pods deleted", len(cluster.writes("delete", "pods")), 0)


@scenario(
    "replicaset/release-keeps-other-owners",
    must="A release MUST take away the ReplicaSet's own reference only.",
    source=_RELEASE,
    features=("release",),
)
async def test_release_keeps_other_owners(cluster: Cluster) -> None:
    other = await cluster.create(objects.deployment("other"))
    web = await cluster.create(objects.replica_set("web", 1))
    name = cluster.pods("web")[0]["metadata"]["name"]
    reference = objects.controller_reference(other)
    del reference["controller"], reference["blockOwnerDeletion"]
    owners = [objects.controller_reference(web), reference]
    await cluster.patch("pods", name, {"metadata": {"ownerReferences": owners}})
    await cluster.patch("pods", name, _RELABEL)
    cluster.expect("its owners", cluster.get("pods", name)["metadata"]["ownerReferences"], [reference])
    cluster.expect("releases", len(cluster.writes("patch", "pods", 200)), 1)


@scenario(
    "replicaset/releases-nothing-while-deleted",
    must="A ReplicaSet that is being deleted MUST NOT release pods that leave its selector.",
    source=_CLAIM,
    features=("release", "deletion"),
)
async def test_releases_nothing_while_deleted(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2, metadata={"finalizers": ["example.com/keep"]}))
    await cluster.settle()
    await cluster.delete("replicasets.apps", "web", propagationPolicy="Background")
    name = cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"]
    await cluster.patch("pods", name, _RELABEL)
    await cluster.run(60)
    cluster.expect("its owner", controller_name(cluster.get("pods", name)), "web")
    cluster.expect("writes about pods", [one.verb for one in cluster.writes(None, "pods")], ["create", "create"])
    cluster.expect("status.replicas", cluster.status()["replicas"], 1)


@scenario(
    "replicaset/release-of-vanished-pod-is-ignored",
    must="A release that is answered 404 MUST count as done: no second attempt, and the replacement in the same sync.",
    source=_RELEASE,
    features=("release",),
)
async def test_release_of_vanished_pod_is_ignored(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(60)
    name = cluster.pods("web")[0]["metadata"]["name"]
    cluster.faults.latency(5, verb="patch", resource="pods", times=1)
    await cluster.patch("pods", name, _RELABEL)
    await cluster.run_until(62)
    await cluster.delete("pods", name, gracePeriodSeconds=0)
    await cluster.run_until(70)
    done = [(one.verb, one.code, cluster.at(one)) for one in cluster.writes(None, "pods") if cluster.at(one) > 0]
    cluster.expect("what was done", done, [("patch", 404, 65.0), ("create", 201, 65.0)])


@scenario(
    "replicaset/release-of-namesake-is-ignored",
    must="A release that is answered 422, as the name belongs to another pod by now, MUST count as done, and MUST "
    "leave that other pod alone.",
    source=_RELEASE,
    features=("release",),
)
async def test_release_of_namesake_is_ignored(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(60)
    name = cluster.pods("web")[0]["metadata"]["name"]
    cluster.faults.latency(5, verb="patch", resource="pods", times=1)
    await cluster.patch("pods", name, _RELABEL)
    await cluster.run_until(62)
    async with cluster.batch():
        await cluster.delete("pods", name, gracePeriodSeconds=0)
        namesake = await cluster.create(objects.pod(name, {"app": "other"}))
    await cluster.run_until(70)
    done = [(one.verb, one.code, cluster.at(one)) for one in cluster.writes(None, "pods") if cluster.at(one) > 0]
    cluster.expect("what was done", done, [("patch", 422, 65.0), ("create", 201, 65.0)])
    cluster.expect("the namesake", cluster.get("pods", name)["metadata"]["uid"], namesake["metadata"]["uid"])


@scenario(
    "replicaset/needless-releases-do-not-stop-the-sync",
    must="Releases that are answered 404 and 422 MUST NOT end the sync: the replacements come in the same one.",
    source=_RELEASE,
    features=("release",),
)
async def test_needless_releases_do_not_stop_the_sync(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(60)
    first, second = (cluster.kubelet.pick(cluster.pods("web"), k)["metadata"]["name"] for k in (0, 1))
    cluster.faults.error(404, verb="patch", resource="pods", name=first)
    cluster.faults.error(422, verb="patch", resource="pods", name=second)
    async with cluster.batch():
        for name in (first, second):
            await cluster.patch("pods", name, _RELABEL)
    await cluster.run(1)
    done = [(one.verb, one.code, cluster.at(one)) for one in cluster.writes(None, "pods") if cluster.at(one) > 0]
    cluster.expect("the releases", sorted(done[:2]), [("patch", 404, 60.0), ("patch", 422, 60.0)])
    cluster.expect("what comes next", done[2:4], [("create", 201, 60.0)] * 2)
    cluster.expect("releases when it looks again", done[4:], [("patch", 200, 60.0)] * 2)


@scenario(
    "replicaset/failed-release-is-retried",
    must="A release that fails for any other reason MUST end the sync without creates, and be tried again after 5 ms, "
    "10 ms and so on.",
    source=(_RELEASE, "pkg/controller/replicaset/replica_set.go: processNextWorkItem"),
    features=("release", "back-off"),
)
async def test_failed_release_is_retried(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(60)
    name = cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"]
    cluster.faults.error(500, verb="patch", resource="pods")
    cluster.faults.error(409, verb="patch", resource="pods")
    await cluster.patch("pods", name, _RELABEL)
    await cluster.run(1)
    done = [(one.verb, one.code, cluster.at(one)) for one in cluster.writes(None, "pods") if cluster.at(one) > 0]
    wanted = [("patch", 500, 60.0), ("patch", 409, 60.005), ("patch", 200, 60.015), ("create", 201, 60.015)]
    cluster.expect("what was done", done, wanted)


@scenario(
    "replicaset/deletes-pod-orphaned-behind-its-back",
    must="A scale-down whose cache has not heard that a pod was taken out of the ReplicaSet deletes it all the same: "
    "the delete MUST carry no precondition. (Upstream's behaviour; a change to it is under discussion.)",
    source="pkg/controller/controller_utils.go: DeletePod",
    issues="kubernetes/kubernetes#138818",
    features=("release", "scale-down", "R6"),
)
async def test_deletes_pod_orphaned_behind_its_back(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    name = cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"]
    cost = {"controller.kubernetes.io/pod-deletion-cost": "-1"}
    await cluster.patch("pods", name, {"metadata": {"annotations": cost}})
    cluster.network.set_lag("pods", 5)
    await cluster.patch("pods", name, {"metadata": {"ownerReferences": None, "labels": {"app": "debug"}}})
    await cluster.scale("web", 2)
    deletes = cluster.writes("delete", "pods")
    cluster.expect("deleted pods", [(write.name, write.code) for write in deletes], [(name, 200)])
    cluster.expect("its owner when deleted", controller_name(deletes[0].before or {}), None)
    cluster.expect("preconditions", (deletes[0].body or {}).get("preconditions"), None)
    await cluster.settle()
    cluster.expect("the pod", cluster.find("pods", name), None)
    cluster.expect("pods of web", len(cluster.pods("web")), 2)
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 3)
