"""A recommendation within what policies, limits and LimitRanges allow (pkg/utils/vpa/capping.go)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lockstep.wire.quantity import Quantity
from lockstep_reference.vpa.apis import (
    CONTROLLED_VALUES_REQUESTS_ONLY,
    CPU,
    MEMORY,
    Object,
    RecommendedContainerResources,
    RecommendedPodResources,
    ResourceList,
    recommendation_of,
    resource_list,
)
from lockstep_reference.vpa.utils.limitrange import LimitRangeCalculator, LimitRangeItem
from lockstep_reference.vpa.utils.quantities import NO_CPU, NO_MEMORY, compared_with
from lockstep_reference.vpa.utils.resources import container_requests_and_limits
from lockstep_reference.vpa.utils.vpa.limit_and_request_scaling import get_boundary_request
from lockstep_reference.vpa.utils.vpa.pod_limit_range import cap_proportionally_to_pod_limit_range
from lockstep_reference.vpa.utils.vpa.policies import (
    get_container_controlled_values,
    get_container_resource_policy,
)

CAPPED_TO_MIN_ALLOWED = "capped to minAllowed"
CAPPED_TO_MAX_ALLOWED = "capped to maxAllowed"
CAPPED_TO_LIMIT = "capped to container limit"
CAPPED_PROPORTIONALLY_TO_MAX_LIMIT = "capped to fit Max in container LimitRange"
CAPPED_PROPORTIONALLY_TO_MIN_LIMIT = "capped to fit Min in container LimitRange"

#: Remarks about what was capped, by container.
ContainerToAnnotations = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What one list of quantities must stay within, and what to remark where it did not."""

    min: ResourceList | None
    max: ResourceList | None
    below: str
    above: str

    def apply(self, resources: ResourceList) -> list[str]:
        """Change the list; the maximum is the stronger one. Bounds of zero are none."""
        remarks = []
        for name, recommended in resources.items():
            value, too_low = _at_least(recommended, name, self.min)
            if too_low:
                remarks.append(f"{name} {self.below}")
            value, too_high = _at_most(value, name, self.max)
            if too_high:
                remarks.append(f"{name} {self.above}")
            resources[name] = value
        return remarks


def _at_least(value: Quantity, name: str, bounds: ResourceList | None) -> tuple[Quantity, bool]:
    """The value or its bound, and whether it is the bound (maybeCapToMin)."""
    bound = None if bounds is None else bounds.get(name)
    if bound is None or not bound.unscaled:
        return value, False
    return (bound, True) if value.compare(bound) < 0 else (compared_with(value, bound), False)


def _at_most(value: Quantity, name: str, bounds: ResourceList | None) -> tuple[Quantity, bool]:
    """The value or its bound, and whether it is the bound (maybeCapToMax)."""
    bound = None if bounds is None else bounds.get(name)
    if bound is None or not bound.unscaled:
        return value, False
    return (bound, True) if value.compare(bound) > 0 else (compared_with(value, bound), False)


class CappingRecommendationProcessor:
    """Caps a VPA's recommendation for one pod (NewCappingRecommendationProcessor)."""

    def __init__(self, limit_ranges: LimitRangeCalculator) -> None:
        self._limit_ranges = limit_ranges

    def apply(self, vpa: Object, pod: Object) -> tuple[RecommendedPodResources | None, ContainerToAnnotations]:
        """The recommendation in new objects, and what was capped in its targets.

        None without a recommendation and a policy. A policy alone gives an empty one, but for the containers that a
        LimitRange for pods brings in. Raises Panic where upstream does.
        """
        policy = vpa["spec"].get("resourcePolicy")
        recommendation = recommendation_of(vpa)
        if recommendation is None and policy is None:
            return None, {}
        namespace = pod["metadata"].get("namespace") or ""
        recommendation = recommendation or []
        pod_range = self._limit_ranges.get_pod_limit_range_item(namespace)
        if pod_range is not None:
            recommendation = cap_proportionally_to_pod_limit_range(recommendation, pod, pod_range)
        container_range = self._limit_ranges.get_container_limit_range_item(namespace)
        containers = {container.get("name") for container in pod["spec"].get("containers") or ()}
        capped: RecommendedPodResources = []
        annotations: ContainerToAnnotations = {}
        for each in recommendation:
            if each.container_name in containers:
                capped.append(each)
                remarks = _cap_container(each, pod, policy, container_range)
                if remarks:
                    annotations[each.container_name] = remarks
        return capped, annotations


def _cap_container(
    recommendation: RecommendedContainerResources,
    pod: Object,
    policy: Object | None,
    limit_range: LimitRangeItem | None,
) -> list[str]:
    """Change the recommendation; remarks about its target (getCappedRecommendationForContainer)."""
    name = recommendation.container_name
    requests, limits = container_requests_and_limits(name, pod)
    steps: list[Callable[[ResourceList], list[str]]] = []
    if limit_range is not None:
        steps.append(lambda resources: _container_bounds(requests, limits, limit_range).apply(resources))
    container_policy = get_container_resource_policy(name, policy)
    if container_policy is not None:
        steps.append(_policy_bounds(container_policy).apply)
    if get_container_controlled_values(name, policy) == CONTROLLED_VALUES_REQUESTS_ONLY:
        steps.append(lambda resources: _cap_to_container_limit(resources, limits))
    remarks = [remark for step in steps for remark in step(recommendation.target or {})]
    for resources in (recommendation.lower_bound, recommendation.upper_bound):
        for step in steps:
            step(resources or {})
    return remarks


def _policy_bounds(policy: Object) -> _Bounds:
    """What a container's policy allows (applyVPAPolicy)."""
    return _Bounds(
        resource_list(policy.get("minAllowed")),
        resource_list(policy.get("maxAllowed")),
        CAPPED_TO_MIN_ALLOWED,
        CAPPED_TO_MAX_ALLOWED,
    )


def _cap_to_container_limit(resources: ResourceList, limits: ResourceList | None) -> list[str]:
    """Requests may not exceed limits that nobody changes (capRecommendationToContainerLimit)."""
    remarks = []
    for name, limit in (limits or {}).items():
        if name in resources and resources[name].milli_value() > limit.milli_value():
            resources[name] = limit
            remarks.append(f"{name} {CAPPED_TO_LIMIT}")
    return remarks


def _container_bounds(
    requests: ResourceList | None, limits: ResourceList | None, limit_range: LimitRangeItem
) -> _Bounds:
    """The requests at which limits reach the LimitRange (getMinAllowedRecommendation, getMaxAllowedRecommendation).

    Neither limit nor request may be below its minimum.
    """
    lowest = _boundary(requests, limits, limit_range.min, limit_range.default)
    for name, value in (limit_range.min or {}).items():
        if name in lowest and value.compare(lowest[name]) > 0:
            lowest[name] = value
    highest = _boundary(requests, limits, limit_range.max, limit_range.default)
    return _Bounds(lowest, highest, CAPPED_PROPORTIONALLY_TO_MIN_LIMIT, CAPPED_PROPORTIONALLY_TO_MAX_LIMIT)


def _boundary(
    requests: ResourceList | None,
    limits: ResourceList | None,
    boundary_limit: ResourceList | None,
    default_limit: ResourceList | None,
) -> ResourceList:
    """The requests at which limits reach `boundary_limit` (getBoundaryRecommendation)."""
    if boundary_limit is None:
        return {}
    return {
        name: get_boundary_request(
            name,
            (requests or {}).get(name, missing),
            (limits or {}).get(name, missing),
            boundary_limit.get(name, missing),
            (default_limit or {}).get(name, missing),
        )
        for name, missing in ((CPU, NO_CPU), (MEMORY, NO_MEMORY))
    }


def apply_vpa_policy(
    recommendation: RecommendedPodResources | None,
    policy: Object | None,
    global_max_allowed: ResourceList | None = None,
) -> RecommendedPodResources | None:
    """The recommendation within the policy's bounds, in new objects: what the recommender writes (ApplyVPAPolicy).

    `policy` is `spec.resourcePolicy`. `global_max_allowed` holds for what the policy sets no maximum for. What was
    recommended before any cap stays as it is.
    """
    if recommendation is None:
        return None
    return [_within_policy(each, policy, global_max_allowed) for each in recommendation]


def _within_policy(
    recommendation: RecommendedContainerResources, policy: Object | None, global_max_allowed: ResourceList | None
) -> RecommendedContainerResources:
    """The same for one container (applyVPAPolicyForContainer)."""
    capped = recommendation.copy()
    container_policy = get_container_resource_policy(capped.container_name, policy) or {}
    lowest = resource_list(container_policy.get("minAllowed"))
    highest = {**(global_max_allowed or {}), **(resource_list(container_policy.get("maxAllowed")) or {})}
    bounds = _Bounds(lowest, highest, CAPPED_TO_MIN_ALLOWED, CAPPED_TO_MAX_ALLOWED)
    for resources in (capped.target, capped.lower_bound, capped.upper_bound):
        bounds.apply(resources or {})
    return capped
