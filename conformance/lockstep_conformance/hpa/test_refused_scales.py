"""Reads and writes of the scale, of the status and of events that the API server refuses, or answers too late."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, scenario
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

_RECONCILE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"
_SCALE: dict[str, Any] = {"resource": "replicasets.apps", "subresource": "scale"}
_STATUS: dict[str, Any] = {"verb": "update", "resource": f"{HPAS}.autoscaling", "subresource": "status"}


@scenario(
    "hpa/scale-that-must-not-be-read",
    must="While the scale of its target cannot be read, the HPA MUST report it and MUST NOT change anything else.",
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("refused", "conditions", "events"),
)
async def test_scale_that_must_not_be_read(cluster: Cluster) -> None:
    no = 'replicasets.apps "web" is forbidden: User "hpa" cannot get resource "replicasets/scale"'
    refused = cluster.faults.error(403, message=no, verb="get", times=None, **_SCALE)
    await demanded(cluster, 4)
    await cluster.run_until(50)
    why = ("False", "FailedGetScale", f"the HPA controller was unable to get the target's current scale: {no}")
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), why)
    cluster.expect("other conditions", len(status(cluster)["conditions"]), 1)
    cluster.expect("events", messages(cluster, "FailedGetScale"), [no])
    refused.stop()
    await cluster.run_until(65)
    cluster.expect("scales", scales(cluster), [(60.0, 4)])
    cluster.expect("AbleToScale", reason(cluster, "AbleToScale"), "True SucceededRescale")


@scenario(
    "hpa/scale-that-fails-for-a-while",
    must="A scale write that is refused for another reason than a conflict MUST be retried only at the next sync.",
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("refused", "conditions"),
)
async def test_scale_that_fails_for_a_while(cluster: Cluster) -> None:
    cluster.faults.error(500, verb="update", times=2, **_SCALE)
    await demanded(cluster, 4)
    await cluster.run_until(100)
    codes = [(cluster.at(write), write.code) for write in scale_writes(cluster)]
    cluster.expect("scale writes", codes, [(15.0, 500), (30.0, 500), (45.0, 200)])
    why = "Internal error occurred: injected by the scenario"
    told = f"New size: 4; reason: external metric demand(nil) above target; error: {why}"
    cluster.expect("events", messages(cluster, "FailedRescale"), [told])


@scenario(
    "hpa/scale-that-times-out-after-its-effect",
    must=(
        "A scale write that took effect although its answer is an error MUST be reported as failed, and MUST NOT be "
        "repeated."
    ),
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("refused", "conditions"),
)
async def test_scale_that_times_out_after_its_effect(cluster: Cluster) -> None:
    cluster.faults.timeout(after=10, effect=True, verb="update", **_SCALE)
    await demanded(cluster, 4)
    await cluster.run_until(26)
    cluster.expect("AbleToScale", reason(cluster, "AbleToScale"), "False FailedUpdateScale")
    cluster.expect("replicas, desired", counts(cluster), (1, 0))
    cluster.expect("pods", len(cluster.pods("web")), 4)
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(15.0, 4)])
    cluster.expect("replicas, desired, at the next sync", counts(cluster), (4, 4))
    cluster.expect("lastScaleTime", status(cluster).get("lastScaleTime"), None)


@scenario(
    "hpa/status-and-events-refused",
    must="While its status and its events are refused, the HPA MUST continue to scale.",
    source="pkg/controller/podautoscaler/horizontal.go: updateStatus",
    controllers=("hpa", "replicaset"),
    features=("refused", "status", "events"),
)
async def test_status_and_events_refused(cluster: Cluster) -> None:
    faults = [
        cluster.faults.error(500, times=None, **_STATUS),
        cluster.faults.error(403, times=None, verb="create", resource="events"),
    ]
    await demanded(cluster, (0, 2), (60, 4), (120, 6), replicas=2)
    await cluster.run_until(130)
    cluster.expect("scales", scales(cluster), [(60.0, 4), (120.0, 6)])
    cluster.expect("status", status(cluster).get("conditions"), None)
    for one in faults:
        one.stop()
    await cluster.run_until(140)
    cluster.expect("status updates", {write.code for write in status_writes(cluster)}, {500, 200})
    cluster.expect("replicas, desired", counts(cluster), (6, 6))


@scenario(
    "hpa/discovery-of-the-target-fails",
    must="A failed discovery MUST fail one sync, and MUST be reported like a scale that cannot be read.",
    source=("client-go/restmapper/discovery.go", _RECONCILE),
    controllers=("hpa", "replicaset"),
    features=("refused", "discovery", "conditions"),
)
async def test_discovery_of_the_target_fails(cluster: Cluster) -> None:
    """Discovery is reset every 30 s, so the syncs of 30 s and 60 s ask again."""
    await demanded(cluster, (0, 2), (25, 4), (55, 6), replicas=2)
    await cluster.run_until(20)
    cluster.faults.error(500, verb="get", resource="")
    await cluster.run_until(31)
    why = 'an error on the server ("unknown") has prevented the request from succeeding'
    failed = ("False", "FailedGetScale", f"the HPA controller was unable to get the target's current scale: {why}")
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), failed)
    await cluster.run_until(61)
    cluster.expect("scales", scales(cluster), [(45.0, 4), (60.0, 6)])
