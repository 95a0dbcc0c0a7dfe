"""What counts as a change in the period of a policy: what this HPA did itself, to whatever end.

Changes of both directions count in both directions. Those that others make do not, nor do those that were refused.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, demanded, proposal
from lockstep_conformance.hpa.steps import messages, reason, scales, transitions

_UP = "pkg/controller/podautoscaler/horizontal.go: calculateScaleUpLimitWithScalingRules"
_DOWN = "pkg/controller/podautoscaler/horizontal.go: calculateScaleDownLimitWithBehaviors"
_STORE = "pkg/controller/podautoscaler/horizontal.go: storeScaleEvent"
_HPAS = "horizontalpodautoscalers"


@scenario(
    "hpa/what-was-removed-may-be-added-again",
    must="Replicas that the HPA removed in the period MUST be added to those from which a scale-up is counted.",
    source=_UP,
    controllers=BOTH,
    features=("behavior", "policies", "scale-up"),
)
async def test_what_was_removed_may_be_added_again(cluster: Cluster) -> None:
    up, down = objects.scaling(("Pods", 1, 60)), objects.scaling(window=0)
    await demanded(cluster, 7, (60, 3), (90, 10), replicas=7, up=up, down=down)
    await cluster.run_until(160)
    # At 90 s there were 7 a minute ago: 8. At 120 s there were 3, which would make 4: nothing. At 150 s there were 8.
    cluster.expect("scales", scales(cluster), [(60.0, 3), (90.0, 8), (150.0, 9)])
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True ScaleUpLimit")


@scenario(
    "hpa/what-was-added-may-be-removed-again",
    must="Replicas that the HPA added in the period MUST be taken off those from which a scale-down is counted.",
    source=_DOWN,
    controllers=BOTH,
    features=("behavior", "policies", "scale-down"),
)
async def test_what_was_added_may_be_removed_again(cluster: Cluster) -> None:
    up, down = objects.scaling(("Pods", 10, 15)), objects.scaling(("Pods", 1, 60), window=0)
    await demanded(cluster, 3, (60, 8), (90, 1), replicas=3, up=up, down=down)
    await cluster.run_until(200)
    # At 90 s there were 3 a minute ago: 2. At 120 s there were 8, which would make 7: nothing. At 150 s there were 2.
    cluster.expect("scales", scales(cluster), [(60.0, 8), (90.0, 2), (150.0, 1)])
    wanted = [(15.0, "False DesiredWithinRange"), (90.0, "True ScaleDownLimit"), (150.0, "False DesiredWithinRange")]
    cluster.expect("ScalingLimited over time", transitions(cluster, "ScalingLimited"), wanted)


@scenario(
    "hpa/what-others-change-is-no-scale-event",
    must="A change that somebody else made MUST NOT be counted: the HPA's own are counted back from the size of now.",
    source=(_UP, _DOWN),
    controllers=BOTH,
    features=("behavior", "policies", "manual"),
)
async def test_what_others_change_is_no_scale_event(cluster: Cluster) -> None:
    await demanded(cluster, 8, replicas=2, up=objects.scaling(("Pods", 2, 300)))
    less = objects.scaling(("Pods", 1, 300), window=0)
    await demanded(cluster, 1, replicas=5, down=less, name="db", metric="little")
    await cluster.run_until(20)
    first = (scales(cluster), scales(cluster, "db"))
    cluster.expect("scales of web and db at first", first, ([(15.0, 4)], [(15.0, 4)]))
    await cluster.scale("web", 1)  # two of the four were its own, so it believes that it began with -1
    await cluster.scale("db", 7)  # and this one that it began with 8
    await cluster.run_until(330)
    cluster.expect("scales of web", scales(cluster)[1:], [(315.0, 3)])
    cluster.expect("scales of db", scales(cluster, "db")[1:], [(315.0, 6)])


@scenario(
    "hpa/limits-make-scale-events",
    must="What an HPA changes because of minReplicas or maxReplicas MUST count for its policies as any other change.",
    source=_STORE,
    controllers=BOTH,
    features=("behavior", "policies", "limits"),
)
async def test_limits_make_scale_events(cluster: Cluster) -> None:
    up, down = objects.scaling(("Pods", 1, 300)), objects.scaling(window=0)
    await demanded(cluster, 9, replicas=6, max_replicas=6, up=up, down=down)
    await cluster.run_until(20)
    await cluster.patch(_HPAS, "web", {"spec": {"maxReplicas": 2}})
    await cluster.run_until(35)
    await cluster.patch(_HPAS, "web", {"spec": {"maxReplicas": 10}})
    await cluster.run_until(360)
    # Four were removed by the limit, so a scale-up is counted from six; at 345 s it is counted from the seven of then.
    cluster.expect("scales", scales(cluster), [(30.0, 2), (45.0, 7), (345.0, 8)])
    cluster.expect(
        "events",
        messages(cluster, "SuccessfulRescale")[:1],
        ["New size: 2; reason: Current number of replicas above Spec.MaxReplicas"],
    )


@scenario(
    "hpa/refused-scale-is-no-scale-event",
    must="A scale that the API server refused MUST NOT count: the next sync may do all of it.",
    source=("pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler", _STORE),
    controllers=BOTH,
    features=("behavior", "policies", "failure"),
)
async def test_refused_scale_is_no_scale_event(cluster: Cluster) -> None:
    cluster.faults.error(500, verb="update", resource="replicasets.apps", subresource="scale")
    await demanded(cluster, 9, replicas=2, up=objects.scaling(("Pods", 3, 60)))
    await cluster.run_until(20)
    able = reason(cluster, "AbleToScale")
    cluster.expect("AbleToScale after the refusal", able, "False FailedUpdateScale")
    cluster.expect("lastScaleTime", cluster.status("web", _HPAS).get("lastScaleTime"), None)
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(30.0, 5), (90.0, 8)])


@scenario(
    "hpa/recreated-hpa-forgets-its-scale-events",
    must="Scale events MUST be forgotten in the sync that finds the HPA gone, and kept where it is back by then.",
    source=("pkg/controller/podautoscaler/horizontal.go: reconcileKey", _STORE),
    controllers=BOTH,
    features=("behavior", "policies", "deletion", "recreation"),
)
async def test_recreated_hpa_forgets_its_scale_events(cluster: Cluster) -> None:
    rules = objects.behavior(up=objects.scaling(("Pods", 2, 1800)))
    await demanded(cluster, 9, replicas=1, up=rules["scaleUp"])
    await cluster.run_until(20)
    await cluster.delete(_HPAS, "web")
    await cluster.create(objects.hpa("web", metrics=[proposal()], behavior=rules))
    await cluster.run_until(100)
    cluster.expect("scales with the HPA that came back before its next sync", scales(cluster), [(15.0, 3)])
    await cluster.delete(_HPAS, "web")
    await cluster.run_until(121)
    await cluster.create(objects.hpa("web", metrics=[proposal()], behavior=rules))
    await cluster.run_until(150)
    cluster.expect("scales with the one that came back later", scales(cluster)[1:], [(136.0, 5)])


@scenario(
    "hpa/recreated-hpa-forgets-what-it-removed",
    must="What an HPA has removed MUST be forgotten as well in the sync that finds it gone.",
    source=("pkg/controller/podautoscaler/horizontal.go: reconcileKey", _STORE),
    controllers=BOTH,
    features=("behavior", "policies", "deletion", "recreation"),
)
async def test_recreated_hpa_forgets_what_it_removed(cluster: Cluster) -> None:
    rules = objects.behavior(down=objects.scaling(("Pods", 2, 1800), window=0))
    await demanded(cluster, 1, replicas=9, down=rules["scaleDown"])
    await cluster.run_until(50)
    cluster.expect("scales before it is deleted", scales(cluster), [(15.0, 7)])
    await cluster.delete(_HPAS, "web")
    await cluster.run_until(61)
    await cluster.create(objects.hpa("web", metrics=[proposal()], behavior=rules))
    await cluster.run_until(100)
    cluster.expect("scales with the one that came back", scales(cluster)[1:], [(76.0, 5)])
