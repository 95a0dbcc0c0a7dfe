"""The target of an HPA: the scale of what it scales (horizontal.go, reconcileAutoscaler, scaleForResourceMappings)."""

from __future__ import annotations

from typing import NamedTuple

from lockstep_reference.hpa.plan import InvalidTarget, Plan
from lockstep_reference.hpa.rescale import SCALE_ERRORS
from lockstep_reference.machinery.discovery import DiscoveryErrors
from lockstep_reference.machinery.restmapper import DeferredDiscoveryRESTMapper, NoMatchError
from lockstep_reference.machinery.scale import Scale, ScaleClient, ScaleError

_ERRORS = (InvalidTarget, NoMatchError, ScaleError, *DiscoveryErrors)


class Target(NamedTuple):
    """The scale, and the resource at which it was found."""

    group: str
    resource: str
    scale: Scale


class TargetError(Exception):
    """The target's scale cannot be read: `cause` is for users, `str()` also says what was attempted."""

    def __init__(self, what: str, cause: Exception) -> None:
        super().__init__(f"{what}: {cause}")
        self.cause = str(cause)


class TargetFinder:
    """Finds targets."""

    def __init__(self, mapper: DeferredDiscoveryRESTMapper, scales: ScaleClient) -> None:
        self._mapper = mapper
        self._scales = scales

    async def find(self, plan: Plan, namespace: str) -> Target:
        """The scale, from the first version of the target's kind that serves it. Raises TargetError."""
        what = "invalid API version in scale target reference"
        try:
            group = plan.target_group()
            what = "unable to determine resource for scale target reference"
            mappings = await self._mapper.rest_mappings(group, plan.kind)
            what = f"failed to query scale subresource for {plan.reference}"
            first: Exception = ScaleError("unrecognized resource")
            for index, (found, _, resource) in enumerate(mappings):
                try:
                    scale = await self._scales.get(found, resource, namespace, plan.name)
                except SCALE_ERRORS as error:
                    if index == 0:
                        first = error
                else:
                    return Target(found, resource, scale)
            raise first
        except _ERRORS as error:
            raise TargetError(what, error) from error
