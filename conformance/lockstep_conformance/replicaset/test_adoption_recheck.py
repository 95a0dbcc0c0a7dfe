"""Rechecking before adoption: one sync reads its ReplicaSet afresh once, and the answer holds for all its adoptions."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import controller_name


@scenario(
    "replicaset/rechecks-once-per-sync",
    must="A sync MUST read its ReplicaSet afresh before its first adoption and not again before the others.",
    source="pkg/controller/controller_ref_manager.go: BaseControllerRefManager.CanAdopt",
    features=("adoption", "deletion"),
    virtual="has margins of half a second",
)
async def test_rechecks_once_per_sync(cluster: Cluster) -> None:
    async with cluster.batch():
        await cluster.create(*(objects.pod(name, objects.labels_of("web")) for name in ("one", "two", "three")))
    reads = cluster.faults.latency(1, verb="get", resource="replicasets.apps")
    cluster.faults.latency(5, verb="patch", resource="pods", times=1)
    await cluster.create(objects.replica_set("web", 3, metadata={"finalizers": ["example.com/keep"]}))
    await cluster.run_until(3)
    await cluster.delete("replicasets.apps", "web")  # while the first adoption is under way
    await cluster.run_until(5.5)
    cluster.expect("reads of web", reads.hits, 1)
    cluster.expect("adoptions so far", cluster.writes("patch", "pods"), [])
    await cluster.settle()
    adoptions = [cluster.at(write) for write in cluster.writes("patch", "pods", 200)]
    cluster.expect("times of the adoptions", adoptions, [6.0, 6.0, 6.0])
    cluster.expect("owners", [controller_name(pod) for pod in cluster.pods()], ["web"] * 3)
