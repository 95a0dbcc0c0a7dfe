"""Managing replicas: create what is missing, delete what is too many, at most one burst per sync.

Source: pkg/controller/replicaset/replica_set.go, manageReplicas and getIndirectlyRelatedPods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lockstep.wire.meta import key_of
from lockstep_reference.machinery.client import ApiError, has_status_cause, is_not_found
from lockstep_reference.machinery.concurrent import concurrently
from lockstep_reference.machinery.expectations import UIDTrackingControllerExpectations
from lockstep_reference.machinery.pod_control import (
    NAMESPACE_TERMINATING_CAUSE,
    OPERATION_ERRORS,
    new_controller_ref,
)
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.replicaset.lister import API_VERSION, KIND, PodLister, ReplicaSetLister, selector_of
from lockstep_reference.replicaset.pod import Pod
from lockstep_reference.replicaset.ranking import get_pods_to_delete
from lockstep_reference.replicaset.slow_start import SLOW_START_INITIAL_BATCH_SIZE, slow_start_batch

#: At most so many pods are created or deleted in one sync (BurstReplicas).
BURST_REPLICAS = 500


class PodControl(Protocol):
    """The part of pod control that the manager needs."""

    async def create_pods(
        self, namespace: str, template: dict[str, Any], controller: dict[str, Any], controller_ref: dict[str, Any]
    ) -> None:
        """Create one pod. Raises one of OPERATION_ERRORS."""

    async def delete_pod(self, namespace: str, name: str, controller: dict[str, Any]) -> None:
        """Delete one pod. Raises one of OPERATION_ERRORS."""


@dataclass(frozen=True, slots=True)
class ReplicaManager:
    """Brings the number of active pods to spec.replicas."""

    pod_control: PodControl
    expectations: UIDTrackingControllerExpectations
    rs_lister: ReplicaSetLister
    pod_lister: PodLister
    clock: Clock
    burst_replicas: int = BURST_REPLICAS

    async def manage_replicas(self, active_pods: list[Pod], rs: dict[str, Any]) -> Exception | None:
        """Create or delete pods. Returns the first error reported, for the status to tell; None if all went well."""
        diff = len(active_pods) - rs["spec"]["replicas"]
        if diff < 0:
            return await self._create(min(-diff, self.burst_replicas), rs)
        if diff > 0:
            return await self._delete(min(diff, self.burst_replicas), active_pods, rs)
        return None

    async def _create(self, diff: int, rs: dict[str, Any]) -> Exception | None:
        key = key_of(rs)
        namespace, template = rs["metadata"]["namespace"], rs["spec"].get("template") or {}
        controller_ref = new_controller_ref(rs, API_VERSION, KIND)

        async def create() -> None:
            try:
                await self.pod_control.create_pods(namespace, template, rs, controller_ref)
            except ApiError as error:
                # In a namespace that is going away every create fails, and there is nothing to be done about it. As
                # upstream: this counts as a success, so the expectation of the pod stays until it expires.
                if not has_status_cause(error, NAMESPACE_TERMINATING_CAUSE):
                    raise

        self.expectations.expect_creations(key, diff)
        successes, error = await slow_start_batch(diff, SLOW_START_INITIAL_BATCH_SIZE, create)
        for _ in range(diff - successes):
            # Neither a failed nor a skipped create will ever be observed.
            self.expectations.creation_observed(key)
        return error

    async def _delete(self, diff: int, active_pods: list[Pod], rs: dict[str, Any]) -> Exception | None:
        key = key_of(rs)
        related_pods = self.get_indirectly_related_pods(rs)
        pods_to_delete = get_pods_to_delete(active_pods, related_pods, diff, self.clock.now())
        # By key, so that each deletion is counted once: at its deletionTimestamp or when the pod is gone.
        self.expectations.expect_deletions(key, get_pod_keys(pods_to_delete))
        errors: list[Exception] = []

        async def delete(pod: Pod) -> None:
            try:
                await self.pod_control.delete_pod(rs["metadata"]["namespace"], pod.name, rs)
            except OPERATION_ERRORS as error:
                self.expectations.deletion_observed(key, pod.key)  # the informer will not see this deletion
                if not is_not_found(error):
                    errors.append(error)

        await concurrently([delete(pod) for pod in pods_to_delete])
        return errors[0] if errors else None

    def get_indirectly_related_pods(self, rs: dict[str, Any]) -> list[Pod]:
        """The pods that match any ReplicaSet with the same controller as `rs`, such as an older one of a Deployment."""
        related: dict[str, Pod] = {}
        for related_rs in self.rs_lister.get_replica_sets_with_same_controller(rs):
            selector = selector_of(related_rs)
            if selector is None:
                continue
            for pod in self.pod_lister.list(related_rs["metadata"]["namespace"], selector):
                related.setdefault(pod.uid, pod)
        return list(related.values())


def get_pod_keys(pods: Sequence[Pod]) -> list[str]:
    """The keys ("namespace/name") of the pods."""
    return [pod.key for pod in pods]
