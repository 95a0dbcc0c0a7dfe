"""Validation of autoscalers (pkg/apis/autoscaling/validation/validation.go, release 1.36).

Findings come in upstream's order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lockstep.apiserver.autoscaling.references import ReferenceRules, reference_findings
from lockstep.apiserver.autoscaling.validation_metrics import metrics_findings
from lockstep.wire.field import FieldError, invalid_value, not_supported, required
from lockstep.wire.quantity import read_quantity

Object = dict[str, Any]
Findings = list[FieldError]

#: Seconds.
_LONGEST_PERIOD = 1800
_LONGEST_WINDOW = 3600
_SELECT_POLICIES = ["Disabled", "Max", "Min"]
_POLICIES = ["Percent", "Pods"]


@dataclass(frozen=True, slots=True)
class Rules:
    """HorizontalPodAutoscalerSpecValidationOptions: what the feature gates and the old object allow."""

    least_replicas: int
    scale_target: ReferenceRules
    metric_objects: ReferenceRules


def spec_findings(spec: Object, rules: Rules) -> Findings:
    """Upstream: validateHorizontalPodAutoscalerSpec."""
    found: Findings = []
    least, most = spec.get("minReplicas"), spec.get("maxReplicas", 0)
    if least is not None and least < rules.least_replicas:
        reason = f"must be greater than or equal to {rules.least_replicas}"
        found.append(invalid_value("spec.minReplicas", least, reason))
    if most == 0:
        found.append(required("spec.maxReplicas", "must be set and greater than 0"))
    elif most < 0:
        found.append(invalid_value("spec.maxReplicas", most, "must be greater than or equal to 1"))
    if least is not None and most < least:
        reason = "must be greater than or equal to `minReplicas`"
        found.append(invalid_value("spec.maxReplicas", most, reason))
    found += reference_findings(spec.get("scaleTargetRef", {}), "spec.scaleTargetRef", rules.scale_target)
    found += metrics_findings(spec.get("metrics") or [], "spec.metrics", least, rules.metric_objects)
    for side in ("scaleUp", "scaleDown"):
        scaling = (spec.get("behavior") or {}).get(side)
        if scaling is not None:
            found += _scaling_findings(scaling, f"spec.behavior.{side}")
    return found


def _scaling_findings(scaling: Object, path: str) -> Findings:
    """Upstream: validateScalingRules."""
    found: Findings = []
    window, select = scaling.get("stabilizationWindowSeconds"), scaling.get("selectPolicy")
    if window is not None and window < 0:
        reason = "must be greater than or equal to zero"
        found.append(invalid_value(f"{path}.stabilizationWindowSeconds", window, reason))
    if window is not None and window > _LONGEST_WINDOW:
        reason = f"must be less than or equal to {_LONGEST_WINDOW}"
        found.append(invalid_value(f"{path}.stabilizationWindowSeconds", window, reason))
    if select is not None and select not in _SELECT_POLICIES:
        found.append(not_supported(f"{path}.selectPolicy", select, _SELECT_POLICIES))
    policies = scaling.get("policies") or []
    if not policies:
        found.append(required(f"{path}.policies", "must specify at least one Policy"))
    for index, policy in enumerate(policies):
        found += _policy_findings(policy or {}, f"{path}.policies[{index}]")
    tolerance = scaling.get("tolerance")
    if tolerance is not None and read_quantity(tolerance).sign < 0:
        reason = "must be greater than or equal to 0"
        found.append(invalid_value(f"{path}.tolerance", tolerance, reason))
    return found


def _policy_findings(policy: Object, path: str) -> Findings:
    """Upstream: validateScalingPolicy."""
    found: Findings = []
    kind, value, period = policy.get("type", ""), policy.get("value", 0), policy.get("periodSeconds", 0)
    if kind not in _POLICIES:
        found.append(not_supported(f"{path}.type", kind, _POLICIES))
    if value <= 0:
        found.append(invalid_value(f"{path}.value", value, "must be greater than zero"))
    if period <= 0:
        found.append(invalid_value(f"{path}.periodSeconds", period, "must be greater than zero"))
    if period > _LONGEST_PERIOD:
        reason = f"must be less than or equal to {_LONGEST_PERIOD}"
        found.append(invalid_value(f"{path}.periodSeconds", period, reason))
    return found
