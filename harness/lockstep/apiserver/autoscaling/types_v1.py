"""autoscaling/v1 (k8s.io/api/autoscaling/v1/types.go), and the types in its annotations.

An object of version v1 has room for one CPU target only. All other fields of the internal version are kept in
annotations: metrics, metric statuses and conditions in the v1 types below, and the behaviour as the internal type,
whose JSON names are its Go names.
"""

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

_REFERENCE = Field(cross_version_object_reference("v1"), always=True)
_NAME, _METRIC_NAME = Field(RESOURCE_NAME, always=True), Field(TEXT, always=True)
_CONTAINER, _SELECTOR = Field(TEXT, always=True), Field(LABEL_SELECTOR, pointer=True)
_AMOUNT, _MAYBE_AMOUNT, _MAYBE_INT = Field(AMOUNT, always=True), Field(AMOUNT, pointer=True), Field(INT32, pointer=True)

SPEC = Struct(
    "v1.HorizontalPodAutoscalerSpec",
    {
        "scaleTargetRef": _REFERENCE,
        "minReplicas": _MAYBE_INT,
        "maxReplicas": Field(INT32, always=True),
        "targetCPUUtilizationPercentage": _MAYBE_INT,
    },
)
STATUS = Struct(
    "v1.HorizontalPodAutoscalerStatus",
    {
        "observedGeneration": Field(INT64, pointer=True),
        "lastScaleTime": Field(MOMENT, pointer=True),
        "currentReplicas": Field(INT32, always=True),
        "desiredReplicas": Field(INT32, always=True),
        "currentCPUUtilizationPercentage": _MAYBE_INT,
    },
)
OBJECT = Struct("v1.HorizontalPodAutoscaler", {"spec": Field(SPEC, always=True), "status": Field(STATUS, always=True)})

_SOURCES = {
    "object": Struct(
        "v1.ObjectMetricSource",
        {
            "target": _REFERENCE,
            "metricName": _METRIC_NAME,
            "targetValue": _AMOUNT,
            "selector": _SELECTOR,
            "averageValue": _MAYBE_AMOUNT,
        },
    ),
    "pods": Struct(
        "v1.PodsMetricSource",
        {"metricName": _METRIC_NAME, "targetAverageValue": _AMOUNT, "selector": _SELECTOR},
    ),
    "resource": Struct(
        "v1.ResourceMetricSource",
        {"name": _NAME, "targetAverageUtilization": _MAYBE_INT, "targetAverageValue": _MAYBE_AMOUNT},
    ),
    "containerResource": Struct(
        "v1.ContainerResourceMetricSource",
        {
            "name": _NAME,
            "targetAverageUtilization": _MAYBE_INT,
            "targetAverageValue": _MAYBE_AMOUNT,
            "container": _CONTAINER,
        },
    ),
    "external": Struct(
        "v1.ExternalMetricSource",
        {
            "metricName": _METRIC_NAME,
            "metricSelector": _SELECTOR,
            "targetValue": _MAYBE_AMOUNT,
            "targetAverageValue": _MAYBE_AMOUNT,
        },
    ),
}
_STATUSES = {
    "object": Struct(
        "v1.ObjectMetricStatus",
        {
            "target": _REFERENCE,
            "metricName": _METRIC_NAME,
            "currentValue": _AMOUNT,
            "selector": _SELECTOR,
            "averageValue": _MAYBE_AMOUNT,
        },
    ),
    "pods": Struct(
        "v1.PodsMetricStatus",
        {"metricName": _METRIC_NAME, "currentAverageValue": _AMOUNT, "selector": _SELECTOR},
    ),
    "resource": Struct(
        "v1.ResourceMetricStatus",
        {"name": _NAME, "currentAverageUtilization": _MAYBE_INT, "currentAverageValue": _AMOUNT},
    ),
    "containerResource": Struct(
        "v1.ContainerResourceMetricStatus",
        {
            "name": _NAME,
            "currentAverageUtilization": _MAYBE_INT,
            "currentAverageValue": _AMOUNT,
            "container": _CONTAINER,
        },
    ),
    "external": Struct(
        "v1.ExternalMetricStatus",
        {
            "metricName": _METRIC_NAME,
            "metricSelector": _SELECTOR,
            "currentValue": _AMOUNT,
            "currentAverageValue": _MAYBE_AMOUNT,
        },
    ),
}
#: The types in the annotations for metrics, metric statuses and conditions.
METRIC_SPECS = Slice(metric("v1", "Spec", _SOURCES))
METRIC_STATUSES = Slice(metric("v1", "Status", _STATUSES))
CONDITIONS = Slice(condition("v1"))

_POLICY = Struct(
    "autoscaling.HPAScalingPolicy",
    {
        "Type": Field(Text("autoscaling.HPAScalingPolicyType"), always=True),
        "Value": Field(INT32, always=True),
        "PeriodSeconds": Field(INT32, always=True),
    },
)
_RULES = Struct(
    "autoscaling.HPAScalingRules",
    {
        "StabilizationWindowSeconds": Field(INT32, always=True, pointer=True),
        "SelectPolicy": Field(Text("autoscaling.ScalingPolicySelect"), always=True, pointer=True),
        "Policies": Field(Slice(_POLICY), always=True),
        "Tolerance": Field(AMOUNT, always=True, pointer=True),
    },
)
_MAYBE_RULES = Field(_RULES, always=True, pointer=True)
#: The type in the annotation for the behaviour: the internal one.
INTERNAL_BEHAVIOR = Struct(
    "autoscaling.HorizontalPodAutoscalerBehavior", {"ScaleUp": _MAYBE_RULES, "ScaleDown": _MAYBE_RULES}
)
