"""Jobs: run pods until `completions` of them have succeeded, at most `parallelism` at once.

From pkg/controller/job/job_controller.go. Not simulated: indexes, finalizers of pods, success and failure policies,
deadlines, and Jobs whose finished pods another actor deletes.
"""

from __future__ import annotations

from lockstep.time.clock import SECOND, parse_rfc3339, rfc3339
from lockstep.wire.pods import is_active, is_ready
from lockstep.world.api import Api, Object
from lockstep.world.canonical import canonical_order
from lockstep.world.owners.dependents import Dependents, Wake
from lockstep.world.owners.pods import create_pod, delete_pod, write_status

#: DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff.
_FIRST_WAIT, _LONGEST_WAIT = 10, 600
_MOST_DOUBLINGS = 10


class Jobs:
    """Acts as the Job controller."""

    def __init__(self, api: Api, pods: Dependents, wake: Wake) -> None:
        self._api = api
        self._pods = pods
        self._wake = wake

    def reconcile(self, owner: Object) -> None:
        """syncJob: decide whether the Job has ended, then create or delete pods, then write the status."""
        if _is_finished(owner):
            return
        pods = self._pods.of(owner)
        active = [pod for pod in pods if is_active(pod)]
        succeeded, failed = (_count(pods, phase) for phase in ("Succeeded", "Failed"))
        verdict = _verdict(owner["spec"], len(active), succeeded, failed)
        if verdict or owner["spec"].get("suspend"):
            for pod in active:
                delete_pod(self._api, self._pods, pod)
        else:
            self._manage(owner, active, succeeded)
        self._write_status(owner, verdict)

    def _manage(self, owner: Object, active: list[Object], succeeded: int) -> None:
        """ManageJob."""
        spec = owner["spec"]
        wanted = spec["parallelism"]
        if spec.get("completions") is not None:
            wanted = min(wanted, spec["completions"] - succeeded)
        elif succeeded:
            wanted = min(wanted, len(active))
        for pod in canonical_order(active)[: max(0, len(active) - wanted)]:
            delete_pod(self._api, self._pods, pod)
        if wanted > len(active) and self._wake(owner, _next_start(self._pods.of(owner))):
            for _ in range(wanted - len(active)):
                create_pod(self._api, self._pods, owner, f"{owner['metadata']['name']}-")

    def _write_status(self, owner: Object, verdict: str) -> None:
        meta, status = owner["metadata"], owner.get("status") or {}
        pods, now = self._pods.of(owner), rfc3339(self._api.server.state.now())
        active = [pod for pod in pods if is_active(pod)]
        fresh = {
            "startTime": status.get("startTime") or (None if owner["spec"].get("suspend") else now),
            "active": len(active),
            "ready": sum(map(is_ready, active)),
            "terminating": sum("deletionTimestamp" in pod["metadata"] for pod in pods),
            "succeeded": _count(pods, "Succeeded"),
            "failed": _count(pods, "Failed"),
        }
        if verdict:
            fresh["conditions"] = _conditions(verdict, now)
            fresh["completionTime"] = now if verdict == "Complete" else None
        path = f"/apis/batch/v1/namespaces/{meta['namespace']}/jobs/{meta['name']}"
        write_status(self._api, path, owner, fresh)


def _is_finished(job: Object) -> bool:
    conditions = (job.get("status") or {}).get("conditions") or ()
    return any(one["type"] in ("Complete", "Failed") and one["status"] == "True" for one in conditions)


def _verdict(spec: Object, active: int, succeeded: int, failed: int) -> str:
    """The condition that ends the job, or ""."""
    if failed > spec["backoffLimit"]:
        return "Failed"
    wanted = spec.get("completions")
    done = succeeded > 0 and active == 0 if wanted is None else succeeded >= wanted
    return "Complete" if done else ""


def _conditions(verdict: str, now: str) -> list[Object]:
    """The condition that announces the result, and the one that ends the Job (enactJobFinished)."""
    times = {"lastProbeTime": now, "lastTransitionTime": now}
    if verdict == "Failed":
        why = {"reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit"}
        kinds = ("FailureTarget", "Failed")
    else:
        why = {"reason": "CompletionsReached", "message": "Reached expected number of succeeded pods"}
        kinds = ("SuccessCriteriaMet", "Complete")
    return [{"type": kind, "status": "True", **times, **why} for kind in kinds]


def _count(pods: list[Object], phase: str) -> int:
    return sum((pod.get("status") or {}).get("phase") == phase for pod in pods)


def _next_start(pods: list[Object]) -> int:
    """When pods may be created after the failures since the last success (backoff_utils.go: getRemainingTime)."""
    ends = sorted((_ended(pod), pod["status"]["phase"]) for pod in pods if not is_active(pod) and _ended(pod))
    failures = 0
    for _, phase in reversed(ends):
        if phase == "Succeeded":
            break
        failures += 1
    if not failures:
        return 0
    wait = _FIRST_WAIT << min(failures - 1, _MOST_DOUBLINGS)
    return ends[-1][0] + min(wait, _LONGEST_WAIT) * SECOND


def _ended(pod: Object) -> int:
    """When the last container of a finished pod ended; 0 if unknown."""
    status = pod.get("status") or {}
    if status.get("phase") not in ("Succeeded", "Failed"):
        return 0
    states = (one["state"].get("terminated") or {} for one in status.get("containerStatuses") or ())
    return max((parse_rfc3339(one["finishedAt"]) for one in states if one.get("finishedAt")), default=0)
