"""Adoption: a ReplicaSet takes over the pods that its selector matches and that nobody controls.

The adopting patch names the pod's uid and adds one owner reference; whatever else the pod has stays as it is. Adopted
pods count like created ones: where there are too many, the surplus is deleted.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario

_CLAIM = "pkg/controller/controller_ref_manager.go: ClaimObject"
_ADOPT = "pkg/controller/controller_ref_manager.go: AdoptPod"
_COST = "controller.kubernetes.io/pod-deletion-cost"


def _adopting_patch(pod: dict[str, Any], owner: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"uid": pod["metadata"]["uid"], "ownerReferences": [objects.controller_reference(owner)]}}


@scenario(
    "replicaset/adopts-matching-orphan",
    must="A ReplicaSet MUST adopt a matching pod that nobody controls, by one patch, instead of creating one.",
    source=_ADOPT,
    features=("adoption",),
)
async def test_adopts_matching_orphan(cluster: Cluster) -> None:
    orphan = await cluster.create(objects.pod("orphan", objects.labels_of("web")))
    await cluster.run(10)
    web = await cluster.create(objects.replica_set("web", 1))
    patches = cluster.writes("patch", "pods")
    cluster.expect("adopting patches", [write.body for write in patches], [_adopting_patch(orphan, web)])
    cluster.expect("time of the adoption", [cluster.at(write) for write in patches], [10.0])
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 0)
    cluster.expect("status.replicas", cluster.status()["replicas"], 1)
    cluster.expect("status.readyReplicas", cluster.status()["readyReplicas"], 1)
    await cluster.settle()
    cluster.expect("writes about pods", len(cluster.writes(None, "pods")), 1)


@scenario(
    "replicaset/adoption-keeps-other-owners",
    must="Adoption MUST leave the pod's other, non-controlling owners, its labels and its annotations alone.",
    source=_ADOPT,
    features=("adoption",),
)
async def test_adoption_keeps_other_owners(cluster: Cluster) -> None:
    other = await cluster.create(objects.deployment("other"))
    reference = objects.controller_reference(other)
    del reference["controller"], reference["blockOwnerDeletion"]
    labels = {**objects.labels_of("web"), "extra": "yes"}
    metadata = {"ownerReferences": [reference], "annotations": {"note": "mine"}, "finalizers": ["example.com/keep"]}
    await cluster.create(objects.pod("orphan", labels, metadata=metadata))
    web = await cluster.create(objects.replica_set("web", 1))
    meta = cluster.get("pods", "orphan")["metadata"]
    owners = sorted(meta["ownerReferences"], key=lambda one: one["kind"])
    cluster.expect("owners", owners, [reference, objects.controller_reference(web)])
    cluster.expect("labels", meta["labels"], labels)
    cluster.expect("annotations", meta["annotations"], {"note": "mine"})
    cluster.expect("finalizers", meta["finalizers"], ["example.com/keep"])
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 0)


@scenario(
    "replicaset/adopts-and-creates-the-rest",
    must="A ReplicaSet that adopts fewer pods than it wants MUST create exactly the rest.",
    source=_CLAIM,
    features=("adoption",),
)
async def test_adopts_and_creates_the_rest(cluster: Cluster) -> None:
    for name in ("one", "two"):
        await cluster.create(objects.pod(name, objects.labels_of("web")))
    await cluster.create(objects.replica_set("web", 5))
    cluster.expect("adoptions", sorted(one.name for one in cluster.writes("patch", "pods", 200)), ["one", "two"])
    cluster.expect("pods created", len(cluster.writes("create", "pods", 201)), 3)
    await cluster.settle()
    cluster.expect("ready pods", cluster.ready("web"), 5)
    cluster.expect("writes about pods", len(cluster.writes(None, "pods")), 5)


@scenario(
    "replicaset/deletes-surplus-orphans",
    must="A ReplicaSet MUST adopt all matching orphans and then delete as many as exceed spec.replicas.",
    source=_CLAIM,
    features=("adoption", "scale-down"),
)
async def test_deletes_surplus_orphans(cluster: Cluster) -> None:
    for cost in range(5):
        metadata = {"annotations": {_COST: str(cost)}}
        await cluster.create(objects.pod(f"orphan-{cost}", objects.labels_of("web"), metadata=metadata))
    await cluster.run(10)
    await cluster.create(objects.replica_set("web", 2))
    cluster.expect("adoptions", len(cluster.writes("patch", "pods", 200)), 5)
    deleted = sorted(write.name for write in cluster.writes("delete", "pods"))
    cluster.expect("deleted pods", deleted, ["orphan-0", "orphan-1", "orphan-2"])
    await cluster.settle()
    kept = [pod["metadata"]["name"] for pod in cluster.pods("web")]
    cluster.expect("pods of web", kept, ["orphan-3", "orphan-4"])
    cluster.expect("status.replicas", cluster.status()["replicas"], 2)
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 0)


@scenario(
    "replicaset/adopts-foreign-pod-and-deletes-it",
    must="A plain pod whose labels match a full ReplicaSet MUST be adopted; being one too many and not yet bound, it "
    "MUST then be the one that is deleted.",
    source=("pkg/controller/replicaset/replica_set.go: addPod", _CLAIM),
    issues="kubernetes/kubernetes#88550",
    features=("adoption", "R4"),
)
async def test_adopts_foreign_pod_and_deletes_it(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.settle()
    began = cluster.now
    own = [pod["metadata"]["name"] for pod in cluster.pods("web")]
    await cluster.create(objects.pod("foreign", objects.labels_of("web")))
    touched = [(one.verb, one.name, cluster.at(one)) for one in cluster.writes(None, "pods") if cluster.at(one) > 0]
    cluster.expect("what was done", touched, [("patch", "foreign", began), ("delete", "foreign", began)])
    await cluster.settle()
    cluster.expect("pods of web", [pod["metadata"]["name"] for pod in cluster.pods("web")], own)
    cluster.expect("the foreign pod", cluster.find("pods", "foreign"), None)


@scenario(
    "replicaset/readopts-stripped-pod",
    must="A pod whose owner reference is removed MUST be adopted again at once, and MUST NOT be replaced.",
    source="pkg/controller/replicaset/replica_set.go: updatePod",
    issues="kubernetes/kubernetes#32829",
    features=("adoption", "R5"),
)
async def test_readopts_stripped_pod(cluster: Cluster) -> None:
    web = await cluster.create(objects.replica_set("web", 2))
    await cluster.settle()
    began = cluster.now
    pod = cluster.kubelet.pick(cluster.pods("web"))
    await cluster.patch("pods", pod["metadata"]["name"], {"metadata": {"ownerReferences": None}})
    patches = cluster.writes("patch", "pods")
    cluster.expect("adopting patches", [write.body for write in patches], [_adopting_patch(pod, web)])
    cluster.expect("time of the adoption", [cluster.at(write) for write in patches], [began])
    await cluster.settle()
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 2)
    cluster.expect("pods deleted", len(cluster.writes("delete", "pods")), 0)
    cluster.expect("status.replicas", cluster.status()["replicas"], 2)


@scenario(
    "replicaset/adopts-orphan-that-starts-to-match",
    must="An orphan whose labels change so that a ReplicaSet selects it MUST be adopted by that ReplicaSet at once.",
    source="pkg/controller/replicaset/replica_set.go: updatePod",
    features=("adoption",),
)
async def test_adopts_orphan_that_starts_to_match(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 1))
    cheap = {"annotations": {_COST: "-1"}}  # so that it is the surplus
    await cluster.create(objects.pod("late", {"app": "none"}, metadata=cheap))
    await cluster.run(60)
    cluster.expect("adoptions before", len(cluster.writes("patch", "pods")), 0)
    await cluster.patch("pods", "late", {"metadata": {"labels": objects.labels_of("web")}})
    patches = cluster.writes("patch", "pods", 200)
    cluster.expect("adoptions", [(write.name, cluster.at(write)) for write in patches], [("late", 60.0)])
    deletes = [(write.name, cluster.at(write)) for write in cluster.writes("delete", "pods", 200)]
    cluster.expect("deletes", deletes, [("late", 60.0)])


@scenario(
    "replicaset/adopts-pod-that-its-controller-lets-go",
    must="A matching pod that a controller of another kind lets go MUST be adopted at once.",
    source="pkg/controller/replicaset/replica_set.go: updatePod",
    issues="kubernetes/kubernetes#32829",
    features=("adoption", "R5"),
)
async def test_adopts_pod_that_its_controller_lets_go(cluster: Cluster) -> None:
    other = await cluster.create(objects.deployment("other"))
    cheap = {"annotations": {_COST: "-1"}}  # so that it is the surplus
    await cluster.create(objects.pod("theirs", objects.labels_of("web"), owner=other, metadata=cheap))
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(60)
    cluster.expect("adoptions before", cluster.writes("patch", "pods"), [])
    await cluster.patch("pods", "theirs", {"metadata": {"ownerReferences": None}})
    patches = cluster.writes("patch", "pods", 200)
    cluster.expect("adoptions", [(write.name, cluster.at(write)) for write in patches], [("theirs", 60.0)])
    deletes = [(write.name, cluster.at(write)) for write in cluster.writes("delete", "pods", 200)]
    cluster.expect("deletes", deletes, [("theirs", 60.0)])
