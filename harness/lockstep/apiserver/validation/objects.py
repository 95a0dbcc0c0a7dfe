"""Validation of objects, as far as the simulated controllers can change them.

From pkg/apis/core/validation and pkg/apis/apps/validation; metadata has its own module. A check adds its findings
to a list; what is not checked is listed in `limits`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.structural.validation import schema_findings
from lockstep.apiserver.structural.validation import status_findings as schema_status_findings
from lockstep.apiserver.validation.batch import cron_job_findings, job_findings
from lockstep.apiserver.validation.core import data_findings, phase_findings
from lockstep.apiserver.validation.definitions import definition_findings
from lockstep.apiserver.validation.limit_ranges import limit_range_findings
from lockstep.apiserver.validation.metadata import (
    annotation_findings,
    kube_finalizer_findings,
    label_findings,
    metadata_change_findings,
    metadata_findings,
)
from lockstep.apiserver.validation.pod_status import pod_status_findings
from lockstep.apiserver.validation.pods import pod_spec_findings, pod_update_findings, shared_spec_findings
from lockstep.apiserver.validation.policy import budget_findings, budget_status_findings
from lockstep.apiserver.validation.scale import scale_spec_findings, scale_status_findings
from lockstep.apiserver.webhooks.registration import lease_findings, webhook_findings
from lockstep.wire import names, selectors
from lockstep.wire.field import FieldError, forbidden_value, invalid_value, not_supported, required
from lockstep.wire.pods import DELETION_COST
from lockstep.wire.quantity import read_quantity

Findings = list[FieldError]
#: No plus sign, no leading zeros (apis/core/helper GetDeletionCostFromPodAnnotations).
_PLAIN_INTEGER = re.compile(r"0|-[0-9]+|[1-9][0-9]*")


def _non_negative(value: int | None, field: str, found: Findings) -> None:
    if value is not None and value < 0:
        found.append(invalid_value(field, value, "must be greater than or equal to 0"))


def label_selector_findings(selector: dict[str, Any], field: str) -> Findings:
    """ValidateLabelSelector."""
    found: Findings = []
    label_findings(selector.get("matchLabels"), f"{field}.matchLabels", found)
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        path = f"{field}.matchExpressions[{index}]"
        operator, values = expression.get("operator", ""), expression.get("values") or []
        if operator in ("In", "NotIn"):
            if not values:
                found.append(required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
        elif operator in ("Exists", "DoesNotExist"):
            if values:
                found.append(
                    forbidden_value(
                        f"{path}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                    )
                )
        else:
            found.append(invalid_value(f"{path}.operator", operator, "not a valid selector operator"))
        key = expression.get("key", "")
        found.extend(invalid_value(f"{path}.key", key, text) for text in names.qualified_name(key))
        for position, value in enumerate(values):
            found.extend(invalid_value(f"{path}.values[{position}]", value, text) for text in names.label_value(value))
    return found


def _deletion_cost_findings(metadata: dict[str, Any], field: str, old: dict[str, Any] | None = None) -> Findings:
    """ValidatePodSpecificAnnotations: a pod-deletion-cost is a 32 bit integer; one that was invalid before may stay."""
    cost = (metadata.get("annotations") or {}).get(DELETION_COST)
    if cost is None or _is_deletion_cost(cost):
        return []
    before = ((old or {}).get("annotations") or {}).get(DELETION_COST)
    if before is not None and not _is_deletion_cost(before):
        return []
    return [invalid_value(f"{field}[{DELETION_COST}]", cost, "must be a 32bit integer")]


def _is_deletion_cost(text: str) -> bool:
    return _PLAIN_INTEGER.fullmatch(text) is not None and -(2**31) <= int(text) < 2**31


def _template_findings(spec: dict[str, Any], selector: selectors.Selector | None) -> Findings:
    """ValidatePodTemplateSpecForReplicaSet."""
    found: Findings = []
    template = spec.get("template") or {}
    labels = (template.get("metadata") or {}).get("labels") or {}
    if selector is not None and not selector.matches(labels):
        found.append(
            invalid_value(
                "spec.template.metadata.labels", labels or None, "`selector` does not match template `labels`"
            )
        )
    label_findings(labels, "spec.template.labels", found)
    metadata = template.get("metadata") or {}
    annotation_findings(metadata.get("annotations"), "spec.template.annotations", found)
    found.extend(_deletion_cost_findings(metadata, "spec.template.annotations"))
    inner = template.get("spec") or {}
    found.extend(pod_spec_findings(inner, "spec.template.spec"))
    policy = inner.get("restartPolicy", "Always")
    if policy != "Always":
        found.append(not_supported("spec.template.spec.restartPolicy", policy, ["Always"]))
    if inner.get("activeDeadlineSeconds") is not None:
        found.append(
            forbidden_value(
                "spec.template.spec.activeDeadlineSeconds", "activeDeadlineSeconds in ReplicaSet is not Supported"
            )
        )
    return found


def _workload_findings(payload: dict[str, Any]) -> Findings:
    """ValidateReplicaSetSpec."""
    spec = payload.get("spec") or {}
    found: Findings = []
    _non_negative(spec.get("replicas"), "spec.replicas", found)
    _non_negative(spec.get("minReadySeconds"), "spec.minReadySeconds", found)
    selector = spec.get("selector")
    if selector is None:
        found.append(required("spec.selector"))
    else:
        found.extend(label_selector_findings(selector, "spec.selector"))
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            found.append(invalid_value("spec.selector", selector, "empty selector is invalid for deployment"))
    try:
        matching = selectors.selector_from(selector) if selector is None or selector else None
    except selectors.InvalidSelector:
        found.append(invalid_value("spec.selector", selector, "invalid label selector"))
    else:
        found.extend(_template_findings(spec, matching))
    return found


def _controller_findings(payload: dict[str, Any]) -> Findings:
    """ValidateReplicationControllerSpec."""
    spec = payload.get("spec") or {}
    found: Findings = []
    _non_negative(spec.get("minReadySeconds"), "spec.minReadySeconds", found)
    selector = spec.get("selector") or {}
    if not selector:
        found.append(required("spec.selector"))
    _non_negative(spec.get("replicas"), "spec.replicas", found)
    if spec.get("template") is None:
        found.append(required("spec.template"))
        return found
    labels = (spec["template"].get("metadata") or {}).get("labels") or {}
    if any(labels.get(key) != value for key, value in selector.items()):
        found.append(
            invalid_value(
                "spec.template.metadata.labels", labels or None, "`selector` does not match template `labels`"
            )
        )
    found.extend(_template_findings(spec, None))
    return found


def _event_findings(payload: dict[str, Any]) -> Findings:
    """legacyValidateEvent: an event lives in the namespace of its object, or in "default"."""
    subject = payload.get("involvedObject") or {}
    home = subject.get("namespace") or "default"
    if payload["metadata"].get("namespace") not in (home, subject.get("namespace")):
        return [
            invalid_value("involvedObject.namespace", subject.get("namespace", ""), "does not match event.namespace")
        ]
    return []


def _quota_findings(payload: dict[str, Any]) -> Findings:
    found: Findings = []
    for name, amount in ((payload.get("spec") or {}).get("hard") or {}).items():
        try:
            if read_quantity(amount).sign < 0:
                found.append(invalid_value(f"spec.hard[{name}]", amount, "must be greater than or equal to 0"))
        except ValueError as problem:
            found.append(invalid_value(f"spec.hard[{name}]", amount, str(problem)))
    return found


_STATEFUL_MUTABLE = frozenset(
    {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit"}
    | {"persistentVolumeClaimRetentionPolicy", "minReadySeconds"}
)
_STATEFUL_FIELDS = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)
#: Counts that must not be negative, and those of them that must not exceed `replicas`, each in upstream's order.
_STATUS_COUNTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ReplicaSet": (
        (
            "replicas",
            "fullyLabeledReplicas",
            "readyReplicas",
            "availableReplicas",
            "observedGeneration",
            "terminatingReplicas",
        ),
        ("fullyLabeledReplicas", "readyReplicas", "availableReplicas"),
    ),
    "Deployment": (
        (
            "observedGeneration",
            "replicas",
            "updatedReplicas",
            "readyReplicas",
            "availableReplicas",
            "unavailableReplicas",
            "terminatingReplicas",
            "collisionCount",
        ),
        ("updatedReplicas", "readyReplicas", "availableReplicas"),
    ),
    "StatefulSet": (
        (
            "replicas",
            "readyReplicas",
            "currentReplicas",
            "updatedReplicas",
            "availableReplicas",
            "observedGeneration",
            "collisionCount",
        ),
        ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
    ),
}
_BY_KIND: dict[str, Callable[[dict[str, Any]], Findings]] = {
    "ReplicaSet": _workload_findings,
    "Deployment": _workload_findings,
    "StatefulSet": _workload_findings,
    "ReplicationController": _controller_findings,
    "LimitRange": lambda payload: limit_range_findings(payload.get("spec") or {}),
    "Lease": lambda payload: lease_findings(payload.get("spec") or {}),
    "MutatingWebhookConfiguration": lambda payload: webhook_findings(payload, label_selector_findings),
    "ValidatingWebhookConfiguration": lambda payload: webhook_findings(payload, label_selector_findings),
    "CronJob": lambda payload: cron_job_findings(payload.get("spec") or {}),
    "DaemonSet": _workload_findings,
    "ConfigMap": data_findings,
    "Secret": data_findings,
    "Job": lambda payload: job_findings(payload.get("spec") or {}),
    "CustomResourceDefinition": definition_findings,
    "Event": _event_findings,
    "ResourceQuota": _quota_findings,
    "PodDisruptionBudget": lambda payload: budget_findings(payload.get("spec") or {}, label_selector_findings),
}


def create_findings(payload: dict[str, Any], kind: Kind) -> Findings:
    """What is wrong with a new object; empty if nothing is."""
    found = metadata_findings(payload["metadata"], kind)
    found.extend(kube_finalizer_findings(payload["metadata"], kind))
    if kind.kind == "Pod":
        found.extend(shared_spec_findings(payload["spec"]))
        found.extend(_deletion_cost_findings(payload["metadata"], "metadata.annotations"))
    elif kind.strategic and (check := _BY_KIND.get(kind.kind)) is not None:
        found.extend(check(payload))
    else:
        found.extend(_custom_findings(payload, None, kind))
    return found


def _custom_findings(new: dict[str, Any], old: dict[str, Any] | None, kind: Kind) -> Findings:
    """What is wrong with a custom resource, and with its scale."""
    found = [] if kind.schema is None else schema_findings(new, old, kind.schema)
    if kind.scale_paths:
        found.extend(scale_spec_findings(new, kind))
        found.extend(scale_status_findings(new, kind))
    return found


def update_findings(new: dict[str, Any], old: dict[str, Any], kind: Kind) -> Findings:
    """What is wrong with the replacement of `old` by `new`."""
    found = metadata_change_findings(new["metadata"], old["metadata"], kind)
    if kind.kind == "Pod":
        found.extend(_deletion_cost_findings(new["metadata"], "metadata.annotations", old["metadata"]))
        if new["spec"] is not old["spec"]:
            found.extend(pod_update_findings(new["spec"], old["spec"]))
    elif kind.strategic and (check := _BY_KIND.get(kind.kind)) is not None:
        found.extend(check(new))
    elif not kind.strategic:
        found.extend(_custom_findings(new, old, kind))
    if kind.group == "apps" and kind.strategic:
        new_selector, old_selector = (item.get("spec", {}).get("selector") for item in (new, old))
        if kind.kind == "StatefulSet" and _fixed(new) != _fixed(old):
            found.append(forbidden_value("spec", _STATEFUL_FIELDS))
        elif new_selector != old_selector and kind.kind in ("ReplicaSet", "Deployment", "DaemonSet"):
            found.append(invalid_value("spec.selector", new_selector, "field is immutable"))
    return found


def _fixed(payload: dict[str, Any]) -> dict[str, Any]:
    """The immutable part of a StatefulSet's spec."""
    return {key: item for key, item in (payload.get("spec") or {}).items() if key not in _STATEFUL_MUTABLE}


def status_findings(new: dict[str, Any], old: dict[str, Any], kind: Kind) -> Findings:
    """What is wrong with a new status (the Validate...StatusUpdate of its kind)."""
    found = metadata_change_findings(new["metadata"], old["metadata"], kind)
    status = new.get("status") or {}
    if kind.kind == "Namespace" and kind.strategic:
        found.extend(phase_findings(status.get("phase", ""), new["metadata"]))
    elif kind.kind == "Pod":
        found.extend(pod_status_findings(new, old))
    elif kind.kind in ("ReplicaSet", "ReplicationController", "Deployment", "StatefulSet") and kind.strategic:
        found.extend(_replica_status_findings(status, kind))
    elif kind.kind == "PodDisruptionBudget" and kind.strategic:
        found.extend(budget_status_findings(status))
    elif not kind.strategic:
        found.extend([] if kind.schema is None else schema_status_findings(new, old, kind.schema))
        if kind.scale_paths:
            found.extend(scale_status_findings(new, kind))
    return found


def _replica_status_findings(status: dict[str, Any], kind: Kind) -> Findings:
    """ValidateReplicaSetStatus, ValidateDeploymentStatus, ValidateStatefulSetStatus."""
    found: Findings = []
    counts, parts = _STATUS_COUNTS.get(kind.kind, _STATUS_COUNTS["ReplicaSet"])
    for name in counts:
        if status.get(name, 0) < 0:
            _non_negative(status[name], f"status.{name}", found)
    total, ready = status.get("replicas", 0), status.get("readyReplicas", 0)
    for name in parts:
        if status.get(name, 0) > total:
            value = status.get(name, 0)
            found.append(invalid_value(f"status.{name}", value, "cannot be greater than status.replicas"))
    if status.get("availableReplicas", 0) > ready:
        whole = "status.readyReplicas" if kind.kind == "StatefulSet" else "readyReplicas"
        found.append(
            invalid_value(
                "status.availableReplicas", status.get("availableReplicas", 0), f"cannot be greater than {whole}"
            )
        )
    return found
