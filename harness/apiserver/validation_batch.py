"""Validation of Jobs and CronJobs, as far as they are simulated (pkg/apis/batch/validation/validation.go)."""

from __future__ import annotations

from typing import Any

from harness.apiserver import errors
from harness.apiserver.errors import FieldError
from harness.apiserver.validation_pods import pod_spec_findings

Findings = list[FieldError]
_RESTARTS = ("OnFailure", "Never")
_CONCURRENCY = ("Allow", "Forbid", "Replace")


def job_findings(spec: dict[str, Any], field: str = "spec") -> Findings:
    """ValidateJobSpec."""
    found: Findings = [
        errors.invalid_value(f"{field}.{name}", spec[name], "must be greater than or equal to 0")
        for name in ("parallelism", "completions", "backoffLimit")
        if spec.get(name, 0) < 0
    ]
    template = spec.get("template")
    if template is None:
        return [*found, errors.required(f"{field}.template")]
    found.extend(pod_spec_findings(template["spec"], f"{field}.template.spec"))
    policy = template["spec"].get("restartPolicy", "")
    if policy not in _RESTARTS:
        found.append(errors.not_supported(f"{field}.template.spec.restartPolicy", policy, _RESTARTS))
    return found


def cron_job_findings(spec: dict[str, Any]) -> Findings:
    """ValidateCronJobSpec; the schedule is parsed by who acts on it."""
    found = [] if spec.get("schedule") else [errors.required("spec.schedule")]
    policy = spec.get("concurrencyPolicy", "")
    if policy not in _CONCURRENCY:
        found.append(errors.not_supported("spec.concurrencyPolicy", policy, _CONCURRENCY))
    return found + job_findings((spec.get("jobTemplate") or {}).get("spec") or {}, "spec.jobTemplate.spec")
