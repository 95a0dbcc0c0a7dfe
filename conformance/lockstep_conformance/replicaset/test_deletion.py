"""Deletion: once a ReplicaSet is being deleted its pods belong to the garbage collector.

The controller neither creates nor deletes pods for it, whichever propagation policy was chosen, and only keeps its
status true while it is still there.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import controller_name

_SYNC = "pkg/controller/replicaset/replica_set.go: syncReplicaSet"
_KEEP = {"finalizers": ["example.com/keep"]}


@scenario(
    "replicaset/deleted-replicaset-leaves-pods-alone",
    must="A ReplicaSet that is being deleted MUST NOT replace pods that go, nor delete pods when scaled down, but MUST "
    "keep its status true.",
    source=_SYNC,
    features=("deletion", "finalizers"),
)
async def test_deleted_replicaset_leaves_pods_alone(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 4, metadata=_KEEP))
    await cluster.settle()
    await cluster.delete("replicasets.apps", "web", propagationPolicy="Background")
    began = cluster.now
    await cluster.delete("pods", cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"])
    await cluster.settle()
    cluster.expect("status.replicas", cluster.status()["replicas"], 3)
    await cluster.patch("replicasets.apps", "web", {"spec": {"replicas": 1}})
    await cluster.settle()
    cluster.expect("pods of web", len(cluster.pods("web")), 3)
    since = [one for one in cluster.writes() if cluster.at(one) >= began and one.resource != "replicasets.apps"]
    cluster.expect("writes other than the status", since, [])
    observed = cluster.status()["observedGeneration"]
    cluster.expect("generation seen", observed, cluster.get("replicasets.apps", "web")["metadata"]["generation"])
    await cluster.patch("replicasets.apps", "web", {"metadata": {"finalizers": None}})
    await cluster.settle()
    cluster.expect("pods at the end", cluster.pods(), [])


@scenario(
    "replicaset/background-deletion-is-left-to-the-collector",
    must="After a background deletion the controller MUST NOT write anything: the garbage collector takes the pods.",
    source="pkg/controller/replicaset/replica_set.go: deleteRS",
    features=("deletion",),
)
async def test_background_deletion_is_left_to_the_collector(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    before = len(cluster.writes())
    await cluster.delete("replicasets.apps", "web", propagationPolicy="Background")
    cluster.expect("web", cluster.find("replicasets.apps", "web"), None)
    await cluster.settle()
    cluster.expect("pods", cluster.list("pods"), [])
    cluster.expect("writes of the controller", len(cluster.writes()) - before, 0)


@scenario(
    "replicaset/foreground-deletion-counts-pods-down",
    must="During a foreground deletion the controller MUST NOT replace the pods that the garbage collector deletes, "
    "and MUST count them down in the status until the ReplicaSet goes with the last of them.",
    source=(_SYNC, "pkg/controller/replicaset/replica_set_utils.go: calculateStatus"),
    features=("deletion", "status"),
)
async def test_foreground_deletion_counts_pods_down(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(60)
    await cluster.delete("replicasets.apps", "web", propagationPolicy="Foreground")
    await cluster.run_until(60.5)
    status = cluster.status()
    counts = [status.get(field) for field in ("replicas", "readyReplicas")]
    cluster.expect("replicas, ready", counts, [0, None])
    await cluster.run_until(61.5)
    cluster.expect("web", cluster.find("replicasets.apps", "web"), None)
    await cluster.settle()
    since = {(one.verb, one.resource, one.subresource) for one in cluster.writes() if cluster.at(one) > 30}
    cluster.expect("what the controller wrote", since, {("update", "replicasets.apps", "status")})


@scenario(
    "replicaset/orphaned-pods-find-a-new-owner",
    must="Pods of a ReplicaSet that was deleted with orphaning MUST stay, and MUST be adopted, not replaced, by one of "
    "the same name and selector that is created later.",
    source=("pkg/controller/controller_ref_manager.go: ClaimObject", _SYNC),
    features=("deletion", "adoption", "recreation"),
)
async def test_orphaned_pods_find_a_new_owner(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    names = [pod["metadata"]["name"] for pod in cluster.pods("web")]
    before = len(cluster.writes())
    await cluster.delete("replicasets.apps", "web", propagationPolicy="Orphan")
    await cluster.settle()
    cluster.expect("web", cluster.find("replicasets.apps", "web"), None)
    cluster.expect("owners", [controller_name(pod) for pod in cluster.pods()], [None] * 3)
    cluster.expect("pods written to", [one.verb for one in cluster.writes()[before:] if one.resource == "pods"], [])
    new = await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    done = sorted((one.verb, one.name) for one in cluster.writes()[before:] if one.resource == "pods")
    cluster.expect("what was done", done, sorted(("patch", name) for name in names))
    uids = {pod["metadata"]["ownerReferences"][0]["uid"] for pod in cluster.pods("web")}
    cluster.expect("owners' uids", uids, {new["metadata"]["uid"]})


@scenario(
    "replicaset/namesake-does-not-inherit-pods",
    must="A ReplicaSet MUST NOT count, adopt or delete the pods of a deleted one of its name, even while the garbage "
    "collector leaves them lying.",
    source="pkg/controller/replicaset/replica_set.go: resolveControllerRef",
    features=("deletion", "recreation", "garbage-collection"),
)
async def test_namesake_does_not_inherit_pods(cluster: Cluster) -> None:
    cluster.garbage_collector.enabled = False
    await cluster.create(objects.replica_set("web", 2))
    await cluster.settle()
    old = [pod["metadata"]["name"] for pod in cluster.pods("web")]
    await cluster.delete("replicasets.apps", "web")
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    cluster.expect("pods created", len(cluster.writes("create", "pods", 201)), 5)
    cluster.expect("status.replicas", cluster.status()["replicas"], 3)
    await cluster.scale("web", 1)
    await cluster.settle()
    cluster.expect("active pods", len(cluster.pods()), 3)
    touched = [one.name for verb in ("patch", "delete") for one in cluster.writes(verb, "pods")]
    cluster.expect("old pods touched", [name for name in touched if name in old], [])
    cluster.garbage_collector.enabled = True
    await cluster.settle()
    cluster.expect("pods at the end", len(cluster.pods()), 1)
    cluster.expect("pods created at all", len(cluster.writes("create", "pods", 201)), 5)


@scenario(
    "replicaset/recreated-replicaset-starts-clean",
    must="A ReplicaSet that takes the name of a deleted one MUST get its pods at once, even if the creates of the old "
    "one were never observed.",
    source="pkg/controller/replicaset/replica_set.go: updateRS, deleteRS",
    issues="kubernetes/kubernetes#69376",
    features=("deletion", "recreation", "expectations", "R3"),
)
async def test_recreated_replicaset_starts_clean(cluster: Cluster) -> None:
    cluster.garbage_collector.delay = 10
    cluster.network.set_lag("pods", 30)
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(5)
    async with cluster.batch():
        await cluster.delete("replicasets.apps", "web")
        await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(6)
    created = [cluster.at(one) for one in cluster.writes("create", "pods", 201)]
    cluster.expect("times of the creates", created, [0.0] * 3 + [5.0] * 2)
    await cluster.settle(calm=60)
    cluster.expect("pods of web", len(cluster.pods("web")), 2)
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 5)
    cluster.expect("status.readyReplicas", cluster.status()["readyReplicas"], 2)
