"""Usage of containers: from metrics-server (`source`), or from an external metrics API (`external`)."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from lockstep_reference.vpa.recommender.model.types import ContainerID


class MetricsError(Exception):
    """Usage could not be fetched; the message is upstream's."""


class ContainerMetricsSnapshot(NamedTuple):
    """The usage of a container, in millicores and bytes, and the end of its measurement.

    A missing measurement counts as 0. (pkg/recommender/input/metrics/metrics_client.go)
    """

    id: ContainerID
    snapshot_time: int
    cpu: int
    memory: int


class MetricsClient(Protocol):
    """A source of snapshots."""

    async def get_containers_metrics(self) -> list[ContainerMetricsSnapshot]:
        """One for every known container (GetContainersMetrics). Raises MetricsError."""
