"""LimitRanges for whole pods: what their containers share is scaled down or up together (pkg/utils/vpa/capping.go)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lockstep.wire.quantity import Quantity
from lockstep_reference.vpa.apis import (
    CPU,
    MEMORY,
    Object,
    RecommendedContainerResources,
    RecommendedPodResources,
    ResourceList,
)
from lockstep_reference.vpa.utils.limitrange import LimitRangeItem
from lockstep_reference.vpa.utils.panic import ASSIGNMENT_TO_NIL_MAP, NIL_DEREFERENCE, Panic
from lockstep_reference.vpa.utils.quantities import NOTHING, compared_with
from lockstep_reference.vpa.utils.resources import container_requests_and_limits
from lockstep_reference.vpa.utils.vpa.limit_and_request_scaling import (
    Rounding,
    get_proportional_resource_limit,
    scale_quantity_proportionally,
)

#: One of the lists of a recommendation.
_Getter = Callable[[RecommendedContainerResources], ResourceList | None]


def _upper(recommendation: RecommendedContainerResources) -> ResourceList | None:
    return recommendation.upper_bound


def _target(recommendation: RecommendedContainerResources) -> ResourceList | None:
    return recommendation.target


def _lower(recommendation: RecommendedContainerResources) -> ResourceList | None:
    return recommendation.lower_bound


@dataclass(frozen=True, slots=True)
class _Share:
    """A container's part in one resource. `resources` is None where the recommendation has no such list."""

    resources: ResourceList | None
    recommended: bool
    recommendation: Quantity
    limit: Quantity
    proportional_limit: Quantity | None


def cap_proportionally_to_pod_limit_range(
    recommendations: RecommendedPodResources, pod: Object, limit_range: LimitRangeItem
) -> RecommendedPodResources:
    """The recommendations in new objects, within the range (capProportionallyToPodLimitRange).

    Containers without one get what they request as their target, and nothing else. Raises Panic where upstream does:
    when it has to change a list that a container does not have.
    """
    result = _insert_requests_for_missing(recommendations, pod)
    for getter in (_upper, _target, _lower):
        for name in (CPU, MEMORY):
            _apply(result, pod, limit_range, name, getter)
    return result


def _insert_requests_for_missing(recommendations: RecommendedPodResources, pod: Object) -> RecommendedPodResources:
    """What is recommended, and requests where nothing is (insertRequestsForMissingRecommendations)."""
    known = {each.container_name for each in recommendations}
    result = [each.copy() for each in recommendations]
    for container in pod["spec"].get("containers") or ():
        name = container.get("name") or ""
        requests = None if name in known else container_requests_and_limits(name, pod)[0]
        if requests:
            result.append(RecommendedContainerResources(name, requests))
    return result


def _apply(
    recommendations: RecommendedPodResources, pod: Object, limit_range: LimitRangeItem, name: str, getter: _Getter
) -> None:
    """Change one resource of one list of each container (applyPodLimitRange)."""
    lowest = (limit_range.min or {}).get(name, NOTHING)
    highest = (limit_range.max or {}).get(name, NOTHING)
    default = (limit_range.default or {}).get(name, NOTHING)
    shares = [
        _share_of(container.get("name") or "", recommendations, pod, name, getter, default)
        for container in pod["spec"].get("containers") or ()
    ]
    limits = recommended = NOTHING
    for share in shares:
        if share.proportional_limit is not None:
            limits = limits.plus(share.proportional_limit)
        recommended = recommended.plus(share.recommendation)
    lowest = compared_with(compared_with(lowest, limits), recommended)
    highest = compared_with(highest, limits)
    exceeds = bool(highest.unscaled) and highest.compare(limits) < 0
    if lowest.compare(recommended) > 0 and limits.unscaled:
        for share in shares:
            if share.recommended:
                _put(share, name, share.recommendation, recommended, lowest, Rounding.UP_TO_FULL_UNIT)
    elif limits.unscaled and (exceeds or lowest.compare(limits) > 0):
        total = highest if exceeds else lowest
        for share in shares:
            scaled = share.recommendation if share.recommended else share.limit
            _put(share, name, scaled, limits, total, Rounding.DOWN_TO_FULL_UNIT)


def _share_of(
    container: str, recommendations: RecommendedPodResources, pod: Object, name: str, getter: _Getter, default: Quantity
) -> _Share:
    requests, limits = container_requests_and_limits(container, pod)
    request, limit = (requests or {}).get(name, NOTHING), (limits or {}).get(name, NOTHING)
    found = next((each for each in recommendations if each.container_name == container), None)
    resources = None if found is None else getter(found)
    recommendation = request if found is None else (resources or {}).get(name, NOTHING)
    proportional, _ = get_proportional_resource_limit(name, limit, request, recommendation, default)
    return _Share(resources, found is not None, recommendation, limit, proportional)


def _put(share: _Share, name: str, scaled: Quantity, base: Quantity, total: Quantity, rounding: Rounding) -> None:
    value, _ = scale_quantity_proportionally(name, scaled, base, total, rounding)
    if not share.recommended:
        raise Panic(NIL_DEREFERENCE)
    if share.resources is None:
        raise Panic(ASSIGNMENT_TO_NIL_MAP)
    share.resources[name] = value
