"""CronJobs: Jobs on a schedule.

From pkg/controller/cronjob/cronjob_controllerv2.go. Not simulated: time zones (all is UTC), startingDeadlineSeconds and
events; a controller that was down catches up on the last missed time only, as upstream does.
"""

from __future__ import annotations

from lockstep.objects import controller_reference
from lockstep.time.clock import EPOCH_NS, SECOND, parse_rfc3339, rfc3339
from lockstep.world.api import Api, Object, WorldError
from lockstep.world.owners import cron
from lockstep.world.owners.dependents import Dependents, Wake
from lockstep.world.owners.pods import write_status

_SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"
_LIMITS = {"Complete": "successfulJobsHistoryLimit", "Failed": "failedJobsHistoryLimit"}


class CronJobs:
    """Acts as the CronJob controller."""

    def __init__(self, api: Api, jobs: Dependents, wake: Wake) -> None:
        self._api = api
        self._jobs = jobs
        self._wake = wake

    def reconcile(self, owner: Object) -> None:
        """Clean up finished Jobs, start the one that is due, and come back at the next time."""
        self._clean_up(owner)
        status = owner.get("status") or {}
        spec, now = owner["spec"], self._api.server.state.now()
        started = None
        if not spec.get("suspend"):
            due = _due(spec["schedule"], status.get("lastScheduleTime") or owner["metadata"]["creationTimestamp"], now)
            if due is not None and self._may_start(owner):
                self._start(owner, due)
                started = rfc3339(due)
            following = _following(spec["schedule"], now)
            if following is not None:
                self._wake(owner, following)
        self._write_status(owner, started)

    def _may_start(self, owner: Object) -> bool:
        """What concurrencyPolicy says."""
        policy, active = owner["spec"]["concurrencyPolicy"], self._active(owner)
        if policy == "Forbid" and active:
            return False
        if policy == "Replace":
            for job in active:
                self._delete(job)
        return True

    def _start(self, owner: Object, due: int) -> None:
        meta, template = owner["metadata"], owner["spec"]["jobTemplate"]
        given = template.get("metadata") or {}
        metadata: Object = {
            "name": f"{meta['name']}-{(EPOCH_NS + due) // SECOND // 60}",
            "labels": dict(given.get("labels") or {}),
            "annotations": {**(given.get("annotations") or {}), _SCHEDULED: rfc3339(due)},
            "ownerReferences": [controller_reference(owner)],
        }
        body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template["spec"]}
        path = f"/apis/batch/v1/namespaces/{meta['namespace']}/jobs"
        reply = self._api.write("POST", path, body, expected=(403, 404, 409))
        if reply.status == 201 and reply.body is not None:
            self._jobs.wrote(reply.body)

    def _active(self, owner: Object) -> list[Object]:
        return [job for job in self._jobs.of(owner) if not _ended(job) and "deletionTimestamp" not in job["metadata"]]

    def _clean_up(self, owner: Object) -> None:
        """cleanupFinishedJobs: the oldest go first."""
        for kind, limit in _LIMITS.items():
            ended = [job for job in self._jobs.of(owner) if _ended(job) == kind]
            for job in ended[: max(0, len(ended) - owner["spec"][limit])]:
                self._delete(job)

    def _delete(self, job: Object) -> None:
        meta = job["metadata"]
        path = f"/apis/batch/v1/namespaces/{meta['namespace']}/jobs/{meta['name']}"
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        self._api.write("DELETE", path, options)
        self._jobs.wrote(job)

    def _write_status(self, owner: Object, started: str | None) -> None:
        meta, status = owner["metadata"], owner.get("status") or {}
        succeeded = [job["status"].get("completionTime") for job in self._jobs.of(owner) if _ended(job) == "Complete"]
        times = [*(one for one in succeeded if one), status.get("lastSuccessfulTime") or ""]
        fresh = {
            "active": [_reference(job) for job in self._active(owner)],
            "lastScheduleTime": started or status.get("lastScheduleTime"),
            "lastSuccessfulTime": max(times) or None,
        }
        path = f"/apis/batch/v1/namespaces/{meta['namespace']}/cronjobs/{meta['name']}"
        write_status(self._api, path, owner, fresh)


def _ended(job: Object) -> str:
    """The type of the condition that ended a Job; "" if it has not ended."""
    for one in (job.get("status") or {}).get("conditions") or ():
        if one["type"] in _LIMITS and one["status"] == "True":
            return str(one["type"])
    return ""


def _reference(job: Object) -> Object:
    meta = job["metadata"]
    place = {"namespace": meta["namespace"], "name": meta["name"], "uid": meta["uid"]}
    return {"kind": "Job", "apiVersion": "batch/v1", "resourceVersion": meta["resourceVersion"], **place}


def _parsed(text: str) -> cron.Schedule:
    try:
        return cron.parse(text)
    except ValueError as problem:
        raise WorldError(f"the CronJob controller cannot act: {problem}") from None


def _due(schedule: str, last: str, now: int) -> int | None:
    """The last time on the schedule after `last` that has come, or None (mostRecentScheduleTime)."""
    parsed, found = _parsed(schedule), None
    at = _next(parsed, parse_rfc3339(last))
    while at is not None and at <= now:
        found = at
        at = _next(parsed, at)
    return found


def _following(schedule: str, now: int) -> int | None:
    return _next(_parsed(schedule), now)


def _next(schedule: cron.Schedule, instant: int) -> int | None:
    found = schedule.after(cron.epoch((EPOCH_NS + instant) // SECOND))
    return None if found is None else int(found.timestamp()) * SECOND - EPOCH_NS
