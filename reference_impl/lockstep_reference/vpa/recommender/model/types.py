"""Amounts of resources, and what identifies pods, containers and VPAs (pkg/recommender/model/types.go).

A resource amount is a whole number: of millicores for CPU, of bytes for memory, from 0 to MAX_RESOURCE_AMOUNT.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from lockstep.wire.gomath import MIN_INT64, ceil_to_int64, int64
from lockstep.wire.quantity import BINARY_SI, DECIMAL_SI, Quantity, parse_quantity
from lockstep_reference.vpa.apis import CPU, MEMORY, ResourceList

#: Amounts by resource name: CPU and MEMORY.
Resources = Mapping[str, int]

MAX_RESOURCE_AMOUNT = 10**14
#: A recommendation covers these unless a policy says otherwise (DefaultControlledResources).
DEFAULT_CONTROLLED_RESOURCES = (CPU, MEMORY)
_MILLI = -3
_BINARY_UNITS = (("Ti", 2**40), ("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10))


class PodID(NamedTuple):
    """Which pod."""

    namespace: str
    pod_name: str


class ContainerID(NamedTuple):
    """Which container of which pod."""

    pod_id: PodID
    container_name: str


class VpaID(NamedTuple):
    """Which VerticalPodAutoscaler."""

    namespace: str
    vpa_name: str


def cpu_amount_from_cores(cores: float) -> int:
    """Millicores, cut off (CPUAmountFromCores)."""
    return _resource_amount_from_float(cores * 1000.0)


def memory_amount_from_bytes(number: float) -> int:
    """Bytes, cut off (MemoryAmountFromBytes)."""
    return _resource_amount_from_float(number)


def scale_resource(amount: int, factor: float) -> int:
    """The amount times a factor, cut off (ScaleResource)."""
    return _resource_amount_from_float(float(amount) * factor)


def _resource_amount_from_float(amount: float) -> int:
    """NaN becomes the smallest integer, as on amd64 (resourceAmountFromFloat)."""
    if 0.0 <= amount <= MAX_RESOURCE_AMOUNT:
        return int(amount)
    if amount > MAX_RESOURCE_AMOUNT:
        return MAX_RESOURCE_AMOUNT
    return 0 if amount < 0 else MIN_INT64


def resources_as_resource_list(
    resources: Resources, humanize_memory: bool, round_cpu_millicores: int, round_memory_bytes: int
) -> ResourceList:
    """Amounts as quantities (ResourcesAsResourceList)."""
    result = {}
    if CPU in resources:
        result[CPU] = _cpu_quantity(resources[CPU], round_cpu_millicores)
    if MEMORY in resources:
        result[MEMORY] = _memory_quantity(resources[MEMORY], humanize_memory, round_memory_bytes)
    return result


@lru_cache(maxsize=16384)
def _cpu_quantity(amount: int, rounding: int) -> Quantity:
    if amount and rounding != 1:
        amount = round_up_to_scale(amount, rounding)
    return _with_text(Quantity(amount, _MILLI, DECIMAL_SI))


@lru_cache(maxsize=16384)
def _memory_quantity(amount: int, humanize: bool, rounding: int) -> Quantity:
    if amount and rounding != 1:
        amount = round_up_to_scale(amount, rounding)
    if amount and humanize:
        return parse_quantity(humanize_memory_quantity(amount))
    return _with_text(Quantity(amount, 0, BINARY_SI))


def _with_text(quantity: Quantity) -> Quantity:
    """It is printed many times, since recommendations seldom change."""
    quantity.text = str(quantity)
    return quantity


def resource_names_api_to_model(names: Iterable[str]) -> list[str]:
    """Those that the model knows, in order (ResourceNamesApiToModel)."""
    return [name for name in names if name in DEFAULT_CONTROLLED_RESOURCES]


def humanize_memory_quantity(number: int) -> str:
    """Bytes with two decimals of the largest binary unit that fits (HumanizeMemoryQuantity)."""
    for suffix, size in _BINARY_UNITS:
        if number >= size:
            return f"{float(number) / size:.2f}{suffix}"
    return str(number)


def round_up_to_scale(value: int, scale: int) -> int:
    """The next multiple of `scale`; the same number if that is not positive (RoundUpToScale)."""
    if scale <= 0:
        return value
    return int64(ceil_to_int64(float(value) / float(scale)) * scale)
