"""What the history's readers need to know about pods and their owners, taken from objects in wire form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.clock import SECOND, parse_rfc3339

Object = Mapping[str, Any]

#: An instant after the end of every run.
NEVER = 2**63 - 1
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"


def uid(obj: Object) -> str:
    """The object's uid; "" if it has none yet."""
    return str(obj.get("metadata", {}).get("uid", ""))


def controller_of(obj: Object) -> dict[str, Any] | None:
    """The owner reference with `controller: true` (apimachinery `metav1.GetControllerOf`)."""
    for reference in obj.get("metadata", {}).get("ownerReferences") or ():
        if reference.get("controller"):
            return dict(reference)
    return None


def is_terminating(obj: Object) -> bool:
    """Whether the object is on its way out."""
    return bool(obj.get("metadata", {}).get("deletionTimestamp"))


def is_active(pod: Object) -> bool:
    """Neither finished nor being deleted (upstream `controller.IsPodActive`)."""
    return (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed") and not is_terminating(pod)


def ready_since(pod: Object) -> str | None:
    """When the Ready condition became true, as written on the wire; None if the pod is not ready."""
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "Ready":
            return str(condition.get("lastTransitionTime") or "") if condition.get("status") == "True" else None
    return None


def available_at(pod: Object, min_ready_seconds: int) -> int | None:
    """The instant from which a ready pod counts as available (upstream `podutil.IsPodAvailable`); None: not ready.

    With no minimum a ready pod is available at once, whatever its node's clock says: then the answer is 0. Otherwise a
    condition without a transition time never makes a pod available: then it is `NEVER`.
    """
    since = ready_since(pod)
    if since is None:
        return None
    if min_ready_seconds == 0:
        return 0
    return parse_rfc3339(since) + min_ready_seconds * SECOND if since else NEVER


def restarts(pod: Object) -> tuple[int, int]:
    """The highest restart count among the regular containers, and among the sidecars (restartable init containers)."""
    status = pod.get("status") or {}
    sidecars = {
        container.get("name")
        for container in (pod.get("spec") or {}).get("initContainers") or ()
        if container.get("restartPolicy") == "Always"
    }
    regular = [int(item.get("restartCount", 0)) for item in status.get("containerStatuses") or ()]
    restartable = [
        int(item.get("restartCount", 0))
        for item in status.get("initContainerStatuses") or ()
        if item.get("name") in sidecars
    ]
    return max(regular, default=0), max(restartable, default=0)


def selector_matches(selector: Object, labels: Mapping[str, str]) -> bool:
    """Whether a `metav1.LabelSelector` selects the labels; an unknown operator selects nothing."""
    wanted: Mapping[str, str] = selector.get("matchLabels") or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(_requirement_holds(item, labels) for item in selector.get("matchExpressions") or ())


def _requirement_holds(requirement: Object, labels: Mapping[str, str]) -> bool:
    key, values = requirement.get("key", ""), requirement.get("values") or ()
    match requirement.get("operator"):
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    return False
