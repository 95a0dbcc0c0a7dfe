"""Recommendations within the windows limit the new size: never below the lowest, never above the highest.

A controller that simply applies the highest recommendation of the window would scale up while the load falls.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each, steps
from lockstep_conformance.hpa.demand import demanded
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import condition, messages, scales

_BEHAVIORS = "pkg/controller/podautoscaler/horizontal.go: stabilizeRecommendationWithBehaviors"
_LEGACY = "pkg/controller/podautoscaler/horizontal.go: stabilizeRecommendation"
_UP_STABILIZED = "recent recommendations were lower than current one, applying the lowest recent recommendation"
_DOWN_STABILIZED = "recent recommendations were higher than current one, applying the highest recent recommendation"


@scenario(
    "hpa/two-windows-hold-between-a-spike-and-a-drop",
    must=(
        "With a window in each direction, replicas MUST NOT change while a spike and a drop are both in their windows."
    ),
    source=_BEHAVIORS,
    issues=("kubernetes/kubernetes#96671", "kubernetes/kubernetes#97348"),
    controllers=("hpa", "replicaset"),
    features=("behavior", "stabilization", "H1"),
)
async def test_two_windows_hold_between_a_spike_and_a_drop(cluster: Cluster) -> None:
    window = objects.scaling(window=300)
    await demanded(cluster, 2, (60, 3), (120, 1), replicas=2, min_replicas=1, up=window, down=window)
    await cluster.run_until(61)
    cluster.expect("during the spike", condition(cluster, "AbleToScale"), ("True", "ScaleUpStabilized", _UP_STABILIZED))
    await cluster.run_until(121)
    held = ("True", "ScaleDownStabilized", _DOWN_STABILIZED)
    cluster.expect("after the drop", condition(cluster, "AbleToScale"), held)
    await cluster.run_until(900)
    # 3 was last recommended at 105 s; five minutes later it no longer counts
    cluster.expect("scales", scales(cluster), [(405.0, 1)])


@scenario(
    "hpa/remembered-peak-is-no-target",
    must="A peak that a policy cut MUST NOT be caught up with once it is over.",
    source=_BEHAVIORS,
    issues="kubernetes/kubernetes#96671",
    controllers=("hpa", "replicaset"),
    features=("behavior", "stabilization", "H1"),
)
async def test_remembered_peak_is_no_target(cluster: Cluster) -> None:
    slowly = objects.scaling(("Pods", 1, 120), window=0)
    down = objects.scaling(window=300)
    await demanded(cluster, 2, (60, 4), (90, 1), replicas=2, min_replicas=2, up=slowly, down=down)
    await cluster.run_until(900)
    cluster.expect("scales", scales(cluster), [(60.0, 3), (375.0, 2)])
    reasons = ["external metric demand(nil) above target", "All metrics below target"]
    wanted = [f"New size: {size}; reason: {why}" for size, why in zip((3, 2), reasons, strict=True)]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)


@scenario(
    "hpa/falling-load-never-scales-up",
    must="While utilization is below the target, replicas MUST NOT grow, however high recent recommendations were.",
    source=_BEHAVIORS,
    issues=("kubernetes/kubernetes#98174", "kubernetes/kubernetes#97348"),
    controllers=("hpa", "replicaset"),
    features=("behavior", "stabilization", "H2"),
)
async def test_falling_load_never_scales_up(cluster: Cluster) -> None:
    up = objects.scaling(("Pods", 4, 30), window=300)
    down = objects.scaling(("Pods", 2, 180), window=600)
    cluster.metrics.load("web", cpu=each(steps((0, 0.8), (330, 1.15), (420, 0.65))))
    cpu = objects.resource_metric("cpu", utilization=80)
    await serve(
        cluster, 17, min_replicas=2, max_replicas=40, metrics=[cpu], behavior=objects.behavior(up=up, down=down)
    )
    await cluster.run_until(1000)
    cluster.expect("scales while 25 replicas are remembered", scales(cluster), [])
    held = ("True", "ScaleDownStabilized", _DOWN_STABILIZED)
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), held)
    await cluster.run_until(1300)
    # 25 was last recommended at 405 s; from 420 s on it was 14 (17 replicas at 65 % of 80 %), by two in three minutes
    cluster.expect("scales in the end", scales(cluster), [(1005.0, 15), (1185.0, 14)])


@scenario(
    "hpa/without-behavior-a-remembered-peak-is-caught-up-with",
    must=(
        "Without a behavior, the highest recommendation of the downscale window MUST be applied, even if that is a "
        "scale-up while all metrics are below their targets."
    ),
    source=_LEGACY,
    issues=("kubernetes/kubernetes#99349", "kubernetes/kubernetes#98174"),
    controllers=("hpa", "replicaset"),
    features=("legacy", "stabilization", "H2"),
)
async def test_without_behavior_a_remembered_peak_is_caught_up_with(cluster: Cluster) -> None:
    """Upstream fixed this for HPAs with a behavior only."""
    await demanded(cluster, 2, (60, 8), (75, 3), replicas=2)
    await cluster.run_until(600)
    # at most twice as many at a time, or four; the peak of 60 s is in the window until 360 s
    cluster.expect("scales", scales(cluster), [(60.0, 4), (75.0, 8), (375.0, 3)])
    above, below = "external metric demand(nil) above target", "All metrics below target"
    wanted = [f"New size: {size}; reason: {why}" for size, why in ((4, above), (8, below), (3, below))]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)
