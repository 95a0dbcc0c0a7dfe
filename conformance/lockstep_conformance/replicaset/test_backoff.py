"""Back-off: a failed sync is tried again after 5 ms, 10 ms, 20 ms ... up to 1000 s, until one succeeds.

The waits are those of the work queue, per ReplicaSet; a success forgets them. An event about the ReplicaSet or its pods
makes for a sync at once, and neither shortens nor lengthens the next wait.
"""

from __future__ import annotations

from itertools import pairwise

from lockstep import Cluster, Fault, objects, scenario
from lockstep_conformance.replicaset.steps import by_instant, status_writes

_WORKER = "pkg/controller/replicaset/replica_set.go: processNextWorkItem"
_LIMITER = "client-go/util/workqueue/default_rate_limiters.go: DefaultTypedControllerRateLimiter"


def _attempts(cluster: Cluster) -> list[float]:
    """When the status was written: a ReplicaSet of no replicas has nothing else to do. Two attempts make a sync."""
    return sorted({round(cluster.at(write), 6) for write in status_writes(cluster)})


def _refuse_status(cluster: Cluster, times: int | None) -> Fault:
    """Answer so many updates of a ReplicaSet's status with 500."""
    return cluster.faults.error(500, times=times, verb="update", resource="replicasets.apps", subresource="status")


@scenario(
    "replicaset/failed-syncs-back-off-exponentially",
    must="A failed sync MUST be tried again after 5 ms, and each further one after twice that time.",
    source=(_WORKER, _LIMITER),
    features=("backoff",),
)
async def test_failed_syncs_back_off_exponentially(cluster: Cluster) -> None:
    _refuse_status(cluster, None)
    await cluster.create(objects.replica_set("web", 0))
    await cluster.run_until(3)
    wanted = [0.0, 0.005, 0.015, 0.035, 0.075, 0.155, 0.315, 0.635, 1.275, 2.555]
    cluster.expect("syncs", _attempts(cluster), wanted)
    cluster.expect("attempts to write the status", len(status_writes(cluster)), 2 * len(wanted))


@scenario(
    "replicaset/back-off-is-capped",
    must="The wait before a failed sync is tried again MUST NOT exceed 1000 s.",
    source=_LIMITER,
    issues="kubernetes/kubernetes#98656",
    features=("backoff", "R9"),
)
async def test_back_off_is_capped(cluster: Cluster) -> None:
    outage = _refuse_status(cluster, None)
    await cluster.create(objects.replica_set("web", 0))
    await cluster.run_until(5000)
    waits = [round(later - earlier, 3) for earlier, later in pairwise(_attempts(cluster))]
    cluster.expect("last waits", waits[-5:], [327.68, 655.36, 1000.0, 1000.0, 1000.0])
    outage.stop()
    await cluster.run(1000)
    cluster.expect("observedGeneration", cluster.status().get("observedGeneration"), 1)


@scenario(
    "replicaset/success-forgets-the-back-off",
    must="After a sync that succeeded, the next failure MUST be tried again after 5 ms.",
    source=_WORKER,
    features=("backoff",),
)
async def test_success_forgets_the_back_off(cluster: Cluster) -> None:
    _refuse_status(cluster, 12)  # six syncs
    await cluster.create(objects.replica_set("web", 0))
    await cluster.run_until(10)
    cluster.expect("syncs that wrote", _attempts(cluster), [0.0, 0.005, 0.015, 0.035, 0.075, 0.155, 0.315])
    _refuse_status(cluster, 4)  # two syncs
    template = objects.pod_template(objects.labels_of("web"), metadata={"annotations": {"version": "2"}})
    await cluster.patch("replicasets", "web", {"spec": {"template": template}})
    await cluster.run_until(20)
    cluster.expect("syncs that wrote after the success", _attempts(cluster)[7:], [10.0, 10.005, 10.015])


@scenario(
    "replicaset/events-do-not-change-the-back-off",
    must="An event during a back-off MUST lead to a sync at once, and the sync that waits MUST still come.",
    source=("client-go/util/workqueue/delaying_queue.go: insert", _WORKER),
    features=("backoff",),
)
async def test_events_do_not_change_the_back_off(cluster: Cluster) -> None:
    _refuse_status(cluster, None)
    await cluster.create(objects.replica_set("web", 0))
    await cluster.run_until(3)  # the next sync is due at 5.115 s
    await cluster.patch("replicasets", "web", {"metadata": {"annotations": {"note": "wake up"}}})
    await cluster.run_until(30)
    # The failure at 3 s counts, but its own wait of 5.12 s gives way to the earlier one; the next is twice as long.
    cluster.expect("syncs since then", _attempts(cluster)[10:], [3.0, 5.115, 15.355])


@scenario(
    "replicaset/other-replica-sets-do-not-wait",
    must="The back-off of one ReplicaSet MUST NOT hold up another.",
    source=_LIMITER,
    features=("backoff",),
)
async def test_other_replica_sets_do_not_wait(cluster: Cluster) -> None:
    cluster.faults.error(500, times=None, verb="update", resource="replicasets.apps", subresource="status", name="web")
    await cluster.create(objects.replica_set("web", 0))
    await cluster.run_until(100)
    await cluster.create(objects.replica_set("api", 2))
    cluster.expect("creates by instant", by_instant(cluster, "create"), {100.0: 2})
    await cluster.settle()
    cluster.expect("ready pods of api", cluster.status("api")["readyReplicas"], 2)
