"""Expectations: after creating or deleting pods a controller waits until it has seen that in its cache.

Acting twice on one stale picture would create or delete twice. Creates are counted, deletes are known by name, and both
are given up after five minutes. Since 1.36 the cache must also have reached the versions of the controller's own
writes, so that a create is waited for however long it takes.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.replicaset.steps import by_instant, delete_first, touch

_UTILS = "pkg/controller/controller_utils.go"
_RS = "pkg/controller/replicaset/replica_set.go"


@scenario(
    "replicaset/creates-are-awaited-under-watch-lag",
    must="While creates have not been observed, no further pod MUST be created, whatever happens to the ReplicaSet.",
    source=f"{_UTILS}: SatisfiedExpectations",
    features=("expectations", "watch-lag"),
)
async def test_creates_are_awaited_under_watch_lag(cluster: Cluster) -> None:
    cluster.network.set_lag("pods", 30.0)
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(5)
    await touch(cluster, "web")
    await cluster.run_until(10)
    await cluster.scale("web", 5)
    await cluster.run_until(29.999)
    cluster.expect("pods before the first are seen", len(cluster.pods("web")), 3)
    await cluster.settle()
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 3, 30.0: 2})
    cluster.expect("deletes", by_instant(cluster, "delete"), {})


@scenario(
    "replicaset/expectations-expire-after-five-minutes",
    must="Expectations that are not met MUST hold the controller back for five minutes, and no longer.",
    source=f"{_UTILS}: ExpectationsTimeout, isExpired",
    issues="kubernetes/kubernetes#129795",
    features=("expectations", "expiry", "scale-down", "R1"),
)
async def test_expectations_expire_after_five_minutes(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    chosen = await delete_first(cluster, "web")
    cluster.network.hold("pods")
    began = cluster.now
    await cluster.scale("web", 2)
    await cluster.run_until(began + 300)
    await touch(cluster, "web")  # exactly five minutes old: not expired
    await cluster.run(0.001)
    cluster.expect("deletes in five minutes", by_instant(cluster, "delete"), {began: 1})
    await touch(cluster, "web")
    # The stale cache still holds three pods, so the ranking chooses the one that is long gone.
    deletes = [(one.name, one.code, round(cluster.at(one) - began, 3)) for one in cluster.writes("delete", "pods")]
    cluster.expect("deletes", deletes, [(chosen, 200, 0.0), (chosen, 404, 300.001)])
    cluster.network.release("pods")
    await cluster.settle()
    cluster.expect("pods of web", len(cluster.pods("web")), 2)
    cluster.expect("creates", len(cluster.writes("create", "pods")), 3)


@scenario(
    "replicaset/expired-creates-are-not-repeated",
    must="A pod cache that is more than five minutes behind MUST NOT make the controller create pods a second time.",
    source=("pkg/controller/util/consistency/consistency.go: EnsureReady", f"{_RS}: syncReplicaSet"),
    issues="kubernetes/kubernetes#129795",
    features=("expectations", "expiry", "stale-cache", "consistency", "R1"),
)
async def test_expired_creates_are_not_repeated(cluster: Cluster) -> None:
    cluster.network.hold("pods")
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(301)
    await touch(cluster, "web")
    await cluster.run_until(1000)
    await cluster.scale("web", 3)
    await cluster.run_until(1200)
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 2})
    cluster.network.release("pods")
    await cluster.settle()
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 2, 1200.0: 1})
    cluster.expect("pods of web", len(cluster.pods("web")), 3)


@scenario(
    "replicaset/failed-creates-are-not-expected",
    must="A create that failed, or was skipped, MUST NOT be waited for.",
    source=f"{_RS}: manageReplicas",
    issues=("kubernetes/kubernetes#41675", "kubernetes/kubernetes#22134"),
    features=("expectations", "failed-create", "watch-lag", "R20"),
)
async def test_failed_creates_are_not_expected(cluster: Cluster) -> None:
    cluster.network.set_lag("pods", 120.0)
    # Creates 1 | 2 3 | 4-7 | 8-15: the tenth fails, so 14 pods are made and 45 creates are skipped.
    cluster.faults.error(500, verb="create", resource="pods", skip=9, times=1)
    await cluster.create(objects.replica_set("web", 60))
    await cluster.run_until(119)
    cluster.expect("pods before the first are seen", len(cluster.pods("web")), 14)
    await cluster.settle()
    cluster.expect("created by instant", by_instant(cluster, "create", 201), {0.0: 14, 120.0: 46})
    cluster.expect("deletes", by_instant(cluster, "delete"), {})
