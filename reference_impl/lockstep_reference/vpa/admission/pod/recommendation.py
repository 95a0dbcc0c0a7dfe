"""What each container of a pod shall get (pkg/admission-controller/resource/pod/recommendation).

Both the admission controller, for new pods, and the updater, for resizes in place, ask for it.
"""

from __future__ import annotations

from lockstep_reference.vpa.apis import (
    CONTROLLED_VALUES_REQUESTS_AND_LIMITS,
    UPDATE_MODE_OFF,
    Object,
    RecommendedPodResources,
)
from lockstep_reference.vpa.utils.limitrange import LimitRangeCalculator, LimitRangeItem
from lockstep_reference.vpa.utils.resources import container_requests_and_limits
from lockstep_reference.vpa.utils.vpa.capping import CappingRecommendationProcessor, ContainerToAnnotations
from lockstep_reference.vpa.utils.vpa.limit_and_request_scaling import (
    ContainerResources,
    get_proportional_limit,
)
from lockstep_reference.vpa.utils.vpa.policies import get_container_controlled_values, update_policy_of


class RecommendationProvider:
    """Requests within all bounds, and limits in proportion to them (NewProvider)."""

    def __init__(self, limit_ranges: LimitRangeCalculator, processor: CappingRecommendationProcessor) -> None:
        self._limit_ranges = limit_ranges
        self._processor = processor

    def get_containers_resources_for_pod(
        self, pod: Object, vpa: Object
    ) -> tuple[list[ContainerResources], ContainerToAnnotations]:
        """Resources in the order of the pod's containers, and remarks about them (GetContainersResourcesForPod).

        A VPA with the mode Off has no say in what is controlled. Raises Panic where upstream does.
        """
        recommendation: RecommendedPodResources | None = None
        annotations: ContainerToAnnotations = {}
        if (vpa.get("status") or {}).get("recommendation") is not None:
            recommendation, annotations = self._processor.apply(vpa, pod)
        limit_range = self._limit_ranges.get_container_limit_range_item(pod["metadata"].get("namespace") or "")
        policy = vpa["spec"].get("resourcePolicy")
        if update_policy_of(vpa).get("updateMode") == UPDATE_MODE_OFF:
            policy = None
        resources = get_containers_resources(pod, policy, recommendation or [], limit_range, annotations)
        for each in resources:
            each.remove_empty_resource_key()
        return resources, annotations


def get_containers_resources(
    pod: Object,
    policy: Object | None,
    recommendation: RecommendedPodResources,
    limit_range: LimitRangeItem | None,
    annotations: ContainerToAnnotations,
) -> list[ContainerResources]:
    """The same for a recommendation that is capped already; adds to the remarks (GetContainersResources).

    A container without a recommendation gets nothing. `policy` is `spec.resourcePolicy`.
    """
    resources = []
    for container in pod["spec"].get("containers") or ():
        name = container.get("name") or ""
        found = next((each for each in recommendation if each.container_name == name), None)
        given = ContainerResources()
        if found is not None:
            given.requests = found.target
            if get_container_controlled_values(name, policy) == CONTROLLED_VALUES_REQUESTS_AND_LIMITS:
                requests, limits = container_requests_and_limits(name, pod)
                default = limit_range.default if limit_range else None
                given.limits, remarks = get_proportional_limit(limits, requests, given.requests, default)
                if remarks:
                    annotations.setdefault(name, []).extend(remarks)
        resources.append(given)
    return resources
