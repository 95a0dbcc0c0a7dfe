"""Keeping within the VPA's policy and a global maximum (pkg/recommender/routines/capping_post_processor.go)."""

from __future__ import annotations

from lockstep_reference.vpa.apis import Object, RecommendedPodResources, ResourceList
from lockstep_reference.vpa.utils.vpa.capping import apply_vpa_policy


class CappingPostProcessor:
    """`global_max_allowed` holds where the policy sets no maximum."""

    def __init__(self, global_max_allowed: ResourceList) -> None:
        self._global_max_allowed = global_max_allowed

    def process(self, vpa: Object, recommendation: RecommendedPodResources) -> RecommendedPodResources:
        """See RecommendationPostProcessor."""
        policy = (vpa.get("spec") or {}).get("resourcePolicy")
        return apply_vpa_policy(recommendation, policy, self._global_max_allowed) or []
