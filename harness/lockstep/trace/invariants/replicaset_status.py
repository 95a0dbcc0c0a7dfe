"""The invariants of the ReplicaSet controller about the status that it reports."""
# ruff: noqa: D102 - what the hooks mean is said once, in Invariant

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from lockstep.time.clock import SECOND
from lockstep.trace.cluster_state import min_ready_seconds
from lockstep.trace.invariants.base import FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS, Invariant
from lockstep.trace.pods import NEVER, available_at
from lockstep.trace.symbols import milliseconds
from lockstep.wire.meta import controller_of, is_terminating, uid
from lockstep.wire.pods import is_active

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lockstep.trace.cluster_state import ClusterState
    from lockstep.trace.history import Write

ACTOR = "replicaset-controller"


class StatusTruth(Invariant):
    """Counts no pods that do not exist."""

    name = "status-truth"
    must = "At the end of an instant the status MUST NOT count more replicas, ready or available pods than there are."
    source = "pkg/controller/replicaset/replica_set_utils.go calculateStatus; kubernetes/kubernetes#41697"
    needs = (FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS)
    actor = ACTOR

    def __init__(self) -> None:
        self._written: dict[str, None] = {}
        self._failed = False

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if write.actor == ACTOR:
            if write.failed:
                self._failed = True
            elif write.resource == "replicasets.apps" and write.subresource == "status" and write.after is not None:
                self._written[uid(write.after)] = None
        yield from ()

    def on_instant_end(self, at: int, following: int, state: ClusterState) -> Iterator[str]:
        # After a failed request the next attempt waits for its back-off, so the status may be stale for an instant.
        written, failed = self._written, self._failed
        self._written, self._failed = {}, False
        if failed:
            return
        for owner in written:
            replica_set = state.replica_sets.get(owner)
            if replica_set is None:
                continue
            status, tally = replica_set.get("status") or {}, state.tally(owner)
            there = {
                "replicas": tally.active,
                "readyReplicas": tally.ready,
                "availableReplicas": tally.available(at),
            }
            for name, number in there.items():
                if int(status.get(name, 0)) > number:
                    yield f"ReplicaSet {_name(replica_set)} claims {name} {status[name]}, but there are {number}"


class Available(Invariant):
    """Counts a pod as available in time."""

    name = "available-on-time"
    must = "A pod MUST count as available from the very instant at which it has been ready for minReadySeconds."
    sees_world = True
    source = "pkg/controller/controller_utils.go FindMinNextPodAvailabilityCheck; kubernetes/kubernetes#108266"
    needs = (FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS)
    actor = ACTOR

    def __init__(self) -> None:
        self._due: list[
            tuple[int, str]
        ] = []  # (instant, uid of a ReplicaSet): check its status once the instant is over
        self._planned: set[tuple[int, str]] = set()
        self._min_ready: dict[str, int] = {}

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if write.after is None or write.failed:
            return
        if write.resource == "pods":
            owner = str((controller_of(write.after) or {}).get("uid"))
            self._plan(write.after, owner, write.at, state)
        elif write.resource == "replicasets.apps":
            owner, seconds = uid(write.after), min_ready_seconds(write.after)
            if self._min_ready.get(owner) != seconds:
                self._min_ready[owner] = seconds
                for pod in state.pods_of(owner):
                    self._plan(pod, owner, write.at, state)
        yield from ()

    def _plan(self, pod: dict[str, Any], owner: str, now: int, state: ClusterState) -> None:
        replica_set = state.replica_sets.get(owner)
        if replica_set is None or not is_active(pod):
            return
        due = available_at(pod, min_ready_seconds(replica_set))
        if due is not None and due != NEVER and (max(due, now), owner) not in self._planned:
            self._planned.add((max(due, now), owner))
            heapq.heappush(self._due, (max(due, now), owner))

    def on_instant_end(self, at: int, following: int, state: ClusterState) -> Iterator[str]:
        while self._due and milliseconds(self._due[0][0]) < milliseconds(following):
            due, owner = heapq.heappop(self._due)
            self._planned.discard((due, owner))
            replica_set = state.replica_sets.get(owner)
            if replica_set is None or is_terminating(replica_set) or _has_failed(replica_set):
                continue
            claimed = int((replica_set.get("status") or {}).get("availableReplicas", 0))
            there = state.tally(owner).available(max(at, due))
            if claimed < there:
                yield (
                    f"ReplicaSet {_name(replica_set)} counts {claimed} available pods; "
                    f"since {due / SECOND:.3f} s there are {there}"
                )


class Converged(Invariant):
    """Ends in the wanted state (eventually stable reconciliation)."""

    name = "converged"
    must = (
        "Once faults have stopped, a ReplicaSet MUST have exactly spec.replicas active pods and say so in a status of "
        "its current generation."
    )
    source = (
        "pkg/controller/replicaset/replica_set.go syncReplicaSet; Anvil (OSDI 2024), eventually stable reconciliation"
    )
    actor = ACTOR

    def on_end(self, now: int, settled: bool, state: ClusterState) -> Iterator[str]:
        if not settled:
            return
        for owner, replica_set in state.replica_sets.items():
            if is_terminating(replica_set):
                continue
            status, metadata, name = replica_set.get("status") or {}, replica_set["metadata"], _name(replica_set)
            wanted, active = state.wanted(owner), state.tally(owner).active
            if active != wanted:
                yield f"ReplicaSet {name} wants {wanted} pods and has {active}"
            elif status.get("replicas", 0) != active:
                yield f"ReplicaSet {name} has {active} pods and says {status.get('replicas', 0)}"
            elif status.get("observedGeneration", 0) != metadata.get("generation", 0):
                seen = status.get("observedGeneration", 0)
                yield f"the status of ReplicaSet {name} is of generation {seen} instead of {metadata.get('generation')}"


def _has_failed(replica_set: dict[str, Any]) -> bool:
    """Whether its last sync failed. Then the next one waits for the back-off, and upstream plans no earlier check."""
    conditions = (replica_set.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == "ReplicaFailure" for one in conditions)


def _name(replica_set: dict[str, Any]) -> str:
    return str(replica_set["metadata"]["name"])
