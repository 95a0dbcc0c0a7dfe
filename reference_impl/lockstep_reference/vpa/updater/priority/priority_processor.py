"""How urgent an update of a pod is (pkg/updater/priority/priority_processor.go, update_priority_calculator.go)."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.wire.gomath import int64
from lockstep_reference.vpa.apis import (
    Object,
    RecommendedContainerResources,
    RecommendedPodResources,
    ResourceList,
)
from lockstep_reference.vpa.utils.annotations import parse_observed_containers
from lockstep_reference.vpa.utils.resources import container_requests_and_limits


@dataclass(slots=True)
class PodPriority:
    """How urgent."""

    #: Some container requests less or more than the bounds of its recommendation.
    outside_recommended_range: bool = False
    #: Some container wants to grow.
    scale_up: bool = False
    #: The sum over resources of what all containers together should change, in proportion to what they request.
    resource_diff: float = 0.0

    def sort_key(self) -> tuple[bool, float]:
        """Pods that want to grow come before all others, large changes before small ones (Less, in reverse)."""
        return not self.scale_up, -self.resource_diff


class _Sums:
    """Milli-units over all containers, by resource, as numbers of 64 bits."""

    def __init__(self) -> None:
        self.requested: dict[str, int] = {}
        self.recommended: dict[str, int] = {}

    def add(self, name: str, requested: int, recommended: int) -> None:
        self.requested[name] = int64(self.requested.get(name, 0) + requested)
        self.recommended[name] = int64(self.recommended.get(name, 0) + recommended)

    def diff(self) -> float:
        total = 0.0
        for name, recommended in self.recommended.items():
            requested = max(float(self.requested[name]), 1.0)
            total += abs(requested - float(recommended)) / requested
        return total


def get_update_priority(pod: Object, recommendation: RecommendedPodResources | None) -> PodPriority:
    """The priority of the pod under this recommendation (GetUpdatePriority).

    Containers count that have a recommendation and that the admission controller has seen, where it says so.
    """
    observed = parse_observed_containers(pod)
    by_name: dict[str, RecommendedContainerResources] = {}
    for each in recommendation or ():
        by_name.setdefault(each.container_name, each)
    priority, sums = PodPriority(), _Sums()
    for container in pod["spec"].get("containers") or ():
        name = container.get("name") or ""
        found = by_name.get(name)
        if found is not None and (observed is None or name in observed):
            _add_container(priority, sums, container_requests_and_limits(name, pod)[0] or {}, found)
    priority.resource_diff = sums.diff()
    return priority


def _add_container(
    priority: PodPriority, sums: _Sums, requests: ResourceList, recommendation: RecommendedContainerResources
) -> None:
    """A container without a request is one that requests nothing, and is outside of any bounds."""
    lower, upper = recommendation.lower_bound or {}, recommendation.upper_bound or {}
    for name, recommended in (recommendation.target or {}).items():
        request = requests.get(name)
        wanted = recommended.milli_value()
        if request is None:
            sums.add(name, 0, wanted)
            priority.scale_up = priority.outside_recommended_range = True
            continue
        has = request.milli_value()
        sums.add(name, has, wanted)
        if wanted > has:
            priority.scale_up = True
        if (name in lower and request.compare(lower[name]) < 0) or (name in upper and request.compare(upper[name]) > 0):
            priority.outside_recommended_range = True
