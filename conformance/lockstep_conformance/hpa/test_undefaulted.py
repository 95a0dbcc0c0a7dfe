"""Incomplete HPAs: the API server sets defaults before any controller sees them.

Ports of the HPA's code that read such objects without defaults have crashed on missing fields. So each of these HPAs
must scale.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.demand import demanded
from lockstep_conformance.hpa.served import workload
from lockstep_conformance.hpa.steps import HPAS, condition, reason, scales

_DEFAULTS = "pkg/apis/autoscaling/v2/defaults.go: SetDefaults_HorizontalPodAutoscaler"
_LIMITS = "pkg/controller/podautoscaler/horizontal.go: calculateScaleUpLimitWithScalingRules"
_ISSUE = "karmada-io/karmada#4103"
_UP: Object = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
}
_DOWN: Object = {"selectPolicy": "Max", "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}


def _spec(cluster: Cluster, name: str) -> Any:
    return cluster.get(HPAS, name)["spec"]


@scenario(
    "hpa/behavior-given-in-part",
    must="A behavior with missing or null fields MUST get defaults, and its HPA MUST scale.",
    source=(_DEFAULTS, _LIMITS),
    issues=_ISSUE,
    controllers=("hpa", "replicaset"),
    features=("bad-spec", "behavior", "defaults", "H27"),
)
async def test_behavior_given_in_part(cluster: Cluster) -> None:
    """All recommend 12 replicas from 2, which takes two syncs, and 1 from 100 s on, with a window of 300 s."""
    table: dict[str, tuple[Object, Object, Object]] = {
        "empty": ({}, _UP, _DOWN),
        "empty-rules": ({"scaleUp": {}, "scaleDown": {}}, _UP, _DOWN),
        "null-rules": ({"scaleUp": None, "scaleDown": None}, _UP, _DOWN),
        "null-fields": ({"scaleUp": {"selectPolicy": None, "policies": None}}, _UP, _DOWN),
        "window-only": (
            {"scaleDown": {"stabilizationWindowSeconds": 60}},
            _UP,
            {**_DOWN, "stabilizationWindowSeconds": 60},
        ),
        "policies-only": (
            {"scaleUp": {"policies": [{"type": "Pods", "value": 5, "periodSeconds": 15}]}},
            {**_UP, "policies": [{"type": "Pods", "value": 5, "periodSeconds": 15}]},
            _DOWN,
        ),
    }
    for name, (behavior, _, _) in table.items():
        await demanded(cluster, 12, name=name, replicas=2, max_replicas=12, behavior=behavior)
    for name, (_, up, down) in table.items():
        cluster.expect(f"behavior of {name}", _spec(cluster, name)["behavior"], {"scaleUp": up, "scaleDown": down})
    await cluster.run_until(100)
    doubled = [(15.0, 6), (30.0, 12)]
    for name in table:
        wanted = [(15.0, 7), (30.0, 12)] if name == "policies-only" else doubled
        cluster.expect(f"scales of {name}", scales(cluster, name), wanted)


@scenario(
    "hpa/behavior-made-empty-by-a-patch",
    must="A field of a behavior that a patch removes MUST have its default from then on.",
    source=(_DEFAULTS, _LIMITS),
    issues=_ISSUE,
    controllers=("hpa", "replicaset"),
    features=("bad-spec", "behavior", "defaults", "spec-edit", "H27"),
)
async def test_behavior_made_empty_by_a_patch(cluster: Cluster) -> None:
    await demanded(cluster, 12, max_replicas=12, replicas=2, up=objects.scaling(select="Disabled"))
    await cluster.run_until(40)
    cluster.expect("scales while it is disabled", scales(cluster), [])
    await cluster.patch(HPAS, "web", {"spec": {"behavior": {"scaleUp": {"selectPolicy": None, "policies": None}}}})
    cluster.expect("behavior", _spec(cluster, "web")["behavior"], {"scaleUp": _UP, "scaleDown": _DOWN})
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(45.0, 6), (60.0, 12)])


@scenario(
    "hpa/hpa-without-metrics",
    must="An HPA without metrics, or with an empty list, MUST get 80 % of CPU as its target.",
    source=_DEFAULTS,
    controllers=("hpa", "replicaset"),
    features=("bad-spec", "defaults"),
)
async def test_hpa_without_metrics(cluster: Cluster) -> None:
    names: dict[str, list[Object] | None] = {"none": None, "empty": []}
    for name, metrics in names.items():
        cluster.metrics.load(name, cpu=each("900m"))
        await cluster.create(workload(name, 4), objects.hpa(name, metrics=metrics))
        cluster.expect(f"metrics of {name}", _spec(cluster, name)["metrics"], [objects.resource_metric(utilization=80)])
        cluster.expect(f"minReplicas of {name}", _spec(cluster, name)["minReplicas"], 1)
    await cluster.run_until(36)
    for name in names:
        cluster.expect(f"scales of {name}", scales(cluster, name), [(30.0, 5)])


@scenario(
    "hpa/target-type-that-does-not-match-its-value",
    must=(
        "If the type of a target and the given value do not match, resource, pods and external metrics MUST use the "
        "value; an object metric MUST fail with a condition."
    ),
    source=(
        "pkg/controller/podautoscaler/horizontal.go: computeStatusForResourceMetricGeneric",
        "pkg/controller/podautoscaler/horizontal.go: computeStatusForObjectMetric",
    ),
    controllers=("hpa", "replicaset"),
    features=("bad-spec", "conditions"),
)
async def test_target_type_that_does_not_match_its_value(cluster: Cluster) -> None:
    """All metrics are at twice their targets."""
    service = objects.reference("Service", "web", "v1")
    table = {
        "resource": ("resource", objects.resource_metric("cpu", utilization=50), "Value"),
        "usage": ("resource", objects.resource_metric("cpu", average="500m"), "Utilization"),
        "pods": ("pods", objects.pods_metric("requests", average="10"), "Value"),
        "external": ("external", objects.external_metric("queue", value="10"), "AverageValue"),
        "object": ("object", objects.object_metric("requests", service, value="10"), "Utilization"),
    }
    cluster.metrics.external("queue", 20)
    cluster.metrics.object("requests", "services", "web", 20)
    async with cluster.batch():
        for name, (field, metric, kind) in table.items():
            cluster.metrics.load(name, cpu=each(1))
            cluster.metrics.pods("requests", name, each(20))
            metric[field]["target"]["type"] = kind
            await cluster.create(workload(name, 2), objects.hpa(name, metrics=[metric]))
    await cluster.run_until(36)
    for name in table:
        wanted = [] if name == "object" else [4]
        cluster.expect(f"scales of {name}", [size for _, size in scales(cluster, name)][:1], wanted)
    neither = "invalid object metric source: neither a value target nor an average value target was set"
    why = ("False", "FailedGetObjectMetric", f"the HPA was unable to compute the replica count: {neither}")
    cluster.expect("ScalingActive of object", condition(cluster, "ScalingActive", "object"), why)
    cluster.expect("ScalingActive of usage", reason(cluster, "ScalingActive", "usage"), "True ValidMetricFound")
