"""Which of a VPA's pods are updated, the most urgent first (pkg/updater/priority/update_priority_calculator.go)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lockstep.wire.gotime import SECOND
from lockstep_reference.vpa.apis import UPDATE_MODE_IN_PLACE, Object, RecommendedPodResources, ResourceList
from lockstep_reference.vpa.updater.priority.assessment import Assessment, Assessor
from lockstep_reference.vpa.updater.priority.quick_oom import has_quick_oom
from lockstep_reference.vpa.updater.priority.scaling_direction import ScalingDirectionPodEvictionAdmission
from lockstep_reference.vpa.utils.panic import NIL_DEREFERENCE, Panic
from lockstep_reference.vpa.utils.vpa.policies import get_update_mode, update_policy_of


@dataclass(frozen=True, slots=True)
class UpdateConfig:
    """When an update is worth it; durations in nanoseconds."""

    min_change_priority: float
    pod_lifetime_update_threshold: int
    evict_after_oom_threshold: int
    #: The feature gate, which lets a VPA have its own `evictAfterOOMSeconds`.
    per_vpa_config: bool = False


class UpdatePriorityCalculator:
    """Collects the pods of one VPA in one loop."""

    def __init__(self, vpa: Object, config: UpdateConfig, assessor: Assessor) -> None:
        self._vpa = vpa
        self._config = config
        self._assessor = assessor
        self._in_place_only = get_update_mode(vpa) == UPDATE_MODE_IN_PLACE
        self._pods: list[Assessment] = []

    def add_pod(self, pod: Object, now: int, infeasible_attempts: Mapping[str, RecommendedPodResources]) -> None:
        """Take the pod in if it shall be updated (AddPod).

        That is: it is outside of the recommended bounds; or a container ran out of memory soon after it started, and
        something would change; or the pod is old enough and the change large enough. `infeasible_attempts` are those
        that a node had no room for, by the pod's UID. Raises Panic where upstream does.
        """
        known = self._assessor.assess(pod, self._vpa)
        last = infeasible_attempts.get(pod["metadata"].get("uid") or "") if self._in_place_only else None
        if last is not None and not has_lower_resource_recommendation(last, known.recommendation):
            return
        priority = known.priority
        if known.ran_out_of_memory and has_quick_oom(pod, self._vpa, now, self._evict_oom_threshold()):
            accepted = priority.resource_diff != 0
        else:
            accepted = priority.outside_recommended_range or self._is_worth_it(known, now)
        if accepted:
            if known.recommendation is None:
                raise Panic(NIL_DEREFERENCE)  # upstream tries to log it
            self._pods.append(known)

    def _is_worth_it(self, known: Assessment, now: int) -> bool:
        """For a pod within its bounds."""
        config = self._config
        if known.start_time is None or now < known.start_time + config.pod_lifetime_update_threshold:
            return False
        return known.priority.resource_diff >= config.min_change_priority

    def _evict_oom_threshold(self) -> int:
        """Nanoseconds (getEvictOOMThreshold)."""
        seconds = update_policy_of(self._vpa).get("evictAfterOOMSeconds") if self._config.per_vpa_config else None
        return self._config.evict_after_oom_threshold if seconds is None else int(seconds) * SECOND

    def get_sorted_pods(self, admission: ScalingDirectionPodEvictionAdmission) -> list[Object]:
        """The pods that are admitted, in order (GetSortedPods). Upstream leaves the order of equal ones open."""
        ordered = sorted(self._pods, key=lambda each: each.priority.sort_key())
        return [each.pod for each in ordered if admission.admit(each.pod, each.recommendation)]


def has_lower_resource_recommendation(last: RecommendedPodResources, new: RecommendedPodResources | None) -> bool:
    """Whether the new one asks for less of anything, for any container (hasLowerResourceRecommendation)."""
    targets: dict[str, ResourceList] = {each.container_name: each.target or {} for each in last}
    return any(
        name in targets.get(each.container_name, {}) and value.compare(targets[each.container_name][name]) < 0
        for each in new or ()
        for name, value in (each.target or {}).items()
    )
