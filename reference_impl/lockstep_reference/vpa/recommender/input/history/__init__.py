"""History from Prometheus: `provider` makes the queries, `prometheus_api` sends them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lockstep.wire.gotime import ZERO_TIME
from lockstep_reference.vpa.recommender.model.container import ContainerUsageSample


@dataclass(slots=True)
class PodHistory:
    """The history of a pod, which may be gone: its last labels, and the samples of each container in order."""

    last_labels: Mapping[str, str] = field(default_factory=dict)
    last_seen: int = ZERO_TIME
    samples: dict[str, list[ContainerUsageSample]] = field(default_factory=dict)


class HistoryError(Exception):
    """History could not be fetched; the message is upstream's."""
