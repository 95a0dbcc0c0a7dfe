"""What the judge asks about pods besides `lockstep.wire.pods`: when they count as available, and their restarts."""

from __future__ import annotations

from lockstep.time.clock import SECOND, parse_rfc3339
from lockstep.wire.meta import Object
from lockstep.wire.pods import ready_since

#: An instant after the end of every run.
NEVER = 2**63 - 1


def available_at(pod: Object, min_ready_seconds: int) -> int | None:
    """The instant from which a ready pod counts as available (upstream `podutil.IsPodAvailable`); None: not ready.

    Without a minimum, a ready pod is available at once, whatever its node's clock says: the answer is 0. With one, a
    condition without a transition time never makes a pod available: the answer is `NEVER`.
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
