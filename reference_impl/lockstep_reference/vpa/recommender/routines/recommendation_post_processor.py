"""What is done to a recommendation before it is written (pkg/recommender/routines/recommendation_post_processor.go)."""

from __future__ import annotations

from typing import Protocol

from lockstep_reference.vpa.apis import Object, RecommendedPodResources


class RecommendationPostProcessor(Protocol):
    """One step."""

    def process(self, vpa: Object, recommendation: RecommendedPodResources) -> RecommendedPodResources:
        """What to recommend instead for this VPA, as it was listed. What is given stays as it is."""
