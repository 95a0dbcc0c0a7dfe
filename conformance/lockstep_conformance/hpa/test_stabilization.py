"""The stabilization window of an HPA without behavior: the highest recommendation of the last five minutes.

Each sync records what it would like to have. As long as a higher recommendation is not older than the window, that one
is applied. The window looks at recommendations, not at sizes, and those of both directions.
"""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, scenario
from lockstep_conformance.hpa.demand import BOTH, demanded
from lockstep_conformance.hpa.steps import condition, counts, messages, scales, transitions

_STABILIZE = "pkg/controller/podautoscaler/horizontal.go: stabilizeRecommendation"
_HIGHER = "recent recommendations were higher than current one, applying the highest recent recommendation"
_BELOW = "reason: All metrics below target"


@scenario(
    "hpa/window-holds-the-highest-recommendation",
    must="A scale-down MUST stop at the highest recommendation of the window, and go on when that one gets too old.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("stabilization", "scale-down"),
)
async def test_window_holds_the_highest_recommendation(cluster: Cluster) -> None:
    await demanded(cluster, 8, (60, 3), (120, 5), (150, 3), replicas=8)
    await cluster.run_until(65)
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), ("True", "ScaleDownStabilized", _HIGHER))
    cluster.expect("current and desired replicas", counts(cluster), (8, 8))
    await cluster.run_until(600)
    # 8 was recommended last at 45 s, and 5 at 135 s: both count until they are older than 300 s.
    cluster.expect("scales", scales(cluster), [(360.0, 5), (450.0, 3)])
    cluster.expect(
        "events", messages(cluster, "SuccessfulRescale"), [f"New size: 5; {_BELOW}", f"New size: 3; {_BELOW}"]
    )
    wanted = [
        (15.0, "True ReadyForNewScale"),
        (60.0, "True ScaleDownStabilized"),
        (360.0, "True SucceededRescale"),
        (375.0, "True ScaleDownStabilized"),
        (450.0, "True SucceededRescale"),
        (465.0, "True ReadyForNewScale"),
    ]
    cluster.expect("AbleToScale over time", transitions(cluster, "AbleToScale"), wanted)


@scenario(
    "hpa/window-of-zero-scales-down-at-once",
    must="With a stabilization window of 0 a lower recommendation MUST be applied in the sync that makes it.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("stabilization", "scale-down", "options"),
    options=Options(hpa=HpaOptions(downscale_stabilization=0.0)),
)
async def test_window_of_zero_scales_down_at_once(cluster: Cluster) -> None:
    await demanded(cluster, 6, (60, 3), (90, 2), replicas=6)
    await cluster.run_until(200)
    cluster.expect("scales", scales(cluster), [(60.0, 3), (90.0, 2)])
    stabilized = [at for at, said in transitions(cluster, "AbleToScale") if "Stabilized" in said]
    cluster.expect("instants at which something was held", stabilized, [])


@scenario(
    "hpa/window-begins-with-the-size-that-is-found",
    must="The size at the first sync MUST count as a recommendation: nothing is scaled down before the window is over.",
    source="pkg/controller/podautoscaler/horizontal.go: recordInitialRecommendation",
    controllers=BOTH,
    features=("stabilization", "scale-down"),
    options=Options(hpa=HpaOptions(downscale_stabilization=60.0)),
)
async def test_window_begins_with_the_size_that_is_found(cluster: Cluster) -> None:
    await demanded(cluster, 2, replicas=6)
    await cluster.run_until(120)
    # Recorded at 15 s; at 75 s it is just as old as the window, and counts for the last time.
    cluster.expect("scales", scales(cluster), [(90.0, 2)])
    wanted = [(15.0, "True ScaleDownStabilized"), (90.0, "True SucceededRescale"), (105.0, "True ReadyForNewScale")]
    cluster.expect("AbleToScale over time", transitions(cluster, "AbleToScale"), wanted)
    cluster.expect("never limited", transitions(cluster, "ScalingLimited"), [(15.0, "False DesiredWithinRange")])


@scenario(
    "hpa/window-undoes-a-manual-scale-down",
    must="Where somebody else scales down, the highest recommendation of the window MUST be applied again, even while "
    "the metrics want fewer replicas.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("stabilization", "scale-up", "manual"),
)
async def test_window_undoes_a_manual_scale_down(cluster: Cluster) -> None:
    await demanded(cluster, 8, (60, 3), replicas=8)
    await cluster.run_until(65)
    await cluster.scale("web", 3)
    await cluster.run_until(400)
    # At most doubled at a time; 8 was recommended last at 45 s.
    cluster.expect("scales", scales(cluster), [(75.0, 6), (90.0, 8), (360.0, 3)])
    # The reason compares what the metrics want with the size, and not what is done.
    wanted = ["New size: 6; reason: ", f"New size: 8; {_BELOW}", f"New size: 3; {_BELOW}"]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)
    limits = [(15.0, "False DesiredWithinRange"), (75.0, "True ScaleUpLimit"), (90.0, "False DesiredWithinRange")]
    cluster.expect("ScalingLimited over time", transitions(cluster, "ScalingLimited"), limits)


@scenario(
    "hpa/window-does-not-delay-scale-up",
    must="Without behavior a higher recommendation MUST be applied at once, however low those before it were.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("stabilization", "scale-up"),
)
async def test_window_does_not_delay_scale_up(cluster: Cluster) -> None:
    await demanded(cluster, 2, (300, 3), (315, 2), (330, 4), replicas=2)
    await cluster.run_until(360)
    cluster.expect("scales", scales(cluster), [(300.0, 3), (330.0, 4)])
    wanted = [
        (15.0, "True ReadyForNewScale"),
        (300.0, "True SucceededRescale"),
        (315.0, "True ScaleDownStabilized"),
        (330.0, "True SucceededRescale"),
        (345.0, "True ReadyForNewScale"),
    ]
    cluster.expect("AbleToScale over time", transitions(cluster, "AbleToScale"), wanted)
