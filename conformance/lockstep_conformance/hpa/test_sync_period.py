"""When an HPA is synced: one period after it was first observed, and one period after each sync.

Neither edits nor updates of its own status cause an earlier sync. Here each sync is visible as a status update, since
the value that it reads has always changed meanwhile.
"""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, objects, scenario
from lockstep.metrics import ramp
from lockstep_conformance.hpa.steps import HPAS, condition, messages, scales, status_writes

_QUEUE = "pkg/controller/podautoscaler/horizontal.go: processNextWorkItem, enqueueHPA"
_LIMITER = "pkg/controller/podautoscaler/rate_limiters.go: FixedItemIntervalRateLimiter"
_METRIC = objects.external_metric("demand", value="1000")


async def _rising(cluster: Cluster, at: float = 0.0) -> None:
    """Create an HPA whose metric rises all the time, but never enough to scale."""
    cluster.metrics.external("demand", ramp(0, 100_000, 950, 1050))
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(at)
    await cluster.create(objects.hpa("web", metrics=[_METRIC]))


def _syncs(cluster: Cluster) -> list[float]:
    return [round(cluster.at(write), 3) for write in status_writes(cluster)]


@scenario(
    "hpa/one-sync-each-period",
    must=(
        "An HPA MUST be synced every 15 seconds, although the informer's resync, its own status updates and the end of "
        "each sync all queue the next one."
    ),
    source=(_QUEUE, _LIMITER),
    issues=("kubernetes/kubernetes#72372", "kubernetes/kubernetes#72373"),
    controllers=("hpa", "replicaset"),
    features=("sync-period", "H5"),
)
async def test_one_sync_each_period(cluster: Cluster) -> None:
    await _rising(cluster)
    await cluster.run_until(600)
    cluster.expect("syncs", _syncs(cluster), [15.0 * turn for turn in range(1, 41)])


@scenario(
    "hpa/resync-at-the-instant-of-a-sync-skips-none",
    must="When the informer's resync queues the next sync at the very instant of a sync, none MUST be skipped.",
    source=(_QUEUE, _LIMITER),
    issues=("kubernetes/kubernetes#72372", "kubernetes/kubernetes#72373"),
    controllers=("hpa", "replicaset"),
    features=("sync-period", "H5"),
)
async def test_resync_at_the_instant_of_a_sync_skips_none(cluster: Cluster) -> None:
    # The informer started a second before the scenario, and resyncs every 15 s.
    await _rising(cluster, at=14.0)
    await cluster.run_until(300)
    cluster.expect("syncs", _syncs(cluster), [14.0 + 15 * turn for turn in range(1, 20)])


@scenario(
    "hpa/sync-period-is-a-flag",
    must="With another sync period, all syncs MUST be that far apart, including the first.",
    source=(_QUEUE, "cmd/kube-controller-manager/app/autoscaling.go"),
    controllers=("hpa", "replicaset"),
    features=("sync-period",),
    options=Options(hpa=HpaOptions(sync_period=40.0)),
)
async def test_sync_period_is_a_flag(cluster: Cluster) -> None:
    await _rising(cluster, at=7.5)
    await cluster.run_until(200)
    cluster.expect("syncs", _syncs(cluster), [47.5, 87.5, 127.5, 167.5])


@scenario(
    "hpa/edits-wait-for-the-next-sync",
    must="A change of the spec MUST NOT change the time of the next sync.",
    source=_QUEUE,
    controllers=("hpa", "replicaset"),
    features=("sync-period", "spec-edit"),
)
async def test_edits_wait_for_the_next_sync(cluster: Cluster) -> None:
    await _rising(cluster)
    for at, minimum in ((16.0, 3), (29.9, 4), (44.0, 5)):
        await cluster.run_until(at)
        await cluster.patch(HPAS, "web", {"spec": {"minReplicas": minimum}})
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(30.0, 4), (45.0, 5)])
    cluster.expect("syncs", _syncs(cluster), [15.0 * turn for turn in range(1, 7)])


@scenario(
    "hpa/slow-sync-delays-the-next-one",
    must="The period to the next sync MUST count from the end of a slow sync, unless an event queues one meanwhile.",
    source=(_QUEUE, _LIMITER),
    controllers=("hpa", "replicaset"),
    features=("sync-period", "latency"),
)
async def test_slow_sync_delays_the_next_one(cluster: Cluster) -> None:
    await _rising(cluster)
    cluster.faults.latency(2.0, resource="external.metrics.k8s.io")
    await cluster.run_until(150)
    # Each sync takes 2 s. At 29 s, 44 s ... the informer's resync queues a sync 15 s later, which counts if a sync is
    # running at that moment.
    cluster.expect("ends of syncs", _syncs(cluster), [17.0, 34.0, 51.0, 68.0, 85.0, 102.0, 119.0, 136.0])


@scenario(
    "hpa/sync-slower-than-the-period",
    must=(
        "An HPA whose syncs take longer than a period MUST be synced by one worker at a time, and the next sync MUST "
        "follow as soon as the previous one is over."
    ),
    source=(_QUEUE, "client-go/util/workqueue/queue.go: Done"),
    controllers=("hpa", "replicaset"),
    features=("sync-period", "latency"),
)
async def test_sync_slower_than_the_period(cluster: Cluster) -> None:
    await _rising(cluster)
    cluster.faults.latency(40.0, resource="external.metrics.k8s.io")
    await cluster.run_until(300)
    cluster.expect("ends of syncs", _syncs(cluster), [55.0, 95.0, 135.0, 175.0, 215.0, 255.0, 295.0])
    able = condition(cluster, "AbleToScale")
    cluster.expect("AbleToScale", able, ("True", "ReadyForNewScale", "recommended size matches current size"))


@scenario(
    "hpa/slow-sync-makes-the-next-one-conflict",
    must=(
        "A sync that directly follows one that took longer than a period MUST start from the stale HPA, so that its "
        "status update is refused."
    ),
    source=(_QUEUE, "pkg/controller/podautoscaler/horizontal.go: updateStatus"),
    controllers=("hpa", "replicaset"),
    features=("sync-period", "latency", "conflict", "status"),
)
async def test_slow_sync_makes_the_next_one_conflict(cluster: Cluster) -> None:
    await _rising(cluster)
    await cluster.run_until(20)
    cluster.faults.latency(31.0, resource="external.metrics.k8s.io", times=1)
    await cluster.run_until(80)
    # At 44 s the informer's resync queues a sync for 59 s, when that of 30 s is still running.
    codes = [(cluster.at(write), write.code) for write in status_writes(cluster)]
    cluster.expect("status updates", codes, [(15.0, 200), (61.0, 200), (61.0, 409), (74.0, 200)])
    refused = (
        'Operation cannot be fulfilled on horizontalpodautoscalers.autoscaling "web": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    cluster.expect("warnings", messages(cluster, "FailedUpdateStatus"), [refused])
