"""Concurrent writes: somebody else writes the target, or the HPA, between a sync's read and its write.

A sync waits five seconds for its metric here, which leaves time for that. After a conflict it waits 10 to 11 ms.
"""

from __future__ import annotations

from lockstep import Cluster, Tolerance, scenario
from lockstep_conformance.hpa.demand import demanded
from lockstep_conformance.hpa.steps import (
    HPAS,
    condition,
    counts,
    messages,
    reason,
    scale_writes,
    scales,
    status,
    status_writes,
)

_RESCALE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler, RetryOnConflict"
_STATUS = "pkg/controller/podautoscaler/horizontal.go: updateStatus"
_JITTER = (Tolerance("at", 0.005),)
_EXTERNAL = "external.metrics.k8s.io"
_MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


@scenario(
    "hpa/target-changed-meanwhile",
    must=(
        "When the target has changed since it was read, the HPA MUST read it again and set the same number of "
        "replicas, whatever the other writer has set."
    ),
    source=_RESCALE,
    controllers=("hpa", "replicaset"),
    features=("conflict",),
    tolerance=_JITTER,
)
async def test_target_changed_meanwhile(cluster: Cluster) -> None:
    cluster.faults.latency(5.0, resource=_EXTERNAL)
    await demanded(cluster, 4, replicas=2)
    await cluster.run_until(16)
    await cluster.scale("web", 7)
    await cluster.run_until(31)
    writes = [(round(cluster.at(write), 2), write.code) for write in scale_writes(cluster)]
    cluster.expect("scale writes", writes, [(20.0, 409), (20.01, 200)])
    cluster.expect("replicas", cluster.get("replicasets", "web")["spec"]["replicas"], 4)
    told = ["New size: 4; reason: external metric demand(nil) above target"]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), told)
    cluster.expect("replicas, desired", counts(cluster), (2, 4))
    able = ("True", "SucceededRescale", "the HPA controller was able to update the target scale to 4")
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), able)


@scenario(
    "hpa/target-that-always-conflicts",
    must="After five conflicts in one sync, the HPA MUST give up and report it, and the next sync MUST retry.",
    source=_RESCALE,
    controllers=("hpa", "replicaset"),
    features=("conflict", "conditions"),
    tolerance=_JITTER,
)
async def test_target_that_always_conflicts(cluster: Cluster) -> None:
    cluster.faults.error(409, verb="update", resource="replicasets.apps", subresource="scale", times=5)
    await demanded(cluster, 4, replicas=2)
    await cluster.run_until(22)
    cluster.expect("scale writes", [write.code for write in scale_writes(cluster)], [409] * 5)
    cluster.expect(
        "AbleToScale",
        condition(cluster, "AbleToScale"),
        ("False", "FailedUpdateScale", f"the HPA controller was unable to update the target scale: {_MODIFIED}"),
    )
    told = f"New size: 4; reason: external metric demand(nil) above target; error: {_MODIFIED}"
    cluster.expect("events", messages(cluster, "FailedRescale"), [told])
    cluster.expect("replicas, desired", counts(cluster), (2, 0))
    await cluster.run_until(36)
    cluster.expect("scales", [(round(at, 1), size) for at, size in scales(cluster)], [(30.0, 4)])
    cluster.expect("AbleToScale in the end", reason(cluster, "AbleToScale"), "True SucceededRescale")


@scenario(
    "hpa/target-deleted-meanwhile",
    must=(
        "When the target was deleted since it was read, the HPA MUST report it and MUST NOT retry before the next sync."
    ),
    source=_RESCALE,
    controllers=("hpa", "replicaset"),
    features=("conflict", "conditions"),
)
async def test_target_deleted_meanwhile(cluster: Cluster) -> None:
    cluster.faults.latency(5.0, resource=_EXTERNAL)
    await demanded(cluster, 4, replicas=2)
    await cluster.run_until(16)
    await cluster.delete("replicasets", "web", propagationPolicy="Background")
    await cluster.run_until(23)
    writes = [(cluster.at(write), write.code) for write in scale_writes(cluster)]
    cluster.expect("scale writes", writes, [(20.0, 404)])
    gone = 'replicasets.apps "web" not found'
    why = ("False", "FailedUpdateScale", f"the HPA controller was unable to update the target scale: {gone}")
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), why)
    await cluster.run_until(40)
    why = ("False", "FailedGetScale", f"the HPA controller was unable to get the target's current scale: {gone}")
    cluster.expect("AbleToScale at the next sync", condition(cluster, "AbleToScale"), why)


@scenario(
    "hpa/hpa-changed-meanwhile",
    must=(
        "When the HPA has changed since it was read, its status MUST NOT be written, but the scale MUST be; the next "
        "sync MUST write the status, without the time of the scale."
    ),
    source=_STATUS,
    controllers=("hpa", "replicaset"),
    features=("conflict", "status"),
)
async def test_hpa_changed_meanwhile(cluster: Cluster) -> None:
    slow = cluster.faults.latency(5.0, resource=_EXTERNAL)
    await demanded(cluster, 4, replicas=2)
    await cluster.run_until(16)
    await cluster.patch(HPAS, "web", {"metadata": {"annotations": {"touched": "yes"}}})
    await cluster.run_until(23)
    slow.stop()
    cluster.expect("scales", scales(cluster), [(20.0, 4)])
    cluster.expect(
        "status writes", [(cluster.at(write), write.code) for write in status_writes(cluster)], [(20.0, 409)]
    )
    refused = f'Operation cannot be fulfilled on horizontalpodautoscalers.autoscaling "web": {_MODIFIED}'
    cluster.expect("events", messages(cluster, "FailedUpdateStatus"), [refused])
    await cluster.run_until(60)
    cluster.expect("replicas, desired", counts(cluster), (4, 4))
    cluster.expect("lastScaleTime", status(cluster).get("lastScaleTime"), None)
