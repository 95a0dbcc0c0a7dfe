"""Policies of scale-down: how many replicas may be removed from those at the beginning of a period.

They mirror the policies of scale-up. Percentages are rounded so that more is removed, and "Min" and "Max" are about
the change, not about what is left.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, demanded
from lockstep_conformance.hpa.steps import condition, counts, reason, scales, transitions

_LIMIT = "pkg/controller/podautoscaler/horizontal.go: calculateScaleDownLimitWithBehaviors"
_RATE = "pkg/controller/podautoscaler/horizontal.go: convertDesiredReplicasWithBehaviorRate"
_FASTER = "the desired replica count is decreasing faster than the maximum scale rate"
_LIMITED, _WITHIN = "True ScaleDownLimit", "False DesiredWithinRange"


@scenario(
    "hpa/scale-down-by-pods-per-period",
    must="A Pods policy MUST let go so many of the replicas that there were at the beginning of its period.",
    source=(_LIMIT, _RATE),
    controllers=BOTH,
    features=("behavior", "policies", "scale-down"),
)
async def test_scale_down_by_pods_per_period(cluster: Cluster) -> None:
    await demanded(cluster, 1, replicas=8, down=objects.scaling(("Pods", 3, 60), window=0))
    await cluster.run_until(35)
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), ("True", "ScaleDownLimit", _FASTER))
    cluster.expect("current and desired replicas", counts(cluster), (5, 5))
    await cluster.run_until(200)
    cluster.expect("scales", scales(cluster), [(15.0, 5), (75.0, 2), (135.0, 1)])
    limits = transitions(cluster, "ScalingLimited")
    cluster.expect("ScalingLimited over time", limits, [(15.0, _LIMITED), (135.0, _WITHIN)])


@scenario(
    "hpa/scale-down-by-percent-rounds-down",
    must="A Percent policy MUST let go so many per cent of the replicas at the beginning of its period; the rest is "
    "rounded down.",
    source=_LIMIT,
    controllers=BOTH,
    features=("behavior", "policies", "scale-down"),
)
async def test_scale_down_by_percent_rounds_down(cluster: Cluster) -> None:
    await demanded(cluster, 1, replicas=8, down=objects.scaling(("Percent", 30, 60), window=0))
    await cluster.run_until(250)
    # 5.6, 3.5, 2.1 and 1.4
    cluster.expect("scales", scales(cluster), [(15.0, 5), (75.0, 3), (135.0, 2), (195.0, 1)])
    limits = transitions(cluster, "ScalingLimited")
    cluster.expect("ScalingLimited over time", limits, [(15.0, _LIMITED), (195.0, _WITHIN)])


@scenario(
    "hpa/scale-down-percent-is-a-float64",
    must="What a Percent policy leaves MUST be computed in binary floating point: 80 % of ten leave one, not two.",
    source=_LIMIT,
    controllers=BOTH,
    features=("behavior", "policies", "rounding", "scale-down"),
)
async def test_scale_down_percent_is_a_float64(cluster: Cluster) -> None:
    await demanded(cluster, 1, replicas=10, down=objects.scaling(("Percent", 80, 600), window=0))
    await cluster.run_until(40)
    # One minus 80 hundredths, times ten, is 1.9999999999999996 there.
    cluster.expect("scales", scales(cluster), [(15.0, 1)])
    cluster.expect("ScalingLimited over time", transitions(cluster, "ScalingLimited"), [(15.0, _WITHIN)])


@scenario(
    "hpa/scale-down-by-the-largest-change",
    must="Of several policies the one that removes most MUST count, unless selectPolicy says otherwise.",
    source=_LIMIT,
    controllers=BOTH,
    features=("behavior", "policies", "scale-down"),
)
async def test_scale_down_by_the_largest_change(cluster: Cluster) -> None:
    both = objects.scaling(("Pods", 2, 60), ("Percent", 50, 60), window=0)
    await demanded(cluster, 1, replicas=8, down=both)
    await cluster.run_until(200)
    # 6 or 4, 2 or 2, 0 or 1
    cluster.expect("scales", scales(cluster), [(15.0, 4), (75.0, 2), (135.0, 1)])


@scenario(
    "hpa/scale-down-by-the-smallest-change",
    must="With selectPolicy Min the policy that removes least MUST count.",
    source=_LIMIT,
    controllers=BOTH,
    features=("behavior", "policies", "scale-down"),
)
async def test_scale_down_by_the_smallest_change(cluster: Cluster) -> None:
    both = objects.scaling(("Pods", 2, 60), ("Percent", 50, 60), window=0, select="Min")
    await demanded(cluster, 1, replicas=8, down=both)
    await cluster.run_until(270)
    # 6 or 4, 4 or 3, 2 or 2, 0 or 1
    cluster.expect("scales", scales(cluster), [(15.0, 6), (75.0, 4), (135.0, 2), (195.0, 1)])


@scenario(
    "hpa/scale-down-disabled",
    must="With selectPolicy Disabled for scale-down an HPA MUST NOT remove replicas, and MUST still add them.",
    source=_LIMIT,
    controllers=BOTH,
    features=("behavior", "policies", "scale-down", "disabled"),
)
async def test_scale_down_disabled(cluster: Cluster) -> None:
    never = objects.scaling(select="Disabled", window=0)
    await demanded(cluster, 2, (100, 6), (130, 2), replicas=4, down=never)
    await cluster.run_until(95)
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), ("True", "ScaleDownLimit", _FASTER))
    cluster.expect("AbleToScale over time", transitions(cluster, "AbleToScale"), [(15.0, "True ReadyForNewScale")])
    await cluster.run_until(900)
    cluster.expect("scales", scales(cluster), [(105.0, 6)])
    limits = transitions(cluster, "ScalingLimited")
    cluster.expect("ScalingLimited over time", limits, [(15.0, _LIMITED), (105.0, _WITHIN), (135.0, _LIMITED)])


@scenario(
    "hpa/scale-down-periods-of-different-length",
    must="Each policy MUST count the changes of its own period.",
    source=(_LIMIT, "pkg/controller/podautoscaler/horizontal.go: getReplicasChangePerPeriod"),
    controllers=BOTH,
    features=("behavior", "policies", "periods", "scale-down"),
)
async def test_scale_down_periods_of_different_length(cluster: Cluster) -> None:
    both = objects.scaling(("Pods", 3, 15), ("Pods", 4, 60), window=0, select="Min")
    await demanded(cluster, 1, replicas=12, max_replicas=12, down=both)
    await cluster.run_until(200)
    # Three each sync, but four a minute: 3 and 1, then a pause until the first three are a minute old, and so on.
    cluster.expect("scales", scales(cluster), [(15.0, 9), (30.0, 8), (75.0, 5), (90.0, 4), (135.0, 1)])


@scenario(
    "hpa/scale-down-policies-by-default",
    must="A behavior that says nothing of scale-down MUST let all but the minimum go at once, after the window.",
    source=("pkg/apis/autoscaling/v2/defaults.go: GenerateHPAScaleDownRules", _LIMIT),
    controllers=BOTH,
    features=("behavior", "policies", "defaulting", "scale-down"),
)
async def test_scale_down_policies_by_default(cluster: Cluster) -> None:
    await demanded(cluster, 1, replicas=9, min_replicas=2, up=objects.scaling(window=0))
    await cluster.run_until(400)
    cluster.expect("scales", scales(cluster), [(315.0, 2)])
    stored = cluster.get("horizontalpodautoscalers", "web")["spec"]["behavior"]["scaleDown"]
    cluster.expect("the rules as stored", stored, objects.scaling(("Percent", 100, 15), select="Max"))
    cluster.expect("ScalingLimited at the end", reason(cluster, "ScalingLimited"), "True TooFewReplicas")
