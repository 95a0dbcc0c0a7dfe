"""Parts that autoscaling/v1, autoscaling/v2 and the internal version share (metav1, and small parts of the structs)."""

from __future__ import annotations

from lockstep.apiserver.gotypes import Amount, Field, Int, Moment, Slice, Struct, Text, Texts

INT32, INT64 = Int(32), Int(64)
TEXT, AMOUNT, MOMENT = Text(), Amount(), Moment()
RESOURCE_NAME = Text("v1.ResourceName")

_REQUIREMENT = Struct(
    "v1.LabelSelectorRequirement",
    {
        "key": Field(TEXT, always=True),
        "operator": Field(Text("v1.LabelSelectorOperator"), always=True),
        "values": Field(Slice(TEXT)),
    },
)
LABEL_SELECTOR = Struct(
    "v1.LabelSelector", {"matchLabels": Field(Texts()), "matchExpressions": Field(Slice(_REQUIREMENT))}
)


def cross_version_object_reference(package: str) -> Struct:
    """CrossVersionObjectReference of a version."""
    return Struct(
        f"{package}.CrossVersionObjectReference",
        {"kind": Field(TEXT, always=True), "name": Field(TEXT, always=True), "apiVersion": Field(TEXT)},
    )


def condition(package: str) -> Struct:
    """HorizontalPodAutoscalerCondition of a version."""
    return Struct(
        f"{package}.HorizontalPodAutoscalerCondition",
        {
            "type": Field(Text(f"{package}.HorizontalPodAutoscalerConditionType"), always=True),
            "status": Field(Text("v1.ConditionStatus"), always=True),
            "lastTransitionTime": Field(MOMENT, always=True),
            "reason": Field(TEXT),
            "message": Field(TEXT),
        },
    )


def metric(package: str, suffix: str, parts: dict[str, Struct]) -> Struct:
    """MetricSpec (`suffix` "Spec") or MetricStatus of a version; `parts` are its sources by field name."""
    fields = {"type": Field(Text(f"{package}.MetricSourceType"), always=True)}
    fields.update((name, Field(part, pointer=True)) for name, part in parts.items())
    return Struct(f"{package}.Metric{suffix}", fields)
