"""The cells of a pod (pkg/printers/internalversion/printers.go, printPod)."""

from __future__ import annotations

from typing import Any

from lockstep.serving.tables.ages import age

Object = dict[str, Any]
_LOST = "NodeLost"


def _restartable(pod: Object) -> list[str]:
    """Names of the sidecars: init containers that are restarted always."""
    found = (pod.get("spec") or {}).get("initContainers") or ()
    return [one["name"] for one in found if one.get("restartPolicy") == "Always"]


def _statuses(pod: Object, field: str) -> list[Object]:
    return (pod.get("status") or {}).get(field) or []


def pod_ready(pod: Object) -> str:
    """Ready containers of all, sidecars included."""
    sidecars = _restartable(pod)
    total = len((pod.get("spec") or {}).get("containers") or ()) + len(sidecars)
    ready = sum(bool(one.get("ready")) and "running" in (one.get("state") or {}) for one in _all_main(pod, sidecars))
    return f"{ready}/{total}"


def _all_main(pod: Object, sidecars: list[str]) -> list[Object]:
    init = [one for one in _statuses(pod, "initContainerStatuses") if one.get("name") in sidecars]
    return [*_statuses(pod, "containerStatuses"), *init]


def pod_restarts(pod: Object, now: int) -> str:
    """How often containers have restarted, and when last."""
    counted = _all_main(pod, _restartable(pod))
    restarts = sum(int(one.get("restartCount") or 0) for one in counted)
    ends = [((one.get("lastState") or {}).get("terminated") or {}).get("finishedAt") for one in counted]
    last = max((end for end in ends if end), default="")
    return f"{restarts} ({age(last, now)} ago)" if restarts and last else str(restarts)


def pod_status(pod: Object) -> str:
    """The status of a pod in one word."""
    status = pod.get("status") or {}
    reason = str(status.get("reason") or status.get("phase") or "")
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("reason") == "SchedulingGated":
            reason = "SchedulingGated"
    initializing = _init_reason(pod)
    reason = initializing or _main_reason(pod, reason)
    if (pod.get("metadata") or {}).get("deletionTimestamp"):
        if status.get("reason") == _LOST:
            return "Unknown"
        if status.get("phase") not in ("Succeeded", "Failed"):
            return "Terminating"
    return reason


def _init_reason(pod: Object) -> str:
    sidecars, statuses = _restartable(pod), _statuses(pod, "initContainerStatuses")
    total = len((pod.get("spec") or {}).get("initContainers") or ())
    for number, one in enumerate(statuses):
        state = one.get("state") or {}
        ended, waiting = state.get("terminated"), state.get("waiting") or {}
        if ended and not ended.get("exitCode"):
            continue
        if one.get("name") in sidecars and one.get("started"):
            continue
        if ended:
            return f"Init:{ended.get('reason') or _exit(ended)}"
        if waiting.get("reason") and waiting["reason"] != "PodInitializing":
            return f"Init:{waiting['reason']}"
        return f"Init:{number}/{total}"
    return ""


def _exit(ended: Object) -> str:
    return f"Signal:{ended['signal']}" if ended.get("signal") else f"ExitCode:{ended.get('exitCode', 0)}"


def _main_reason(pod: Object, reason: str) -> str:
    running = False
    for one in reversed(_statuses(pod, "containerStatuses")):
        state = one.get("state") or {}
        ended, waiting = state.get("terminated"), state.get("waiting") or {}
        if waiting.get("reason"):
            reason = waiting["reason"]
        elif ended:
            reason = ended.get("reason") or _exit(ended)
        elif one.get("ready") and "running" in state:
            running = True
    if reason == "Completed" and running:
        return "Running" if _is_ready(pod) else "NotReady"
    return reason


def _is_ready(pod: Object) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)
