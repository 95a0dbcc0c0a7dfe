"""What a pod's recommendation and priority are, computed anew only for pods and VPAs that have changed.

Upstream computes both in each loop. They depend on nothing but the pod, its VPA and the LimitRanges of the namespace,
and the objects of a cache never change, so the same objects give the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.wire.gotime import parse_rfc3339
from lockstep_reference.vpa.apis import Object, RecommendedPodResources
from lockstep_reference.vpa.updater.priority.priority_processor import PodPriority, get_update_priority
from lockstep_reference.vpa.updater.priority.quick_oom import ran_out_of_memory
from lockstep_reference.vpa.updater.restriction.group_stats import pod_id
from lockstep_reference.vpa.utils.limitrange import LimitRangeCalculator, LimitRangeItem
from lockstep_reference.vpa.utils.vpa.capping import CappingRecommendationProcessor


@dataclass(frozen=True, slots=True)
class Assessment:
    """Of one pod under one VPA."""

    pod: Object
    vpa: Object
    bounds: tuple[LimitRangeItem | None, LimitRangeItem | None]
    #: The VPA's, capped for this pod.
    recommendation: RecommendedPodResources | None
    priority: PodPriority
    #: Whether a container's last run ended for want of memory, whenever that was.
    ran_out_of_memory: bool
    #: When the kubelet took the pod in.
    start_time: int | None


class Assessor:
    """Remembers the assessments of this loop and of the one before."""

    def __init__(self, processor: CappingRecommendationProcessor, limit_ranges: LimitRangeCalculator) -> None:
        self._processor = processor
        self._limit_ranges = limit_ranges
        self._before: dict[str, Assessment] = {}
        self._now: dict[str, Assessment] = {}

    def loop_init(self) -> None:
        """A loop begins: what the last one did not ask for is forgotten."""
        self._before, self._now = self._now, {}

    def assess(self, pod: Object, vpa: Object) -> Assessment:
        """The assessment of the pod as it is. Raises Panic where upstream does."""
        key, namespace = pod_id(pod), pod["metadata"].get("namespace") or ""
        on_pods = self._limit_ranges.get_pod_limit_range_item(namespace)
        on_containers = self._limit_ranges.get_container_limit_range_item(namespace)
        known = self._before.get(key)
        if (
            known is None
            or known.pod is not pod
            or known.vpa is not vpa
            or known.bounds[0] is not on_pods
            or known.bounds[1] is not on_containers
        ):
            known = self._assess(pod, vpa, (on_pods, on_containers))
        self._now[key] = known
        return known

    def _assess(
        self, pod: Object, vpa: Object, bounds: tuple[LimitRangeItem | None, LimitRangeItem | None]
    ) -> Assessment:
        recommendation, _ = self._processor.apply(vpa, pod)
        status = pod.get("status") or {}
        start_time = status.get("startTime")
        return Assessment(
            pod,
            vpa,
            bounds,
            recommendation,
            get_update_priority(pod, recommendation),
            any(map(ran_out_of_memory, status.get("containerStatuses") or ())),
            None if start_time is None else parse_rfc3339(start_time),
        )
