"""Types, for `gojson`, that are part of many objects (apimachinery pkg/apis/meta/v1, pkg/api/resource)."""

from __future__ import annotations

from typing import Any

from lockstep.wire.gojson import (
    BOOL,
    INT32,
    INT64,
    STRING,
    Anything,
    Map,
    Own,
    Slice,
    Struct,
    Type,
    string_type,
    to_text,
)
from lockstep.wire.gotime import ZERO_TIME, parse_duration, parse_rfc3339
from lockstep.wire.quantity import parse_milli_value


def time_of(value: str | None) -> int:
    """The instant of a metav1.Time; null or missing means Go's zero time. Raises ValueError with Go's message."""
    return ZERO_TIME if value is None else parse_rfc3339(value)


def duration_of(value: str | None) -> int:
    """Nanoseconds of a metav1.Duration; null is as invalid as "". Raises ValueError with Go's message."""
    return parse_duration(value or "")


def milli_of(value: Any) -> int:
    """MilliValue of a Quantity; null and a missing value are 0, and numbers count as text. Raises InvalidQuantity."""
    if value is None:
        return 0
    return parse_milli_value(value.strip() if type(value) is str else to_text(value))


TIME = Own(time_of)
DURATION = Own(duration_of)
QUANTITY = Own(milli_of, any_json=True)

STRINGS = Slice("[]string", STRING)
STRING_MAP = Map("map[string]string", STRING)
TYPE_META = {"kind": STRING, "apiVersion": STRING}
#: The struct into which Go reads the head of every object (runtime/serializer/json, SimpleMetaFactory.Interpret).
FIND_KIND = Struct(
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    {"apiVersion": STRING, "kind": STRING},
    anonymous=True,
)

LIST_META = Struct(
    "v1.ListMeta",
    {"selfLink": STRING, "resourceVersion": STRING, "continue": STRING, "remainingItemCount": INT64},
)

_UID = string_type("types.UID")
_OWNER_REFERENCE = Struct(
    "v1.OwnerReference",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "name": STRING,
        "uid": _UID,
        "controller": BOOL,
        "blockOwnerDeletion": BOOL,
    },
)
_MANAGED_FIELDS = Struct(
    "v1.ManagedFieldsEntry",
    {
        "manager": STRING,
        "operation": string_type("v1.ManagedFieldsOperationType"),
        "apiVersion": STRING,
        "time": TIME,
        "fieldsType": STRING,
        "fieldsV1": Anything(),
        "subresource": STRING,
    },
)
OBJECT_META = Struct(
    "v1.ObjectMeta",
    {
        "name": STRING,
        "generateName": STRING,
        "namespace": STRING,
        "selfLink": STRING,
        "uid": _UID,
        "resourceVersion": STRING,
        "generation": INT64,
        "creationTimestamp": TIME,
        "deletionTimestamp": TIME,
        "deletionGracePeriodSeconds": INT64,
        "labels": STRING_MAP,
        "annotations": STRING_MAP,
        "ownerReferences": Slice("[]v1.OwnerReference", _OWNER_REFERENCE),
        "finalizers": STRINGS,
        "managedFields": Slice("[]v1.ManagedFieldsEntry", _MANAGED_FIELDS),
    },
)
_STATUS_CAUSE = Struct("v1.StatusCause", {"reason": string_type("v1.CauseType"), "message": STRING, "field": STRING})
_STATUS_DETAILS = Struct(
    "v1.StatusDetails",
    {
        "name": STRING,
        "group": STRING,
        "kind": STRING,
        "uid": _UID,
        "causes": Slice("[]v1.StatusCause", _STATUS_CAUSE),
        "retryAfterSeconds": INT32,
    },
)
STATUS = Struct(
    "v1.Status",
    {
        "metadata": LIST_META,
        "status": STRING,
        "message": STRING,
        "reason": string_type("v1.StatusReason"),
        "details": _STATUS_DETAILS,
        "code": INT32,
    },
    {"TypeMeta": TYPE_META},
)
OBJECT_REFERENCE = Struct(
    "v1.ObjectReference",
    {
        "kind": STRING,
        "namespace": STRING,
        "name": STRING,
        "uid": _UID,
        "apiVersion": STRING,
        "resourceVersion": STRING,
        "fieldPath": STRING,
    },
)
LABEL_SELECTOR = Struct(
    "v1.LabelSelector",
    {
        "matchLabels": STRING_MAP,
        "matchExpressions": Slice(
            "[]v1.LabelSelectorRequirement",
            Struct(
                "v1.LabelSelectorRequirement",
                {"key": STRING, "operator": string_type("v1.LabelSelectorOperator"), "values": STRINGS},
            ),
        ),
    },
)


def list_of(package: str, item: str, fields: dict[str, Type]) -> tuple[Struct, Struct]:
    """A kind and its list: `list_of("v1beta1", "PodMetrics", {...})`."""
    element = Struct(f"{package}.{item}", fields, {"TypeMeta": TYPE_META})
    items = Slice(f"[]{package}.{item}", element)
    return element, Struct(f"{package}.{item}List", {"metadata": LIST_META, "items": items}, {"TypeMeta": TYPE_META})
