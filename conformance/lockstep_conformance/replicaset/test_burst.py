"""Bursts: one sync creates or deletes at most `burstReplicas` pods, so that no ReplicaSet keeps a worker for ever.

What is left is for the next sync, which does not act before the cache shows what this one did.
"""

from __future__ import annotations

from itertools import pairwise

from lockstep import Cluster, Options, objects, scenario
from lockstep_conformance.replicaset.steps import by_instant

_MANAGE = "pkg/controller/replicaset/replica_set.go: manageReplicas"


@scenario(
    "replicaset/burst-limits-creates",
    must="One sync MUST create at most burstReplicas pods; the next MUST NOT begin before those are observed.",
    source=_MANAGE,
    features=("burst", "scale-up"),
    options=Options(burst_replicas=3),
)
async def test_burst_limits_creates(cluster: Cluster) -> None:
    cluster.network.set_lag("pods", 2.0)
    await cluster.create(objects.replica_set("web", 7))
    cluster.expect("creates of the first sync", len(cluster.writes("create", "pods")), 3)
    await cluster.settle()
    creates = by_instant(cluster, "create")
    cluster.expect("creates by sync", sorted(creates.values(), reverse=True), [3, 3, 1])
    instants = sorted(creates)
    gaps = [later - earlier for earlier, later in pairwise(instants)]
    cluster.expect_true(f"syncs wait for the watch: {gaps}", all(gap >= 2.0 for gap in gaps))
    cluster.expect("pods of web", len(cluster.pods("web")), 7)


@scenario(
    "replicaset/burst-limits-deletes",
    must="One sync MUST delete at most burstReplicas pods; the next MUST NOT begin before those are observed.",
    source=_MANAGE,
    features=("burst", "scale-down"),
    options=Options(burst_replicas=3),
)
async def test_burst_limits_deletes(cluster: Cluster) -> None:
    cluster.scheduler.place = lambda _: "node-1"  # no pod is better placed than another
    await cluster.create(objects.replica_set("web", 8))
    await cluster.settle()
    cluster.network.set_lag("pods", 2.0)
    began = cluster.now
    await cluster.scale("web", 0)
    cluster.expect("deletes of the first sync", len(cluster.writes("delete", "pods")), 3)
    await cluster.settle()
    deletes = by_instant(cluster, "delete")
    cluster.expect("deletes by instant", deletes, {began: 3, began + 2: 3, began + 4: 2})
    cluster.expect("pods of web", cluster.pods("web", terminating=True), [])


@scenario(
    "replicaset/burst-of-500-creates-and-deletes",
    must="With the controller manager's own setting one sync MUST create, and one MUST delete, at most 500 pods.",
    source="pkg/controller/replicaset/replica_set.go: BurstReplicas",
    features=("burst", "scale-up", "scale-down"),
    virtual="waits for 500 pods no longer than simulated kubelets need in memory",
)
async def test_burst_of_500_creates_and_deletes(cluster: Cluster) -> None:
    cluster.network.hold("pods")
    await cluster.create(objects.replica_set("web", 502))
    cluster.expect("creates of the first sync", len(cluster.writes("create", "pods", 201)), 500)
    cluster.network.release("pods")
    await cluster.eventually("502 pods are ready", lambda: cluster.status().get("readyReplicas") == 502, within=60)
    cluster.expect("creates", len(cluster.writes("create", "pods", 201)), 502)
    cluster.network.hold("pods")
    await cluster.scale("web", 0)
    cluster.expect("deletes of the first sync", len(cluster.writes("delete", "pods", 200)), 500)
    cluster.network.release("pods")
    await cluster.settle()
    cluster.expect("deletes", len(cluster.writes("delete", "pods")), 502)
    cluster.expect("pods in the end", cluster.pods("web", terminating=True), [])
