"""Candidates for adoption: active pods of the ReplicaSet's namespace that nobody controls, and no others."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import controller_name

_CLAIM = "pkg/controller/controller_ref_manager.go: ClaimObject"


@scenario(
    "replicaset/never-takes-an-owned-pod",
    must="A ReplicaSet MUST NOT adopt, count or delete a matching pod that has another controller.",
    source=_CLAIM,
    features=("adoption",),
)
async def test_never_takes_an_owned_pod(cluster: Cluster) -> None:
    other = await cluster.create(objects.deployment("other"))
    await cluster.create(objects.pod("theirs", objects.labels_of("web"), owner=other))
    await cluster.create(objects.replica_set("web", 1))
    cluster.expect("pods created", len(cluster.writes("create", "pods", 201)), 1)
    await cluster.settle()
    cluster.expect("status.replicas", cluster.status()["replicas"], 1)
    await cluster.scale("web", 0)
    await cluster.settle()
    cluster.expect("writes about it", [one.verb for one in cluster.writes(None, "pods") if one.name == "theirs"], [])
    cluster.expect("its owner", controller_name(cluster.get("pods", "theirs")), "other")
    cluster.expect("pods left", [pod["metadata"]["name"] for pod in cluster.pods()], ["theirs"])


@scenario(
    "replicaset/adopts-only-in-its-namespace",
    must="A ReplicaSet MUST NOT adopt pods of another namespace.",
    source=_CLAIM,
    features=("adoption", "namespaces"),
)
async def test_adopts_only_in_its_namespace(cluster: Cluster) -> None:
    await cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    await cluster.create(objects.pod("elsewhere", objects.labels_of("web"), metadata={"namespace": "team"}))
    await cluster.create(objects.pod("here", objects.labels_of("web")))
    await cluster.create(objects.replica_set("web", 2))
    await cluster.settle()
    cluster.expect(
        "adopted", [(one.namespace, one.name) for one in cluster.writes("patch", "pods")], [("default", "here")]
    )
    cluster.expect("pods created", len(cluster.writes("create", "pods", 201)), 1)
    cluster.expect("its owner", controller_name(cluster.get("pods", "elsewhere", "team")), None)


@scenario(
    "replicaset/ignores-terminating-and-finished-orphans",
    must="A ReplicaSet MUST NOT adopt, count or delete orphans that are being deleted, have succeeded or have failed.",
    source=("pkg/controller/controller_utils.go: FilterActivePods", _CLAIM),
    features=("adoption",),
)
async def test_ignores_terminating_and_finished_orphans(cluster: Cluster) -> None:
    for name in ("terminating", "succeeded", "failed"):
        await cluster.create(objects.pod(name, objects.labels_of("web"), metadata={"finalizers": ["example.com/keep"]}))
    await cluster.run(10)
    cluster.kubelet.succeed(cluster.get("pods", "succeeded"))
    cluster.kubelet.fail(cluster.get("pods", "failed"))
    await cluster.delete("pods", "terminating")
    await cluster.create(objects.replica_set("web", 1))
    await cluster.settle()
    cluster.expect("writes about pods", [write.verb for write in cluster.writes(None, "pods")], ["create"])
    cluster.expect("status.replicas", cluster.status()["replicas"], 1)
    cluster.expect("status.terminatingReplicas", cluster.status().get("terminatingReplicas", 0), 0)


@scenario(
    "replicaset/overlapping-selectors-do-not-steal",
    must="Of two ReplicaSets with the same selector, the later MUST NOT take, count or delete the pods of the earlier, "
    "whether those were created or adopted.",
    source=_CLAIM,
    features=("adoption", "overlap"),
)
async def test_overlapping_selectors_do_not_steal(cluster: Cluster) -> None:
    labels = {"app": "shared"}
    await cluster.create(objects.pod("orphan", labels))
    await cluster.create(objects.replica_set("first", 2, labels=labels))
    await cluster.settle()
    await cluster.create(objects.replica_set("second", 2, labels=labels))
    await cluster.settle()
    cluster.expect("adoptions", [write.name for write in cluster.writes("patch", "pods")], ["orphan"])
    cluster.expect("the orphan's owner", controller_name(cluster.get("pods", "orphan")), "first")
    counts = [len(cluster.pods(name)) for name in ("first", "second")]
    cluster.expect("pods of first and second", counts, [2, 2])
    cluster.expect("status.replicas of second", cluster.status("second")["replicas"], 2)
    await cluster.scale("second", 0)
    await cluster.settle()
    deleted = [write.before for write in cluster.writes("delete", "pods")]
    cluster.expect("owners of deleted pods", [controller_name(pod or {}) for pod in deleted], ["second", "second"])
    cluster.expect("pods of first", len(cluster.pods("first")), 2)
