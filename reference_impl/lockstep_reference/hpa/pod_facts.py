"""Pods as the replica calculator sees them, read once per version of the object.

Source: pkg/controller/podautoscaler/replica_calculator.go (groupPods, getReadyPodsCount), pkg/api/v1/pod/util.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lockstep.wire.gotime import ZERO_TIME, parse_rfc3339


class PodFacts:
    """What decides how a pod counts. Times are nanoseconds since the virtual epoch."""

    __slots__ = (
        "has_ready_condition",
        "ignored",
        "name",
        "object",
        "pending",
        "ready",
        "since",
        "start_time",
        "unready",
    )

    def __init__(self, obj: dict[str, Any]) -> None:
        metadata, status = obj["metadata"], obj.get("status") or {}
        phase = status.get("phase")
        condition = _ready_condition(status.get("conditions") or ())
        start = status.get("startTime")
        self.object = obj
        self.name: str = metadata["name"]
        #: It is being deleted or has failed: it does not count at all.
        self.ignored = metadata.get("deletionTimestamp") is not None or phase == "Failed"
        self.pending = phase == "Pending"
        #: It is running, and its Ready condition is True.
        self.ready = phase == "Running" and condition is not None and condition.get("status") == "True"
        #: The Ready condition is False: neither True nor Unknown.
        self.unready = condition is not None and condition.get("status") == "False"
        self.has_ready_condition = condition is not None
        #: When it started, None if it has not.
        self.start_time: int | None = parse_rfc3339(start) if start else None
        #: When the Ready condition last changed.
        self.since = _time(condition.get("lastTransitionTime")) if condition else ZERO_TIME


def _ready_condition(conditions: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    """GetPodCondition: the first one of the type."""
    for condition in conditions:
        if condition.get("type") == "Ready":
            return condition
    return None


def _time(text: str | None) -> int:
    return parse_rfc3339(text) if text else ZERO_TIME


class PodGroup:
    """The pods of one selector at one state of the cache, and what has been worked out about them."""

    def __init__(self, objects: list[dict[str, Any]], before: PodGroup | None) -> None:
        #: The lister's list: as long as it is the same, so are the pods.
        self.objects = objects
        known = {pod.name: pod for pod in before.pods} if before is not None else {}
        self.pods: list[PodFacts] = [_read(obj, known.get(obj["metadata"]["name"])) for obj in objects]
        #: Requests by container and resource, in milli-units by pod name.
        self.requests: dict[tuple[str, str], dict[str, int]] = {}


def _read(obj: dict[str, Any], known: PodFacts | None) -> PodFacts:
    return known if known is not None and known.object is obj else PodFacts(obj)
