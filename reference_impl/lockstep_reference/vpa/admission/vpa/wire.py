"""A VPA object as Go decodes it (pkg/apis/autoscaling.k8s.io/v1/types.go)."""

from __future__ import annotations

from typing import Any

from lockstep.wire.gojson import (
    INT32,
    INT64,
    STRING,
    DecodeError,
    Map,
    Own,
    Slice,
    Struct,
    decode,
    string_type,
)
from lockstep.wire.metav1 import OBJECT_META, TIME, TYPE_META
from lockstep.wire.quantity import parse_quantity


def _read_quantity(text: str | None) -> None:
    if text is not None:
        parse_quantity(text.strip())


_QUANTITY = Own(_read_quantity, any_json=True)
_RESOURCE_NAME = string_type("v1.ResourceName")
_RESOURCE_LIST = Map("v1.ResourceList", _QUANTITY)
_STARTUP_BOOST = Struct(
    "v1.StartupBoost",
    {
        "cpu": Struct(
            "v1.GenericStartupBoost",
            {
                "type": string_type("v1.StartupBoostType"),
                "factor": INT32,
                "quantity": _QUANTITY,
                "durationSeconds": INT32,
            },
        )
    },
)
_UPDATE_POLICY = Struct(
    "v1.PodUpdatePolicy",
    {
        "updateMode": string_type("v1.UpdateMode"),
        "minReplicas": INT32,
        "evictionRequirements": Slice(
            "[]*v1.EvictionRequirement",
            Struct(
                "v1.EvictionRequirement",
                {
                    "resources": Slice("[]v1.ResourceName", _RESOURCE_NAME),
                    "changeRequirement": string_type("v1.EvictionChangeRequirement"),
                },
            ),
        ),
        "evictAfterOOMSeconds": INT32,
    },
)
_CONTAINER_POLICY = Struct(
    "v1.ContainerResourcePolicy",
    {
        "containerName": STRING,
        "mode": string_type("v1.ContainerScalingMode"),
        "minAllowed": _RESOURCE_LIST,
        "maxAllowed": _RESOURCE_LIST,
        "controlledResources": Slice("[]v1.ResourceName", _RESOURCE_NAME),
        "controlledValues": string_type("v1.ContainerControlledValues"),
        "oomBumpUpRatio": _QUANTITY,
        "oomMinBumpUp": _QUANTITY,
        "memoryAggregationIntervalSeconds": INT32,
        "memoryAggregationIntervalCount": INT64,
        "startupBoost": _STARTUP_BOOST,
    },
)
_RECOMMENDATION = Struct(
    "v1.RecommendedContainerResources",
    {
        "containerName": STRING,
        "target": _RESOURCE_LIST,
        "lowerBound": _RESOURCE_LIST,
        "upperBound": _RESOURCE_LIST,
        "uncappedTarget": _RESOURCE_LIST,
    },
)
_CONDITION = Struct(
    "v1.VerticalPodAutoscalerCondition",
    {
        "type": string_type("v1.VerticalPodAutoscalerConditionType"),
        "status": string_type("v1.ConditionStatus"),
        "lastTransitionTime": TIME,
        "reason": STRING,
        "message": STRING,
    },
)
_SPEC = Struct(
    "v1.VerticalPodAutoscalerSpec",
    {
        "targetRef": Struct("v1.CrossVersionObjectReference", {"kind": STRING, "name": STRING, "apiVersion": STRING}),
        "updatePolicy": _UPDATE_POLICY,
        "resourcePolicy": Struct(
            "v1.PodResourcePolicy", {"containerPolicies": Slice("[]v1.ContainerResourcePolicy", _CONTAINER_POLICY)}
        ),
        "recommenders": Slice(
            "[]*v1.VerticalPodAutoscalerRecommenderSelector",
            Struct("v1.VerticalPodAutoscalerRecommenderSelector", {"name": STRING}),
        ),
        "startupBoost": _STARTUP_BOOST,
    },
)
_STATUS = Struct(
    "v1.VerticalPodAutoscalerStatus",
    {
        "recommendation": Struct(
            "v1.RecommendedPodResources",
            {"containerRecommendations": Slice("[]v1.RecommendedContainerResources", _RECOMMENDATION)},
        ),
        "conditions": Slice("[]v1.VerticalPodAutoscalerCondition", _CONDITION),
        "observedGeneration": INT64,
    },
)
_VPA = Struct(
    "v1.VerticalPodAutoscaler",
    {"metadata": OBJECT_META, "spec": _SPEC, "status": _STATUS},
    {"TypeMeta": TYPE_META},
)


def parse_vpa(raw: Any) -> dict[str, Any]:
    """The object of a request, with a spec even if it has none (parseVPA). Raises DecodeError with Go's text."""
    if raw is None:
        raise DecodeError("unexpected end of JSON input")
    decode(raw, _VPA)
    return {**raw, "metadata": raw.get("metadata") or {}, "spec": raw.get("spec") or {}}
