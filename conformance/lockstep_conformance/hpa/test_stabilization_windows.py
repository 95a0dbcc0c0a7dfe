"""The windows of a behavior: the lowest recommendation of one for scale-up, the highest of the other for scale-down.

The size is moved into the range between both, so a size that lies within it stays as it is. Unlike the window of an
HPA without behavior, these do not count a recommendation that is just as old as they are long.
"""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, demanded
from lockstep_conformance.hpa.steps import condition, counts, messages, scales, transitions

_STABILIZE = "pkg/controller/podautoscaler/horizontal.go: stabilizeRecommendationWithBehaviors"
_LOWER = "recent recommendations were lower than current one, applying the lowest recent recommendation"
_HIGHER = "recent recommendations were higher than current one, applying the highest recent recommendation"
_READY, _RESCALED = "True ReadyForNewScale", "True SucceededRescale"
_UP, _DOWN = "True ScaleUpStabilized", "True ScaleDownStabilized"


@scenario(
    "hpa/scale-up-window-applies-the-lowest-recommendation",
    must="A scale-up MUST go to the lowest recommendation of the window, and go on when that one gets too old.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("behavior", "stabilization", "scale-up"),
)
async def test_scale_up_window_applies_the_lowest_recommendation(cluster: Cluster) -> None:
    await demanded(cluster, 2, (60, 5), (90, 4), (105, 6), replicas=2, up=objects.scaling(window=60))
    await cluster.run_until(65)
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), ("True", "ScaleUpStabilized", _LOWER))
    cluster.expect("current and desired replicas", counts(cluster), (2, 2))
    await cluster.run_until(200)
    # 2 was recommended last at 45 s, and 4 at 90 s: at 105 s and 150 s they are 60 s old.
    cluster.expect("scales", scales(cluster), [(105.0, 4), (150.0, 6)])
    wanted = [(15.0, _READY), (60.0, _UP), (105.0, _RESCALED), (120.0, _UP), (150.0, _RESCALED), (165.0, _READY)]
    cluster.expect("AbleToScale over time", transitions(cluster, "AbleToScale"), wanted)


@scenario(
    "hpa/scale-down-window-applies-the-highest-recommendation",
    must="A scale-down MUST go to the highest recommendation of the window, and go on when that one gets too old.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("behavior", "stabilization", "scale-down"),
)
async def test_scale_down_window_applies_the_highest_recommendation(cluster: Cluster) -> None:
    await demanded(cluster, 6, (60, 3), (75, 5), (90, 2), replicas=6, down=objects.scaling(window=60))
    await cluster.run_until(65)
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), ("True", "ScaleDownStabilized", _HIGHER))
    await cluster.run_until(200)
    # 6 was recommended last at 45 s, and 5 at 75 s: at 105 s and 135 s they are 60 s old.
    cluster.expect("scales", scales(cluster), [(105.0, 5), (135.0, 2)])
    wanted = [(15.0, _READY), (60.0, _DOWN), (105.0, _RESCALED), (120.0, _DOWN), (135.0, _RESCALED), (150.0, _READY)]
    cluster.expect("AbleToScale over time", transitions(cluster, "AbleToScale"), wanted)


@scenario(
    "hpa/scale-down-window-is-the-flag-by-default",
    must="A behavior that names no window for scale-down MUST have that of the controller's flag.",
    source=(_STABILIZE, "pkg/controller/podautoscaler/horizontal.go: maybeInitScaleDownStabilizationWindow"),
    controllers=BOTH,
    features=("behavior", "stabilization", "scale-down", "options"),
    options=Options(hpa=HpaOptions(downscale_stabilization=90.0)),
)
async def test_scale_down_window_is_the_flag_by_default(cluster: Cluster) -> None:
    await demanded(cluster, 2, replicas=5, up=objects.scaling(window=0))
    await cluster.run_until(104)
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), ("True", "ScaleDownStabilized", _HIGHER))
    await cluster.run_until(150)
    cluster.expect("scales", scales(cluster), [(105.0, 2)])
    stored = cluster.get("horizontalpodautoscalers", "web")["spec"]["behavior"]["scaleDown"]
    cluster.expect("the window as stored", stored.get("stabilizationWindowSeconds"), None)


@scenario(
    "hpa/scale-up-window-begins-with-the-size-that-is-found",
    must="The size at the first sync MUST count as a recommendation for scale-up, too.",
    source=(_STABILIZE, "pkg/controller/podautoscaler/horizontal.go: recordInitialRecommendation"),
    controllers=BOTH,
    features=("behavior", "stabilization", "scale-up"),
)
async def test_scale_up_window_begins_with_the_size_that_is_found(cluster: Cluster) -> None:
    await demanded(cluster, 4, replicas=2, up=objects.scaling(window=30))
    await cluster.run_until(70)
    cluster.expect("scales", scales(cluster), [(45.0, 4)])
    wanted = [(15.0, _UP), (45.0, _RESCALED), (60.0, _READY)]
    cluster.expect("AbleToScale over time", transitions(cluster, "AbleToScale"), wanted)


@scenario(
    "hpa/size-between-both-windows-stays",
    must="A size between the lowest and the highest recommendation of the windows MUST stay as it is.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("behavior", "stabilization", "oscillation"),
)
async def test_size_between_both_windows_stays(cluster: Cluster) -> None:
    swinging = [(at, 3 if at % 30 else 6) for at in range(15, 120, 15)]  # 3, 6, 3, 6 ... and 6 from 120 s on
    window = objects.scaling(window=60)
    await demanded(cluster, (0, 3), *swinging, (120, 6), replicas=4, up=window, down=window)
    await cluster.run_until(110)
    cluster.expect("current and desired replicas", counts(cluster), (4, 4))
    await cluster.run_until(190)
    # 3 was recommended last at 105 s.
    cluster.expect("scales", scales(cluster), [(165.0, 6)])
    held = [(at, _DOWN if at % 30 else _UP) for at in range(15, 121, 15)]
    wanted = [*held, (165.0, _RESCALED), (180.0, _READY)]
    cluster.expect("AbleToScale over time", transitions(cluster, "AbleToScale"), wanted)


@scenario(
    "hpa/size-outside-of-both-windows-is-brought-back",
    must="A size that somebody else set outside of the range of recommendations MUST be brought to its nearer end.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("behavior", "stabilization", "manual"),
)
async def test_size_outside_of_both_windows_is_brought_back(cluster: Cluster) -> None:
    window = objects.scaling(window=120)
    await demanded(cluster, (0, 4), (30, 6), (45, 4), replicas=5, up=window, down=window)
    await cluster.run_until(50)
    await cluster.scale("web", 8)
    await cluster.run_until(65)
    await cluster.scale("web", 2)
    await cluster.run_until(80)
    cluster.expect("scales", scales(cluster), [(60.0, 6), (75.0, 4)])
    events = [
        "New size: 6; reason: All metrics below target",
        "New size: 4; reason: external metric demand(nil) above target",
    ]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), events)


@scenario(
    "hpa/windows-remember-what-was-wanted",
    must="Windows MUST remember recommendations as the metrics made them, not as limits and policies cut them.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("behavior", "stabilization", "policies"),
)
async def test_windows_remember_what_was_wanted(cluster: Cluster) -> None:
    slowly = objects.scaling(("Pods", 1, 60))
    await demanded(cluster, 8, (90, 3), replicas=2, max_replicas=5, up=slowly, down=objects.scaling(window=60))
    await cluster.run_until(160)
    # 8 was wanted last at 75 s, when the fourth replica came; it holds the size until 135 s.
    cluster.expect("scales", scales(cluster), [(15.0, 3), (75.0, 4), (135.0, 3)])
    wanted = [(15.0, "True ScaleUpLimit"), (90.0, "False DesiredWithinRange")]
    cluster.expect("ScalingLimited over time", transitions(cluster, "ScalingLimited"), wanted)
