"""Owners: a pod belongs to the ReplicaSet that its controller reference names by kind, name and uid, all three.

The same reference ties ReplicaSets to a Deployment; pods of such relatives count when a scale-down looks for crowded
nodes.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import controller_name
from lockstep.world import nowhere

_RESOLVE = "pkg/controller/replicaset/replica_set.go: resolveControllerRef"
_RELATED = "pkg/controller/replicaset/replica_set.go: getIndirectlyRelatedPods"


async def _crowd(cluster: Cluster, *, old_owner: Any, new_owner: Any) -> tuple[str, str]:
    """`old` has a pod on each of two nodes, that on node-2 ready for longer; `new` has one more on node-2.

    Returns the names of the pods of `old` on node-1 and on node-2.
    """
    nodes = iter(("node-1", "node-2", "node-2"))
    cluster.scheduler.place = lambda _: next(nodes)
    old_labels, new_labels = ({"app": "web", "version": version} for version in ("old", "new"))
    await cluster.create(objects.replica_set("old", 2, labels=old_labels, owner=old_owner))
    await cluster.settle()
    await cluster.create(objects.replica_set("new", 1, labels=new_labels, owner=new_owner))
    await cluster.run_until(1000)
    alone, crowded = sorted(cluster.pods("old"), key=lambda pod: str(pod["spec"]["nodeName"]))
    cluster.kubelet.set_ready(alone, False)
    await cluster.run(1)
    cluster.kubelet.set_ready(cluster.get("pods", alone["metadata"]["name"]), True)
    await cluster.run(1)
    return alone["metadata"]["name"], crowded["metadata"]["name"]


@scenario(
    "replicaset/pods-of-one-deployment-are-related",
    must="A scale-down MUST prefer the pod whose node holds more pods of ReplicaSets with the same controller, over "
    "one that has been ready for less time.",
    source=_RELATED,
    features=("owners", "scale-down", "ranking"),
)
async def test_pods_of_one_deployment_are_related(cluster: Cluster) -> None:
    owner = await cluster.create(objects.deployment("web"))
    _, crowded = await _crowd(cluster, old_owner=owner, new_owner=owner)
    await cluster.scale("old", 1)
    cluster.expect("deleted", [one.name for one in cluster.writes("delete", "pods")], [crowded])


@scenario(
    "replicaset/pods-of-two-deployments-are-not-related",
    must="Pods of ReplicaSets with another controller MUST NOT count as neighbours in a scale-down.",
    source=_RELATED,
    features=("owners", "scale-down", "ranking"),
)
async def test_pods_of_two_deployments_are_not_related(cluster: Cluster) -> None:
    one = await cluster.create(objects.deployment("one"))
    other = await cluster.create(objects.deployment("other"))
    alone, _ = await _crowd(cluster, old_owner=one, new_owner=other)
    await cluster.scale("old", 1)
    cluster.expect("deleted", [one.name for one in cluster.writes("delete", "pods")], [alone])


@scenario(
    "replicaset/no-controller-means-no-neighbours",
    must="In a ReplicaSet without a controller no pod MUST count as a neighbour of another, not even its own.",
    source=_RELATED,
    features=("owners", "scale-down", "ranking"),
)
async def test_no_controller_means_no_neighbours(cluster: Cluster) -> None:
    nodes = iter(("node-1", "node-2", "node-2"))
    cluster.scheduler.place = lambda _: next(nodes)
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(1000)
    alone = next(pod for pod in cluster.pods("web") if pod["spec"]["nodeName"] == "node-1")
    cluster.kubelet.set_ready(alone, False)
    await cluster.run(1)
    cluster.kubelet.set_ready(cluster.get("pods", alone["metadata"]["name"]), True)
    await cluster.run(1)
    await cluster.scale("web", 2)
    deleted = [one.name for one in cluster.writes("delete", "pods")]
    cluster.expect("deleted", deleted, [alone["metadata"]["name"]])


@scenario(
    "replicaset/controller-of-another-kind-is-ignored",
    must="A pod whose controller has the ReplicaSet's name but another kind MUST NOT be counted, adopted or deleted, "
    "and its appearance MUST NOT pass for a create of the ReplicaSet.",
    source=_RESOLVE,
    features=("owners", "expectations"),
)
async def test_controller_of_another_kind_is_ignored(cluster: Cluster) -> None:
    other = await cluster.create(objects.deployment("web"))
    cluster.network.hold("pods")
    await cluster.create(objects.replica_set("web", 1))
    await cluster.create(objects.pod("theirs", objects.labels_of("web"), owner=other))
    cluster.network.release("pods")
    await cluster.settle()
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 1)
    cluster.expect("status.replicas", cluster.status()["replicas"], 1)
    before = len(cluster.writes())
    await cluster.delete("pods", "theirs")
    await cluster.settle()
    cluster.expect("writes after its deletion", len(cluster.writes()) - before, 0)


@scenario(
    "replicaset/reference-with-another-uid-is-ignored",
    must="A pod whose controller reference has the ReplicaSet's kind and name but another uid MUST NOT be counted, "
    "adopted or deleted.",
    source=(_RESOLVE, "pkg/controller/controller_utils.go: FilterPodsByOwner"),
    features=("owners", "garbage-collection"),
)
async def test_reference_with_another_uid_is_ignored(cluster: Cluster) -> None:
    cluster.garbage_collector.enabled = False
    web = await cluster.create(objects.replica_set("web", 1))
    await cluster.settle()
    forged = {**objects.controller_reference(web), "uid": "11111111-2222-4333-8444-555555555555"}
    metadata = {"ownerReferences": [forged]}
    await cluster.create(objects.pod("forged", objects.labels_of("web"), metadata=metadata))
    await cluster.settle()
    cluster.expect("status.replicas", cluster.status()["replicas"], 1)
    await cluster.scale("web", 0)
    await cluster.settle()
    deletes = [controller_name(one.before or {}) for one in cluster.writes("delete", "pods")]
    cluster.expect("owners of deleted pods", deletes, ["web"])
    cluster.expect("pods left", [pod["metadata"]["name"] for pod in cluster.pods()], ["forged"])
    cluster.expect("status.replicas at the end", cluster.status()["replicas"], 0)


@scenario(
    "replicaset/reference-with-another-name-is-ignored",
    must="A pod whose controller reference has the ReplicaSet's uid but another name MUST NOT be counted or deleted. "
    "(Since 1.34; before that the uid alone decided.)",
    source="pkg/controller/controller_utils.go: FilterPodsByOwner, PodControllerIndexKey",
    features=("owners", "garbage-collection"),
)
async def test_reference_with_another_name_is_ignored(cluster: Cluster) -> None:
    cluster.garbage_collector.enabled = False
    web = await cluster.create(objects.replica_set("web", 1))
    await cluster.settle()
    misnamed = {**objects.controller_reference(web), "name": "wob"}
    metadata = {"ownerReferences": [misnamed]}
    cluster.scheduler.place = nowhere
    await cluster.create(objects.pod("misnamed", objects.labels_of("web"), metadata=metadata))
    await cluster.settle()
    cluster.expect("status.replicas", cluster.status()["replicas"], 1)
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 1)
    await cluster.scale("web", 0)
    await cluster.settle()
    cluster.expect("pods left", [pod["metadata"]["name"] for pod in cluster.pods()], ["misnamed"])
