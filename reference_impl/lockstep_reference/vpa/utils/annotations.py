"""The annotations that the VPA sets on pods (pkg/utils/annotations)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from lockstep_reference.vpa.apis import (
    CPU,
    MEMORY,
    Object,
    ResourceList,
    resource_list,
    resource_list_to_wire,
)

#: Set by the updater on a pod that it has resized.
IN_PLACE_UPDATED = "vpaInPlaceUpdated"
#: The containers that the admission controller saw in the pod.
OBSERVED_CONTAINERS = "vpaObservedContainers"
#: Before the name of a container whose CPU is boosted; the value is what it had before, as JSON.
STARTUP_CPU_BOOST_PREFIX = "vpaCpuStartupBoost/"

_SEPARATOR = ", "
_DNS_1123_LABEL = re.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_MAX_LABEL = 63


@dataclass(frozen=True, slots=True)
class OriginalResources:
    """The resources of a container before its CPU boost."""

    requests: ResourceList | None
    limits: ResourceList | None


def annotations_of(pod: Object) -> Mapping[str, str]:
    """The pod's annotations, empty if it has none."""
    annotations: Mapping[str, str] | None = pod["metadata"].get("annotations")
    return annotations or {}


def in_place_updated_value() -> str:
    """The value of `vpaInPlaceUpdated` (GetVpaInPlaceUpdatedValue)."""
    return "true"


def observed_containers_value(pod: Object) -> str:
    """The names of the pod's containers, as `vpaObservedContainers` lists them (GetVpaObservedContainersValue)."""
    return _SEPARATOR.join(container.get("name") or "" for container in pod["spec"].get("containers") or ())


def parse_observed_containers(pod: Object) -> frozenset[str] | None:
    """The containers that the annotation lists; None if it is missing or invalid (parseVpaObservedContainers).

    One name that is not a DNS label makes it invalid.
    """
    value = annotations_of(pod).get(OBSERVED_CONTAINERS)
    if value is None:
        return None
    if not value:
        return frozenset()
    names = value.split(_SEPARATOR)
    if all(len(name) <= _MAX_LABEL and _DNS_1123_LABEL.fullmatch(name) for name in names):
        return frozenset(names)
    return None


def startup_cpu_boost_key(container_name: str) -> str:
    """The annotation of that container (GetStartupCPUBoostAnnotationKey)."""
    return STARTUP_CPU_BOOST_PREFIX + container_name


def original_resources_value(container: Object) -> str:
    """CPU and memory of a container's spec as JSON (GetOriginalResourcesAnnotationValue)."""
    resources = container.get("resources") or {}
    original = {field: _cpu_and_memory(resource_list(resources.get(field))) for field in ("requests", "limits")}
    return json.dumps(original, separators=(",", ":"))


def _cpu_and_memory(resources: ResourceList | None) -> dict[str, str]:
    return resource_list_to_wire({name: (resources or {})[name] for name in (CPU, MEMORY) if name in (resources or {})})


def original_resources_of(pod: Object, container_name: str) -> OriginalResources | None:
    """The container's resources before its boost; None if it is not boosted (GetOriginalResourcesFromAnnotation).

    Raises ValueError if the annotation is invalid.
    """
    value = annotations_of(pod).get(startup_cpu_boost_key(container_name))
    if value is None:
        return None
    found = json.loads(value)
    if found is None:
        return OriginalResources(None, None)
    fields = [found.get(name) for name in ("requests", "limits")] if isinstance(found, dict) else [found]
    if len(fields) == 1 or any(each is not None and not isinstance(each, dict) for each in fields):
        raise ValueError(f"annotation {startup_cpu_boost_key(container_name)} has no lists of resources: {value}")
    return OriginalResources(resource_list(fields[0]), resource_list(fields[1]))
