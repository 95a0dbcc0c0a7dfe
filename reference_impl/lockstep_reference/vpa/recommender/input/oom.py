"""Out-of-memory kills and evictions, as pods and events tell of them (pkg/recommender/input/oom/observer.go)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from lockstep.wire.metav1 import time_of
from lockstep.wire.quantity import InvalidQuantity, parse_quantity
from lockstep_reference.machinery.store import Object
from lockstep_reference.vpa.apis import MEMORY
from lockstep_reference.vpa.recommender.model.types import ContainerID, PodID
from lockstep_reference.vpa.utils.resources import container_requests_and_limits

_NONE: Mapping[str, Any] = {}
_OOM_KILLED = "OOMKilled"


class OomInfo(NamedTuple):
    """Memory was not enough: when, for whom, and how many bytes the container had (or used, if it was evicted)."""

    timestamp: int
    memory: int
    container_id: ContainerID


class Observer:
    """Collects what it is told of until somebody fetches it.

    Upstream's channel holds 5000; there the informer waits if more come between two loops. This one holds any number.
    """

    def __init__(self, on_error: Callable[[str], None]) -> None:
        self._observed: deque[OomInfo] = deque()
        self._on_error = on_error

    def take(self) -> list[OomInfo]:
        """Everything that was observed since the last time (GetObservedOomsChannel)."""
        taken = list(self._observed)
        self._observed.clear()
        return taken

    def on_event(self, event: Object) -> None:
        """An event was created; evictions for want of memory count (OnEvent)."""
        self._observed.extend(self._parse_eviction_event(event))

    def on_update(self, old: Object, new: Object) -> None:
        """A pod changed. Additions and deletions tell nothing (OnUpdate)."""
        if old is new:
            return
        statuses = (new.get("status") or _NONE).get("containerStatuses") or ()
        before = (old.get("status") or _NONE).get("containerStatuses") or ()
        if statuses is before:
            return
        for status in statuses:
            known = _find_status(status.get("name") or "", before)
            if known is not None:
                self._compare(old, new, known, status)

    def _compare(self, old: Object, new: Object, before: Mapping[str, Any], status: Mapping[str, Any]) -> None:
        """Two things tell of a kill: the container has just terminated, or it runs again already.

        The resources that were not enough are the new pod's in the first case, the old one's in the second.
        """
        restarted = (status.get("restartCount") or 0) > (before.get("restartCount") or 0)
        state, known = status.get("state") or _NONE, before.get("state") or _NONE
        killed, pod = _out_of_memory(state), new
        if killed is None or not (known.get("terminated") is None or restarted):
            killed, pod = _out_of_memory(status.get("lastState") or _NONE), old
            runs_again = state.get("running") is not None and known.get("running") is not None
            if killed is None or not (restarted and runs_again):
                return
        name = status.get("name") or ""
        requests, _ = container_requests_and_limits(name, pod)
        memory = (requests or {}).get(MEMORY)
        metadata = new["metadata"]
        container = ContainerID(PodID(metadata["namespace"], metadata["name"]), name)
        bytes_ = 0 if memory is None else memory.value()
        self._observed.append(OomInfo(time_of(killed.get("finishedAt")), bytes_, container))

    def _parse_eviction_event(self, event: Object) -> list[OomInfo]:
        """One entry for each container that used too much memory (parseEvictionEvent)."""
        involved = event.get("involvedObject") or _NONE
        if event.get("reason") != "Evicted" or involved.get("kind") != "Pod":
            return []
        annotations = event["metadata"].get("annotations") or _NONE
        containers, usages, starved = (
            _array(annotations, key)
            for key in ("offending_containers", "offending_containers_usage", "starved_resource")
        )
        if not len(containers) == len(usages) == len(starved):
            return []
        timestamp = time_of(event["metadata"].get("creationTimestamp"))
        pod = PodID(involved.get("namespace") or "", involved.get("name") or "")
        found = []
        for container, usage, resource in zip(containers, usages, starved, strict=True):
            if resource != MEMORY:
                continue
            try:
                memory = parse_quantity(usage).value()
            except InvalidQuantity as error:
                self._on_error(f"Cannot parse resource quantity in eviction: {error}")
                continue
            found.append(OomInfo(timestamp, memory, ContainerID(pod, container)))
        return found


def _out_of_memory(state: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The terminated state, if that is why."""
    terminated: Mapping[str, Any] | None = state.get("terminated")
    return terminated if terminated is not None and terminated.get("reason") == _OOM_KILLED else None


def _find_status(name: str, statuses: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    return next((status for status in statuses if (status.get("name") or "") == name), None)


def _array(annotations: Mapping[str, str], key: str) -> list[str]:
    """The parts of a comma-separated list; none without the annotation, one empty one if it is empty."""
    text = annotations.get(key)
    return [] if text is None else text.split(",")
