"""Availability: a pod counts as available once it has been ready for minReadySeconds.

No event marks the instant at which a pod becomes available, so the controller computes when to look again. All times
and durations are nanoseconds.

Source: pkg/api/v1/pod/util.go, IsPodAvailable; pkg/controller/controller_utils.go, FindMinNextPodAvailabilityCheck.
"""

from __future__ import annotations

from collections.abc import Iterable

from lockstep_reference.machinery.transport import Clock
from lockstep_reference.replicaset.pod import Pod

_SECOND = 10**9


def is_pod_available(pod: Pod, min_ready_seconds: int, now: int) -> bool:
    """Whether the pod is ready, and has been for at least `min_ready_seconds` at the instant `now`."""
    if not pod.ready:
        return False
    if min_ready_seconds == 0:
        return True
    return pod.ready_time is not None and pod.ready_time + min_ready_seconds * _SECOND <= now


def next_pod_availability_check(pod: Pod, min_ready_seconds: int, now: int) -> int | None:
    """How long until the pod becomes available; None if it is not ready, or is available already."""
    if not pod.ready or min_ready_seconds <= 0 or pod.ready_time is None:
        return None
    next_check = pod.ready_time + min_ready_seconds * _SECOND - now
    return next_check if next_check > 0 else None


def find_min_next_pod_availability_check(
    pods: Iterable[Pod], min_ready_seconds: int, last_owner_status_evaluation: int, clock: Clock
) -> int | None:
    """How long from now until the next pod becomes available; None if no pod will.

    The next pod is chosen as of the instant of the owner's status, so that a pod that became available since is not
    skipped. The duration counts from the clock's now; 0 means that the check is overdue.
    """
    earliest: int | None = None
    check_pod: Pod | None = None
    for pod in pods:
        next_check = next_pod_availability_check(pod, min_ready_seconds, last_owner_status_evaluation)
        if next_check is not None and (earliest is None or next_check < earliest):
            earliest, check_pod = next_check, pod
    if check_pod is None:
        return None
    return next_pod_availability_check(check_pod, min_ready_seconds, clock.now()) or 0
