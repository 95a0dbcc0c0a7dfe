"""One loop of the recommender (pkg/recommender/routines/recommender.go)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lockstep_reference.machinery.client import ApiError, ResourceClient
from lockstep_reference.machinery.concurrent import concurrently
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.recommender.checkpoint.maintenance import CheckpointMaintenance
from lockstep_reference.vpa.recommender.input.cluster_feeder import ClusterStateFeeder
from lockstep_reference.vpa.recommender.logic.recommender import (
    PodResourceRecommender,
    RecommendationFormat,
    map_to_list_of_recommended_container_resources,
)
from lockstep_reference.vpa.recommender.model.cluster import ClusterState
from lockstep_reference.vpa.recommender.model.types import VpaID
from lockstep_reference.vpa.recommender.model.vpa import Vpa
from lockstep_reference.vpa.recommender.routines.post_processors import (
    RecommendationPostProcessor,
)
from lockstep_reference.vpa.recommender.routines.vpa import get_container_name_to_aggregate_state_map
from lockstep_reference.vpa.target.controller_fetcher import ControllerFetcher
from lockstep_reference.vpa.utils.vpa.writing import update_vpa_status_if_needed


@dataclass(frozen=True, slots=True)
class Recommendations:
    """How recommendations are computed, what becomes of them, and how many are written at the same time."""

    recommender: PodResourceRecommender
    format: RecommendationFormat
    post_processors: Sequence[RecommendationPostProcessor]
    per_vpa_config: bool
    update_worker_count: int


class Recommender:
    """Does one loop at a time. `on_error` is told what goes wrong; nothing ends the loop."""

    def __init__(
        self,
        cluster_state: ClusterState,
        feeder: ClusterStateFeeder,
        recommendations: Recommendations,
        vpas: ResourceClient,
        checkpoints: CheckpointMaintenance,
        controller_fetcher: ControllerFetcher,
        clock: Clock,
        on_error: Callable[[str], None],
    ) -> None:
        self._cluster_state = cluster_state
        self._feeder = feeder
        self._recommendations = recommendations
        self._vpas = vpas
        self._checkpoints = checkpoints
        self._controller_fetcher = controller_fetcher
        self._clock = clock
        self._on_error = on_error

    async def run_once(self) -> None:
        """RunOnce."""
        await self._feeder.load_vpas()
        self._feeder.load_pods()
        await self._feeder.load_real_time_metrics()
        await self.update_vpas()
        await self._checkpoints.maintain()
        await self._cluster_state.rate_limited_garbage_collect_aggregate_collection_states(
            self._clock.now(), self._controller_fetcher
        )

    async def update_vpas(self) -> None:
        """Compute and write the recommendations of all VPAs that were listed (UpdateVPAs).

        A worker ends when it meets a VPA that is not in the model. Without workers nothing is written.
        """
        waiting = deque(self._cluster_state.observed_vpas)

        async def work() -> None:
            while waiting:
                observed = waiting.popleft()
                metadata = observed["metadata"]
                vpa = self._cluster_state.vpas.get(VpaID(metadata["namespace"], metadata["name"]))
                if vpa is None:
                    return
                await self._process_vpa_update(vpa, observed)

        await concurrently([work() for _ in range(min(self._recommendations.update_worker_count, len(waiting)))])

    async def _process_vpa_update(self, vpa: Vpa, observed: Object) -> None:
        """ProcessVPAUpdate."""
        rules = self._recommendations
        states = get_container_name_to_aggregate_state_map(vpa, per_vpa_config=rules.per_vpa_config)
        recommendation = map_to_list_of_recommended_container_resources(
            rules.recommender.get_recommended_pod_resources(states), rules.format
        )
        for post_processor in rules.post_processors:
            recommendation = post_processor.process(observed, recommendation)
        vpa.update_recommendation(recommendation)
        vpa.update_conditions(pods_matched=vpa.pod_count > 0)
        try:
            self._cluster_state.record_recommendation(vpa, self._clock.now())
        except LookupError as missing:
            self._on_error(str(missing))
        namespace, name = vpa.id
        try:
            await update_vpa_status_if_needed(self._vpas, namespace, name, vpa.as_status(), observed.get("status"))
        except (ApiError, OSError) as error:
            self._on_error(f"Cannot update VPA: {error}")
