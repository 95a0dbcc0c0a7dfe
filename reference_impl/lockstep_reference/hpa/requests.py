"""What pods request of a resource, in milli-units.

Source: pkg/controller/podautoscaler/replica_calculator.go (calculateRequests and its helpers), k8s.io/component-helpers
resource/helpers.go (PodRequests).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lockstep.wire.gomath import int64
from lockstep.wire.quantity import Quantity, parse_milli_value, parse_quantity
from lockstep_reference.hpa.metrics import MetricsError
from lockstep_reference.hpa.pod_facts import PodFacts

_NONE: Mapping[str, Any] = {}


def calculate_requests(
    pods: Iterable[PodFacts], container: str, resource: str, *, pod_level_resources: bool
) -> dict[str, int]:
    """By pod name (calculateRequests): of one container, or for "" of the pod as a whole. Raises MetricsError.

    `pod_level_resources`: whether requests that are made for a whole pod count.
    """
    requests = {}
    for pod in pods:
        spec = pod.object["spec"]
        if pod_level_resources and not container and _is_pod_level_requests_set(spec):
            requests[pod.name] = _pod_level_requests(spec, pod.name, resource)
        else:
            requests[pod.name] = _requests_from_containers(spec, pod.name, container, resource)
    return requests


def _is_pod_level_requests_set(spec: Mapping[str, Any]) -> bool:
    """IsPodLevelRequestsSet."""
    requests = (spec.get("resources") or _NONE).get("requests") or _NONE
    return any(map(_is_supported_pod_level_resource, requests))


def _is_supported_pod_level_resource(name: str) -> bool:
    return name in ("cpu", "memory") or name.startswith("hugepages-")


def _pod_level_requests(spec: Mapping[str, Any], pod: str, resource: str) -> int:
    """Of the pod as a whole (calculatePodLevelRequests)."""
    found = _pod_requests(spec, resource)
    if found is None:
        raise MetricsError(f"missing pod-level request for {resource} in Pod {pod}")
    return found.milli_value()


def _pod_requests(spec: Mapping[str, Any], resource: str) -> Quantity | None:
    """Of the pod as a whole, else of its containers; with its overhead (PodRequests)."""
    whole = _quantity(spec["resources"].get("requests"), resource)
    if whole is None or not _is_supported_pod_level_resource(resource):
        whole = _aggregate_container_requests(spec, resource)
    return _sum(whole, _quantity(spec.get("overhead"), resource))


def _aggregate_container_requests(spec: Mapping[str, Any], resource: str) -> Quantity | None:
    """All containers at once, or the most that an init container needs with the side-cars before it."""
    total: Quantity | None = None
    for container in spec.get("containers") or ():
        total = _sum(total, _requested(container, resource))
    sidecars: Quantity | None = None
    most: Quantity | None = None
    for container in spec.get("initContainers") or ():
        requested = _requested(container, resource)
        if _is_sidecar(container):
            total, sidecars = _sum(total, requested), _sum(sidecars, requested)
            most = _larger(most, sidecars)
        else:
            most = _larger(most, _sum(requested, sidecars))
    return _larger(total, most)


def _requests_from_containers(spec: Mapping[str, Any], pod: str, container: str, resource: str) -> int:
    """Side-cars count, other init containers do not (calculatePodRequestsFromContainers)."""
    sidecars = [one for one in spec.get("initContainers") or () if _is_sidecar(one)]
    total = 0
    for one in (*spec["containers"], *sidecars):
        name = one["name"]
        if container in ("", name):
            requested = ((one.get("resources") or _NONE).get("requests") or _NONE).get(resource)
            if requested is None:
                raise MetricsError(f"missing request for {resource} in container {name} of Pod {pod}")
            total += parse_milli_value(requested)
        if container == name:
            return int64(total)
    if container:
        raise MetricsError(f"container {container} not found in Pod {pod}")
    return int64(total)


def _is_sidecar(container: Mapping[str, Any]) -> bool:
    return container.get("restartPolicy") == "Always"


def _requested(container: Mapping[str, Any], resource: str) -> Quantity | None:
    return _quantity((container.get("resources") or _NONE).get("requests"), resource)


def _quantity(resources: Mapping[str, str] | None, resource: str) -> Quantity | None:
    text = (resources or _NONE).get(resource)
    return None if text is None else parse_quantity(text)


def _sum(first: Quantity | None, second: Quantity | None) -> Quantity | None:
    """Both together, where one may be missing (addResourceList)."""
    if first is None or second is None:
        return first or second
    return first.plus(second)


def _larger(first: Quantity | None, second: Quantity | None) -> Quantity | None:
    """The larger one, where one may be missing (maxResourceList)."""
    if first is None or second is None:
        return first or second
    return second if second.compare(first) > 0 else first
