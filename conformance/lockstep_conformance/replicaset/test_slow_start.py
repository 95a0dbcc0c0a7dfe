"""Slow start: pods are created in batches of 1, 2, 4, 8 ..., and a batch with a failure is the last of its sync.

So a ReplicaSet that cannot get its pods, for instance because a quota is used up, wastes few requests and few events on
it. What was skipped is not lost: the failed sync is queued again, and starts over with a batch of one.
"""

from __future__ import annotations

from lockstep import Cluster, Options, objects, scenario
from lockstep_conformance.replicaset.steps import by_instant

_SLOW_START = "pkg/controller/replicaset/replica_set.go: slowStartBatch"


@scenario(
    "replicaset/slow-start-doubles-batches",
    must="Pods MUST be created in batches of 1, 2, 4, 8 ..., each begun when the one before it has been answered.",
    source=_SLOW_START,
    features=("slow-start",),
)
async def test_slow_start_doubles_batches(cluster: Cluster) -> None:
    cluster.faults.latency(1.0, verb="create", resource="pods")
    await cluster.create(objects.replica_set("web", 20))
    await cluster.settle()
    cluster.expect("creates by second", by_instant(cluster, "create"), {1.0: 1, 2.0: 2, 3.0: 4, 4.0: 8, 5.0: 5})
    cluster.expect("pods of web", len(cluster.pods("web")), 20)


@scenario(
    "replicaset/slow-start-ends-with-the-burst",
    must="Batches MUST add up to the burst and no more; the next sync starts again with a batch of one.",
    source=_SLOW_START,
    features=("slow-start", "burst"),
    options=Options(burst_replicas=6),
)
async def test_slow_start_ends_with_the_burst(cluster: Cluster) -> None:
    cluster.faults.latency(1.0, verb="create", resource="pods")
    await cluster.create(objects.replica_set("web", 9))
    await cluster.settle()
    cluster.expect("creates by second", by_instant(cluster, "create"), {1.0: 1, 2.0: 2, 3.0: 3, 4.0: 1, 5.0: 2})


@scenario(
    "replicaset/slow-start-stops-after-a-failing-batch",
    must="After a batch in which a create failed the remaining batches MUST be skipped; the other creates of that "
    "batch stand, and what is missing is created by later syncs, again beginning with one.",
    source=_SLOW_START,
    features=("slow-start", "failed-create"),
)
async def test_slow_start_stops_after_a_failing_batch(cluster: Cluster) -> None:
    # Creates 1 | 2 3 | 4 5 6 7: the fifth fails, after its second like all others.
    failing = cluster.faults.error(500, verb="create", resource="pods", skip=4, times=1, delay=1.0)
    cluster.faults.latency(1.0, verb="create", resource="pods")
    await cluster.create(objects.replica_set("web", 20))
    await cluster.run_until(3.5)
    cluster.expect("creates that failed", failing.hits, 1)
    cluster.expect("pods after the failing batch", len(cluster.pods("web")), 6)
    condition = cluster.status()["conditions"][0]
    cluster.expect("condition", (condition["type"], condition["reason"]), ("ReplicaFailure", "FailedCreate"))
    await cluster.settle()
    wanted = {1.0: 1, 2.0: 2, 3.0: 3, 4.0: 1, 5.0: 2, 6.0: 4, 7.0: 7}
    cluster.expect("pods created by second", by_instant(cluster, "create", 201), wanted)
    cluster.expect("conditions in the end", cluster.status().get("conditions", []), [])


@scenario(
    "replicaset/slow-start-retries-everything-later",
    must="While every create fails, each sync MUST make one attempt only; when creates work again, all pods MUST come.",
    source=_SLOW_START,
    features=("slow-start", "failed-create", "backoff"),
)
async def test_slow_start_retries_everything_later(cluster: Cluster) -> None:
    outage = cluster.faults.error(500, verb="create", resource="pods", times=None)
    await cluster.create(objects.replica_set("web", 30))
    await cluster.run_until(1)
    # The first failure is told in the status, and that change wakes the controller at once, before its back-off ends.
    wanted = {0.0: 2, 0.005: 1, 0.025: 1, 0.065: 1, 0.145: 1, 0.305: 1, 0.625: 1}
    cluster.expect("attempts in the first second", by_instant(cluster, "create", 500), wanted)
    cluster.expect("pods during the outage", len(cluster.pods("web")), 0)
    outage.stop()
    await cluster.settle()
    cluster.expect("pods after the outage", len(cluster.pods("web")), 30)
    cluster.expect("creates by instant", list(by_instant(cluster, "create", 201).values()), [30])


@scenario(
    "replicaset/quota-does-not-cause-a-create-storm",
    must="With room for 5 of 500 pods, a ReplicaSet MUST NOT make more than one request too many in a sync, nor flood "
    "the events.",
    source=_SLOW_START,
    issues="kubernetes/kubernetes#49145",
    features=("slow-start", "quota", "R8"),
)
async def test_quota_does_not_cause_a_create_storm(cluster: Cluster) -> None:
    cluster.scheduler.delay = 3600.0  # nothing happens to the pods that could wake the controller
    await cluster.create(objects.resource_quota("small", {"pods": "5"}))
    await cluster.create(objects.replica_set("web", 500))
    await cluster.run_until(0.004)
    cluster.expect("pods", len(cluster.pods("web")), 5)
    # The first sync makes batches of 1, 2 and 4; events about its own pods and status bring a few syncs of one attempt.
    first = len(cluster.writes("create", "pods", 403))
    cluster.expect_true(f"a few are refused in the first instant, not {first}", 2 <= first <= 6)
    await cluster.run_until(600)
    cluster.expect("pods", len(cluster.pods("web")), 5)
    cluster.expect("created", len(cluster.writes("create", "pods", 201)), 5)
    refused = cluster.writes("create", "pods", 403)
    cluster.expect_true(f"few are refused in ten minutes, not {len(refused)}", len(refused) <= 20)
    events = [*cluster.writes("create", "events"), *cluster.writes("patch", "events")]
    cluster.expect_true(f"few events in ten minutes, not {len(events)}", len(events) <= 25)
