"""Edits of the behavior while recommendations and scale events are remembered.

What is remembered is as much as the longest window, or period, needed when it was recorded: a longer one later sees
only what was not yet overwritten. Scales without behavior are not remembered at all.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.demand import BOTH, demanded
from lockstep_conformance.hpa.steps import messages, reason, scales, transitions

_STORE = "pkg/controller/podautoscaler/horizontal.go: storeScaleEvent"
_MARK = "pkg/controller/podautoscaler/horizontal.go: markScaleEventsOutdated"
_STABILIZE = "pkg/controller/podautoscaler/horizontal.go: stabilizeRecommendationWithBehaviors"
_LEGACY = "pkg/controller/podautoscaler/horizontal.go: stabilizeRecommendation"
_UP = "pkg/controller/podautoscaler/horizontal.go: calculateScaleUpLimitWithScalingRules"


async def edit(cluster: Cluster, at: float, **rules: Object | None) -> None:
    """Change `up` or `down` of the HPA's behavior at a moment; None takes the behavior away."""
    await cluster.run_until(at)
    fields: dict[str, Any] = {"up": "scaleUp", "down": "scaleDown"}
    behavior = None if None in rules.values() else {fields[name]: rule for name, rule in rules.items()}
    await cluster.patch("horizontalpodautoscalers", "web", {"spec": {"behavior": behavior}})


@scenario(
    "hpa/loosened-policy-counts-what-was-done",
    must="A policy that is loosened MUST allow at once what is left of it after the changes of its period.",
    source=_UP,
    controllers=BOTH,
    features=("spec-edits", "behavior", "policies", "scale-up"),
)
async def test_loosened_policy_counts_what_was_done(cluster: Cluster) -> None:
    await demanded(cluster, 9, replicas=1, up=objects.scaling(("Pods", 1, 60)))
    await edit(cluster, 20, up=objects.scaling(("Pods", 5, 60)))
    await cluster.run_until(100)
    # 6 instead of 2 by 30 s; at 75 s the one of 15 s counts no more, at 90 s all of them.
    cluster.expect("scales", scales(cluster), [(15.0, 2), (30.0, 6), (75.0, 7), (90.0, 9)])


@scenario(
    "hpa/tightened-policy-waits",
    must="A policy that is tightened below what was done in its period MUST keep the size until that has passed.",
    source=(_UP, "pkg/controller/podautoscaler/horizontal.go: convertDesiredReplicasWithBehaviorRate"),
    controllers=BOTH,
    features=("spec-edits", "behavior", "policies", "scale-up"),
)
async def test_tightened_policy_waits(cluster: Cluster) -> None:
    await demanded(cluster, 9, replicas=1, up=objects.scaling(("Pods", 5, 60)))
    await edit(cluster, 20, up=objects.scaling(("Pods", 2, 60)))
    await cluster.run_until(70)
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True ScaleUpLimit")
    await cluster.run_until(150)
    cluster.expect("scales", scales(cluster), [(15.0, 6), (75.0, 8), (135.0, 9)])


@scenario(
    "hpa/lengthened-period-sees-what-is-left",
    must="A lengthened period MUST count only the scale events that were not yet overwritten by later ones.",
    source=(_STORE, _MARK),
    controllers=BOTH,
    features=("spec-edits", "behavior", "policies", "periods"),
)
async def test_lengthened_period_sees_what_is_left(cluster: Cluster) -> None:
    await demanded(cluster, 12, replicas=1, max_replicas=12, up=objects.scaling(("Pods", 1, 15)))
    await edit(cluster, 80, up=objects.scaling(("Pods", 5, 600)))
    await cluster.run_until(300)
    # Five were added, at 15 s ... 75 s. Each took the place of one older than 15 s, so two are left: 6 - 2 + 5.
    added = [(15.0 * step, 1 + step) for step in range(1, 6)]
    cluster.expect("scales", scales(cluster), [*added, (90.0, 9)])


@scenario(
    "hpa/outdated-event-counts-until-overwritten",
    must="Of the outdated events the last one MUST be overwritten first; one that is left MUST count in a lengthened "
    "period, and MUST be overwritten next even though it is within that.",
    source=(_STORE, _MARK),
    controllers=BOTH,
    features=("spec-edits", "behavior", "policies", "periods"),
)
async def test_outdated_event_counts_until_overwritten(cluster: Cluster) -> None:
    await demanded(
        cluster, 2, (30, 4), (90, 5), (100, 12), replicas=1, max_replicas=12, up=objects.scaling(("Pods", 3, 15))
    )
    await edit(cluster, 95, up=objects.scaling(("Pods", 5, 600)))
    await cluster.run_until(300)
    # At 90 s the one of then takes the place of the two of 30 s. With the one of 15 s there were 3 at the beginning, so
    # 8 may be. The three of 105 s take the place of the one of 15 s: now there were 4, and 9 may be.
    at_first, later = [(15.0, 2), (30.0, 4), (90.0, 5)], [(105.0, 8), (120.0, 9)]
    cluster.expect("scales", scales(cluster), [*at_first, *later])
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True ScaleUpLimit")


@scenario(
    "hpa/longest-period-keeps-events-for-all",
    must="A scale event MUST be kept for the longest period of its direction, for a policy that gets as long a period.",
    source=(_STORE, "pkg/controller/podautoscaler/horizontal.go: getLongestPolicyPeriod"),
    controllers=BOTH,
    features=("spec-edits", "behavior", "policies", "periods"),
)
async def test_longest_period_keeps_events_for_all(cluster: Cluster) -> None:
    rules = objects.scaling(("Pods", 1, 15), ("Pods", 100, 600), select="Min")
    await demanded(cluster, 12, replicas=1, max_replicas=12, up=rules)
    await edit(cluster, 80, up=objects.scaling(("Pods", 5, 600)))
    await cluster.run_until(300)
    cluster.expect("scales", scales(cluster), [(15.0 * step, 1 + step) for step in range(1, 6)])
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True ScaleUpLimit")


@scenario(
    "hpa/scales-before-a-behavior-are-not-counted",
    must="What an HPA did while it had no behavior MUST NOT count for the policies that it gets later.",
    source=_STORE,
    controllers=BOTH,
    features=("spec-edits", "behavior", "policies", "legacy"),
)
async def test_scales_before_a_behavior_are_not_counted(cluster: Cluster) -> None:
    await demanded(cluster, 9, replicas=1)
    await edit(cluster, 20, up=objects.scaling(("Pods", 2, 300)))
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(15.0, 4), (30.0, 6)])


@scenario(
    "hpa/removed-behavior-brings-back-what-was-wanted",
    must="Without its behavior the HPA MUST go by the flag's window, and up again to the highest recommendation of it.",
    source=(_LEGACY, _STABILIZE),
    controllers=BOTH,
    features=("spec-edits", "behavior", "stabilization", "legacy"),
)
async def test_removed_behavior_brings_back_what_was_wanted(cluster: Cluster) -> None:
    await demanded(cluster, 7, (120, 2), replicas=7, up=objects.scaling(window=60), down=objects.scaling(window=0))
    await edit(cluster, 140, up=None)
    await cluster.run_until(500)
    # 7 was recommended last at 105 s, and is remembered: the window of scale-up was still open.
    cluster.expect("scales", scales(cluster), [(120.0, 2), (150.0, 4), (165.0, 7), (420.0, 2)])
    below = "reason: All metrics below target"
    wanted = [f"New size: 2; {below}", "New size: 4; reason: ", f"New size: 7; {below}"]  # the last repeats the first
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)


@scenario(
    "hpa/shortened-window-lets-go",
    must="A shortened window MUST be looked through from the next sync on.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("spec-edits", "behavior", "stabilization", "scale-down"),
)
async def test_shortened_window_lets_go(cluster: Cluster) -> None:
    await demanded(cluster, 6, (60, 2), replicas=6, down=objects.scaling(window=600))
    await edit(cluster, 110, down=objects.scaling(window=60))
    await cluster.run_until(200)
    cluster.expect("scales", scales(cluster), [(120.0, 2)])
    wanted = [
        (15.0, "True ReadyForNewScale"),
        (60.0, "True ScaleDownStabilized"),
        (120.0, "True SucceededRescale"),
        (135.0, "True ReadyForNewScale"),
    ]
    cluster.expect("AbleToScale over time", transitions(cluster, "AbleToScale"), wanted)


@scenario(
    "hpa/lengthened-window-sees-what-is-left",
    must="A lengthened window MUST count the recommendations that were not yet overwritten, however old they are.",
    source=_STABILIZE,
    controllers=BOTH,
    features=("spec-edits", "behavior", "stabilization", "scale-down"),
)
async def test_lengthened_window_sees_what_is_left(cluster: Cluster) -> None:
    await demanded(cluster, 5, (30, 7), (60, 5), (115, 2), replicas=6, down=objects.scaling(window=0))
    await edit(cluster, 110, down=objects.scaling(window=1200))
    await cluster.scale("web", 8)
    await cluster.run_until(1400)
    # While the window was 0 each recommendation took the place of the one before, so 7 is lost. The size that was found
    # in the first sync was never overwritten: 6 counts until 1215 s, and 5, of 105 s, until 1305 s.
    at_first, later = [(15.0, 5), (30.0, 7), (60.0, 5)], [(120.0, 6), (1215.0, 5), (1305.0, 2)]
    cluster.expect("scales", scales(cluster), [*at_first, *later])
