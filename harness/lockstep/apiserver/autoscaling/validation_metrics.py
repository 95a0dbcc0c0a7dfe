"""Validation of the metrics of autoscalers (pkg/apis/autoscaling/validation/validation.go, release 1.36).

Upstream names surplus sources of a metric in the random order of a map; here they come in the order of the checks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.apiserver.autoscaling.references import ReferenceRules, reference_findings
from lockstep.wire import names
from lockstep.wire.field import FieldError, forbidden_value, invalid_value, not_supported, required
from lockstep.wire.quantity import read_quantity

Object = dict[str, Any]
Findings = list[FieldError]

_TARGETS = frozenset({"Utilization", "Value", "AverageValue"})
_CONTAINER_RESOURCES = frozenset({"cpu", "memory", "ephemeral-storage"})
_HUGE_PAGES = ("hugepages-", "requests.hugepages-")
_STANDARD_RESOURCES = _CONTAINER_RESOURCES | {
    *(f"{side}.{name}" for side in ("requests", "limits") for name in _CONTAINER_RESOURCES),
    *("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps"),
    *("persistentvolumeclaims", "storage", "requests.storage", "services.nodeports", "services.loadbalancers"),
}
#: The field of each metric source type; upstream checks them in this order.
_FIELDS = {
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


def metrics_findings(metrics: list[Object], path: str, least: int | None, rules: ReferenceRules) -> Findings:
    """Upstream: validateMetrics."""
    found: Findings = []
    for index, metric in enumerate(metrics):
        found += _metric_findings(metric or {}, f"{path}[{index}]", rules)
    if least == 0 and not any((metric or {}).get("type") in ("Object", "External") for metric in metrics):
        reason = "must specify at least one Object or External metric to support scaling to zero replicas"
        found.append(forbidden_value(path, reason))
    return found


def _metric_findings(metric: Object, path: str, rules: ReferenceRules) -> Findings:
    """Upstream: validateMetricSpec: of several sources only the first is checked."""
    found: Findings = []
    kind = metric.get("type", "")
    supported = sorted(_FIELDS)
    if not kind:
        found.append(required(f"{path}.type", "must specify a metric source type"))
    if kind not in _FIELDS:
        found.append(not_supported(f"{path}.type", kind, supported))
    present = [name for name in _FIELDS.values() if metric.get(name) is not None]
    if present:
        first = present[0]
        found += _SOURCES[first](metric[first], f"{path}.{first}", rules)
    expected = _FIELDS.get(kind)
    if expected is None:
        found.append(not_supported(f"{path}.type", kind, supported))
    elif expected not in present:
        reason = "must populate information for the given metric source"
        found.append(required(f"{path}.{expected}", reason))
    if len(present) != 1:
        surplus = [name for name in present if name != expected]
        reason = "must populate the given metric source only"
        found += [forbidden_value(f"{path}.{name}", reason) for name in surplus]
    return found


def _object_findings(source: Object, path: str, rules: ReferenceRules) -> Findings:
    """Upstream: validateObjectSource."""
    target = source.get("target", {})
    found = reference_findings(source.get("describedObject", {}), f"{path}.describedObject", rules)
    found += _identifier_findings(source.get("metric", {}), f"{path}.metric")
    found += _target_findings(target, f"{path}.target")
    if "value" not in target and "averageValue" not in target:
        reason = "must set either a target value or averageValue"
        found.append(required(f"{path}.target.averageValue", reason))
    return found


def _external_findings(source: Object, path: str, _: ReferenceRules) -> Findings:
    """Upstream: validateExternalSource."""
    target = source.get("target", {})
    found = _identifier_findings(source.get("metric", {}), f"{path}.metric")
    found += _target_findings(target, f"{path}.target")
    if "value" not in target and "averageValue" not in target:
        reason = "must set either a target value for metric or a per-pod target"
        found.append(required(f"{path}.target.averageValue", reason))
    if "value" in target and "averageValue" in target:
        reason = "may not set both a target value for metric and a per-pod target"
        found.append(forbidden_value(f"{path}.target.value", reason))
    return found


def _pods_findings(source: Object, path: str, _: ReferenceRules) -> Findings:
    """Upstream: validatePodsSource."""
    target = source.get("target", {})
    found = _identifier_findings(source.get("metric", {}), f"{path}.metric")
    found += _target_findings(target, f"{path}.target")
    if "averageValue" not in target:
        reason = "must specify a positive target averageValue"
        found.append(required(f"{path}.target.averageValue", reason))
    return found


def _resource_findings(source: Object, path: str, _: ReferenceRules) -> Findings:
    """Upstream: validateResourceSource."""
    found: Findings = []
    if not source.get("name"):
        found.append(required(f"{path}.name", "must specify a resource name"))
    return found + _resource_target_findings(source.get("target", {}), f"{path}.target")


def _container_findings(source: Object, path: str, _: ReferenceRules) -> Findings:
    """Upstream: validateContainerResourceSource."""
    found: Findings = []
    name, container = source.get("name", ""), source.get("container", "")
    if not name:
        found.append(required(f"{path}.name", "must specify a resource name"))
    else:
        found += _container_resource_findings(name, f"{path}.name")
    if not container:
        found.append(required(f"{path}.container", "must specify a container"))
    else:
        reasons = names.short_name(container)
        found += [invalid_value(f"{path}.container", container, reason) for reason in reasons]
    return found + _resource_target_findings(source.get("target", {}), f"{path}.target")


def _container_resource_findings(name: str, path: str) -> Findings:
    """ValidateContainerResourceName (pkg/apis/core/v1/validation): a standard resource, or a name with a domain."""
    reasons = list(names.qualified_name(name))
    if "/" not in name:
        if not reasons and name not in _STANDARD_RESOURCES and not name.startswith(_HUGE_PAGES):
            reasons.append("must be a standard resource type or fully qualified")
        if name not in _CONTAINER_RESOURCES and not name.startswith("hugepages-"):
            reasons.append("must be a standard resource for containers")
    elif "kubernetes.io/" not in name and (name.startswith("requests.") or names.qualified_name(f"requests.{name}")):
        reasons.append("doesn't follow extended resource name standard")
    return [invalid_value(path, name, reason) for reason in reasons]


def _resource_target_findings(target: Object, path: str) -> Findings:
    found = _target_findings(target, path)
    if "averageUtilization" not in target and "averageValue" not in target:
        reason = "must set either a target raw value or a target utilization"
        found.append(required(f"{path}.averageUtilization", reason))
    if "averageUtilization" in target and "averageValue" in target:
        reason = "may not set both a target raw value and a target utilization"
        found.append(forbidden_value(f"{path}.averageValue", reason))
    return found


def _target_findings(target: Object, path: str) -> Findings:
    """Upstream: validateMetricTarget."""
    found: Findings = []
    kind, percent = target.get("type", ""), target.get("averageUtilization")
    if not kind:
        found.append(required(f"{path}.type", "must specify a metric target type"))
    if kind not in _TARGETS:
        reason = "must be either Utilization, Value, or AverageValue"
        found.append(invalid_value(f"{path}.type", kind, reason))
    for name in ("value", "averageValue"):
        amount = target.get(name)
        if amount is not None and read_quantity(amount).sign != 1:
            found.append(invalid_value(f"{path}.{name}", amount, "must be positive"))
    if percent is not None and percent < 1:
        found.append(invalid_value(f"{path}.averageUtilization", percent, "must be greater than 0"))
    return found


def _identifier_findings(identifier: Object, path: str) -> Findings:
    """Upstream: validateMetricIdentifier."""
    name = identifier.get("name", "")
    if not name:
        return [required(f"{path}.name", "must specify a metric name")]
    return [invalid_value(f"{path}.name", name, reason) for reason in names.path_segment(name)]


_SOURCES: dict[str, Callable[[Object, str, ReferenceRules], Findings]] = {
    "object": _object_findings,
    "external": _external_findings,
    "pods": _pods_findings,
    "resource": _resource_findings,
    "containerResource": _container_findings,
}
