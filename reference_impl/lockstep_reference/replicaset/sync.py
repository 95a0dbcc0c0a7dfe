"""Syncing one ReplicaSet: claim its pods, manage replicas unless expectations forbid it, write the status.

Source: pkg/controller/replicaset/replica_set.go, syncReplicaSet and claimPods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lockstep.wire import selectors
from lockstep.wire.meta import split_key
from lockstep_reference.machinery.client import ResourceClient
from lockstep_reference.machinery.consistency import ConsistencyError, ConsistencyStore
from lockstep_reference.machinery.controller_ref_manager import (
    AdoptionError,
    Aggregate,
    PodControllerRefManager,
    PodPatcher,
    recheck_deletion_timestamp,
)
from lockstep_reference.machinery.expectations import UIDTrackingControllerExpectations
from lockstep_reference.machinery.pod_control import OPERATION_ERRORS
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.machinery.workqueue import RateLimitingQueue
from lockstep_reference.replicaset.availability import find_min_next_pod_availability_check
from lockstep_reference.replicaset.lister import API_VERSION, KIND, PodLister, ReplicaSetLister
from lockstep_reference.replicaset.manage_replicas import ReplicaManager
from lockstep_reference.replicaset.pod import Pod, filter_active_pods, filter_terminating_pods
from lockstep_reference.replicaset.selection import Selections
from lockstep_reference.replicaset.status import calculate_status, update_replica_set_status

#: What makes a sync fail, to be tried again with back-off. Anything else is a defect and ends the controller.
SYNC_ERRORS = (*OPERATION_ERRORS, Aggregate, ConsistencyError)
#: Resource names in the consistency store.
REPLICA_SETS = "replicasets.apps"
PODS = "pods"


@dataclass(frozen=True, slots=True)
class ReplicaSetSync:
    """The sync handler. Must not be called for one key twice at the same time; the queue sees to that."""

    rs_client: ResourceClient
    rs_lister: ReplicaSetLister
    pod_lister: PodLister
    pod_control: PodPatcher
    manager: ReplicaManager
    expectations: UIDTrackingControllerExpectations
    consistency_store: ConsistencyStore
    queue: RateLimitingQueue[str]
    clock: Clock
    #: Told of what stops a sync but is no use to try again.
    on_error: Callable[[str], None]
    selections: Selections = field(default_factory=Selections)

    async def sync_replica_set(self, key: str) -> None:
        """Sync the ReplicaSet "namespace/name". Raises one of SYNC_ERRORS, also when its caches lag behind its writes.

        A failure to create or delete is first told in the status and then raised.
        """
        namespace, name = split_key(key)
        self.consistency_store.ensure_ready(key)
        rs = self.rs_lister.get(namespace, name)
        if rs is None:
            self.consistency_store.clear(key, "")
            self.expectations.delete_expectations(key)
            self.selections.forget(key)
            return
        # Read before the pods are listed: what is observed later than this must not allow us to act on an older list.
        rs_needs_sync = self.expectations.satisfied_expectations(key)
        try:
            selection = self.selections.of(key, rs)
        except selectors.InvalidSelector as error:
            self.on_error(f"error converting pod selector to selector for rs {namespace}/{name}: {error}")
            return
        matches = selection.matches
        all_rs_pods = self.pod_lister.filter_pods_by_owner(rs)
        active_pods = await self.claim_pods(rs, matches, filter_active_pods(all_rs_pods))
        terminating_pods = filter_claimed_pods(rs, matches, filter_terminating_pods(all_rs_pods))

        manage_replicas_error: Exception | None = None
        if rs_needs_sync and rs["metadata"].get("deletionTimestamp") is None:
            manage_replicas_error = await self.manager.manage_replicas(active_pods, rs)
        now = self.clock.now()
        new_status = calculate_status(
            rs, active_pods, terminating_pods, manage_replicas_error, selection.fully_labeled, now
        )
        updated_rs = await update_replica_set_status(self.rs_client, rs, new_status)
        version = updated_rs["metadata"]["resourceVersion"]
        self.consistency_store.wrote_at(key, rs["metadata"]["uid"], REPLICA_SETS, version)
        if manage_replicas_error is not None:
            raise manage_replicas_error
        self._plan_availability_check(key, updated_rs, active_pods, now)

    async def claim_pods(self, rs: dict[str, Any], matches: selectors.Matcher, filtered_pods: list[Pod]) -> list[Pod]:
        """Adopt and release; the pods that are the ReplicaSet's. Raises Aggregate.

        Before the first adoption the ReplicaSet is read from the server, some time after the pods were listed.
        """
        uid = rs["metadata"]["uid"]
        owned = [pod for pod in filtered_pods if pod.owner_uid == uid and matches[pod.label_set]]
        if len(owned) == len(filtered_pods):
            return owned  # as in nearly every sync

        async def fresh() -> dict[str, Any]:
            namespace, name = rs["metadata"]["namespace"], rs["metadata"]["name"]
            found = await self.rs_client.get(namespace, name)
            if found["metadata"]["uid"] != uid:
                got = found["metadata"]["uid"]
                raise AdoptionError(f"original {KIND} {namespace}/{name} is gone: got uid {got}, wanted {uid}")
            return found

        manager: PodControllerRefManager[Pod] = PodControllerRefManager(
            self.pod_control, rs, matches, (API_VERSION, KIND), recheck_deletion_timestamp(fresh)
        )
        return await manager.claim_pods(filtered_pods)

    def _plan_availability_check(self, key: str, rs: dict[str, Any], active_pods: list[Pod], now: int) -> None:
        """Sync again when the next ready pod becomes available: no event will tell."""
        min_ready_seconds: int = rs["spec"].get("minReadySeconds", 0)
        status = rs.get("status") or {}
        if min_ready_seconds <= 0 or status.get("readyReplicas", 0) == status.get("availableReplicas", 0):
            return
        next_check = find_min_next_pod_availability_check(active_pods, min_ready_seconds, now, self.clock)
        # Without a pod to wait for, the counts differ for another reason: look again after the full period.
        self.queue.add_after(key, min_ready_seconds if next_check is None else next_check / 10**9)


def filter_claimed_pods(rs: dict[str, Any], matches: selectors.Matcher, pods: list[Pod]) -> list[Pod]:
    """The pods that the ReplicaSet controls and that match (controller_utils.go, FilterClaimedPods)."""
    uid = rs["metadata"]["uid"]
    return [pod for pod in pods if pod.owner_uid == uid and matches[pod.label_set]]
