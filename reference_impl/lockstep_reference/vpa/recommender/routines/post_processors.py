"""What is done to a recommendation before it is written.

Source: pkg/recommender/routines/{recommendation,cpu_integer,capping}_post_processor.go.
"""

from __future__ import annotations

from typing import Protocol

from lockstep.wire.quantity import Quantity
from lockstep_reference.vpa.apis import CPU, Object, RecommendedPodResources, ResourceList
from lockstep_reference.vpa.utils.vpa.capping import apply_vpa_policy

_PREFIX = "vpa-post-processor.kubernetes.io/"
_SUFFIX = "_integerCPU"
_VALUE = "true"


class RecommendationPostProcessor(Protocol):
    """One step."""

    def process(self, vpa: Object, recommendation: RecommendedPodResources) -> RecommendedPodResources:
        """What to recommend instead for this VPA, as it was listed. What is given stays as it is."""


class IntegerCPUPostProcessor:
    """Rounds CPU up, in the target and in all bounds, where an annotation of the VPA asks for whole CPUs.

    The annotation is `vpa-post-processor.kubernetes.io/<container>_integerCPU: "true"`.
    """

    def process(self, vpa: Object, recommendation: RecommendedPodResources) -> RecommendedPodResources:
        """See RecommendationPostProcessor."""
        amended = [each.copy() for each in recommendation]
        annotations = vpa["metadata"].get("annotations") or {}
        names = {extract_container_name(key) for key, value in annotations.items() if value == _VALUE}
        for each in amended:
            if each.container_name and each.container_name in names:
                for resources in (each.target, each.lower_bound, each.upper_bound, each.uncapped_target):
                    _round_up(resources)
        return amended


def extract_container_name(key: str) -> str:
    """The container that an annotation is about, "" for other annotations (extractContainerName)."""
    if not (key.startswith(_PREFIX) and key.endswith(_SUFFIX)):
        return ""
    return key[len(_PREFIX) : -len(_SUFFIX)]


def _round_up(resources: ResourceList | None) -> None:
    """SetIntegerCPURecommendation."""
    if resources and CPU in resources:
        resources[CPU] = Quantity(resources[CPU].value(), 0, resources[CPU].format)


class CappingPostProcessor:
    """Keeps within the VPA's policy; `global_max_allowed` holds where the policy sets no maximum."""

    def __init__(self, global_max_allowed: ResourceList) -> None:
        self._global_max_allowed = global_max_allowed

    def process(self, vpa: Object, recommendation: RecommendedPodResources) -> RecommendedPodResources:
        """See RecommendationPostProcessor."""
        policy = (vpa.get("spec") or {}).get("resourcePolicy")
        return apply_vpa_policy(recommendation, policy, self._global_max_allowed) or []
