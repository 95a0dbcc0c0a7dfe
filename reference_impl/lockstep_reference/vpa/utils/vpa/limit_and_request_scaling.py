"""Limits that keep their proportion to requests, and the other way round (pkg/utils/vpa/limit_and_request_scaling.go).

Products are exact and quotients cut to whole millis for CPU, whole units for memory; what does not fit into 64 bits
becomes the largest number.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from lockstep.wire.gomath import MAX_INT64, MIN_INT64, int64
from lockstep.wire.powers_of_ten import divide_up
from lockstep.wire.quantity import Quantity
from lockstep_reference.vpa.apis import CPU, MEMORY, ResourceList
from lockstep_reference.vpa.utils.quantities import (
    NO_CPU,
    NO_MEMORY,
    NOTHING,
    euclidean_division,
    new_milli_quantity,
    new_quantity,
)


@dataclass(slots=True)
class ContainerResources:
    """What a container shall get. None where nothing is said."""

    requests: ResourceList | None = None
    limits: ResourceList | None = None

    def remove_empty_resource_key(self) -> bool:
        """Drop the resource without a name; whether there was one (RemoveEmptyResourceKeyIfAny)."""
        lists = [each for each in (self.limits, self.requests) if each is not None and "" in each]
        for resources in lists:
            del resources[""]
        return bool(lists)


class Rounding(Enum):
    """What happens to a remainder (roundingMode)."""

    NONE = auto()
    UP_TO_FULL_UNIT = auto()
    DOWN_TO_FULL_UNIT = auto()


def get_proportional_limit(
    original_limit: ResourceList | None,
    original_request: ResourceList | None,
    recommendation: ResourceList | None,
    default_limit: ResourceList | None,
) -> tuple[ResourceList | None, list[str]]:
    """Limits in the proportion to the recommendation that they had to the request, and remarks for an annotation.

    None if neither CPU nor memory gets a limit; then there are no remarks either (GetProportionalLimit).
    """
    result: ResourceList = {}
    remarks: list[str] = []
    for name, missing in ((CPU, NO_CPU), (MEMORY, NO_MEMORY)):
        limit, remark = get_proportional_resource_limit(
            name,
            (original_limit or {}).get(name, missing),
            (original_request or {}).get(name, missing),
            (recommendation or {}).get(name, missing),
            (default_limit or {}).get(name, missing),
        )
        if remark:
            remarks.append(remark)
        if limit is not None:
            result[name] = limit
    return (result, remarks) if result else (None, [])


def get_proportional_resource_limit(
    name: str,
    original_limit: Quantity,
    original_request: Quantity,
    recommended_request: Quantity,
    default_limit: Quantity,
) -> tuple[Quantity | None, str]:
    """The same for one resource (getProportionalResourceLimit)."""
    limit = original_limit if original_limit.value() else default_limit
    if not limit.value():
        return None, f"{name}: limit NOT set since originalLimit is nil or 0"
    if not recommended_request.value():
        return None, f"{name}: limit NOT set since recommendedRequest is nil or 0"
    # Kubernetes takes the limit for a request that is not set, so the two are equal in both cases.
    if not original_request.value() or original_request.milli_value() == limit.milli_value():
        return recommended_request, ""
    result, capped = scale_quantity_proportionally(name, limit, original_request, recommended_request)
    return result, f"{name}: failed to keep limit to request ratio; capping limit to int64" if capped else ""


def get_boundary_request(
    name: str, original_request: Quantity, original_limit: Quantity, boundary_limit: Quantity, default_limit: Quantity
) -> Quantity:
    """The request whose limit, in the original proportion, is `boundary_limit`; 0 if there is no boundary.

    Upstream: GetBoundaryRequest.
    """
    limit = original_limit if original_limit.value() else default_limit
    if not limit.value():
        return NOTHING
    if not original_request.value():
        return boundary_limit
    return scale_quantity_proportionally(name, original_request, limit, boundary_limit)[0]


def scale_quantity_proportionally(
    name: str, scaled: Quantity, base: Quantity, result: Quantity, rounding: Rounding = Rounding.NONE
) -> tuple[Quantity, bool]:
    """What has the proportion to `scaled` that `result` has to `base`, and whether it is cut to 64 bits.

    CPU is counted in millis, everything else in units (scaleQuantityProportionallyCPU, scaleQuantityProportionallyMem).
    Raises Panic, as upstream, for memory in proportion to nothing.
    """
    if name == CPU:
        return _scale_cpu(scaled, base, result, rounding)
    units, _ = euclidean_division(scaled.value() * result.value(), base.value())
    if not MIN_INT64 <= units <= MAX_INT64:
        return new_quantity(MAX_INT64, scaled.format), True
    quantity = new_quantity(units, scaled.format)
    return (_rounded_down(quantity) if rounding is Rounding.DOWN_TO_FULL_UNIT else quantity), False


def _rounded_down(units: Quantity) -> Quantity:
    """Without 999 millis, and then rounded away from zero: one less, unless it is positive, and maybe another form."""
    less = units.plus(new_milli_quantity(-999, units.format))
    return Quantity(divide_up(less.unscaled, -less.scale), 0, units.format, big=less.big)


def _scale_cpu(scaled: Quantity, base: Quantity, result: Quantity, rounding: Rounding) -> tuple[Quantity, bool]:
    if not base.unscaled:
        return scaled, False
    millis, remainder = euclidean_division(scaled.milli_value() * result.milli_value(), base.milli_value())
    if not MIN_INT64 <= millis <= MAX_INT64:
        return new_milli_quantity(MAX_INT64, scaled.format), True
    if remainder and rounding is Rounding.UP_TO_FULL_UNIT:
        millis = int64(millis + 1)
    return new_milli_quantity(millis, scaled.format), False
