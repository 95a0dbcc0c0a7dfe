"""The resize itself (pkg/updater/inplace/resource_updates.go)."""

from __future__ import annotations

from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.admission.pod.recommendation import RecommendationProvider
from lockstep_reference.vpa.apis import UPDATE_MODE_OFF, Object, ResourceList
from lockstep_reference.vpa.updater.inplace.calculator import RESIZE
from lockstep_reference.vpa.utils.annotations import (
    annotations_of,
    original_resources_of,
    startup_cpu_boost_key,
)
from lockstep_reference.vpa.utils.patches import (
    PatchRecord,
    add_resource,
    initialize_resources,
    initialize_resources_subfield,
)
from lockstep_reference.vpa.utils.vpa.limit_and_request_scaling import ContainerResources
from lockstep_reference.vpa.utils.vpa.policies import get_update_mode
from lockstep_reference.vpa.utils.vpa.startup_boost import get_expired_startup_cpu_boost_annotations


class ResourceInPlaceUpdatesCalculator:
    """Gives each container what is recommended, or what it had before its boost (NewResourceInPlaceUpdatesCalculator).

    A container is left alone while its boost lasts. With the mode Off only boosts are ended.
    """

    target = RESIZE

    def __init__(self, recommendation_provider: RecommendationProvider, clock: Clock) -> None:
        self._provider = recommendation_provider
        self._clock = clock

    def calculate_patches(self, pod: Object, vpa: Object) -> list[PatchRecord]:
        """See PatchCalculator."""
        containers = pod["spec"].get("containers") or ()
        expired = get_expired_startup_cpu_boost_annotations(pod, vpa, self._clock.now())
        off = get_update_mode(vpa) == UPDATE_MODE_OFF
        if off:
            recommended = [ContainerResources() for _ in containers]
        else:
            recommended = self._provider.get_containers_resources_for_pod(pod, vpa)[0]
        patches: list[PatchRecord] = []
        for index, container in enumerate(containers):
            name = container.get("name") or ""
            key = startup_cpu_boost_key(name)
            resources = recommended[index]
            if key in expired:
                resources = _for_unboost(pod, name, resources)
            elif off or key in annotations_of(pod):
                continue
            patches += _container_patch(container, index, resources)
        return patches


def _for_unboost(pod: Object, name: str, recommended: ContainerResources) -> ContainerResources:
    """What it had before, if nothing is recommended (getContainerResourcesForUnboost). Raises ValueError."""
    original = original_resources_of(pod, name)
    if recommended.requests or recommended.limits or original is None:
        return recommended
    return ContainerResources(original.requests, original.limits)


def _container_patch(container: Object, index: int, resources: ContainerResources) -> list[PatchRecord]:
    """What is to be set in one container, also what it has already (getContainerPatch)."""
    current = container.get("resources") or {}
    patches: list[PatchRecord] = []
    if current.get("limits") is None and current.get("requests") is None:
        patches.append(initialize_resources(index))
    wanted: tuple[tuple[str, ResourceList | None], ...] = (
        ("requests", resources.requests),
        ("limits", resources.limits),
    )
    for kind, values in wanted:
        if current.get(kind) is None and values:
            patches.append(initialize_resources_subfield(index, kind))
        patches += [add_resource(index, kind, name, value) for name, value in (values or {}).items()]
    return patches
