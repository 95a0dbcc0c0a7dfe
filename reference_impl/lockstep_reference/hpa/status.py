"""The status of an HPA as it is written, and whether it says anything new.

Source: pkg/controller/podautoscaler/horizontal.go (setStatus, updateStatusIfNeeded), api/autoscaling/v2/types.go for
what is left out when it is empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep.wire.quantity import InvalidQuantity, parse_quantity

Status = dict[str, Any]

_QUANTITIES = frozenset({"value", "averageValue"})
#: Where nothing is not the same as something empty.
_POINTERS = frozenset(
    {"averageUtilization", "containerResource", "external", "object", "pods", "resource", "selector", *_QUANTITIES}
)


def new_status(
    current_replicas: int,
    desired_replicas: int,
    last_scale_time: str | None,
    metrics: list[Status] | None,
    conditions: list[Status],
) -> Status:
    """The status as client-go writes it."""
    status: Status = {"desiredReplicas": desired_replicas, "currentMetrics": metrics}
    if current_replicas:
        status["currentReplicas"] = current_replicas
    if last_scale_time:
        status["lastScaleTime"] = last_scale_time
    if conditions:
        status["conditions"] = conditions
    return status


def same_status(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether both mean the same: quantities count by value, and missing ones as empty (Semantic.DeepEqual)."""
    return old == new or _same(old, new)


def _same(old: Any, new: Any, key: str = "") -> bool:
    if old == new:
        return True
    if key in _POINTERS and (old is None or new is None):
        return False
    if key in _QUANTITIES:
        return _same_quantity(old, new)
    if isinstance(old, list) or isinstance(new, list):
        left, right = old or [], new or []
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(old, Mapping) or isinstance(new, Mapping):
        left, right = old or {}, new or {}
        return all(_same(left.get(each), right.get(each), each) for each in {**left, **right})
    return not old and not new


def _same_quantity(old: str, new: str) -> bool:
    try:
        return parse_quantity(old).compare(parse_quantity(new)) == 0
    except InvalidQuantity:
        return False
