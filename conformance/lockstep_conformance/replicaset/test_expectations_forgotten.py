"""Expectations that can no longer be met: their owner is gone, or what they wait for came and went unseen.

They end with their ReplicaSet, so that a namesake starts clean. Else they end after five minutes, but nobody looks at
the clock: it takes an event, or a resync of the informer, to act upon it.
"""

from __future__ import annotations

from lockstep import Cluster, Options, objects, scenario
from lockstep_conformance.replicaset.steps import by_instant, touch

_UTILS = "pkg/controller/controller_utils.go"
_RS = "pkg/controller/replicaset/replica_set.go"


async def _create_unseen(cluster: Cluster) -> None:
    """Two pods are created and are gone again before the controller's cache has seen any of it; it lists at 5 s."""
    cluster.network.hold("pods")
    await cluster.create(objects.replica_set("web", 2))
    async with cluster.batch():
        for pod in cluster.pods("web"):
            await cluster.delete("pods", pod["metadata"]["name"], gracePeriodSeconds=0)
    cluster.network.held.discard("pods")
    await cluster.expire_watch("pods", relist_at=5)


@scenario(
    "replicaset/unseen-creates-wait-for-a-wake-up",
    must="Creates that will never be observed MUST block the ReplicaSet for five minutes only; the first sync after "
    "that makes the pods again.",
    source=f"{_UTILS}: SatisfiedExpectations",
    issues="kubernetes/kubernetes#129795",
    features=("expectations", "relist", "expiry", "R2"),
)
async def test_unseen_creates_wait_for_a_wake_up(cluster: Cluster) -> None:
    await _create_unseen(cluster)
    await cluster.run_until(100)
    await touch(cluster, "web")
    cluster.expect("pods while the creates are expected", cluster.pods("web"), [])
    await cluster.run_until(300)
    await touch(cluster, "web")
    cluster.expect("pods after exactly five minutes", cluster.pods("web"), [])
    await cluster.run_until(900)
    cluster.expect("pods while nothing wakes the controller", cluster.pods("web"), [])
    await touch(cluster, "web")
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 2, 900.0: 2})
    await cluster.settle()
    cluster.expect("ready", cluster.status()["readyReplicas"], 2)


@scenario(
    "replicaset/unseen-creates-end-with-a-resync",
    must="With a resync of the informers, pods MUST come back at the first resync after five minutes.",
    source=(f"{_UTILS}: SatisfiedExpectations", "client-go/tools/cache/shared_informer.go"),
    issues="kubernetes/kubernetes#129795",
    features=("expectations", "resync", "expiry", "R2"),
    options=Options(resync=60.0),
)
async def test_unseen_creates_end_with_a_resync(cluster: Cluster) -> None:
    await _create_unseen(cluster)
    await cluster.eventually("pods are there again", lambda: len(cluster.pods("web")) == 2, within=400)
    again = max(by_instant(cluster, "create"))
    cluster.expect_true(f"first resync after five minutes, not {again}", 300 < again <= 360)
    await cluster.settle(calm=120)
    cluster.expect("creates", sorted(by_instant(cluster, "create").values()), [2, 2])


@scenario(
    "replicaset/recreated-namesake-starts-clean",
    must="A ReplicaSet that is deleted and created again under its name MUST NOT wait for what the old one expected.",
    source=f"{_RS}: deleteRS",
    issues=("kubernetes/kubernetes#69376", "kubernetes/kubernetes#82572"),
    features=("expectations", "recreated", "R3"),
)
async def test_recreated_namesake_starts_clean(cluster: Cluster) -> None:
    cluster.network.hold("pods")
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(10)
    async with cluster.batch():
        await cluster.delete("replicasets", "web", propagationPolicy="Background")
        await cluster.create(objects.replica_set("web", 3))
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 2, 10.0: 3})
    await cluster.run_until(20)
    cluster.network.release("pods")
    await cluster.settle()
    cluster.expect("pods of the new ReplicaSet", len(cluster.pods("web")), 3)
    cluster.expect("creates in all", len(cluster.writes("create", "pods")), 5)
    cluster.expect("deletes by the controller", cluster.writes("delete", "pods"), [])


@scenario(
    "replicaset/recreated-namesake-in-a-relist-starts-clean",
    must="A namesake that shows up in a new list, as an update with another uid, MUST start clean as well.",
    source=f"{_RS}: updateRS",
    issues=("kubernetes/kubernetes#69376", "kubernetes/kubernetes#82572"),
    features=("expectations", "recreated", "relist", "R3"),
)
async def test_recreated_namesake_in_a_relist_starts_clean(cluster: Cluster) -> None:
    cluster.network.hold("pods")
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(10)
    cluster.network.hold("replicasets.apps")
    async with cluster.batch():
        await cluster.delete("replicasets", "web", propagationPolicy="Background")
        await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(20)
    cluster.expect("creates before the new list", by_instant(cluster, "create"), {0.0: 2})
    cluster.network.held.discard("replicasets.apps")
    await cluster.expire_watch("replicasets.apps", relist_at=30)
    await cluster.run_until(31)
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 2, 30.0: 3})
    cluster.network.release("pods")
    await cluster.settle()
    cluster.expect("pods of the new ReplicaSet", len(cluster.pods("web")), 3)


@scenario(
    "replicaset/growing-lag-never-overshoots",
    must="However far the pod cache falls behind, edits of spec.replicas MUST lead to exactly as many creates, and "
    "then deletes, as they ask for.",
    source=(f"{_UTILS}: SatisfiedExpectations", "pkg/controller/util/consistency/consistency.go"),
    issues="kubernetes/kubernetes#130767",
    features=("expectations", "watch-lag", "R21"),
)
async def test_growing_lag_never_overshoots(cluster: Cluster) -> None:
    cluster.scheduler.place = lambda _: "node-1"  # no pod is better placed than another
    await cluster.create(objects.replica_set("web", 1))
    for step in range(1, 9):
        cluster.network.set_lag("pods", 0.7 * step)
        await cluster.scale("web", 1 + 2 * step)
        await cluster.run(1)
    await cluster.settle(calm=30)
    created = sum(by_instant(cluster, "create").values())
    cluster.expect(
        "pods, creates, deletes", (len(cluster.pods("web")), created, by_instant(cluster, "delete")), (17, 17, {})
    )
    for step in range(1, 9):
        cluster.network.set_lag("pods", 6.0 + step)
        await cluster.scale("web", 17 - 2 * step)
        await cluster.run(1)
    await cluster.settle(calm=60)
    cluster.expect("pods, creates", (len(cluster.pods("web")), len(cluster.writes("create", "pods"))), (1, 17))
    cluster.expect("deletes", sum(by_instant(cluster, "delete").values()), 16)
