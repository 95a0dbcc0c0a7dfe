"""Containers that ran out of memory soon after they started (pkg/updater/priority/update_priority_calculator.go)."""

from __future__ import annotations

from lockstep.wire.gotime import ZERO_TIME, parse_rfc3339
from lockstep_reference.vpa.apis import CONTAINER_SCALING_MODE_OFF, Object
from lockstep_reference.vpa.utils.annotations import parse_observed_containers
from lockstep_reference.vpa.utils.vpa.policies import get_container_resource_policy


def has_quick_oom(pod: Object, vpa: Object, now: int, threshold: int) -> bool:
    """Whether a container's last run ended that way within `threshold` nanoseconds, and no longer ago than that.

    Containers that the VPA does not scale, or that the admission controller has not seen, do not count.
    """
    statuses = [
        status for status in (pod.get("status") or {}).get("containerStatuses") or () if ran_out_of_memory(status)
    ]
    if not statuses:
        return False
    observed = parse_observed_containers(pod)
    return any(
        (observed is None or status["name"] in observed)
        and not _is_scaling_off(status["name"], vpa)
        and _is_quick(status["lastState"]["terminated"], now, threshold)
        for status in statuses
    )


def ran_out_of_memory(status: Object) -> bool:
    """Whether the last run of a container, of which this is the status, ended for want of memory."""
    terminated = (status.get("lastState") or {}).get("terminated") or {}
    return bool(terminated.get("reason") == "OOMKilled")


def _is_scaling_off(name: str, vpa: Object) -> bool:
    policy = get_container_resource_policy(name, vpa["spec"].get("resourcePolicy")) or {}
    return bool(policy.get("mode") == CONTAINER_SCALING_MODE_OFF)


def _is_quick(terminated: Object, now: int, threshold: int) -> bool:
    started, finished = _instant(terminated.get("startedAt")), _instant(terminated.get("finishedAt"))
    return finished - started < threshold and now - finished < threshold


def _instant(text: str | None) -> int:
    return ZERO_TIME if text is None else parse_rfc3339(text)
