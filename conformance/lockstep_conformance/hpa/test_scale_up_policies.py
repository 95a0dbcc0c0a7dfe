"""Policies of scale-up: how many replicas may be added to those at the beginning of a period.

A policy counts what the HPA itself did in the last `periodSeconds`: what it added is taken off the size of now, and
what it removed is added, to find the size at the beginning. An event that is just as old as the period counts no more.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, demanded
from lockstep_conformance.hpa.steps import condition, counts, messages, reason, scales, transitions

_LIMIT = "pkg/controller/podautoscaler/horizontal.go: calculateScaleUpLimitWithScalingRules"
_RATE = "pkg/controller/podautoscaler/horizontal.go: convertDesiredReplicasWithBehaviorRate"
_FASTER = "the desired replica count is increasing faster than the maximum scale rate"
_LIMITED, _WITHIN = "True ScaleUpLimit", "False DesiredWithinRange"


@scenario(
    "hpa/scale-up-by-pods-per-period",
    must="A Pods policy MUST allow so many more replicas than there were at the beginning of its period.",
    source=(_LIMIT, _RATE),
    controllers=BOTH,
    features=("behavior", "policies", "scale-up"),
)
async def test_scale_up_by_pods_per_period(cluster: Cluster) -> None:
    await demanded(cluster, 9, replicas=2, up=objects.scaling(("Pods", 3, 60)))
    await cluster.run_until(35)
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), ("True", "ScaleUpLimit", _FASTER))
    cluster.expect("AbleToScale", reason(cluster, "AbleToScale"), "True ReadyForNewScale")
    cluster.expect("current and desired replicas", counts(cluster), (5, 5))
    await cluster.run_until(200)
    cluster.expect("scales", scales(cluster), [(15.0, 5), (75.0, 8), (135.0, 9)])
    limits = transitions(cluster, "ScalingLimited")
    cluster.expect("ScalingLimited over time", limits, [(15.0, _LIMITED), (135.0, _WITHIN)])


@scenario(
    "hpa/scale-up-by-percent-rounds-up",
    must="A Percent policy MUST allow so many per cent of the replicas at the beginning of its period, rounded up.",
    source=_LIMIT,
    controllers=BOTH,
    features=("behavior", "policies", "scale-up"),
)
async def test_scale_up_by_percent_rounds_up(cluster: Cluster) -> None:
    await demanded(cluster, 8, replicas=1, up=objects.scaling(("Percent", 50, 60)))
    await cluster.run_until(250)
    # 1.5, 3, 4.5 and 7.5
    cluster.expect("scales", scales(cluster), [(15.0, 2), (75.0, 3), (135.0, 5), (195.0, 8)])
    limits = transitions(cluster, "ScalingLimited")
    cluster.expect("ScalingLimited over time", limits, [(15.0, _LIMITED), (195.0, _WITHIN)])


@scenario(
    "hpa/scale-up-by-the-largest-change",
    must="Of several policies the one that allows most MUST count, unless selectPolicy says otherwise.",
    source=_LIMIT,
    controllers=BOTH,
    features=("behavior", "policies", "scale-up"),
)
async def test_scale_up_by_the_largest_change(cluster: Cluster) -> None:
    await demanded(cluster, 9, replicas=1, up=objects.scaling(("Pods", 2, 60), ("Percent", 100, 60)))
    await cluster.run_until(200)
    # 3 or 2, 5 or 6
    cluster.expect("scales", scales(cluster), [(15.0, 3), (75.0, 6), (135.0, 9)])
    stored = cluster.get("horizontalpodautoscalers", "web")["spec"]["behavior"]["scaleUp"]
    cluster.expect("selectPolicy as stored", stored["selectPolicy"], "Max")


@scenario(
    "hpa/scale-up-by-the-smallest-change",
    must="With selectPolicy Min the policy that allows least MUST count.",
    source=_LIMIT,
    controllers=BOTH,
    features=("behavior", "policies", "scale-up"),
)
async def test_scale_up_by_the_smallest_change(cluster: Cluster) -> None:
    both = objects.scaling(("Pods", 2, 60), ("Percent", 100, 60), select="Min")
    await demanded(cluster, 9, replicas=1, up=both)
    await cluster.run_until(270)
    # 3 or 2, 4 or 4, 6 or 8, 8 or 12
    cluster.expect("scales", scales(cluster), [(15.0, 2), (75.0, 4), (135.0, 6), (195.0, 8), (255.0, 9)])


@scenario(
    "hpa/scale-up-disabled",
    must="With selectPolicy Disabled for scale-up an HPA MUST NOT add replicas, and MUST still remove them.",
    source=_LIMIT,
    controllers=BOTH,
    features=("behavior", "policies", "scale-up", "disabled"),
)
async def test_scale_up_disabled(cluster: Cluster) -> None:
    never = objects.scaling(("Pods", 4, 15), select="Disabled")
    await demanded(cluster, 7, (100, 2), (130, 7), replicas=4, up=never, down=objects.scaling(window=0))
    await cluster.run_until(95)
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), ("True", "ScaleUpLimit", _FASTER))
    cluster.expect("current and desired replicas", counts(cluster), (4, 4))
    await cluster.run_until(300)
    cluster.expect("scales", scales(cluster), [(105.0, 2)])
    limits = transitions(cluster, "ScalingLimited")
    cluster.expect("ScalingLimited over time", limits, [(15.0, _LIMITED), (105.0, _WITHIN), (135.0, _LIMITED)])


@scenario(
    "hpa/scale-up-periods-of-different-length",
    must="Each policy MUST count the changes of its own period.",
    source=(_LIMIT, "pkg/controller/podautoscaler/horizontal.go: getReplicasChangePerPeriod"),
    controllers=BOTH,
    features=("behavior", "policies", "periods", "scale-up"),
)
async def test_scale_up_periods_of_different_length(cluster: Cluster) -> None:
    both = objects.scaling(("Pods", 4, 15), ("Pods", 6, 60), select="Min")
    await demanded(cluster, 20, replicas=2, max_replicas=20, up=both)
    await cluster.run_until(200)
    # Four each sync, but six a minute: 4 and 2, then a pause until the first four are a minute old, and so on.
    wanted = [(15.0, 6), (30.0, 8), (75.0, 12), (90.0, 14), (135.0, 18), (150.0, 20)]
    cluster.expect("scales", scales(cluster), wanted)
    limits = transitions(cluster, "ScalingLimited")
    cluster.expect("ScalingLimited over time", limits, [(15.0, _LIMITED), (150.0, _WITHIN)])


@scenario(
    "hpa/scale-up-policies-by-default",
    must="A behavior that says nothing of scale-up MUST let it double the replicas or add four each 15 s.",
    source=("pkg/apis/autoscaling/v2/defaults.go: GenerateHPAScaleUpRules", _LIMIT),
    controllers=BOTH,
    features=("behavior", "policies", "defaulting", "scale-up"),
)
async def test_scale_up_policies_by_default(cluster: Cluster) -> None:
    await demanded(cluster, 12, replicas=1, max_replicas=20, down=objects.scaling(window=0))
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(15.0, 5), (30.0, 10), (45.0, 12)])
    stored = cluster.get("horizontalpodautoscalers", "web")["spec"]["behavior"]["scaleUp"]
    rules = objects.scaling(("Pods", 4, 15), ("Percent", 100, 15), window=0, select="Max")
    cluster.expect("the rules as stored", stored, rules)
    named = "external metric demand(nil) above target"
    wanted = [f"New size: {size}; reason: {named}" for size in (5, 10, 12)]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)


@scenario(
    "hpa/scale-up-policy-too-large-for-32-bits",
    must="Where a Pods policy and the replicas do not fit into 32 bits together, no replica MUST be added.",
    source=(_LIMIT, _RATE),
    controllers=BOTH,
    features=("behavior", "policies", "overflow", "scale-up"),
)
async def test_scale_up_policy_too_large_for_32_bits(cluster: Cluster) -> None:
    await demanded(cluster, 5, replicas=2, up=objects.scaling(("Pods", 2**31 - 1, 15)))
    await cluster.run_until(40)
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), ("True", "ScaleUpLimit", _FASTER))
    cluster.expect("scales while the sum does not fit", scales(cluster), [])
    fits = {"spec": {"behavior": {"scaleUp": objects.scaling(("Pods", 2**31 - 3, 15))}}}
    await cluster.patch("horizontalpodautoscalers", "web", fits)
    await cluster.run_until(50)
    cluster.expect("scales once it does", scales(cluster), [(45.0, 5)])
