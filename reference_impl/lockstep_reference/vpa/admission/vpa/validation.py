"""What a VPA object must keep to (pkg/admission-controller/resource/vpa/validation.go).

What a feature gate forbids is let through if the object had it before: a gate that is turned off breaks no object. The
check that a new VPA has a targetRef is there in upstream, and never made: here it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lockstep.wire.quantity import Quantity
from lockstep_reference.machinery.field import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    required,
    too_many,
)
from lockstep_reference.vpa.apis import (
    CONTAINER_SCALING_MODE_AUTO,
    CONTAINER_SCALING_MODE_OFF,
    CONTROLLED_VALUES_REQUESTS_AND_LIMITS,
    CPU,
    MEMORY,
    UPDATE_MODE_AUTO,
    UPDATE_MODE_IN_PLACE,
    UPDATE_MODE_IN_PLACE_OR_RECREATE,
    UPDATE_MODE_INITIAL,
    UPDATE_MODE_OFF,
    UPDATE_MODE_RECREATE,
    Object,
    quantity_from_wire,
    resource_list,
)
from lockstep_reference.vpa.features import CPU_STARTUP_BOOST, IN_PLACE, PER_VPA_CONFIG, enabled

#: Sorted, without the deprecated one (GetUpdateModesList).
_UPDATE_MODES = (
    UPDATE_MODE_IN_PLACE,
    UPDATE_MODE_IN_PLACE_OR_RECREATE,
    UPDATE_MODE_INITIAL,
    UPDATE_MODE_OFF,
    UPDATE_MODE_RECREATE,
)
_SCALING_MODES = (CONTAINER_SCALING_MODE_AUTO, CONTAINER_SCALING_MODE_OFF)
_FACTOR, _QUANTITY = "Factor", "Quantity"
_PER_VPA_FIELDS = (
    "oomBumpUpRatio",
    "oomMinBumpUp",
    "memoryAggregationIntervalCount",
    "memoryAggregationIntervalSeconds",
)
Findings = Iterator[FieldError]


@dataclass(frozen=True, slots=True)
class ValidationOptions:
    """What is allowed besides (VPAValidationOptions)."""

    cpu_startup_boost: bool
    per_vpa_config: bool
    in_place: bool


def validation_options_for(old: Object, feature_gates: Mapping[str, bool]) -> ValidationOptions:
    """What the gates allow, or the object had before; a new one had nothing (getValidationOptionsForVPA)."""
    spec = old["spec"]
    policy = spec.get("updatePolicy") or {}
    containers = _container_policies(spec)
    return ValidationOptions(
        cpu_startup_boost=enabled(CPU_STARTUP_BOOST, feature_gates)
        or (spec.get("startupBoost") or {}).get("cpu") is not None
        or any(each.get("startupBoost") is not None for each in containers),
        per_vpa_config=enabled(PER_VPA_CONFIG, feature_gates)
        or policy.get("evictAfterOOMSeconds") is not None
        or any(each.get(name) is not None for each in containers for name in _PER_VPA_FIELDS),
        in_place=enabled(IN_PLACE, feature_gates) or policy.get("updateMode") == UPDATE_MODE_IN_PLACE,
    )


def validate_vpa(vpa: Object, options: ValidationOptions) -> list[FieldError]:
    """All findings (validateVPA). Where upstream goes through a map of resources, they come in the order given."""
    return list(_spec(vpa["spec"], options))


def _container_policies(spec: Object) -> list[dict[str, Any]]:
    found = (spec.get("resourcePolicy") or {}).get("containerPolicies") or ()
    return [each or {} for each in found]


def _spec(spec: Object, options: ValidationOptions) -> Findings:
    if spec.get("updatePolicy") is not None:
        yield from _update_policy(spec["updatePolicy"], options)
    for index, policy in enumerate(_container_policies(spec)):
        yield from _container_policy(policy, f"spec.resourcePolicy.containerPolicies[{index}]", options)
    if spec.get("startupBoost") is not None:
        yield from _startup_boost(spec["startupBoost"], "spec.startupBoost", options)
    recommenders = spec.get("recommenders") or ()
    if len(recommenders) > 1:
        yield too_many("spec.recommenders", len(recommenders), 1)


def _update_policy(policy: Object, options: ValidationOptions) -> Findings:
    path = "spec.updatePolicy"
    mode = policy.get("updateMode")
    if mode is None:
        yield required(f"{path}.updateMode", "updateMode is required if UpdatePolicy is used")
    elif mode not in (*_UPDATE_MODES, UPDATE_MODE_AUTO):
        yield not_supported(f"{path}.updateMode", mode, _UPDATE_MODES)
    elif mode == UPDATE_MODE_IN_PLACE and not options.in_place:
        yield forbidden(f"{path}.updateMode", _gate_needed(f"UpdateMode {mode}", IN_PLACE))
    least = policy.get("minReplicas")
    if least is not None and least <= 0:
        yield invalid(f"{path}.minReplicas", least, "minReplicas has to be positive")
    yield from _per_vpa_number(policy, "evictAfterOOMSeconds", path, options)


def _container_policy(policy: Object, path: str, options: ValidationOptions) -> Findings:
    if not policy.get("containerName"):
        yield required(f"{path}.containerName", "")
    mode = policy.get("mode")
    if mode is not None and mode not in _SCALING_MODES:
        yield not_supported(f"{path}.mode", mode, _SCALING_MODES)
    yield from _bounds(policy, path)
    if mode == CONTAINER_SCALING_MODE_OFF and policy.get("controlledValues") == CONTROLLED_VALUES_REQUESTS_AND_LIMITS:
        why = "controlledValues shouldn't be specified if container scaling mode is off"
        yield forbidden(f"{path}.controlledValues", why)
    yield from _oom_bump_up(policy, path, options)
    yield from _per_vpa_number(policy, "memoryAggregationIntervalSeconds", path, options)
    yield from _per_vpa_number(policy, "memoryAggregationIntervalCount", path, options)
    if policy.get("startupBoost") is not None:
        yield from _startup_boost(policy["startupBoost"], f"{path}.startupBoost", options)


def _bounds(policy: Object, path: str) -> Findings:
    lowest = resource_list(policy.get("minAllowed")) or {}
    highest = resource_list(policy.get("maxAllowed")) or {}
    for name, value in lowest.items():
        yield from _resolution(f"{path}.minAllowed[{name}]", name, value)
        if name in highest and highest[name].compare(value) < 0:
            why = f'max resource for {name} is lower than min of "{value}"'
            yield invalid(f"{path}.maxAllowed[{name}]", str(highest[name]), why)
    for name, value in highest.items():
        yield from _resolution(f"{path}.maxAllowed[{name}]", name, value)


def _resolution(path: str, name: str, value: Quantity) -> Findings:
    """CPU is counted in whole millis, memory in whole bytes (validateResourceResolution)."""
    if name == CPU and not _is_whole(value, -3):
        yield invalid(path, str(value), "must be a whole number of milli CPUs")
    elif name == MEMORY and not _is_whole(value, 0):
        yield invalid(path, str(value), "must be a whole number of bytes")


def _is_whole(value: Quantity, scale: int) -> bool:
    """Whether nothing is lost in units of 10**scale (Quantity.AsScale)."""
    return value.scale >= scale or not value.unscaled % 10 ** (scale - value.scale)


def _oom_bump_up(policy: Object, path: str, options: ValidationOptions) -> Findings:
    for name in ("oomBumpUpRatio", "oomMinBumpUp"):
        if policy.get(name) is None:
            continue
        if not options.per_vpa_config:
            yield forbidden(f"{path}.{name}", _not_supported(PER_VPA_CONFIG))
            continue
        value = quantity_from_wire(policy[name])
        ratio = value.milli_value() / 1000.0
        if name == "oomBumpUpRatio" and ratio < 1.0:
            yield invalid(f"{path}.{name}", ratio, "must be greater than or equal to 1.0")
        elif name == "oomMinBumpUp" and value.value() < 0:
            yield invalid(f"{path}.{name}", value.value(), "must be greater than or equal to 0")


def _per_vpa_number(holder: Object, name: str, path: str, options: ValidationOptions) -> Findings:
    value = holder.get(name)
    if value is None:
        return
    if not options.per_vpa_config:
        yield forbidden(f"{path}.{name}", _not_supported(PER_VPA_CONFIG))
    elif value < 1:
        yield invalid(f"{path}.{name}", value, "must be greater than or equal to 1")


def _startup_boost(boost: Object, path: str, options: ValidationOptions) -> Findings:
    if not options.cpu_startup_boost:
        yield forbidden(path, _gate_needed("startupBoost", CPU_STARTUP_BOOST))
        return
    cpu = boost.get("cpu")
    if cpu is None:
        return
    kind = cpu.get("type") or ""
    if not kind:
        yield required(f"{path}.cpu.type", f"must be either {_FACTOR} or {_QUANTITY}")
    elif kind == _FACTOR:
        yield from _factor(cpu.get("factor"), f"{path}.cpu.factor")
    elif kind == _QUANTITY:
        if cpu.get("quantity") is None:
            yield required(f"{path}.cpu.quantity", "required when type is Quantity")
        else:
            yield from _resolution(f"{path}.cpu.quantity", CPU, quantity_from_wire(cpu["quantity"]))
    else:
        yield not_supported(f"{path}.cpu.type", kind, (_FACTOR, _QUANTITY))


def _factor(factor: int | None, path: str) -> Findings:
    if factor is None:
        yield required(path, "required when type is Factor")
    elif factor < 1:
        yield invalid(path, factor, "must be >= 1 for type Factor")


def _gate_needed(what: str, gate: str) -> str:
    return f"in order to use {what}, you must enable feature gate {gate} in the admission-controller args"


def _not_supported(gate: str) -> str:
    return f"not supported when feature flag {gate} is disabled"
