"""History from Prometheus: `provider` asks for it, `prometheus_api` speaks with the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lockstep.wire.gotime import ZERO_TIME
from lockstep_reference.vpa.recommender.model.container import ContainerUsageSample


@dataclass(slots=True)
class PodHistory:
    """What is known of a pod, which may be gone: its last labels, and the samples of each container in their order."""

    last_labels: Mapping[str, str] = field(default_factory=dict)
    last_seen: int = ZERO_TIME
    samples: dict[str, list[ContainerUsageSample]] = field(default_factory=dict)


class HistoryError(Exception):
    """History that cannot be had; the text is upstream's."""
