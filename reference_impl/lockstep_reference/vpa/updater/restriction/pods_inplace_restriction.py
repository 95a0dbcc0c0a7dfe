"""Resizing pods in place, never too many of one group at once (pkg/updater/restriction/pods_inplace_restriction.go)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto

from lockstep_reference.machinery.client import ApiError, ResourceClient
from lockstep_reference.machinery.events import Recorder
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import UPDATE_MODE_IN_PLACE, Object, RecommendedPodResources
from lockstep_reference.vpa.updater.inplace.calculator import RESIZE, PatchCalculator
from lockstep_reference.vpa.updater.restriction.group_stats import CreatorMaps, SingleGroupStats
from lockstep_reference.vpa.updater.restriction.pods_eviction_restriction import (
    can_evict_in_placing_pod,
    is_pending,
)
from lockstep_reference.vpa.updater.restriction.resize_status import (
    ResizeStatus,
    get_resize_status,
    is_non_disruptive_resize,
)
from lockstep_reference.vpa.utils.patches import JSON_PATCH, PatchRecord, add_empty_annotations
from lockstep_reference.vpa.utils.resources import recommendation_has_lower_resource
from lockstep_reference.vpa.utils.vpa.policies import get_update_mode
from lockstep_reference.vpa.utils.vpa.startup_boost import get_expired_startup_cpu_boost_annotations


class InPlaceDecision(Enum):
    """What to do with a pod (InPlaceDecision)."""

    APPROVED = auto()
    #: Not now: look again in the next loop.
    DEFERRED = auto()
    EVICT = auto()
    #: The node has no room for it.
    INFEASIBLE = auto()
    #: The node had no room for it before, and no recommendation has become smaller since.
    INFEASIBLE_CACHED = auto()


class InPlaceUpdateError(Exception):
    """A pod may not be resized, or there is nothing to resize; the message is upstream's."""


@dataclass(frozen=True, slots=True)
class InPlaceRules:
    """Feature gates, and the flag --in-place-skip-disruption-budget."""

    in_place: bool = False
    cpu_startup_boost: bool = False
    skip_disruption_budget: bool = False


class PodsInPlaceRestriction:
    """Resizes for one VPA in one loop.

    `pods` is the client of pods; `resizing_since` is explained at `can_evict_in_placing_pod`.
    """

    def __init__(
        self,
        pods: ResourceClient,
        maps: CreatorMaps,
        patch_calculators: Sequence[PatchCalculator],
        clock: Clock,
        resizing_since: dict[str, int],
        rules: InPlaceRules,
    ) -> None:
        self._pods = pods
        self._maps = maps
        self._patch_calculators = patch_calculators
        self._clock = clock
        self._resizing_since = resizing_since
        self._rules = rules

    def can_in_place_update(
        self,
        pod: Object,
        vpa: Object,
        recommendation: RecommendedPodResources | None,
        infeasible_attempts: Mapping[str, RecommendedPodResources],
    ) -> InPlaceDecision:
        """What to do with the pod (CanInPlaceUpdate).

        `recommendation` is the VPA's. `infeasible_attempts` are resizes that a node had no room for, by the pod's UID.
        """
        in_place_only = get_update_mode(vpa) == UPDATE_MODE_IN_PLACE
        if in_place_only and not self._rules.in_place:
            return InPlaceDecision.DEFERRED
        stats = self._maps.stats_of(pod)
        if stats is None or is_pending(pod) or recommendation is None:
            return InPlaceDecision.DEFERRED
        last = infeasible_attempts.get(pod["metadata"].get("uid") or "") if in_place_only else None
        if last is not None and not recommendation_has_lower_resource(last, recommendation):
            return InPlaceDecision.INFEASIBLE_CACHED
        status = get_resize_status(pod)
        if status is not ResizeStatus.NONE:
            return self._of_resizing_pod(pod, stats, status, in_place_only=in_place_only)
        if self._rules.skip_disruption_budget and is_non_disruptive_resize(pod):
            return InPlaceDecision.APPROVED
        return InPlaceDecision.APPROVED if stats.is_pod_disruptable() else InPlaceDecision.DEFERRED

    def _of_resizing_pod(
        self, pod: Object, stats: SingleGroupStats, status: ResizeStatus, *, in_place_only: bool
    ) -> InPlaceDecision:
        """In mode InPlace the updater waits, however long it takes."""
        if in_place_only:
            return InPlaceDecision.INFEASIBLE if status is ResizeStatus.INFEASIBLE else InPlaceDecision.DEFERRED
        evict = can_evict_in_placing_pod(pod, stats, self._resizing_since, self._clock)
        return InPlaceDecision.EVICT if evict else InPlaceDecision.DEFERRED

    def can_unboost(self, pod: Object, vpa: Object) -> bool:
        """Whether the CPU boost of a container is over and the pod may be resized now (CanUnboost)."""
        if not self._rules.cpu_startup_boost or is_pending(pod):
            return False
        if not get_expired_startup_cpu_boost_annotations(pod, vpa, self._clock.now()):
            return False
        stats = self._maps.stats_of(pod)
        if stats is None or get_resize_status(pod) is not ResizeStatus.NONE:
            return False
        return stats.is_pod_disruptable()

    async def in_place_update(self, pod: Object, vpa: Object, recorder: Recorder) -> None:
        """Resize the pod, annotate it, and record an event (InPlaceUpdate). Does not check again whether it may.

        Raises InPlaceUpdateError, ValueError for a broken annotation, and ApiError or ConnectionError of the resize.
        """
        stats = self._maps.stats_of(pod)
        name = pod["metadata"]["name"]
        if stats is None:
            raise InPlaceUpdateError(f"pod not suitable for in-place update {name}: not in replicated pods map")
        resize, annotations = self._patches(pod, vpa)
        if not resize:
            raise InPlaceUpdateError("no resource patches were calculated to apply")
        namespace = pod["metadata"].get("namespace") or ""
        await self._pods.patch(namespace, name, resize, JSON_PATCH, "resize")
        if annotations:
            with suppress(ApiError, ConnectionError):  # upstream logs it, and counts the pod as resized
                await self._pods.patch(namespace, name, annotations, JSON_PATCH)
        recorder.event(pod, "Normal", "InPlaceResizedByVPA", "Pod was resized in place by VPA Updater.")
        stats.in_place_update_initiated += 1

    def _patches(self, pod: Object, vpa: Object) -> tuple[list[PatchRecord], list[PatchRecord]]:
        """The patches for the subresource `resize`, and for the pod itself."""
        resize: list[PatchRecord] = []
        annotations = [add_empty_annotations()] if pod["metadata"].get("annotations") is None else []
        for calculator in self._patch_calculators:
            target = resize if calculator.target == RESIZE else annotations
            target.extend(calculator.calculate_patches(pod, vpa))
        return resize, annotations
