"""Validation of Jobs and CronJobs, as far as they are simulated (pkg/apis/batch/validation/validation.go)."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.validation.pods import pod_spec_findings
from lockstep.wire.field import FieldError, invalid_value, not_supported, required
from lockstep.wire.gotext import quote

Findings = list[FieldError]
_RESTARTS = ("OnFailure", "Never")
_SCHEDULE_FIELDS = 5
_CONCURRENCY = ("Allow", "Forbid", "Replace")


def job_findings(spec: dict[str, Any], field: str = "spec") -> Findings:
    """ValidateJobSpec."""
    found: Findings = [
        invalid_value(f"{field}.{name}", spec[name], "must be greater than or equal to 0")
        for name in ("parallelism", "completions", "backoffLimit")
        if spec.get(name, 0) < 0
    ]
    template = spec.get("template")
    if template is None:
        return [*found, required(f"{field}.template")]
    found.extend(pod_spec_findings(template["spec"], f"{field}.template.spec"))
    policy = template["spec"].get("restartPolicy", "")
    if policy not in _RESTARTS:
        where, valid = f"{field}.template.spec.restartPolicy", ", ".join(quote(one) for one in _RESTARTS)
        known = policy in ("", "Always")
        finding = required(where, f"valid values: {valid}") if known else None
        found.append(finding or not_supported(where, policy, _RESTARTS))
    return found


def cron_job_findings(spec: dict[str, Any]) -> Findings:
    """ValidateCronJobSpec; the component that acts on the schedule parses it."""
    schedule = spec.get("schedule")
    found = [] if schedule else [required("spec.schedule")]
    parts = (schedule or "").split()
    if schedule and not schedule.startswith("@") and "TZ=" not in schedule and len(parts) != _SCHEDULE_FIELDS:
        why = f"expected exactly {_SCHEDULE_FIELDS} fields, found {len(parts)}: [{' '.join(parts)}]"
        found.append(invalid_value("spec.schedule", schedule, why))
    policy = spec.get("concurrencyPolicy", "")
    if policy not in _CONCURRENCY:
        found.append(not_supported("spec.concurrencyPolicy", policy, _CONCURRENCY))
    return found + job_findings((spec.get("jobTemplate") or {}).get("spec") or {}, "spec.jobTemplate.spec")
