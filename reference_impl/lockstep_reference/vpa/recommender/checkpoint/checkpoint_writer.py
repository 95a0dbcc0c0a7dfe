"""Writing checkpoints (pkg/recommender/checkpoint/checkpoint_writer.go).

The unfinished memory peak of each container is left out: after a restart the container would add another peak for the
same interval.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.concurrent import concurrently
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import GROUP_VERSION
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.cluster import ClusterState
from lockstep_reference.vpa.recommender.model.conditions import FETCHING_HISTORY
from lockstep_reference.vpa.recommender.model.vpa import Vpa
from lockstep_reference.vpa.utils.vpa.writing import CheckpointError, create_or_update_vpa_checkpoint


class CheckpointWriter:
    """Writes a checkpoint for each container of each VPA. `on_error` receives failed writes."""

    def __init__(self, cluster: ClusterState, client: Client, clock: Clock, on_error: Callable[[str], None]) -> None:
        self._cluster = cluster
        self._checkpoints = client.resource("verticalpodautoscalercheckpoints", GROUP_VERSION)
        self._clock = clock
        self._on_error = on_error

    async def store_checkpoints(self, deadline: int, concurrent_workers: int) -> None:
        """Write until all are written or the deadline passes; each worker writes at least one VPA (StoreCheckpoints).

        VPAs with the oldest checkpoints come first.
        """
        vpas = deque(vpas_to_checkpoint(self._cluster))

        async def work() -> None:
            while vpas:
                await self._process_checkpoint_update_for_vpa(vpas.popleft())
                if self._clock.now() >= deadline:
                    return

        await concurrently([work() for _ in range(min(concurrent_workers, len(vpas)))])
        if self._clock.now() >= deadline:
            self._on_error(
                "Failed to store all checkpoints within the configured `checkpoints-timeout`: context deadline exceeded"
            )

    async def _process_checkpoint_update_for_vpa(self, vpa: Vpa) -> None:
        now = self._clock.now()
        for container, state in build_aggregate_container_state_map(vpa, self._cluster, now).items():
            checkpoint = _checkpoint(vpa, container, state, self._clock.now())
            try:
                await create_or_update_vpa_checkpoint(self._checkpoints, checkpoint)
            except CheckpointError as error:
                self._on_error(f"Cannot save checkpoint for VPA: {error}")
            else:
                vpa.checkpoint_written = now


def vpas_to_checkpoint(cluster: ClusterState) -> list[Vpa]:
    """The VPAs in writing order, without those that are fetching history (getVpasToCheckpoint)."""
    vpas = [vpa for vpa in cluster.vpas.values() if not vpa.condition_active(FETCHING_HISTORY)]
    return sorted(vpas, key=lambda vpa: vpa.checkpoint_written)


def build_aggregate_container_state_map(
    vpa: Vpa, cluster: ClusterState, now: int
) -> dict[str, AggregateContainerState]:
    """The aggregation of each container of the VPA, without unfinished peaks (buildAggregateContainerStateMap)."""
    states = vpa.aggregate_state_by_container_name()
    for pod in cluster.pods.values():
        if pod.id.namespace != vpa.id.namespace:
            continue
        for name, container in pod.containers.items():
            state = states.get(name)
            if state is None or now >= container.window_end:
                continue
            if pod.aggregate_state_key(name) in vpa.aggregate_container_states:
                state.subtract_memory_peak(container.window_end, container.get_max_memory_peak())
    return states


def _checkpoint(vpa: Vpa, container: str, state: AggregateContainerState, now: int) -> dict[str, Any]:
    """The VerticalPodAutoscalerCheckpoint to be written."""
    return {
        "kind": "VerticalPodAutoscalerCheckpoint",
        "apiVersion": GROUP_VERSION,
        "metadata": {"name": f"{vpa.id.vpa_name}-{container}", "namespace": vpa.id.namespace},
        "spec": {"vpaObjectName": vpa.id.vpa_name, "containerName": container},
        "status": state.save_to_checkpoint(now),
    }
