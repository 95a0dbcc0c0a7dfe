"""Requests and limits as recommended, and an annotation that tells of it (pkg/.../pod/patch/resource_updates.go).

Upstream goes through maps of resources in no order; here they come as the recommendation lists them.
"""

from __future__ import annotations

from lockstep.wire.gojson import DecodeError
from lockstep.wire.quantity import InvalidQuantity
from lockstep_reference.vpa.admission.pod.calculators import CalculationError
from lockstep_reference.vpa.admission.pod.recommendation import RecommendationProvider
from lockstep_reference.vpa.admission.pod.startup_boost import StartupBoost
from lockstep_reference.vpa.apis import CONTAINER_SCALING_MODE_OFF, UPDATE_MODE_OFF, Object, ResourceList
from lockstep_reference.vpa.utils.patches import (
    PatchRecord,
    add_annotation,
    add_resource,
    initialize_resources,
    initialize_resources_subfield,
)
from lockstep_reference.vpa.utils.resources import container_requests_and_limits
from lockstep_reference.vpa.utils.vpa.limit_and_request_scaling import ContainerResources
from lockstep_reference.vpa.utils.vpa.policies import get_container_resource_policy, get_update_mode

UPDATES_ANNOTATION = "vpaUpdates"


class ResourceUpdates:
    """See the module (NewResourceUpdatesCalculator). `boost` is None while its feature gate is off."""

    def __init__(self, provider: RecommendationProvider, boost: StartupBoost | None) -> None:
        self._provider = provider
        self._boost = boost

    def calculate_patches(self, pod: Object, vpa: Object) -> list[PatchRecord]:
        """See Calculator (CalculatePatches). Raises Panic where upstream does."""
        try:
            resources, remarks = self._provider.get_containers_resources_for_pod(pod, vpa)
        except (InvalidQuantity, DecodeError) as error:
            where = f"{pod['metadata'].get('namespace') or ''}/{pod['metadata']['name']}"
            raise CalculationError(f"failed to calculate resource patch for pod {where}: {error}") from error
        if get_update_mode(vpa) == UPDATE_MODE_OFF:
            # nothing is applied then but the boost of the start
            resources, remarks = [ContainerResources() for _ in resources], {}
        patches: list[PatchRecord] = []
        updates: list[str] = []
        for index, given in enumerate(resources):
            name = pod["spec"]["containers"][index].get("name") or ""
            if self._boost is not None:
                policy = get_container_resource_policy(name, vpa["spec"].get("resourcePolicy"))
                if policy is not None and policy.get("mode") == CONTAINER_SCALING_MODE_OFF:
                    continue
                patches += self._boost.apply(pod["spec"]["containers"][index], vpa, given)
            found, told = _container_patch(pod, index, name, given, remarks.get(name, []))
            if found:
                patches += found
                updates.append(f"container {index}: {', '.join(told)}")
        if updates:
            text = f"Pod resources updated by {vpa['metadata']['name']}: {'; '.join(updates)}"
            patches.append(add_annotation(UPDATES_ANNOTATION, text))
        return patches


def _container_patch(
    pod: Object, index: int, name: str, given: ContainerResources, remarks: list[str]
) -> tuple[list[PatchRecord], list[str]]:
    """The patches of one container, and what the annotation says of it (getContainerPatch)."""
    requests, limits = container_requests_and_limits(name, pod)
    patches = [initialize_resources(index)] if requests is None and limits is None else []
    told = list(remarks)
    for current, wanted, kind in ((requests, given.requests, "request"), (limits, given.limits, "limit")):
        if current is None and wanted:
            patches.append(initialize_resources_subfield(index, f"{kind}s"))
        values: ResourceList = wanted or {}
        for resource, value in values.items():
            patches.append(add_resource(index, f"{kind}s", resource, value))
            told.append(f"{resource} {kind}")
    return patches, told
