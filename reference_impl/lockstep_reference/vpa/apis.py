"""The objects of autoscaling.k8s.io/v1 that the three parts hand to one another (pkg/apis/autoscaling.k8s.io/v1).

VerticalPodAutoscalers and pods stay as they come over the wire: dicts that nobody changes. What is computed with, lists
of resources and recommendations, has types of its own here, with quantities in place of texts. In both, None stands for
upstream's nil and an empty dict for an empty map; a few rules tell the two apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lockstep.wire.quantity import DECIMAL_SI, Quantity, parse_quantity

GROUP_VERSION = "autoscaling.k8s.io/v1"

CPU = "cpu"
MEMORY = "memory"

UPDATE_MODE_OFF = "Off"
UPDATE_MODE_INITIAL = "Initial"
UPDATE_MODE_RECREATE = "Recreate"
UPDATE_MODE_AUTO = "Auto"
UPDATE_MODE_IN_PLACE_OR_RECREATE = "InPlaceOrRecreate"
UPDATE_MODE_IN_PLACE = "InPlace"

#: The container name of the policy for containers that have none of their own.
DEFAULT_CONTAINER_RESOURCE_POLICY = "*"
CONTAINER_SCALING_MODE_AUTO = "Auto"
CONTAINER_SCALING_MODE_OFF = "Off"
CONTROLLED_VALUES_REQUESTS_AND_LIMITS = "RequestsAndLimits"
CONTROLLED_VALUES_REQUESTS_ONLY = "RequestsOnly"

#: An object in wire form.
Object = dict[str, Any]
#: Quantities by resource name (core/v1 ResourceList).
ResourceList = dict[str, Quantity]


@dataclass(slots=True)
class RecommendedContainerResources:
    """What one container should have. The lists may be changed by who made the object, and by nobody else."""

    container_name: str
    target: ResourceList | None = None
    lower_bound: ResourceList | None = None
    upper_bound: ResourceList | None = None
    uncapped_target: ResourceList | None = None

    def copy(self) -> RecommendedContainerResources:
        """With lists of its own (DeepCopy)."""
        return RecommendedContainerResources(
            self.container_name,
            _copy(self.target),
            _copy(self.lower_bound),
            _copy(self.upper_bound),
            _copy(self.uncapped_target),
        )

    def to_wire(self) -> dict[str, Any]:
        """As JSON has it: without what is empty, except for the target."""
        wire: dict[str, Any] = {"containerName": self.container_name} if self.container_name else {}
        wire["target"] = None if self.target is None else resource_list_to_wire(self.target)
        for name, resources in (
            ("lowerBound", self.lower_bound),
            ("upperBound", self.upper_bound),
            ("uncappedTarget", self.uncapped_target),
        ):
            if resources:
                wire[name] = resource_list_to_wire(resources)
        return wire


#: The recommendations of a pod's containers (RecommendedPodResources), in the order of the status.
RecommendedPodResources = list[RecommendedContainerResources]


def _copy(resources: ResourceList | None) -> ResourceList | None:
    return None if resources is None else dict(resources)


@lru_cache(maxsize=65536)
def quantity(text: str) -> Quantity:
    """The quantity that `text` names, shared by all who ask. Raises InvalidQuantity."""
    return parse_quantity(text.strip())


def quantity_from_wire(value: str | float | None) -> Quantity:
    """A quantity of a JSON object: text, or a number (Quantity.UnmarshalJSON). Raises InvalidQuantity."""
    if value is None:
        return Quantity(0, 0, DECIMAL_SI)
    return quantity(value if type(value) is str else str(value))


def resource_list(wire: Mapping[str, Any] | None) -> ResourceList | None:
    """A new list from its wire form; None for null or nothing. Raises InvalidQuantity."""
    if wire is None:
        return None
    return {name: quantity_from_wire(value) for name, value in wire.items()}


def resource_list_to_wire(resources: ResourceList) -> dict[str, str]:
    """Quantities as text, in canonical form."""
    return {name: str(value) for name, value in resources.items()}


def recommendation_from_wire(wire: Mapping[str, Any] | None) -> RecommendedPodResources | None:
    """`status.recommendation` of a VPA; None if there is none. Raises InvalidQuantity."""
    if wire is None:
        return None
    return [
        RecommendedContainerResources(
            each.get("containerName") or "",
            resource_list(each.get("target")),
            resource_list(each.get("lowerBound")),
            resource_list(each.get("upperBound")),
            resource_list(each.get("uncappedTarget")),
        )
        for each in wire.get("containerRecommendations") or ()
    ]


def recommendation_to_wire(recommendation: RecommendedPodResources) -> dict[str, Any]:
    """`status.recommendation` of a VPA."""
    if not recommendation:
        return {}
    return {"containerRecommendations": [each.to_wire() for each in recommendation]}


def recommendation_of(vpa: Object) -> RecommendedPodResources | None:
    """What the recommender has written into the VPA's status, if anything."""
    return recommendation_from_wire((vpa.get("status") or {}).get("recommendation"))
