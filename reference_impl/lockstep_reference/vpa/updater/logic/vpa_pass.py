"""What one loop does with the pods of one VPA (pkg/updater/logic/updater.go, the second half of RunOnce)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.events import Recorder
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import (
    UPDATE_MODE_IN_PLACE,
    UPDATE_MODE_IN_PLACE_OR_RECREATE,
    UPDATE_MODE_INITIAL,
    UPDATE_MODE_OFF,
    Object,
    RecommendedPodResources,
    recommendation_of,
)
from lockstep_reference.vpa.updater.logic.rate_limiter import EvictionRateLimiter
from lockstep_reference.vpa.updater.priority.assessment import Assessor
from lockstep_reference.vpa.updater.priority.scaling_direction import ScalingDirectionPodEvictionAdmission
from lockstep_reference.vpa.updater.priority.update_priority_calculator import (
    UpdateConfig,
    UpdatePriorityCalculator,
)
from lockstep_reference.vpa.updater.restriction.group_stats import CreatorMaps
from lockstep_reference.vpa.updater.restriction.pods_eviction_restriction import EvictionError
from lockstep_reference.vpa.updater.restriction.pods_inplace_restriction import (
    InPlaceDecision,
    InPlaceRules,
    InPlaceUpdateError,
)
from lockstep_reference.vpa.updater.restriction.pods_restriction_factory import PodsRestrictionFactory
from lockstep_reference.vpa.utils.vpa.policies import get_update_mode, has_startup_boost
from lockstep_reference.vpa.utils.vpa.startup_boost import (
    get_expired_startup_cpu_boost_annotations,
    pod_has_cpu_boost_in_progress_annotation,
)

#: Errors that concern one pod; the loop continues with the others.
_UpdateErrors = (ApiError, ConnectionError, InPlaceUpdateError, EvictionError, ValueError)


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of every pass."""

    clock: Clock
    recorder: Recorder
    restrictions: PodsRestrictionFactory
    assessor: Assessor
    eviction_admission: ScalingDirectionPodEvictionAdmission
    eviction_limiter: EvictionRateLimiter
    in_place_limiter: EvictionRateLimiter
    update_config: UpdateConfig
    rules: InPlaceRules
    on_error: Callable[[str], None]
    #: Resizes that a node had no room for, by the UID of the pod.
    infeasible_attempts: dict[str, RecommendedPodResources] = field(default_factory=dict)


class VpaPass:
    """One VPA with its pods, in one loop that must end at `deadline`."""

    def __init__(self, tools: Tools, vpa: Object, pods: Sequence[Object], deadline: int) -> None:
        """Raises Panic where upstream does."""
        maps: CreatorMaps = tools.restrictions.get_creator_maps(pods, vpa)
        self._tools = tools
        self._vpa = vpa
        self._pods = pods
        self._deadline = deadline
        self._mode = get_update_mode(vpa)
        self._recommendation = recommendation_of(vpa)
        self._in_place = tools.restrictions.new_pods_in_place_restriction(maps)
        self._eviction = tools.restrictions.new_pods_eviction_restriction(maps)

    async def run(self) -> None:
        """End boosts, resize, evict. Raises RateLimitError, which ends the loop, and Panic where upstream does."""
        pods = await self._unboost()
        if self._mode in (UPDATE_MODE_OFF, UPDATE_MODE_INITIAL):
            return
        if self._mode not in (UPDATE_MODE_IN_PLACE, UPDATE_MODE_IN_PLACE_OR_RECREATE):
            await self._evict(self._in_order([pod for pod in pods if self._eviction.can_evict(pod)]))
        elif self._mode == UPDATE_MODE_IN_PLACE_OR_RECREATE or self._tools.rules.in_place:
            await self._evict(await self._resize(self._in_order([pod for pod in pods if self._is_resizable(pod)])))

    def _in_order(self, pods: Sequence[Object]) -> list[Object]:
        """The pods to update, the most urgent first (getPodsUpdateOrder)."""
        tools = self._tools
        calculator = UpdatePriorityCalculator(self._vpa, tools.update_config, tools.assessor)
        now = tools.clock.now()
        for pod in pods:
            calculator.add_pod(pod, now, tools.infeasible_attempts)
        return calculator.get_sorted_pods(tools.eviction_admission)

    # -- the end of boosts ---------------------------------------------------------------------------------------------

    async def _unboost(self) -> Sequence[Object]:
        """Resize pods whose boost is over. Returns the pods that no boost excludes from further updates."""
        if not (self._tools.rules.cpu_startup_boost and has_startup_boost(self._vpa)):
            return self._pods
        now = self._tools.clock.now()
        over = [pod for pod in self._pods if get_expired_startup_cpu_boost_annotations(pod, self._vpa, now)]
        for pod in over:
            if self._in_place.can_unboost(pod, self._vpa):
                await self._tools.in_place_limiter.wait(self._deadline)
                try:
                    await self._in_place.in_place_update(pod, self._vpa, self._tools.recorder)
                except _UpdateErrors as error:
                    self._tools.on_error(f"Unboosting failed: {error}")
        return [pod for pod in self._pods if not pod_has_cpu_boost_in_progress_annotation(pod)]

    # -- resizes -------------------------------------------------------------------------------------------------------

    def _decide(self, pod: Object) -> InPlaceDecision:
        attempts = self._tools.infeasible_attempts
        return self._in_place.can_in_place_update(pod, self._vpa, self._recommendation, attempts)

    def _is_resizable(self, pod: Object) -> bool:
        """Whether the pod can be resized in place (filterNonInPlaceUpdatablePods)."""
        decision = self._decide(pod)
        if self._mode == UPDATE_MODE_IN_PLACE:
            return decision in (InPlaceDecision.APPROVED, InPlaceDecision.INFEASIBLE, InPlaceDecision.DEFERRED)
        return decision in (InPlaceDecision.APPROVED, InPlaceDecision.EVICT)

    async def _resize(self, pods: Sequence[Object]) -> list[Object]:
        """Resize these pods. Returns those that must be evicted instead.

        In mode InPlace a deferred pod is resized as well, since the recommendation may have changed, and no pod is ever
        evicted.
        """
        in_place_only = self._mode == UPDATE_MODE_IN_PLACE
        for_eviction: list[Object] = []
        for pod in pods:
            decision = self._decide(pod)
            if decision is InPlaceDecision.EVICT:
                for_eviction.append(pod)
                continue
            if decision is InPlaceDecision.INFEASIBLE_CACHED:
                continue
            if decision is InPlaceDecision.DEFERRED and not in_place_only:
                continue
            if decision is InPlaceDecision.INFEASIBLE and self._recommendation is not None:
                self._tools.infeasible_attempts[pod["metadata"].get("uid") or ""] = self._recommendation
            await self._tools.in_place_limiter.wait(self._deadline)
            try:
                await self._in_place.in_place_update(pod, self._vpa, self._tools.recorder)
            except _UpdateErrors as error:
                self._tools.on_error(f"In-place resize failed: {error}")
                if not in_place_only:
                    for_eviction.append(pod)
        return for_eviction

    # -- evictions -----------------------------------------------------------------------------------------------------

    async def _evict(self, pods: Sequence[Object]) -> None:
        for pod in pods:
            if self._eviction.can_evict(pod):
                await self._tools.eviction_limiter.wait(self._deadline)
                try:
                    await self._eviction.evict(pod, self._vpa, self._tools.recorder)
                except _UpdateErrors as error:
                    self._tools.on_error(f"Eviction failed: {error}")
