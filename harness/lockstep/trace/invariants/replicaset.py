"""The invariants of the ReplicaSet controller that a single write, or a single instant, can break."""
# ruff: noqa: D102 - what the hooks mean is said once, in Invariant

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lockstep.time.clock import SECOND
from lockstep.trace.invariants.base import FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS, Invariant
from lockstep.trace.invariants.replicaset_status import Available, Converged, StatusTruth
from lockstep.wire.meta import controller_of, is_terminating, uid
from lockstep.wire.pods import is_active
from lockstep.wire.selectors import selects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lockstep.trace.cluster_state import ClusterState
    from lockstep.trace.history import Write

ACTOR = "replicaset-controller"
#: The longest back-off of a failed key in the work queue (client-go `DefaultTypedControllerRateLimiter`), and a margin.
LONGEST_BACKOFF = 1000 * SECOND + 5 * SECOND


class ReplicaSetInvariant(Invariant):
    """About the actor `replicaset-controller`."""

    actor = ACTOR

    def removes_pod(self, write: Write) -> bool:
        """Whether the controller requested the deletion of a pod."""
        return write.actor == ACTOR and write.resource == "pods" and write.verb == "delete"

    def creates_pod(self, write: Write) -> bool:
        """Whether the controller requested a new pod."""
        return write.actor == ACTOR and write.resource == "pods" and write.verb == "create" and not write.subresource


class OwnPods(ReplicaSetInvariant):
    """Deletes what it owns."""

    name = "own-pods"
    must = "The controller MUST NOT delete a pod that no live ReplicaSet owns."
    source = "pkg/controller/controller_ref_manager.go ClaimObject; kubernetes/kubernetes#138818"
    needs = (FRESH_CACHES,)

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if self.removes_pod(write) and write.before is not None:
            owner = controller_of(write.before)
            if owner is None or owner.get("kind") != "ReplicaSet" or owner.get("uid") not in state.replica_sets:
                holder = f"{owner.get('kind')} {owner.get('name')}" if owner else "nobody"
                yield f"it deleted pod {write.name}, which belongs to {holder}"


class NoSecondDelete(ReplicaSetInvariant):
    """Leaves pods that are being deleted alone."""

    name = "no-second-delete"
    must = "The controller MUST NOT delete a pod that is being deleted already."
    source = "pkg/controller/replicaset/replica_set.go syncReplicaSet (FilterActivePods)"
    needs = (FRESH_CACHES,)

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if self.removes_pod(write) and write.before is not None and is_terminating(write.before):
            yield f"it deleted pod {write.name} a second time"


class HandsOff(ReplicaSetInvariant):
    """Leaves the pods of a dying ReplicaSet to the garbage collector."""

    name = "hands-off"
    must = (
        "The controller MUST NOT create, delete or adopt pods for a ReplicaSet that is being deleted. (A sync that "
        "waits for answers does not see the deletion: upstream then finishes what it has begun.)"
    )
    source = "pkg/controller/replicaset/replica_set.go syncReplicaSet; kubernetes/kubernetes#42639"
    needs = (FRESH_CACHES, PROMPT_ANSWERS)

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if write.actor != ACTOR or write.resource != "pods":
            return
        pod = (write.body if self.creates_pod(write) else write.before) or {}
        if write.verb == "patch" and write.after is not None:
            pod = write.after
        owner = controller_of(pod)
        if owner is not None and is_terminating(state.replica_sets.get(owner.get("uid", ""), {})):
            name = owner.get("name")
            yield f"it did {write.verb} {write.name or 'a pod'} for ReplicaSet {name}, which is being deleted"


class Ceiling(ReplicaSetInvariant):
    """Never exceeds the wanted number."""

    name = "ceiling"
    must = (
        "A create MUST NOT bring the active pods of a ReplicaSet above spec.replicas. (Expectations expire after five "
        "minutes: with a cache that is older than that, or after a restart, upstream exceeds it too; and a sync that "
        "waits for answers does not see that spec.replicas changed.)"
    )
    source = "pkg/controller/replicaset/replica_set.go manageReplicas; kubernetes/kubernetes#129795, #41675"
    needs = (FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS)

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if not self.creates_pod(write) or write.after is None:
            return
        owner = controller_of(write.after)
        if owner is not None and owner["uid"] in state.replica_sets:
            active, wanted = state.tally(owner["uid"]).active, state.wanted(owner["uid"])
            if active > wanted:
                yield f"with pod {write.name} ReplicaSet {owner['name']} has {active} active pods and wants {wanted}"


class OwnerReferences(ReplicaSetInvariant):
    """Pods have their owner from the start."""

    name = "owner-references"
    must = (
        "A created pod MUST have one controller reference, complete and to a ReplicaSet of its namespace, and carry "
        "labels that this ReplicaSet selects."
    )
    source = "pkg/controller/controller_utils.go CreatePodsWithGenerateName, validateControllerRef"
    sees_world = True

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any]] = {}

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if write.resource == "replicasets.apps" and write.after is not None:
            self._known[uid(write.after)] = write.after
        if not self.creates_pod(write) or write.after is None:
            return
        metadata = write.after["metadata"]
        references = [one for one in metadata.get("ownerReferences") or () if one.get("controller")]
        owner = self._known.get(references[0].get("uid", "")) if len(references) == 1 else None
        if owner is None or owner["metadata"].get("namespace") != write.namespace:
            yield f"pod {write.name} has controller references {references}"
            return
        expected = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": owner["metadata"]["name"],
            "uid": uid(owner),
            "controller": True,
            "blockOwnerDeletion": True,
        }
        if references[0] != expected:
            yield f"pod {write.name} has the controller reference {references[0]} instead of {expected}"
        if not selects(owner["spec"].get("selector") or {}, metadata.get("labels") or {}):
            yield f"ReplicaSet {owner['metadata']['name']} does not select the labels of its new pod {write.name}"


class Adoption(ReplicaSetInvariant):
    """Adopts only pods without a controller."""

    name = "adoption"
    must = "The controller MUST adopt only active pods that nobody controls and that the ReplicaSet selects."
    source = "pkg/controller/controller_ref_manager.go ClaimObject; kubernetes/kubernetes#88550"
    needs = (
        FRESH_CACHES,
        PROMPT_ANSWERS,
    )  # the owner may be deleted while the answer to the last read of it is in flight

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if write.actor != ACTOR or write.resource != "pods" or not write.before or not write.after:
            return
        old, new = controller_of(write.before), controller_of(write.after)
        if new is None or (old or {}).get("uid") == new["uid"]:
            return
        owner = state.replica_sets.get(new["uid"], {})
        selector = owner.get("spec", {}).get("selector") or {}
        labels = write.before["metadata"].get("labels") or {}
        if old is not None or not is_active(write.before) or not owner or not selects(selector, labels):
            yield f"ReplicaSet {new['name']} adopted pod {write.name}, which it had no right to"


class SlowStart(ReplicaSetInvariant):
    """Stops creating early.

    A batch is at most one larger than all batches before it together, so one sync has at most one more failure than
    successes. The number of syncs in one instant is bounded by their triggers: each change of a ReplicaSet or a pod of
    the namespace, and one timer.
    """

    name = "slow-start"
    must = "Creates MUST grow in batches of 1, 2, 4 and so on, and stop with the batch in which one fails."
    source = "pkg/controller/replicaset/replica_set.go slowStartBatch; kubernetes/kubernetes#49145"
    needs = (FRESH_CACHES,)
    sees_world = True

    def __init__(self) -> None:
        self._failures: dict[tuple[str, str], int] = {}
        self._triggers: dict[str, int] = {}

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if self.creates_pod(write) and write.failed:
            owner = controller_of(write.body or {}) or {}
            key = (write.namespace, str(owner.get("name")))
            self._failures[key] = self._failures.get(key, 0) + 1
        elif not write.failed and write.resource in ("pods", "replicasets.apps"):
            self._triggers[write.namespace] = self._triggers.get(write.namespace, 0) + 1
        yield from ()

    def on_instant_end(self, at: int, following: int, state: ClusterState) -> Iterator[str]:
        for (namespace, owner), failures in self._failures.items():
            bound = 2 * (self._triggers.get(namespace, 0) + 1)
            if failures > bound:
                yield f"{failures} creates for ReplicaSet {owner} failed in one instant; at most {bound} could"
        self._failures, self._triggers = {}, {}


class Retried(ReplicaSetInvariant):
    """Retries failed creates."""

    name = "retried"
    must = "While a ReplicaSet lacks pods, a failed create MUST be retried within the longest back-off, 1000 s."
    source = "pkg/controller/replicaset/replica_set.go processNextWorkItem; kubernetes/kubernetes#67662"
    needs = (NO_RESTART,)
    sees_world = True

    def __init__(self) -> None:
        self._failed: dict[str, int] = {}  # uid of the ReplicaSet: instant of its last failed create

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if self.creates_pod(write):
            reference = controller_of(write.body or {}) or {}
            owner = str(reference.get("uid"))
            yield from self._overdue(owner, write.at, str(reference.get("name")))
            self._failed.pop(owner, None)
            if write.failed and "is being terminated" not in write.message:
                self._failed[owner] = write.at
        elif self._failed and write.resource in ("pods", "replicasets.apps"):
            for owner in [one for one in self._failed if not _lacks_pods(one, state)]:
                del self._failed[owner]

    def on_end(self, now: int, settled: bool, state: ClusterState) -> Iterator[str]:
        for owner in self._failed:
            if _lacks_pods(owner, state):
                yield from self._overdue(owner, now, str(state.replica_sets[owner]["metadata"]["name"]))

    def _overdue(self, owner: str, now: int, name: str) -> Iterator[str]:
        failed = self._failed.get(owner)
        if failed is not None and now - failed > LONGEST_BACKOFF:
            yield f"the create for ReplicaSet {name} that failed at {failed / SECOND:.3f} s was not tried again in time"


def _lacks_pods(owner: str, state: ClusterState) -> bool:
    replica_set = state.replica_sets.get(owner)
    if replica_set is None or is_terminating(replica_set):
        return False
    return state.tally(owner).active < state.wanted(owner)


REPLICASET_INVARIANTS: tuple[type[Invariant], ...] = (
    OwnPods,
    NoSecondDelete,
    HandsOff,
    Ceiling,
    OwnerReferences,
    Adoption,
    SlowStart,
    Retried,
    StatusTruth,
    Available,
    Converged,
)
