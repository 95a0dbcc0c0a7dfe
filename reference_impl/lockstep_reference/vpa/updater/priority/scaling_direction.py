"""Evictions only in the direction that a VPA allows, up or down.

Upstream: pkg/updater/priority/scaling_direction_pod_eviction_admission.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lockstep_reference.vpa.apis import CPU, MEMORY, Object, RecommendedPodResources, ResourceList
from lockstep_reference.vpa.updater.restriction.group_stats import pod_id
from lockstep_reference.vpa.utils.quantities import NOTHING
from lockstep_reference.vpa.utils.resources import container_requests_and_limits

_HIGHER = "TargetHigherThanRequests"
_LOWER = "TargetLowerThanRequests"


class ScalingDirectionPodEvictionAdmission:
    """Holds the requirements of all pods under a VPA during one loop."""

    def __init__(self) -> None:
        self._requirements: dict[str, Sequence[Object]] = {}

    def loop_init(self, controlled_pods: Iterable[tuple[Object, Sequence[Object]]]) -> None:
        """A loop begins with these VPAs and their pods (LoopInit)."""
        self._requirements = {}
        for vpa, pods in controlled_pods:
            policy = vpa["spec"].get("updatePolicy")
            if policy is not None:
                requirements = policy.get("evictionRequirements") or ()
                self._requirements.update((pod_id(pod), requirements) for pod in pods)

    def clean_up(self) -> None:
        """There are no VPAs (CleanUp)."""
        self._requirements = {}

    def admit(self, pod: Object, recommendation: RecommendedPodResources | None) -> bool:
        """Whether the pod may be updated (Admit).

        It may if all requirements hold for one of its containers, or if one does not request both CPU and memory. If no
        container has a recommendation it may not, unless its VPA has no update policy.
        """
        requirements = self._requirements.get(pod_id(pod))
        if requirements is None:
            return True
        for container in pod["spec"].get("containers") or ():
            name = container.get("name") or ""
            found = next((each for each in recommendation or () if each.container_name == name), None)
            if found is not None:
                requests = container_requests_and_limits(name, pod)[0] or {}
                if CPU not in requests or MEMORY not in requests:
                    return True
                if all(_holds(requirement, requests, found.target or {}) for requirement in requirements):
                    return True
        return False


def _holds(requirement: Object, requests: ResourceList, target: ResourceList) -> bool:
    """Whether the requirement holds for at least one of its resources (checkEvictionRequirementsForContainer)."""
    change = requirement.get("changeRequirement")
    for name in requirement.get("resources") or ():
        has, wanted = requests.get(name, NOTHING).milli_value(), target.get(name, NOTHING).milli_value()
        if (change == _HIGHER and wanted > has) or (change == _LOWER and wanted < has):
            return True
    return False
