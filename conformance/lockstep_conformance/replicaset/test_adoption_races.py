"""Adoption races: what a ReplicaSet knows of itself may be out of date when it adopts.

Before its first adoption in a sync the controller reads the ReplicaSet afresh, past its cache, and adopts nothing if
that is being deleted, is gone, or has become another one of the same name.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import controller_name

_RECHECK = "pkg/controller/controller_ref_manager.go: RecheckDeletionTimestamp"
_CLAIM_PODS = "pkg/controller/replicaset/replica_set.go: claimPods"


@scenario(
    "replicaset/does-not-readopt-what-is-being-orphaned",
    must="A ReplicaSet whose deletion its controller has not heard of MUST NOT adopt back the pods that the garbage "
    "collector orphans.",
    source=(_RECHECK, _CLAIM_PODS),
    issues="kubernetes/kubernetes#42639",
    features=("adoption", "deletion", "R16"),
)
async def test_does_not_readopt_what_is_being_orphaned(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3, metadata={"finalizers": ["example.com/keep"]}))
    await cluster.settle()
    before = len(cluster.writes())
    cluster.network.hold("replicasets.apps")
    await cluster.delete("replicasets.apps", "web", propagationPolicy="Orphan")
    await cluster.run(60)
    cluster.expect_true("web is still there", cluster.get("replicasets.apps", "web")["metadata"]["deletionTimestamp"])
    cluster.expect("writes of the controller", len(cluster.writes()) - before, 0)
    cluster.expect("owners", [controller_name(pod) for pod in cluster.pods()], [None] * 3)
    cluster.network.release("replicasets.apps")
    await cluster.settle()
    cluster.expect("owners afterwards", [controller_name(pod) for pod in cluster.pods()], [None] * 3)
    written = [(one.resource, one.subresource) for one in cluster.writes()[before:]]
    cluster.expect("what it wrote since", written, [("replicasets.apps", "status")])
    cluster.expect("status.replicas", cluster.status()["replicas"], 0)


@scenario(
    "replicaset/cancels-adoption-once-deleted",
    must="A ReplicaSet that is gone when it is read afresh MUST NOT adopt; its orphan stays an orphan.",
    source=(_RECHECK, _CLAIM_PODS),
    issues="coreos/etcd-operator#334",
    features=("adoption", "deletion", "R17"),
)
async def test_cancels_adoption_once_deleted(cluster: Cluster) -> None:
    await cluster.create(objects.pod("orphan", objects.labels_of("web")))
    recheck = cluster.faults.latency(8, verb="get", resource="replicasets.apps", times=1)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(2)
    await cluster.delete("replicasets.apps", "web")
    await cluster.settle()
    cluster.expect("reads of web", recheck.hits, 1)
    cluster.expect("writes of the controller", cluster.writes(), [])
    cluster.expect("the orphan's owner", controller_name(cluster.get("pods", "orphan")), None)


@scenario(
    "replicaset/adoption-by-the-dead-is-collected",
    must="A ReplicaSet that is deleted between its last reading and the adoption MUST still send the patch, and the "
    "garbage collector then takes the pod.",
    source=("pkg/controller/controller_ref_manager.go: AdoptPod", _CLAIM_PODS),
    issues=("coreos/etcd-operator#334", "kubernetes/kubernetes#88550"),
    features=("adoption", "deletion", "R4", "R17"),
)
async def test_adoption_by_the_dead_is_collected(cluster: Cluster) -> None:
    await cluster.create(objects.pod("orphan", objects.labels_of("web")))
    cluster.faults.latency(5, effect_first=True, verb="get", resource="replicasets.apps", times=1)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(2)
    await cluster.delete("replicasets.apps", "web")
    await cluster.settle()
    patches = cluster.writes("patch", "pods", 200)
    cluster.expect("adoptions", [(write.name, cluster.at(write)) for write in patches], [("orphan", 5.0)])
    cluster.expect("the pod", cluster.find("pods", "orphan"), None)
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 0)


@scenario(
    "replicaset/namesake-adopts-as-itself",
    must="When another ReplicaSet has taken the name, the sync of the old one MUST adopt nothing, and the new one MUST "
    "adopt with its own uid.",
    source=_CLAIM_PODS,
    issues="kubernetes/kubernetes#42639",
    features=("adoption", "recreation"),
)
async def test_namesake_adopts_as_itself(cluster: Cluster) -> None:
    await cluster.create(objects.pod("orphan", objects.labels_of("web")))
    cluster.faults.latency(8, verb="get", resource="replicasets.apps", times=1)
    old = await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(2)
    async with cluster.batch():
        await cluster.delete("replicasets.apps", "web")
        new = await cluster.create(objects.replica_set("web", 1))
    await cluster.settle()
    cluster.expect_true("the uids differ", old["metadata"]["uid"] != new["metadata"]["uid"])
    patches = cluster.writes("patch", "pods")
    owners = [write.body["metadata"]["ownerReferences"][0]["uid"] for write in patches]
    cluster.expect("adoptions by uid", owners, [new["metadata"]["uid"]])
    cluster.expect("time of the adoption", [cluster.at(write) for write in patches], [8.0])
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 0)
    cluster.expect("status.replicas", cluster.status()["replicas"], 1)
