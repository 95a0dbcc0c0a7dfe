"""Validation of PodDisruptionBudgets (pkg/apis/policy/validation/validation.go)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lockstep.apiserver.validation.conditions import condition_findings
from lockstep.wire.field import FieldError, InOrder, invalid_value, not_supported

Findings = list[FieldError]
_PERCENT = re.compile(r"[0-9]+%")
_NO_PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)
_POLICIES = ("AlwaysAllow", "IfHealthyBudget")
_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


def budget_findings(spec: dict[str, Any], selector_findings: Callable[[dict[str, Any], str], Findings]) -> Findings:
    """ValidatePodDisruptionBudgetSpec."""
    found: Findings = []
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    if least is not None and most is not None:
        shown = InOrder(
            MinAvailable=least,
            Selector=spec.get("selector"),
            MaxUnavailable=most,
            UnhealthyPodEvictionPolicy=spec.get("unhealthyPodEvictionPolicy"),
        )
        found.append(invalid_value("spec", shown, "minAvailable and maxUnavailable cannot be both set"))
    for name, value in (("minAvailable", least), ("maxUnavailable", most)):
        if value is not None:
            found.extend(_part_findings(value, f"spec.{name}"))
    found.extend(selector_findings(spec.get("selector") or {}, "spec.selector"))
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in _POLICIES:
        found.append(not_supported("spec.unhealthyPodEvictionPolicy", policy, _POLICIES))
    return found


def _part_findings(value: int | str, field: str) -> Findings:
    """ValidatePositiveIntOrPercent and IsNotMoreThan100Percent."""
    if isinstance(value, int):
        return [invalid_value(field, value, "must be greater than or equal to 0")] if value < 0 else []
    if not _PERCENT.fullmatch(value):
        return [invalid_value(field, value, _NO_PERCENT)]
    if int(value[:-1]) > 100:
        return [invalid_value(field, value, "must not be greater than 100%")]
    return []


def budget_status_findings(status: dict[str, Any]) -> Findings:
    """ValidatePodDisruptionBudgetStatusUpdate."""
    counts = [
        invalid_value(f"status.{name}", status[name], "must be greater than or equal to 0")
        for name in _COUNTS
        if status.get(name, 0) < 0
    ]
    return [*condition_findings(status.get("conditions") or (), "status.conditions"), *counts]
