"""Defaults of DaemonSets, Jobs and CronJobs (pkg/apis/apps/v1/defaults.go, pkg/apis/batch/v1/defaults.go)."""

from __future__ import annotations

from typing import Any

_OWN_UID, _OWN_NAME = "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"
_LEGACY = {"controller-uid": _OWN_UID, "job-name": _OWN_NAME}


def default_daemon_set(spec: dict[str, Any]) -> None:
    """SetDefaults_DaemonSet."""
    strategy = spec["updateStrategy"] = dict(spec.get("updateStrategy") or {})
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        strategy["rollingUpdate"] = {"maxUnavailable": 1, "maxSurge": 0, **(strategy.get("rollingUpdate") or {})}
    spec.setdefault("revisionHistoryLimit", 10)


def default_job(spec: dict[str, Any], metadata: dict[str, Any]) -> None:
    """SetDefaults_Job."""
    if "parallelism" not in spec and "completions" not in spec:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", 2**31 - 1 if "backoffLimitPerIndex" in spec else 6)
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    if labels and not metadata.get("labels"):
        metadata["labels"] = dict(labels)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    spec.setdefault("podReplacementPolicy", "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed")
    spec.setdefault("manualSelector", False)


def default_cron_job(spec: dict[str, Any]) -> None:
    """SetDefaults_CronJob."""
    spec.setdefault("concurrencyPolicy", "Allow")
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)


def generate_selector(job: dict[str, Any]) -> None:
    """A Job selects its pods by its own uid (pkg/registry/batch/job/strategy.go: generateSelectorIfNeeded)."""
    spec, metadata = job["spec"], job["metadata"]
    if spec.get("manualSelector"):
        return
    own = {_OWN_UID: metadata["uid"], _OWN_NAME: metadata["name"]}
    own.update((legacy, own[name]) for legacy, name in _LEGACY.items())
    template = dict(spec.get("template") or {})
    meta = dict(template.get("metadata") or {})
    meta["labels"] = {**own, **(meta.get("labels") or {})}
    selector = dict(spec.get("selector") or {})
    selector["matchLabels"] = {_OWN_UID: metadata["uid"], **(selector.get("matchLabels") or {})}
    job["spec"] = {**spec, "selector": selector, "template": {**template, "metadata": meta}}
    if not metadata.get("labels"):
        metadata["labels"] = dict(meta["labels"])
