"""Whole CPUs for containers that ask for them (pkg/recommender/routines/cpu_integer_post_processor.go).

The VPA has to carry the annotation `vpa-post-processor.kubernetes.io/<container>_integerCPU: "true"`.
"""

from __future__ import annotations

from lockstep.wire.quantity import Quantity
from lockstep_reference.vpa.apis import CPU, Object, RecommendedPodResources, ResourceList

_PREFIX = "vpa-post-processor.kubernetes.io/"
_SUFFIX = "_integerCPU"
_VALUE = "true"


class IntegerCPUPostProcessor:
    """Rounds CPU up, in the target and in all bounds."""

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
