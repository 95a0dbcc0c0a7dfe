"""What a container has now, and whether a recommendation asks for less (pkg/utils/resources/resourcehelpers.go)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lockstep_reference.vpa.apis import Object, RecommendedPodResources, ResourceList, resource_list

_NO_OBJECT: Mapping[str, Any] = {}


def container_requests_and_limits(name: str, pod: Object) -> tuple[ResourceList | None, ResourceList | None]:
    """Requests and limits in new lists: what the kubelet reports if it does, else those of the pod's spec.

    Both None for a container that the pod does not have (ContainerRequestsAndLimits).
    """
    found = _by_name(name, (pod.get("status") or _NO_OBJECT).get("containerStatuses") or ())
    resources = None if found is None else found.get("resources")
    if resources is None:
        found = _by_name(name, (pod.get("spec") or _NO_OBJECT).get("containers") or ())
        if found is None:
            return None, None
        resources = found.get("resources") or _NO_OBJECT
    return resource_list(resources.get("requests")), resource_list(resources.get("limits"))


def _by_name(name: str, objects: Sequence[Object]) -> Object | None:
    for one in objects:
        if one.get("name") == name:
            return one
    return None


def recommendation_has_lower_resource(
    first: RecommendedPodResources | None, second: RecommendedPodResources | None
) -> bool:
    """Whether the second's target is below the first's for any resource of any container that both name.

    Which resource made a resize infeasible is not known, so any that shrinks is worth another try
    (RecommendationHasLowerResource).
    """
    if first is None or second is None:
        return False
    return any(
        has_lower_resource(one.target or {}, other.target or {})
        for one in first
        for other in second
        if one.container_name == other.container_name
    )


def has_lower_resource(first: ResourceList, second: ResourceList) -> bool:
    """Whether anything that both lists name is lower in the second (HasLowerResource)."""
    return any(name in second and second[name].compare(value) < 0 for name, value in first.items())
