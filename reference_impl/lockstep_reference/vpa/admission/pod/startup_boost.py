"""More CPU for a container while it starts, behind the gate CPUStartupBoost (pkg/.../pod/patch/resource_updates.go)."""

from __future__ import annotations

from lockstep.wire.gomath import float_to_int64
from lockstep.wire.quantity import DECIMAL_SI, Quantity
from lockstep_reference.vpa.admission.pod.calculators import CalculationError
from lockstep_reference.vpa.apis import (
    CONTROLLED_VALUES_REQUESTS_AND_LIMITS,
    CONTROLLED_VALUES_REQUESTS_ONLY,
    CPU,
    Object,
    ResourceList,
    quantity,
    quantity_from_wire,
    resource_list,
)
from lockstep_reference.vpa.utils.annotations import original_resources_value, startup_cpu_boost_key
from lockstep_reference.vpa.utils.patches import PatchRecord, add_annotation
from lockstep_reference.vpa.utils.quantities import NOTHING, new_milli_quantity
from lockstep_reference.vpa.utils.vpa.limit_and_request_scaling import (
    ContainerResources,
    get_proportional_limit,
)
from lockstep_reference.vpa.utils.vpa.policies import (
    get_container_controlled_values,
    get_container_resource_policy,
)

_FACTOR, _QUANTITY = "Factor", "Quantity"


class StartupBoost:
    """Boosts containers up to `max_allowed`, which is nothing if there is no bound (applyCPUStartupBoost)."""

    def __init__(self, max_allowed: Quantity) -> None:
        self._max_allowed = max_allowed

    def apply(self, container: Object, vpa: Object, given: ContainerResources) -> list[PatchRecord]:
        """Raise what the container is given, and note what it had. Raises CalculationError."""
        name = container.get("name") or ""
        boost = _policy_of(name, vpa)
        if boost is None:
            return []
        resources = container.get("resources") or {}
        requests, limits = resource_list(resources.get("requests")), resource_list(resources.get("limits"))
        base = (given.requests or {}).get(CPU, NOTHING)
        if not base.unscaled:
            base = (requests or {}).get(CPU, NOTHING)
        boosted = self._boosted(base, boost)
        given.requests = {**(given.requests or {}), CPU: boosted}
        controlled = get_container_controlled_values(name, vpa["spec"].get("resourcePolicy"))
        if controlled == CONTROLLED_VALUES_REQUESTS_ONLY:
            _cap_to_container_limit(given.requests, limits or {})
        elif controlled == CONTROLLED_VALUES_REQUESTS_AND_LIMITS:
            proportional, _ = get_proportional_limit(limits, requests, {CPU: boosted}, {})
            given.limits = {**(given.limits or {}), **{key: (proportional or {})[key] for key in (proportional or {})}}
        return [add_annotation(startup_cpu_boost_key(name), original_resources_value(container))]

    def _boosted(self, base: Quantity, boost: Object) -> Quantity:
        """The larger amount (calculateBoostedCPU)."""
        boosted = _boosted_value(base, boost.get("cpu") or {})
        if self._max_allowed.unscaled and boosted.compare(self._max_allowed) > 0:
            return self._max_allowed
        return boosted


def _policy_of(name: str, vpa: Object) -> Object | None:
    """The container's own boost, else that of the whole VPA (getContainerStartupBoostPolicy)."""
    policy = get_container_resource_policy(name, vpa["spec"].get("resourcePolicy")) or {}
    found: Object | None = policy.get("startupBoost")
    return found if found is not None else vpa["spec"].get("startupBoost")


def _boosted_value(base: Quantity, boost: Object) -> Quantity:
    """By a factor, or by an amount, in millis (calculateBoostedCPUValue). Raises CalculationError."""
    kind = boost.get("type") or _FACTOR
    if kind == _FACTOR:
        factor = boost.get("factor")
        if factor is None:
            raise CalculationError("startupBoost.CPU.Factor is required when Type is Factor or not specified")
        if factor < 1:
            raise CalculationError("boost factor must be >= 1")
        return new_milli_quantity(float_to_int64(float(base.milli_value()) * float(factor)), DECIMAL_SI)
    if kind == _QUANTITY:
        if boost.get("quantity") is None:
            raise CalculationError("startupBoost.CPU.Quantity is required when Type is Quantity")
        return new_milli_quantity(base.milli_value() + quantity_from_wire(boost["quantity"]).milli_value(), DECIMAL_SI)
    raise CalculationError(f"unsupported startup boost type: {kind}")


def _cap_to_container_limit(requests: ResourceList, limits: ResourceList) -> None:
    """Stay a milli below the limit, so that the pod keeps its class of service (capStartupBoostToContainerLimit)."""
    limit = limits.get(CPU)
    if limit is not None and requests[CPU].milli_value() > limit.milli_value():
        milli = quantity("1m")
        requests[CPU] = new_milli_quantity(limit.milli_value() - 1, limit.format) if limit.compare(milli) > 0 else limit
