"""What counts as a change in the period of a policy: this HPA's own changes, for whatever reason.

Changes of both directions count in both directions. Changes by others do not count, nor do refused ones.
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
    must="Replicas that the HPA removed in the period MUST be added to the base of a scale-up.",
    source=_UP,
    controllers=BOTH,
    features=("behavior", "policies", "scale-up"),
)
async def test_what_was_removed_may_be_added_again(cluster: Cluster) -> None:
    up, down = objects.scaling(("Pods", 1, 60)), objects.scaling(window=0)
    await demanded(cluster, 7, (60, 3), (90, 10), replicas=7, up=up, down=down)
    await cluster.run_until(160)
    # At 90 s the base is 7, a minute ago: 8 are allowed. At 120 s it is 3, so 4: no change. At 150 s it is 8.
    cluster.expect("scales", scales(cluster), [(60.0, 3), (90.0, 8), (150.0, 9)])
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True ScaleUpLimit")


@scenario(
    "hpa/what-was-added-may-be-removed-again",
    must="Replicas that the HPA added in the period MUST be subtracted from the base of a scale-down.",
    source=_DOWN,
    controllers=BOTH,
    features=("behavior", "policies", "scale-down"),
)
async def test_what_was_added_may_be_removed_again(cluster: Cluster) -> None:
    up, down = objects.scaling(("Pods", 10, 15)), objects.scaling(("Pods", 1, 60), window=0)
    await demanded(cluster, 3, (60, 8), (90, 1), replicas=3, up=up, down=down)
    await cluster.run_until(200)
    # At 90 s the base is 3, a minute ago: 2 are allowed. At 120 s it is 8, so 7: no change. At 150 s it is 2.
    cluster.expect("scales", scales(cluster), [(60.0, 8), (90.0, 2), (150.0, 1)])
    wanted = [(15.0, "False DesiredWithinRange"), (90.0, "True ScaleDownLimit"), (150.0, "False DesiredWithinRange")]
    cluster.expect("ScalingLimited over time", transitions(cluster, "ScalingLimited"), wanted)


@scenario(
    "hpa/what-others-change-is-no-scale-event",
    must="A change by somebody else MUST NOT count: only the HPA's own changes are subtracted from the current size.",
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
    await cluster.scale("web", 1)  # two of the four were its own, so its base is -1
    await cluster.scale("db", 7)  # and the base of this one is 8
    await cluster.run_until(330)
    cluster.expect("scales of web", scales(cluster)[1:], [(315.0, 3)])
    cluster.expect("scales of db", scales(cluster, "db")[1:], [(315.0, 6)])


@scenario(
    "hpa/limits-make-scale-events",
    must="A change because of minReplicas or maxReplicas MUST count for policies like any other change.",
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
    # The limit removed four, so the base of a scale-up is six; at 345 s it is the current seven.
    cluster.expect("scales", scales(cluster), [(30.0, 2), (45.0, 7), (345.0, 8)])
    cluster.expect(
        "events",
        messages(cluster, "SuccessfulRescale")[:1],
        ["New size: 2; reason: Current number of replicas above Spec.MaxReplicas"],
    )


@scenario(
    "hpa/refused-scale-is-no-scale-event",
    must="A scale that the API server refused MUST NOT count: the next sync may make the whole change.",
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
    must="Scale events MUST be forgotten in the sync that finds the HPA gone, and kept if it exists again by then.",
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
    must="Scale-down events MUST be forgotten as well in the sync that finds the HPA gone.",
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
