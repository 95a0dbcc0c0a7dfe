"""Deletion races: a ReplicaSet goes while its controller is busy with it, or has not heard of it.

What the controller creates by then is owned by a ReplicaSet that is no more, and goes to the garbage collector.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario

_SYNC = "pkg/controller/replicaset/replica_set.go: syncReplicaSet"


@scenario(
    "replicaset/deletion-unheard-of-leaves-nothing-behind",
    must="While the controller has not heard that its ReplicaSet is gone it MUST replace what the garbage collector "
    "takes, and MUST stop as soon as it has heard; nothing is left in the end.",
    source=(_SYNC, "pkg/controller/replicaset/replica_set.go: deleteRS"),
    issues="kubernetes/kubernetes#54471",
    features=("deletion", "stale-cache", "R15"),
    virtual="has margins of a second",
)
async def test_deletion_unheard_of_leaves_nothing_behind(cluster: Cluster) -> None:
    owner = await cluster.create(objects.deployment("web"))
    await cluster.create(objects.replica_set("web", 2, owner=owner))
    await cluster.settle()
    cluster.garbage_collector.delay = 2
    cluster.network.set_lag("replicasets.apps", 5)
    began = cluster.now
    await cluster.delete("deployments.apps", "web")
    await cluster.settle()
    created = [cluster.at(one) - began for one in cluster.writes("create", "pods") if cluster.at(one) > began]
    cluster.expect("times of the replacements", created, [4.0, 4.0, 6.0, 6.0])
    cluster.expect("pods", cluster.list("pods"), [])
    cluster.expect("pods deleted by the controller", cluster.writes("delete", "pods"), [])


@scenario(
    "replicaset/deleted-while-creates-are-in-flight",
    must="A sync whose ReplicaSet is deleted meanwhile MUST finish its batches; what it created is collected, and "
    "nothing is created after that sync.",
    source="pkg/controller/replicaset/replica_set.go: manageReplicas",
    features=("deletion", "slow-start"),
    virtual="has margins of a second",
)
async def test_deleted_while_creates_are_in_flight(cluster: Cluster) -> None:
    slow = cluster.faults.latency(5, verb="create", resource="pods")
    await cluster.create(objects.replica_set("web", 5))
    await cluster.run_until(2)
    await cluster.delete("replicasets.apps", "web")
    await cluster.settle()
    created = [cluster.at(one) for one in cluster.writes("create", "pods")]
    cluster.expect("times of the creates", created, [5.0, 10.0, 10.0, 15.0, 15.0])
    cluster.expect("requests", slow.hits, 5)
    status = [(one.code, cluster.at(one)) for one in cluster.writes("update", "replicasets.apps")]
    cluster.expect("attempts at the status", status, [(404, 15.0)])
    cluster.expect("pods", cluster.list("pods"), [])


@scenario(
    "replicaset/deleted-while-deletes-are-in-flight",
    must="A scale-down during which the ReplicaSet is deleted MUST ask for each pod once; pods that are gone by then "
    "are no failure.",
    source="pkg/controller/replicaset/replica_set.go: manageReplicas",
    features=("deletion", "scale-down"),
)
async def test_deleted_while_deletes_are_in_flight(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 4))
    await cluster.run_until(60)
    cluster.faults.latency(5, verb="delete", resource="pods")
    await cluster.scale("web", 1)
    await cluster.run_until(62)
    await cluster.delete("replicasets.apps", "web")
    await cluster.settle()
    deletes = [(one.code, cluster.at(one)) for one in cluster.writes("delete", "pods")]
    cluster.expect("deletes", deletes, [(404, 65.0)] * 3)
    cluster.expect("pods", cluster.list("pods"), [])
    cluster.expect("failures told", [one for one in cluster.events() if one["reason"] == "FailedDelete"], [])
