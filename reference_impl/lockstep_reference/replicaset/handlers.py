"""Event handlers: which ReplicaSets to sync when a ReplicaSet or a pod changes, and what counts as observed.

Handlers never act; they lower expectations and put keys ("namespace/name") on the queue.

Source: pkg/controller/replicaset/replica_set.go, addRS ... deletePod.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lockstep.wire.meta import controller_of, key_of
from lockstep_reference.machinery.consistency import ConsistencyStore
from lockstep_reference.machinery.expectations import UIDTrackingControllerExpectations
from lockstep_reference.machinery.store import DeletedFinalStateUnknown
from lockstep_reference.machinery.workqueue import RateLimitingQueue
from lockstep_reference.replicaset.lister import PodLister, ReplicaSetLister
from lockstep_reference.replicaset.pod import is_pod_ready

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class EventHandlers:
    """What the informers call, one notification at a time."""

    queue: RateLimitingQueue[str]
    expectations: UIDTrackingControllerExpectations
    consistency_store: ConsistencyStore
    rs_lister: ReplicaSetLister
    pod_lister: PodLister

    # -- ReplicaSets -------------------------------------------------------------------------------------------------

    def enqueue_rs(self, rs: Object) -> None:
        """Sync the ReplicaSet soon."""
        self.queue.add(key_of(rs))

    def enqueue_rs_after(self, rs: Object, seconds: float) -> None:
        """Sync the ReplicaSet in `seconds`."""
        self.queue.add_after(key_of(rs), seconds)

    def add_rs(self, rs: Object) -> None:
        """A ReplicaSet appeared."""
        self.enqueue_rs(rs)

    def update_rs(self, old: Object, cur: Object) -> None:
        """A ReplicaSet changed, or is resynced. Whatever changed, it is synced; a new uid means a missed deletion."""
        if cur["metadata"]["uid"] != old["metadata"]["uid"]:
            self.delete_rs(DeletedFinalStateUnknown(key_of(old), old))
        self.enqueue_rs(cur)

    def delete_rs(self, obj: Object | DeletedFinalStateUnknown) -> None:
        """A ReplicaSet is gone: forget it, so that a new one of the same name starts clean."""
        rs = obj.obj if isinstance(obj, DeletedFinalStateUnknown) else obj
        key = key_of(rs)
        self.consistency_store.clear(key, rs["metadata"]["uid"])
        self.expectations.delete_expectations(key)
        self.pod_lister.forget_owner(rs)
        self.queue.add(key)

    # -- pods --------------------------------------------------------------------------------------------------------

    def add_pod(self, pod: Object) -> None:
        """A pod appeared: a create is observed, or an orphan may be adopted."""
        metadata = pod["metadata"]
        if metadata.get("deletionTimestamp") is not None:
            # After a restart a pod may show up that is already being deleted: that is no create.
            self._observe_deletion(pod)
            return
        controller_ref = controller_of(pod)
        if controller_ref is None:
            # No controller waits for an orphan, so nothing is observed.
            for rs in self.rs_lister.get_pod_replica_sets(pod):
                self.enqueue_rs(rs)
            return
        owner = self.rs_lister.resolve_controller_ref(metadata["namespace"], controller_ref)
        if owner is not None:
            key = key_of(owner)
            self.expectations.creation_observed(key)
            self.queue.add(key)

    def update_pod(self, old: Object, cur: Object) -> None:
        """A pod changed: sync its controller, the one it had before, and at new labels those who may adopt it."""
        old_metadata, metadata = old["metadata"], cur["metadata"]
        if metadata["uid"] != old_metadata["uid"]:
            self.pod_lister.forget(old)
        if metadata["resourceVersion"] == old_metadata["resourceVersion"]:
            return  # a periodic resync
        label_changed = metadata.get("labels") != old_metadata.get("labels")
        if metadata.get("deletionTimestamp") is not None:
            # Graceful deletion has begun. The replacement is wanted now, not when the pod is gone.
            self._observe_deletion(cur)
            if label_changed:
                self._observe_deletion(old)
            return
        controller_ref, old_controller_ref = controller_of(cur), controller_of(old)
        controller_ref_changed = controller_ref != old_controller_ref
        if controller_ref_changed and old_controller_ref is not None:
            owner = self.rs_lister.resolve_controller_ref(old_metadata["namespace"], old_controller_ref)
            if owner is not None:
                self.enqueue_rs(owner)
        if controller_ref is not None:
            self._update_owned_pod(old, cur, controller_ref)
        elif label_changed or controller_ref_changed:
            for rs in self.rs_lister.get_pod_replica_sets(cur):
                self.enqueue_rs(rs)

    def _update_owned_pod(self, old: Object, cur: Object, controller_ref: Object) -> None:
        rs = self.rs_lister.resolve_controller_ref(cur["metadata"]["namespace"], controller_ref)
        if rs is None:
            return
        self.enqueue_rs(rs)
        min_ready_seconds: int = rs["spec"].get("minReadySeconds", 0)
        if min_ready_seconds > 0 and not is_pod_ready(old) and is_pod_ready(cur):
            # Nothing will tell us when the pod becomes available: look again by then.
            self.enqueue_rs_after(rs, min_ready_seconds)

    def delete_pod(self, obj: Object | DeletedFinalStateUnknown) -> None:
        """A pod is gone. A tombstone's last known state may be stale; its controller then wakes at the next resync."""
        pod = obj.obj if isinstance(obj, DeletedFinalStateUnknown) else obj
        self.pod_lister.forget(pod)
        self._observe_deletion(pod)

    def _observe_deletion(self, pod: Object) -> None:
        controller_ref = controller_of(pod)
        if controller_ref is None:
            return  # no controller cares about orphans being deleted
        rs = self.rs_lister.resolve_controller_ref(pod["metadata"]["namespace"], controller_ref)
        if rs is not None:
            key = key_of(rs)
            self.expectations.deletion_observed(key, key_of(pod))
            self.queue.add(key)
