"""Invalid specs: the API server refuses them with its messages, and the controller never sees them.

What the server accepts is in `test_lenient_specs` and `test_bad_targets`.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.demand import proposal
from lockstep_conformance.hpa.refusals import Table, are_refused, several

_VALIDATION = "pkg/apis/autoscaling/validation/validation.go"


@scenario(
    "hpa/limits-that-make-no-sense",
    must="Limits that are zero, negative, or the wrong way round MUST be refused.",
    source=f"{_VALIDATION}: validateHorizontalPodAutoscalerSpec",
    controllers=("hpa", "replicaset"),
    features=("bad-spec",),
)
async def test_limits_that_make_no_sense(cluster: Cluster) -> None:
    below = "spec.maxReplicas: Invalid value: {}: must be greater than or equal to `minReplicas`"
    table: Table = {
        "no maximum": (
            {"maxReplicas": None},
            several("spec.maxReplicas: Required value: must be set and greater than 0", below.format(0)),
        ),
        "a maximum of 0": (
            {"maxReplicas": 0},
            several("spec.maxReplicas: Required value: must be set and greater than 0", below.format(0)),
        ),
        "a negative maximum": (
            {"maxReplicas": -3},
            several("spec.maxReplicas: Invalid value: -3: must be greater than or equal to 1", below.format(-3)),
        ),
        "a negative minimum": (
            {"minReplicas": -1},
            "spec.minReplicas: Invalid value: -1: must be greater than or equal to 1",
        ),
        "a minimum of 0": (
            {"minReplicas": 0},
            "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
        ),
        "a minimum above the maximum": ({"minReplicas": 20}, below.format(10)),
    }
    await are_refused(cluster, table)


@scenario(
    "hpa/behavior-that-makes-no-sense",
    must="Windows, periods and amounts out of bounds, unknown policies, and an empty list of policies MUST be refused.",
    source=f"{_VALIDATION}: validateScalingRules, validateScalingPolicy",
    controllers=("hpa", "replicaset"),
    features=("bad-spec", "behavior"),
)
async def test_behavior_that_makes_no_sense(cluster: Cluster) -> None:
    def up(**rules: Any) -> Object:
        return {"behavior": {"scaleUp": rules}}

    at = "spec.behavior.scaleUp"
    good = {"type": "Pods", "value": 1, "periodSeconds": 60}
    table: Table = {
        "a negative window": (
            up(stabilizationWindowSeconds=-1),
            f"{at}.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero",
        ),
        "a window of more than an hour": (
            up(stabilizationWindowSeconds=3601),
            f"{at}.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
        ),
        "an unknown choice": (
            up(selectPolicy="Fastest"),
            f'{at}.selectPolicy: Unsupported value: "Fastest": supported values: "Disabled", "Max", "Min"',
        ),
        "no policies": (up(policies=[]), f"{at}.policies: Required value: must specify at least one Policy"),
        "an amount of 0": (
            up(policies=[{**good, "value": 0}]),
            f"{at}.policies[0].value: Invalid value: 0: must be greater than zero",
        ),
        "a period of 0, and one of more than half an hour": (
            up(policies=[{**good, "periodSeconds": 0}, {**good, "periodSeconds": 1801}]),
            several(
                f"{at}.policies[0].periodSeconds: Invalid value: 0: must be greater than zero",
                f"{at}.policies[1].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
            ),
        ),
        "an unknown kind of policy": (
            up(policies=[{**good, "type": "Nodes"}]),
            f'{at}.policies[0].type: Unsupported value: "Nodes": supported values: "Percent", "Pods"',
        ),
        "a negative tolerance": (
            up(tolerance="-50m"),
            f'{at}.tolerance: Invalid value: "-50m": must be greater than or equal to 0',
        ),
    }
    await are_refused(cluster, table)


@scenario(
    "hpa/values-of-the-wrong-type",
    must="A value that does not fit its field MUST be refused as a bad request.",
    source="apimachinery/pkg/runtime/serializer/json/json.go",
    controllers=("hpa", "replicaset"),
    features=("bad-spec",),
)
async def test_values_of_the_wrong_type(cluster: Cluster) -> None:
    field = "json: cannot unmarshal {} into Go struct field HorizontalPodAutoscalerSpec.spec.{} of type {}"
    regex = "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    table: Table = {
        "text for a number": ({"maxReplicas": "ten"}, field.format("string", "maxReplicas", "int32")),
        "a fraction": ({"maxReplicas": 2.5}, field.format("number 2.5", "maxReplicas", "int32")),
        "more than 32 bits": (
            {"maxReplicas": 3_000_000_000},
            field.format("number 3000000000", "maxReplicas", "int32"),
        ),
        "one metric for a list": ({"metrics": proposal()}, field.format("object", "metrics", "[]v2.MetricSpec")),
        "no quantity": (
            {"metrics": [objects.external_metric("demand", average="many")]},
            f"quantities must match the regular expression {regex}",
        ),
    }
    await are_refused(
        cluster, table, 400, 'HorizontalPodAutoscaler in version "v2" cannot be handled as a HorizontalPodAutoscaler: '
    )
