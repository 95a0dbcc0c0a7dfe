"""minReplicas and maxReplicas, and what the condition ScalingLimited says of them.

A size outside of the limits is corrected without a look at metrics, windows or policies. A proposal outside of them is
cut, and the condition names what cut it: the limit, or the rate where that is narrower.
"""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, demanded, proposal
from lockstep_conformance.hpa.steps import condition, counts, messages, reason, scales, status, transitions

_RECONCILE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"
_RULES = "pkg/controller/podautoscaler/horizontal.go: convertDesiredReplicasWithRules"
_RATE = "pkg/controller/podautoscaler/horizontal.go: convertDesiredReplicasWithBehaviorRate"
_NO_WINDOW = Options(hpa=HpaOptions(downscale_stabilization=0.0))
_MANY = ("True", "TooManyReplicas", "the desired replica count is more than the maximum replica count")
_FEW = ("True", "TooFewReplicas", "the desired replica count is less than the minimum replica count")
_WITHIN = ("False", "DesiredWithinRange", "the desired count is within the acceptable range")


@scenario(
    "hpa/size-above-the-maximum-is-cut-without-metrics",
    must="A target above maxReplicas MUST be scaled to it in the first sync, with no look at metrics.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("limits", "scale-down"),
)
async def test_size_above_the_maximum_is_cut_without_metrics(cluster: Cluster) -> None:
    await cluster.create(
        objects.replica_set("web", 7), objects.hpa("web", min_replicas=2, max_replicas=4, metrics=[proposal()])
    )
    await cluster.run_until(20)
    cluster.expect("scales", scales(cluster), [(15.0, 4)])
    wanted = ["New size: 4; reason: Current number of replicas above Spec.MaxReplicas"]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)
    able = ("True", "SucceededRescale", "the HPA controller was able to update the target scale to 4")
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), able)
    others = [condition(cluster, "ScalingActive"), condition(cluster, "ScalingLimited")]
    cluster.expect("conditions about metrics", others, [None, None])
    cluster.expect("current and desired replicas", counts(cluster), (7, 4))
    cluster.expect("currentMetrics", status(cluster)["currentMetrics"], None)
    cluster.expect_true("lastScaleTime is set", status(cluster)["lastScaleTime"])


@scenario(
    "hpa/size-below-the-minimum-is-raised-without-metrics",
    must="A target below minReplicas MUST be scaled to it in the first sync, with no look at metrics.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("limits", "scale-up"),
)
async def test_size_below_the_minimum_is_raised_without_metrics(cluster: Cluster) -> None:
    await cluster.create(
        objects.replica_set("web", 1), objects.hpa("web", min_replicas=6, max_replicas=8, metrics=[proposal()])
    )
    await cluster.run_until(20)
    # In one step, where a scale-up for metrics would stop at four.
    cluster.expect("scales", scales(cluster), [(15.0, 6)])
    wanted = ["New size: 6; reason: Current number of replicas below Spec.MinReplicas"]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), None)
    cluster.expect("current and desired replicas", counts(cluster), (1, 6))


@scenario(
    "hpa/limits-overrule-a-disabled-behavior",
    must="Limits MUST hold at once even where the behavior disables scaling or delays it.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("limits", "behavior", "disabled"),
)
async def test_limits_overrule_a_disabled_behavior(cluster: Cluster) -> None:
    never = objects.scaling(select="Disabled", window=300)
    await demanded(cluster, 5, replicas=7, max_replicas=4, up=never, down=never)
    await demanded(cluster, 1, replicas=1, min_replicas=3, up=never, down=never, name="db", metric="little")
    await cluster.run_until(100)
    cluster.expect("scales of web and db", (scales(cluster), scales(cluster, "db")), ([(15.0, 4)], [(15.0, 3)]))
    cluster.expect("web is limited by", reason(cluster, "ScalingLimited"), "True TooManyReplicas")
    cluster.expect("db is limited by", reason(cluster, "ScalingLimited", "db"), "True TooFewReplicas")


@scenario(
    "hpa/proposal-above-the-maximum",
    must="A proposal above maxReplicas MUST be cut to it and reported as TooManyReplicas, one that equals it MUST NOT.",
    source=(_RULES, _RATE),
    controllers=BOTH,
    features=("limits", "scale-up"),
    options=_NO_WINDOW,
)
async def test_proposal_above_the_maximum(cluster: Cluster) -> None:
    await demanded(cluster, (0, 9), (60, 6), replicas=4, max_replicas=6)
    await demanded(cluster, (0, 9), (60, 6), replicas=4, max_replicas=6, name="db", metric="same", up=objects.scaling())
    for at, wanted in ((20, _MANY), (50, _MANY), (65, _WITHIN)):
        await cluster.run_until(at)
        cluster.expect(f"ScalingLimited of web at {at} s", condition(cluster, "ScalingLimited"), wanted)
        cluster.expect(f"ScalingLimited of db at {at} s", condition(cluster, "ScalingLimited", "db"), wanted)
        able = "True SucceededRescale" if at == 20 else "True ReadyForNewScale"
        told = (reason(cluster, "AbleToScale"), reason(cluster, "AbleToScale", "db"))
        cluster.expect(f"AbleToScale of both at {at} s", told, (able, able))
    cluster.expect("scales of web and db", (scales(cluster), scales(cluster, "db")), ([(15.0, 6)], [(15.0, 6)]))
    cluster.expect("current and desired replicas", counts(cluster), (6, 6))


@scenario(
    "hpa/proposal-below-the-minimum",
    must="A proposal below minReplicas MUST be cut to it and reported as TooFewReplicas, one that equals it MUST NOT.",
    source=(_RULES, _RATE),
    controllers=BOTH,
    features=("limits", "scale-down"),
    options=_NO_WINDOW,
)
async def test_proposal_below_the_minimum(cluster: Cluster) -> None:
    falling = ((0, 5), (30, 1), (60, 3))
    await demanded(cluster, *falling, replicas=5, min_replicas=3)
    await demanded(cluster, *falling, replicas=5, min_replicas=3, name="db", metric="same", down=objects.scaling())
    for at, wanted in ((20, _WITHIN), (35, _FEW), (50, _FEW), (65, _WITHIN)):
        await cluster.run_until(at)
        cluster.expect(f"ScalingLimited of web at {at} s", condition(cluster, "ScalingLimited"), wanted)
        cluster.expect(f"ScalingLimited of db at {at} s", condition(cluster, "ScalingLimited", "db"), wanted)
    cluster.expect("scales of web and db", (scales(cluster), scales(cluster, "db")), ([(30.0, 3)], [(30.0, 3)]))


@scenario(
    "hpa/limit-is-named-where-it-equals-the-rate",
    must="Where a limit and the rate allow the same size, the condition MUST name the limit.",
    source=(_RULES, _RATE),
    controllers=BOTH,
    features=("limits", "policies"),
)
async def test_limit_is_named_where_it_equals_the_rate(cluster: Cluster) -> None:
    await demanded(cluster, 9, replicas=2, max_replicas=4)  # without behavior, 2 may become 4 as well
    two = objects.scaling(("Pods", 2, 60), window=0)
    await demanded(cluster, 9, replicas=3, max_replicas=5, name="up", metric="much", up=two)
    await demanded(cluster, 1, replicas=5, min_replicas=3, name="down", metric="little", down=two)
    await cluster.run_until(18)
    said = {name: condition(cluster, "ScalingLimited", name) for name in ("web", "up", "down")}
    cluster.expect("ScalingLimited", said, {"web": _MANY, "up": _MANY, "down": _FEW})
    done = {name: scales(cluster, name) for name in ("web", "up", "down")}
    cluster.expect("scales", done, {"web": [(15.0, 4)], "up": [(15.0, 5)], "down": [(15.0, 3)]})


@scenario(
    "hpa/minimum-is-one-by-default",
    must="An HPA without minReplicas MUST keep one replica, whatever the metrics want.",
    source=("pkg/apis/autoscaling/v2/defaults.go: SetDefaults_HorizontalPodAutoscaler", _RULES),
    controllers=BOTH,
    features=("limits", "defaulting"),
    options=_NO_WINDOW,
)
async def test_minimum_is_one_by_default(cluster: Cluster) -> None:
    await demanded(cluster, (0, 2), (30, 0), replicas=2)
    await cluster.run_until(36)
    stored = cluster.get("horizontalpodautoscalers", "web")["spec"]
    cluster.expect("minReplicas as stored", stored["minReplicas"], 1)
    cluster.expect("scales", scales(cluster), [(30.0, 1)])
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), _FEW)
    current = status(cluster)["currentMetrics"][0]["external"]["current"]
    cluster.expect("the metric as reported", current, {"averageValue": "0"})


@scenario(
    "hpa/equal-limits-pin-the-size",
    must="Where minReplicas equals maxReplicas the target MUST have that size, and MUST NOT follow any metric.",
    source=(_RECONCILE, _RULES),
    controllers=BOTH,
    features=("limits",),
    options=_NO_WINDOW,
)
async def test_equal_limits_pin_the_size(cluster: Cluster) -> None:
    await demanded(cluster, (0, 9), (60, 1), replicas=1, min_replicas=3, max_replicas=3)
    await cluster.run_until(40)
    await cluster.scale("web", 5)
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(15.0, 3), (45.0, 3)])
    wanted = [(30.0, "True TooManyReplicas"), (60.0, "True TooFewReplicas")]
    cluster.expect("ScalingLimited over time", transitions(cluster, "ScalingLimited"), wanted)
