"""One pod as the recommender sees it, and which pods share aggregations (pkg/recommender/model/cluster.go)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lockstep_reference.vpa.recommender.model.container import ContainerState
from lockstep_reference.vpa.recommender.model.types import PodID

_FINISHED = ("Succeeded", "Failed")


class AggregateStateKey(NamedTuple):
    """Which containers share an aggregation: those with the same name in pods with the same labels.

    `label_set_key` is the labels' text form (aggregateStateKey).
    """

    namespace: str
    container_name: str
    label_set_key: str


class PodState:
    """`label_set_key` is the text form of its labels; containers go by their names."""

    __slots__ = ("containers", "id", "init_containers", "label_set_key", "labels", "phase")

    def __init__(self, pod_id: PodID, labels: Mapping[str, str], label_set_key: str) -> None:
        self.id = pod_id
        self.labels = labels
        self.label_set_key = label_set_key
        self.containers: dict[str, ContainerState] = {}
        self.init_containers: Sequence[str] = ()
        self.phase = ""

    def aggregate_state_key(self, container_name: str) -> AggregateStateKey:
        """The key of a container of it (MakeAggregateStateKey)."""
        return AggregateStateKey(self.id.namespace, container_name, self.label_set_key)

    def active(self) -> bool:
        """Whether it may still use resources."""
        return self.phase not in _FINISHED


def label_set_key(labels: Mapping[str, str]) -> str:
    """Labels as text (labels.Set.String)."""
    return ",".join(sorted([f"{key}={value}" for key, value in labels.items()]))
