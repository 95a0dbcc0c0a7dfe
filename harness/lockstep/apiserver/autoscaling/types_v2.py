"""autoscaling/v2 (k8s.io/api/autoscaling/v2/types.go), the version in which autoscalers are stored."""

from __future__ import annotations

from lockstep.apiserver.autoscaling.types_common import (
    AMOUNT,
    INT32,
    INT64,
    LABEL_SELECTOR,
    MOMENT,
    RESOURCE_NAME,
    TEXT,
    condition,
    cross_version_object_reference,
    metric,
)
from lockstep.apiserver.gotypes import Field, Slice, Struct, Text

_REFERENCE = cross_version_object_reference("v2")
_IDENTIFIER = Struct(
    "v2.MetricIdentifier", {"name": Field(TEXT, always=True), "selector": Field(LABEL_SELECTOR, pointer=True)}
)
_TARGET = Struct(
    "v2.MetricTarget",
    {
        "type": Field(Text("v2.MetricTargetType"), always=True),
        "value": Field(AMOUNT, pointer=True),
        "averageValue": Field(AMOUNT, pointer=True),
        "averageUtilization": Field(INT32, pointer=True),
    },
)
_VALUE_STATUS = Struct(
    "v2.MetricValueStatus",
    {
        "value": Field(AMOUNT, pointer=True),
        "averageValue": Field(AMOUNT, pointer=True),
        "averageUtilization": Field(INT32, pointer=True),
    },
)


def _metric(suffix: str, part: str, half: str, end: Struct) -> Struct:
    """MetricSpec or MetricStatus: what each source measures, and in `half` the target or the current value."""

    def source(of: str, /, **fields: Field) -> Struct:
        return Struct(f"v2.{of}Metric{part}", {**fields, half: Field(end, always=True)})

    identifier, name = Field(_IDENTIFIER, always=True), Field(RESOURCE_NAME, always=True)
    sources = {
        "object": source("Object", describedObject=Field(_REFERENCE, always=True), metric=identifier),
        "pods": source("Pods", metric=identifier),
        "resource": source("Resource", name=name),
        "containerResource": source("ContainerResource", name=name, container=Field(TEXT, always=True)),
        "external": source("External", metric=identifier),
    }
    return metric("v2", suffix, sources)


_POLICY = Struct(
    "v2.HPAScalingPolicy",
    {
        "type": Field(Text("v2.HPAScalingPolicyType"), always=True),
        "value": Field(INT32, always=True),
        "periodSeconds": Field(INT32, always=True),
    },
)
_RULES = Struct(
    "v2.HPAScalingRules",
    {
        "stabilizationWindowSeconds": Field(INT32, pointer=True),
        "selectPolicy": Field(Text("v2.ScalingPolicySelect"), pointer=True),
        "policies": Field(Slice(_POLICY)),
        "tolerance": Field(AMOUNT, pointer=True),
    },
)
BEHAVIOR = Struct(
    "v2.HorizontalPodAutoscalerBehavior",
    {"scaleUp": Field(_RULES, pointer=True), "scaleDown": Field(_RULES, pointer=True)},
)
SPEC = Struct(
    "v2.HorizontalPodAutoscalerSpec",
    {
        "scaleTargetRef": Field(_REFERENCE, always=True),
        "minReplicas": Field(INT32, pointer=True),
        "maxReplicas": Field(INT32, always=True),
        "metrics": Field(Slice(_metric("Spec", "Source", "target", _TARGET))),
        "behavior": Field(BEHAVIOR, pointer=True),
    },
)
STATUS = Struct(
    "v2.HorizontalPodAutoscalerStatus",
    {
        "observedGeneration": Field(INT64, pointer=True),
        "lastScaleTime": Field(MOMENT, pointer=True),
        "currentReplicas": Field(INT32),
        "desiredReplicas": Field(INT32, always=True),
        "currentMetrics": Field(Slice(_metric("Status", "Status", "current", _VALUE_STATUS)), always=True),
        "conditions": Field(Slice(condition("v2"))),
    },
)
OBJECT = Struct("v2.HorizontalPodAutoscaler", {"spec": Field(SPEC, always=True), "status": Field(STATUS, always=True)})
