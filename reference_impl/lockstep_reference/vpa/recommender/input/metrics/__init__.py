"""Usage of containers: from metrics-server (`source`), or from an external metrics API (`external`)."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from lockstep_reference.vpa.recommender.model.types import ContainerID


class MetricsError(Exception):
    """Usage that cannot be had; the text is upstream's."""


class ContainerMetricsSnapshot(NamedTuple):
    """What a container used, in millicores and bytes, and until when it was measured.

    What was not measured counts as 0. (pkg/recommender/input/metrics/metrics_client.go)
    """

    id: ContainerID
    snapshot_time: int
    cpu: int
    memory: int


class MetricsClient(Protocol):
    """A source of snapshots."""

    async def get_containers_metrics(self) -> list[ContainerMetricsSnapshot]:
        """One for every container that is known (GetContainersMetrics). Raises MetricsError."""
