"""What everybody asks of objects in wire form: who controls them, and what state a pod is in.

The reference controllers have their own answers (`reference_impl`): they are what is tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Object = Mapping[str, Any]

DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
#: Finalizers of the garbage collector (metav1.FinalizerOrphanDependents, FinalizerDeleteDependents).
ORPHAN: Final = "orphan"
FOREGROUND: Final = "foregroundDeletion"
#: Phases of a pod that has ended.
FINISHED: Final = frozenset({"Succeeded", "Failed"})


def uid(obj: Object) -> str:
    """The object's uid; "" if it has none yet."""
    return str(obj.get("metadata", {}).get("uid", ""))


def controller_of(obj: Object) -> dict[str, Any] | None:
    """The owner reference with `controller: true` (apimachinery `metav1.GetControllerOf`); never change it."""
    references: list[dict[str, Any]] = obj.get("metadata", {}).get("ownerReferences") or []
    for reference in references:
        if reference.get("controller"):
            return reference
    return None


def is_terminating(obj: Object) -> bool:
    """Whether the object is on its way out."""
    return bool(obj.get("metadata", {}).get("deletionTimestamp"))


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
