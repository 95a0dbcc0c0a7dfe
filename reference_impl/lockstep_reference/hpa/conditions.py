"""The conditions in an HPA's status (pkg/controller/podautoscaler/horizontal.go, setCondition and its helpers)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lockstep.wire.gotime import rfc3339
from lockstep_reference.machinery.transport import Clock

ABLE_TO_SCALE = "AbleToScale"
SCALED_TO_ZERO = "ScaledToZero"
SCALING_ACTIVE = "ScalingActive"
SCALING_LIMITED = "ScalingLimited"

TRUE = "True"
FALSE = "False"


class Conditions:
    """The conditions during one sync: a copy of what the HPA had, in the same order, new ones behind."""

    def __init__(self, conditions: Iterable[dict[str, Any]], clock: Clock) -> None:
        self.items = [dict(condition) for condition in conditions]
        self._clock = clock

    def set(self, kind: str, status: str, reason: str, message: str) -> None:
        """Say how the first condition of this type stands; a change of status is dated now (setConditionInList)."""
        for condition in self.items:
            if condition["type"] == kind:
                break
        else:
            condition = {"type": kind, "status": "", "lastTransitionTime": None}
            self.items.append(condition)
        if condition["status"] != status:
            condition["status"] = status
            condition["lastTransitionTime"] = rfc3339(self._clock.now())
        condition["reason"] = reason
        condition["message"] = message

    def remove(self, kind: str) -> None:
        """Take out every condition of this type (removeCondition)."""
        self.items = [condition for condition in self.items if condition["type"] != kind]

    def is_true(self, kind: str) -> bool:
        """Whether the first condition of this type is True (getScaledToZeroConditionStatus)."""
        for condition in self.items:
            if condition["type"] == kind:
                return bool(condition["status"] == TRUE)
        return False
