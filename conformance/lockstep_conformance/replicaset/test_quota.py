"""Quotas: refused creates are told in the status and tried again, for a quota itself wakes no controller.

Room that somebody else frees is found at the next retry, however long the back-off has become. Room that the
ReplicaSet's own pods free is found at once, by the events of those pods.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.replicaset.steps import by_instant, status_writes

_MANAGE = "pkg/controller/replicaset/replica_set.go: manageReplicas"
_STATUS = "pkg/controller/replicaset/replica_set_utils.go: calculateStatus"
_WORKER = "pkg/controller/replicaset/replica_set.go: processNextWorkItem"


async def _full_quota(cluster: Cluster, pods: int) -> None:
    """Room for `pods` pods, one of which is taken by a pod that is nobody's. Pods stay pending."""
    cluster.scheduler.delay = 24 * 3600.0
    await cluster.create(objects.resource_quota("small", {"pods": str(pods)}), objects.pod("guest"))


@scenario(
    "replicaset/exhausted-quota-is-told-in-the-status",
    must="Creates that a quota refuses MUST show as condition ReplicaFailure, and retries MUST NOT write it again.",
    source=_STATUS,
    features=("quota", "conditions"),
)
async def test_exhausted_quota_is_told_in_the_status(cluster: Cluster) -> None:
    await _full_quota(cluster, 3)
    await cluster.create(objects.replica_set("web", 5))
    await cluster.run(0.1)
    status = cluster.status()
    condition = status["conditions"][0]
    told = {key: condition[key] for key in ("type", "status", "reason")}
    cluster.expect("condition", told, {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate"})
    text = "is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3"
    cluster.expect("message", condition["message"].split('" ', 1)[1], text)
    cluster.expect("replicas", status["replicas"], 2)
    written = len(status_writes(cluster))
    await cluster.run_until(600)
    cluster.expect("status writes by ten minutes of retries", len(status_writes(cluster)) - written, 0)
    cluster.expect_true("retries", len(cluster.writes("create", "pods", 403)) > 15)
    cluster.expect("condition", cluster.status()["conditions"], [condition])


@scenario(
    "replicaset/freed-quota-is-found-at-the-next-retry",
    must="Pods that a quota refused MUST be created at the next retry after there is room, within the back-off.",
    source=(_WORKER, "client-go/util/workqueue/default_rate_limiters.go: DefaultTypedControllerRateLimiter"),
    issues="kubernetes/kubernetes#98656",
    features=("quota", "backoff", "R9"),
)
async def test_freed_quota_is_found_at_the_next_retry(cluster: Cluster) -> None:
    await _full_quota(cluster, 1)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(100)
    retries = [round(cluster.at(write), 3) for write in cluster.writes("create", "pods", 403)]
    cluster.expect("last retries", retries[-3:], [20.465, 40.945, 81.905])
    await cluster.delete("pods", "guest", gracePeriodSeconds=0)
    await cluster.run_until(163.8)
    cluster.expect("pods while nothing wakes the controller", len(cluster.pods("web")), 0)
    await cluster.run_until(200)
    # The wait since 81.905 s is 81.92 s: of these the room stood empty for 63.825 s.
    cluster.expect("created by instant", by_instant(cluster, "create", 201), {163.825: 1})
    cluster.expect("conditions", cluster.status().get("conditions", []), [])


@scenario(
    "replicaset/raised-quota-is-found-at-the-next-retry",
    must="A quota that is raised MUST let all missing pods be created at the next retry, in one sync.",
    source=(_WORKER, _MANAGE),
    issues="kubernetes/kubernetes#98656",
    features=("quota", "backoff", "slow-start", "R9"),
)
async def test_raised_quota_is_found_at_the_next_retry(cluster: Cluster) -> None:
    await _full_quota(cluster, 1)
    await cluster.create(objects.replica_set("web", 12))
    await cluster.run_until(10.3)
    await cluster.patch("resourcequotas", "small", {"spec": {"hard": {"pods": "100"}}})
    await cluster.run_until(60)
    cluster.expect("created by instant", by_instant(cluster, "create", 201), {20.465: 12})


@scenario(
    "replicaset/quota-freed-by-own-pods-is-found-at-once",
    must="When a pod of the ReplicaSet itself is gone, its room in the quota MUST be used at once.",
    source="pkg/controller/replicaset/replica_set.go: deletePod",
    features=("quota", "terminating"),
)
async def test_quota_freed_by_own_pods_is_found_at_once(cluster: Cluster) -> None:
    await cluster.create(objects.resource_quota("small", {"pods": "1"}))
    await cluster.create(objects.replica_set("web", 1))
    await cluster.settle()
    began = cluster.now
    await cluster.delete("pods", cluster.pods("web")[0]["metadata"]["name"])
    cluster.expect("pods while the old one ends", len(cluster.pods("web")), 0)
    cluster.expect_true("refused while the old one ends", by_instant(cluster, "create", 403).get(began))
    await cluster.settle()
    cluster.expect("created by instant", by_instant(cluster, "create", 201), {0.0: 1, began + 1: 1})


@scenario(
    "replicaset/replica-sets-compete-for-a-quota",
    must="Of two ReplicaSets that share a quota each MUST take what is left, and MUST get the rest once there is room.",
    source=(_MANAGE, _WORKER),
    issues="kubernetes/kubernetes#98656",
    features=("quota", "backoff", "R9"),
)
async def test_replica_sets_compete_for_a_quota(cluster: Cluster) -> None:
    cluster.scheduler.delay = 24 * 3600.0
    await cluster.create(objects.resource_quota("small", {"pods": "4"}))
    await cluster.create(objects.replica_set("one", 3), objects.replica_set("two", 3))
    await cluster.run_until(60)
    cluster.expect("pods of one, two", (len(cluster.pods("one")), len(cluster.pods("two"))), (3, 1))
    await cluster.scale("one", 1)
    cluster.expect("pods right after", (len(cluster.pods("one")), len(cluster.pods("two"))), (1, 1))
    await cluster.eventually("two has its pods", lambda: len(cluster.pods("two")) == 3, within=82)
    created = [cluster.at(write) for write in cluster.writes("create", "pods", 201)]
    cluster.expect("creates", len(created), 6)
    await cluster.scale("one", 3)
    await cluster.run(600)
    cluster.expect("pods in the end", (len(cluster.pods("one")), len(cluster.pods("two"))), (1, 3))


@scenario(
    "replicaset/stale-reads-lengthen-the-back-off",
    must="Syncs that were put off because the cache is behind count as failures: a refusal that follows MUST be tried "
    "again after the back-off that they have added up to.",
    source=("pkg/controller/util/consistency/consistency.go: EnsureReady", _WORKER),
    issues="kubernetes/kubernetes#98656",
    features=("quota", "backoff", "watch-lag", "stale-cache", "consistency", "R9"),
)
async def test_stale_reads_lengthen_the_back_off(cluster: Cluster) -> None:
    await _full_quota(cluster, 2)
    cluster.network.set_lag("pods", 10.0)
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(10.5)
    cluster.expect("refused by instant", by_instant(cluster, "create", 403), {0.0: 1, 10.0: 2, 10.225: 1})
    await cluster.delete("pods", "guest", gracePeriodSeconds=0)
    await cluster.run_until(100)
    # Ten syncs found the cache behind, three more were refused: the last wait is 5 ms doubled 13 times, 40.96 s.
    cluster.expect("created by instant", by_instant(cluster, "create", 201), {0.0: 1, 51.185: 1})
