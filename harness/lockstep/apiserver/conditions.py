"""Conditions of a status: one of each type, in the order in which they came."""

from __future__ import annotations

from typing import Any


def set_condition(status: dict[str, Any], condition: dict[str, Any], now: str) -> dict[str, Any]:
    """The status with this condition; its transition time moves if its status does.

    podutil.UpdatePodCondition; apimachinery/pkg/api/meta/conditions.go: SetStatusCondition.
    """
    conditions = list(status.get("conditions") or ())
    for index, old in enumerate(conditions):
        if old.get("type") == condition["type"]:
            same = old.get("status") == condition["status"]
            moment = old.get("lastTransitionTime", now) if same else now
            conditions[index] = {**condition, "lastTransitionTime": moment}
            break
    else:
        conditions.append({**condition, "lastTransitionTime": now})
    return {**status, "conditions": conditions}
