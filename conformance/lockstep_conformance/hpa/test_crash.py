"""The HPA controller crashes at one of its requests, and restarts ten seconds later.

After that it knows only what the cluster stores: the replicas of the target, and its own status. If a request hangs
before the crash, everything before it is finished, events included.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.demand import demanded
from lockstep_conformance.hpa.steps import HPAS, counts, messages, scale_writes, scales, status, status_writes

_RECONCILE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"
_SCALE: dict[str, Any] = {"resource": "replicasets.apps", "subresource": "scale"}
_STATUS: dict[str, Any] = {"verb": "update", "resource": f"{HPAS}.autoscaling", "subresource": "status"}
_FOUR = ["New size: 4; reason: external metric demand(nil) above target"]


@scenario(
    "hpa/crash-while-it-reads",
    must=(
        "A controller that crashes at the scale or at a metric MUST leave no trace, and MUST do the same sync after "
        "the restart."
    ),
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("restart",),
)
async def test_crash_while_it_reads(cluster: Cluster) -> None:
    cluster.crash_at("hpa", verb="get", restart_after=10.0, **_SCALE)
    cluster.crash_at("hpa", verb="get", resource="external.metrics.k8s.io", restart_after=10.0)
    await demanded(cluster, 4)
    await cluster.run_until(64)
    cluster.expect("writes until then", (status_writes(cluster), scale_writes(cluster)), ([], []))
    await cluster.run_until(120)
    # It crashes at 15 s and at 40 s. Each time it starts 10 s later, and syncs 15 s after that.
    cluster.expect("scales", scales(cluster), [(65.0, 4)])
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), _FOUR)


@scenario(
    "hpa/crash-before-the-scale",
    must="A controller that crashes before its scale takes effect MUST scale after the restart.",
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("restart",),
)
async def test_crash_before_the_scale(cluster: Cluster) -> None:
    cluster.crash_at("hpa", verb="update", restart_after=10.0, **_SCALE)
    await demanded(cluster, 4)
    await cluster.run_until(39)
    cluster.expect("status before", status(cluster).get("conditions"), None)
    await cluster.run_until(120)
    cluster.expect("scales", scales(cluster), [(40.0, 4)])
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), _FOUR)
    cluster.expect("lastScaleTime", status(cluster)["lastScaleTime"], "2000-01-01T00:00:41Z")


@scenario(
    "hpa/crash-after-the-scale",
    must=(
        "A controller that crashes before it receives the answer to its scale write MUST NOT scale again; no event "
        "reports the scale, and the status lacks its time."
    ),
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("restart",),
)
async def test_crash_after_the_scale(cluster: Cluster) -> None:
    cluster.crash_at("hpa", verb="update", effect=True, restart_after=10.0, **_SCALE)
    await demanded(cluster, 4)
    await cluster.run_until(120)
    cluster.expect("scales", scales(cluster), [(15.0, 4)])
    cluster.expect("pods", len(cluster.pods("web")), 4)
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), [])
    found = status(cluster)
    cluster.expect("replicas", (found["currentReplicas"], found["desiredReplicas"]), (4, 4))
    cluster.expect("lastScaleTime", found.get("lastScaleTime"), None)


@scenario(
    "hpa/crash-before-the-status",
    must="A controller that crashes after the scale and before the status MUST write the status after the restart, "
    "without the time of the scale.",
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("restart", "status"),
)
async def test_crash_before_the_status(cluster: Cluster) -> None:
    hanging = cluster.faults.disconnect(delay=60.0, **_STATUS)
    await demanded(cluster, 4)
    await cluster.run_until(16)
    await cluster.crash("hpa")
    hanging.stop()
    await cluster.run_until(26)
    await cluster.start("hpa")
    await cluster.run_until(120)
    cluster.expect("scales", scales(cluster), [(15.0, 4)])
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), _FOUR)
    updates = [(cluster.at(write), write.code) for write in status_writes(cluster)]
    cluster.expect("status updates, the first one lost", updates, [(15.0, 0), (41.0, 200)])
    cluster.expect("replicas, desired", counts(cluster), (4, 4))
    cluster.expect("lastScaleTime", status(cluster).get("lastScaleTime"), None)


@scenario(
    "hpa/crash-after-the-status",
    must="A controller that crashes before it receives the answer to its status write MUST NOT write it again.",
    source=("pkg/controller/podautoscaler/horizontal.go: updateStatusIfNeeded", _RECONCILE),
    controllers=("hpa", "replicaset"),
    features=("restart", "status"),
)
async def test_crash_after_the_status(cluster: Cluster) -> None:
    cluster.metrics.external("demand", 1)
    hanging = cluster.faults.latency(60.0, effect_first=True, **_STATUS)
    metric = objects.external_metric("demand", average="1")
    await cluster.create(objects.replica_set("web", 1), objects.hpa("web", metrics=[metric]))
    await cluster.run_until(16)
    await cluster.crash("hpa")
    hanging.stop()
    await cluster.run_until(26)
    await cluster.start("hpa")
    await cluster.run_until(120)
    cluster.expect("status updates", [cluster.at(write) for write in status_writes(cluster)], [15.0])
    cluster.expect("scales", scales(cluster), [])
