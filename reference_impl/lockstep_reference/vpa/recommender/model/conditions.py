"""The conditions of a VPA by type, in wire form (pkg/recommender/model/vpa.go, vpaConditionsMap)."""

from __future__ import annotations

from typing import Any

from lockstep.wire.gotime import rfc3339
from lockstep_reference.vpa.apis import Object

RECOMMENDATION_PROVIDED = "RecommendationProvided"
NO_PODS_MATCHED = "NoPodsMatched"
FETCHING_HISTORY = "FetchingHistory"
CONFIG_DEPRECATED = "ConfigDeprecated"
CONFIG_UNSUPPORTED = "ConfigUnsupported"

_TRUE, _FALSE = "True", "False"


class Conditions:
    """See the module docstring. The conditions are never changed, only replaced."""

    __slots__ = ("_by_type",)

    def __init__(self, conditions: list[Object] | None = None) -> None:
        self._by_type: dict[str, Object] = {one.get("type") or "": _with_time(one) for one in conditions or ()}

    def set(self, type_: str, *, status: bool, reason: str, message: str, now: int) -> None:
        """Replace a condition; the time of its last transition stays unless the status changes (Set)."""
        old = self._by_type.get(type_)
        text = _TRUE if status else _FALSE
        unchanged = old is not None and old.get("status") == text
        condition: dict[str, Any] = {
            "type": type_,
            "status": text,
            "lastTransitionTime": old.get("lastTransitionTime") if old and unchanged else rfc3339(now),
        }
        if reason:
            condition["reason"] = reason
        if message:
            condition["message"] = message
        self._by_type[type_] = condition

    def delete(self, type_: str) -> None:
        """Remove a condition, if it is there."""
        self._by_type.pop(type_, None)

    def active(self, type_: str) -> bool:
        """Whether the condition is there and true (ConditionActive)."""
        condition = self._by_type.get(type_)
        return condition is not None and condition.get("status") == _TRUE

    def as_list(self) -> list[Object]:
        """By type (AsList)."""
        return [self._by_type[type_] for type_ in sorted(self._by_type)]


def _with_time(condition: Object) -> Object:
    """A time that is missing is written back as null."""
    return condition if "lastTransitionTime" in condition else {**condition, "lastTransitionTime": None}
