"""The state of a pod's resize, as the kubelet reports it in conditions (pkg/updater/restriction, pkg/updater/utils)."""

from __future__ import annotations

from enum import Enum

from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.utils.vpa.startup_boost import get_pod_condition

_PENDING = "PodResizePending"
_IN_PROGRESS = "PodResizeInProgress"
_DEFERRED = "Deferred"
_INFEASIBLE = "Infeasible"
_ERROR = "Error"


class ResizeStatus(Enum):
    """ResizeStatus, with upstream's values."""

    DEFERRED = "ResizeDeferred"
    INFEASIBLE = "ResizeInfeasible"
    IN_PROGRESS = "ResizeInProgress"
    ERROR = "ResizeError"
    UNKNOWN = "ResizeUnknown"
    #: No resize is in progress.
    NONE = "ResizeNone"


def is_in_place_updating(pod: Object) -> bool:
    """Whether a resize is in progress; the first condition about one decides (isInPlaceUpdating)."""
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition.get("type") in (_PENDING, _IN_PROGRESS):
            return bool(condition.get("status") == "True")
    return False


def get_resize_status(pod: Object) -> ResizeStatus:
    """The state of the resize (getResizeStatus). If one is in progress, only reasons matter, not statuses.

    A resize that is being applied has neither reason nor message.
    """
    if not is_in_place_updating(pod):
        return ResizeStatus.NONE
    pending = get_pod_condition(pod, _PENDING)
    if pending is not None:
        reasons = {_DEFERRED: ResizeStatus.DEFERRED, _INFEASIBLE: ResizeStatus.INFEASIBLE}
        return reasons.get(pending.get("reason") or "", ResizeStatus.UNKNOWN)
    progress = get_pod_condition(pod, _IN_PROGRESS) or {}
    if not progress.get("reason") and not progress.get("message"):
        return ResizeStatus.IN_PROGRESS
    return ResizeStatus.ERROR if progress.get("reason") == _ERROR else ResizeStatus.UNKNOWN


def is_non_disruptive_resize(pod: Object) -> bool:
    """Whether no container must restart for a resize of any resource (IsNonDisruptiveResize)."""
    return not any(
        policy.get("restartPolicy") == "RestartContainer"
        for container in pod["spec"].get("containers") or ()
        for policy in container.get("resizePolicy") or ()
    )
