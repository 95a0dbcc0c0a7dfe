"""The ReplicaSets, pods and HPAs of a run as the API server stored them, replayed write by write from a history.

Counts are updated with each write, so a write costs the same in a run of 10,000 pods as in one of 10.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from lockstep.trace.autoscalers import AUTOSCALERS, Autoscalers
from lockstep.trace.pods import available_at
from lockstep.wire.meta import controller_of, uid
from lockstep.wire.pods import is_active
from lockstep.wire.selectors import selects

if TYPE_CHECKING:
    from lockstep.trace.history import Write

Object = dict[str, Any]


class Tally:
    """Counts of the active pods of one owner."""

    def __init__(self) -> None:
        self.active = 0
        self.ready = 0
        self._waiting: dict[str, int] = {}  # uid of a ready pod: instant from which it counts as available
        self._queue: list[tuple[int, str]] = []

    def add(self, identity: str, available_from: int | None) -> None:
        """Count an active pod; `available_from` is None unless it is ready."""
        self.active += 1
        if available_from is not None:
            self.ready += 1
            self._waiting[identity] = available_from
            heapq.heappush(self._queue, (available_from, identity))

    def remove(self, identity: str, *, ready: bool) -> None:
        """Undo `add`."""
        self.active -= 1
        self.ready -= ready
        self._waiting.pop(identity, None)

    def available(self, at: int) -> int:
        """How many pods count as available at an instant. Instants must not decrease from call to call."""
        while self._queue and self._queue[0][0] <= at:
            instant, identity = heapq.heappop(self._queue)
            if self._waiting.get(identity) == instant:
                del self._waiting[identity]
        return self.ready - len(self._waiting)


class ClusterState:
    """The state after the writes applied so far. Objects are shared with the history: never change them."""

    def __init__(self) -> None:
        self.replica_sets: dict[str, Object] = {}
        self.autoscalers = Autoscalers()
        self._pods: dict[str, Object] = {}
        self._owned: dict[str, dict[str, Object]] = {}  # uid of the owner: its pods by uid
        self._tallies: dict[str, Tally] = {}

    def apply(self, write: Write) -> None:
        """Apply a successful write."""
        known = write.after or write.before
        if write.failed or known is None:
            return
        if write.resource == "replicasets.apps":
            self._apply_replica_set(uid(known), write.after)
        elif write.resource == "pods":
            self._forget(uid(known))
            if write.after is not None:
                self._keep(uid(known), write.after)
        elif write.resource == AUTOSCALERS:
            self.autoscalers.apply(write)

    def _apply_replica_set(self, identity: str, after: Object | None) -> None:
        before = self.replica_sets.get(identity)
        if after is None:
            self.replica_sets.pop(identity, None)
            return
        self.replica_sets[identity] = after
        if before is None or min_ready_seconds(before) != min_ready_seconds(after):
            self._tallies[identity] = Tally()
            for pod in self.pods_of(identity):
                self._count(identity, pod)

    def _forget(self, identity: str) -> None:
        old = self._pods.pop(identity, None)
        owner = _owner(old) if old else ""
        if old is None or not owner:
            return
        del self._owned[owner][identity]
        if is_active(old):
            self._tallies[owner].remove(identity, ready=self._available_from(owner, old) is not None)

    def _keep(self, identity: str, pod: Object) -> None:
        self._pods[identity] = pod
        owner = _owner(pod)
        if owner:
            self._owned.setdefault(owner, {})[identity] = pod
            self._count(owner, pod)

    def _count(self, owner: str, pod: Object) -> None:
        tally = self._tallies.setdefault(owner, Tally())
        if is_active(pod):
            tally.add(uid(pod), self._available_from(owner, pod))

    def _available_from(self, owner: str, pod: Object) -> int | None:
        return available_at(pod, min_ready_seconds(self.replica_sets.get(owner, {})))

    def pods_of(self, owner: str) -> list[Object]:
        """The pods that the object with this uid controls, in any phase."""
        return list(self._owned.get(owner, {}).values())

    def selected_pods(self, replica_set: Object) -> list[Object]:
        """The pods that a ReplicaSet selects, with any owner or none. Checks all pods."""
        namespace, selector = replica_set["metadata"].get("namespace"), replica_set["spec"].get("selector") or {}
        return [
            pod
            for pod in self._pods.values()
            if pod["metadata"].get("namespace") == namespace and selects(selector, pod["metadata"].get("labels") or {})
        ]

    def tally(self, owner: str) -> Tally:
        """The counts of the pods that the object with this uid controls."""
        return self._tallies.get(owner) or Tally()

    def wanted(self, owner: str) -> int:
        """`spec.replicas` of a ReplicaSet; 0 if it is gone."""
        return int(self.replica_sets.get(owner, {}).get("spec", {}).get("replicas", 0))


def min_ready_seconds(replica_set: Object) -> int:
    """`spec.minReadySeconds`; 0 unless it is set."""
    return int(replica_set.get("spec", {}).get("minReadySeconds", 0))


def _owner(pod: Object) -> str:
    reference = controller_of(pod)
    return str(reference.get("uid", "")) if reference else ""
