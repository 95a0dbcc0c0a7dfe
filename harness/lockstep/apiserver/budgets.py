"""The status of PodDisruptionBudgets: the condition that says whether pods may be disrupted.

Both the eviction endpoint and the disruption controller keep it (k8s.io/component-helpers/apps/poddisruptionbudget).
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.conditions import set_condition

Object = dict[str, Any]

BUDGETS = "poddisruptionbudgets.policy"
ALLOWED = "DisruptionAllowed"
SYNC_FAILED = "SyncFailed"
_SUFFICIENT, _INSUFFICIENT = "SufficientPods", "InsufficientPods"


def allowed_condition(status: Object) -> Object:
    """The condition DisruptionAllowed; empty if there is none."""
    return next((one for one in status.get("conditions") or () if one.get("type") == ALLOWED), {})


def is_current(status: Object, generation: int) -> bool:
    """ConditionsAreUpToDate."""
    condition = allowed_condition(status)
    if not condition or status.get("observedGeneration", 0) != generation:
        return False
    return (condition["status"], condition.get("reason")) == _verdict(status)


def with_verdict(status: Object, now: str) -> Object:
    """UpdateDisruptionAllowedCondition: the status with the condition that follows from its disruptionsAllowed."""
    verdict, reason = _verdict(status)
    return with_condition(status, verdict, reason, now)


def with_condition(status: Object, verdict: str, reason: str, now: str, message: str = "") -> Object:
    """The status with the condition DisruptionAllowed as given."""
    condition: Object = {"type": ALLOWED, "status": verdict, "reason": reason, "message": message}
    if status.get("observedGeneration"):
        condition["observedGeneration"] = status["observedGeneration"]
    return set_condition(status, condition, now)


def _verdict(status: Object) -> tuple[str, str]:
    return ("True", _SUFFICIENT) if status.get("disruptionsAllowed", 0) > 0 else ("False", _INSUFFICIENT)
