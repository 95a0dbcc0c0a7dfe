"""What an HPA without behavior does: it at most doubles, or makes four of fewer; it removes any number at once.

The API server adds no behavior to an HPA that has none, so this is what most HPAs do.
"""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, scenario
from lockstep_conformance.hpa.demand import BOTH, demanded
from lockstep_conformance.hpa.steps import condition, counts, messages, scales, status, transitions

_RULES = "pkg/controller/podautoscaler/horizontal.go: convertDesiredReplicasWithRules"
_LIMIT = "pkg/controller/podautoscaler/horizontal.go: calculateScaleUpLimit"
_ABOVE, _BELOW = "reason: external metric demand(nil) above target", "reason: All metrics below target"


@scenario(
    "hpa/legacy-scale-up-doubles-or-makes-four",
    must="Without behavior one sync MUST at most double the replicas, or make four of fewer than two.",
    source=(_LIMIT, _RULES),
    issues="kubernetes/kubernetes#32304",
    controllers=BOTH,
    features=("legacy", "limits", "scale-up"),
)
async def test_legacy_scale_up_doubles_or_makes_four(cluster: Cluster) -> None:
    await demanded(cluster, 11, replicas=1, max_replicas=20)
    await demanded(cluster, 7, replicas=3, max_replicas=20, name="db", metric="other")
    await cluster.run_until(20)
    stored = cluster.get("horizontalpodautoscalers", "web")["spec"]
    cluster.expect("behavior as stored", stored.get("behavior"), None)
    faster = "the desired replica count is increasing faster than the maximum scale rate"
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), ("True", "ScaleUpLimit", faster))
    cluster.expect("current and desired replicas", counts(cluster), (1, 4))
    await cluster.run_until(100)
    cluster.expect("scales of web", scales(cluster), [(15.0, 4), (30.0, 8), (45.0, 11)])
    cluster.expect("scales of db", scales(cluster, "db"), [(15.0, 6), (30.0, 7)])
    wanted = [(15.0, "True ScaleUpLimit"), (45.0, "False DesiredWithinRange")]
    cluster.expect("ScalingLimited of web over time", transitions(cluster, "ScalingLimited"), wanted)


@scenario(
    "hpa/legacy-scale-down-has-no-rate",
    must="Without behavior any number of replicas MUST be removed in one sync.",
    source=_RULES,
    controllers=BOTH,
    features=("legacy", "limits", "scale-down"),
    options=Options(hpa=HpaOptions(downscale_stabilization=0.0)),
)
async def test_legacy_scale_down_has_no_rate(cluster: Cluster) -> None:
    await demanded(cluster, 9, (60, 2), replicas=9)
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(60.0, 2)])
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), [f"New size: 2; {_BELOW}"])
    wanted = [(15.0, "False DesiredWithinRange")]
    cluster.expect("ScalingLimited over time", transitions(cluster, "ScalingLimited"), wanted)


@scenario(
    "hpa/status-follows-each-decision",
    must="The status MUST show the size before a scale and the size that was asked for, and lastScaleTime MUST change "
    "with scales only.",
    source="pkg/controller/podautoscaler/horizontal.go: setStatus",
    controllers=BOTH,
    features=("legacy", "status", "events"),
    options=Options(hpa=HpaOptions(downscale_stabilization=0.0)),
)
async def test_status_follows_each_decision(cluster: Cluster) -> None:
    await demanded(cluster, 3, (60, 5), (120, 2), replicas=3)
    seen = []
    for at in (20, 65, 80, 125, 140, 170):
        await cluster.run_until(at)
        average = status(cluster)["currentMetrics"][0]["external"]["current"]["averageValue"]
        seen.append((at, *counts(cluster), average, (status(cluster).get("lastScaleTime") or "never")[14:]))
    wanted = [
        (20, 3, 3, "1", ""),
        (65, 3, 5, "1667m", "01:01Z"),
        (80, 5, 5, "1", "01:01Z"),
        (125, 5, 2, "400m", "02:01Z"),
        (140, 2, 2, "1", "02:01Z"),
        (170, 2, 2, "1", "02:01Z"),
    ]
    cluster.expect("current, desired, metric and lastScaleTime", seen, wanted)
    events = [f"New size: 5; {_ABOVE}", f"New size: 2; {_BELOW}"]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), events)
    cluster.expect("scales", scales(cluster), [(60.0, 5), (120.0, 2)])
