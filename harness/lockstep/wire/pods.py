"""Common questions about a pod: whether it has ended, counts, and is ready.

The reference controllers have their own functions for this, since those are under test.
"""

from __future__ import annotations

from typing import Final

from lockstep.wire.meta import Object

DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
#: Phases of a pod that has ended.
FINISHED: Final = frozenset({"Succeeded", "Failed"})


def is_finished(pod: Object) -> bool:
    """Whether the pod has ended, for better or worse (upstream `podutil.IsPodTerminal`)."""
    return (pod.get("status") or {}).get("phase") in FINISHED


def is_active(pod: Object) -> bool:
    """Neither finished nor being deleted (upstream `controller.IsPodActive`)."""
    if pod.get("metadata", {}).get("deletionTimestamp"):
        return False
    return (pod.get("status") or {}).get("phase") not in FINISHED


def ready_since(pod: Object) -> str | None:
    """When the Ready condition became true, as written on the wire; None if the pod is not ready."""
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "Ready":
            return str(condition.get("lastTransitionTime") or "") if condition.get("status") == "True" else None
    return None


def is_ready(pod: Object) -> bool:
    """Whether the pod's Ready condition is true (upstream `podutil.IsPodReady`)."""
    return ready_since(pod) is not None
