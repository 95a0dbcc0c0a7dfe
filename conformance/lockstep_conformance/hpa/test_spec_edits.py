"""Edits of an HPA's limits and metrics on the way: they count from its next sync on, and what it remembers stays.

An edit does not wake the HPA up. Recommendations are remembered as the metrics made them, by the HPA and not by the
target, so an edit can let through what was wanted long before.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, HpaOptions, Options, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, demanded, propose
from lockstep_conformance.hpa.steps import condition, messages, reason, scales, transitions

_RECONCILE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"
_STABILIZE = "pkg/controller/podautoscaler/horizontal.go: stabilizeRecommendation"


async def edit(cluster: Cluster, at: float, **spec: Any) -> None:
    """Change fields of the HPA's spec at a moment."""
    await cluster.run_until(at)
    await cluster.patch("horizontalpodautoscalers", "web", {"spec": spec})


@scenario(
    "hpa/edited-limits-hold-from-the-next-sync",
    must="New limits MUST hold from the next sync on, and MUST NOT bring that sync forward.",
    source=("pkg/controller/podautoscaler/horizontal.go: enqueueHPA", _RECONCILE),
    controllers=BOTH,
    features=("spec-edits", "limits", "queue"),
)
async def test_edited_limits_hold_from_the_next_sync(cluster: Cluster) -> None:
    await demanded(cluster, 6, replicas=6)
    await edit(cluster, 50, maxReplicas=4)
    await edit(cluster, 65, maxReplicas=5)
    await edit(cluster, 91, maxReplicas=10)
    await edit(cluster, 113, minReplicas=8)
    await cluster.run_until(125)
    cluster.expect("scales", scales(cluster), [(60.0, 4), (75.0, 5), (105.0, 6), (120.0, 8)])
    wanted = [
        "New size: 4; reason: Current number of replicas above Spec.MaxReplicas",
        "New size: 5; reason: external metric demand(nil) above target",
        "New size: 6; reason: external metric demand(nil) above target",
        "New size: 8; reason: Current number of replicas below Spec.MinReplicas",
    ]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)
    # A sync that only corrects the size leaves this condition as it was.
    limits = [(15.0, "False DesiredWithinRange"), (75.0, "True TooManyReplicas"), (105.0, "False DesiredWithinRange")]
    cluster.expect("ScalingLimited over time", transitions(cluster, "ScalingLimited"), limits)


@scenario(
    "hpa/lowered-minimum-meets-an-old-window",
    must="Below its old minReplicas the HPA MUST go at once where the window holds no higher recommendation: it "
    "remembers what was wanted and not the minimum.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("spec-edits", "limits", "stabilization"),
)
async def test_lowered_minimum_meets_an_old_window(cluster: Cluster) -> None:
    await demanded(cluster, 2, replicas=4, min_replicas=4)
    await cluster.run_until(325)
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "False DesiredWithinRange")
    await edit(cluster, 335, minReplicas=1)
    await cluster.run_until(350)
    cluster.expect("scales", scales(cluster), [(345.0, 2)])


@scenario(
    "hpa/raised-maximum-meets-an-old-window",
    must="Without behavior a raised maxReplicas MUST let the highest recommendation of the window through, even though "
    "the metrics want less by then.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("spec-edits", "limits", "stabilization", "legacy"),
)
async def test_raised_maximum_meets_an_old_window(cluster: Cluster) -> None:
    await demanded(cluster, 9, (60, 2), replicas=3, max_replicas=3)
    await edit(cluster, 100, maxReplicas=20)
    await cluster.run_until(400)
    # Wanted until 45 s; nothing has been above target since.
    cluster.expect("scales", scales(cluster), [(105.0, 6), (120.0, 9), (360.0, 2)])
    wanted = [f"New size: {size}; reason: All metrics below target" for size in (6, 9, 2)]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)


@scenario(
    "hpa/edited-metric-counts-from-the-next-sync",
    must="A changed target of a metric MUST be used from the next sync on, and MUST NOT change old recommendations.",
    source=(_RECONCILE, _STABILIZE),
    controllers=BOTH,
    features=("spec-edits", "metrics"),
    options=Options(hpa=HpaOptions(downscale_stabilization=60.0)),
)
async def test_edited_metric_counts_from_the_next_sync(cluster: Cluster) -> None:
    await demanded(cluster, 6, replicas=6)
    await edit(cluster, 50, metrics=[objects.external_metric("demand", average="2")])
    await edit(cluster, 140, metrics=[objects.external_metric("demand", average="1500m")])
    await cluster.run_until(160)
    # 6 was wanted last at 45 s, which is more than a minute ago at 120 s.
    cluster.expect("scales", scales(cluster), [(120.0, 3), (150.0, 4)])
    cluster.expect(
        "AbleToScale at first",
        transitions(cluster, "AbleToScale")[:2],
        [(15.0, "True ReadyForNewScale"), (60.0, "True ScaleDownStabilized")],
    )


@scenario(
    "hpa/recommendations-belong-to-the-hpa",
    must="An HPA that is pointed at another target MUST keep its recommendations: that one gets the highest of them.",
    source=(_STABILIZE, _RECONCILE),
    controllers=BOTH,
    features=("spec-edits", "target", "stabilization", "legacy"),
)
async def test_recommendations_belong_to_the_hpa(cluster: Cluster) -> None:
    await demanded(cluster, 8, (60, 2), replicas=8)
    await cluster.create(objects.replica_set("db", 2))
    await edit(cluster, 80, scaleTargetRef=objects.reference("ReplicaSet", "db"))
    await cluster.run_until(400)
    cluster.expect("scales of the first target", scales(cluster), [])
    cluster.expect("scales of the second", scales(cluster, "db"), [(90.0, 4), (105.0, 8), (360.0, 2)])


@scenario(
    "hpa/removed-metric-is-not-looked-at",
    must="A metric that is taken out of the spec MUST NOT be looked at any more, nor be shown in the status.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("spec-edits", "metrics", "several-metrics", "status"),
    options=Options(hpa=HpaOptions(downscale_stabilization=0.0)),
)
async def test_removed_metric_is_not_looked_at(cluster: Cluster) -> None:
    propose(cluster, 3, metric="other")
    both = [objects.external_metric(name, average="1") for name in ("demand", "other")]
    await demanded(cluster, 5, replicas=5, metrics=both)
    await edit(cluster, 50, metrics=both[1:])
    await cluster.run_until(70)
    cluster.expect("scales", scales(cluster), [(60.0, 3)])
    shown = cluster.status("web", "horizontalpodautoscalers")["currentMetrics"]
    cluster.expect("metrics in the status", [one["external"]["metric"]["name"] for one in shown], ["other"])
    active = "the HPA was able to successfully calculate a replica count from external metric other(nil)"
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), ("True", "ValidMetricFound", active))
