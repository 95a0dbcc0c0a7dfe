"""What all LimitRanges of a namespace ask for together (pkg/utils/limitrange/limit_range_calculator.go)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lockstep.wire.quantity import Quantity
from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer
from lockstep_reference.vpa.apis import CPU, MEMORY, Object, ResourceList, resource_list
from lockstep_reference.vpa.utils.quantities import compared_with

_CONTAINER = "Container"
_POD = "Pod"


@dataclass(frozen=True, slots=True)
class LimitRangeItem:
    """The bounds for limits, and the limit of who sets none; None for what no LimitRange sets."""

    max: ResourceList | None = None
    min: ResourceList | None = None
    default: ResourceList | None = None


class LimitRangeCalculator(Protocol):
    """Finds the bounds that hold in a namespace."""

    def get_container_limit_range_item(self, namespace: str) -> LimitRangeItem | None:
        """Those for each container, if there are any."""

    def get_pod_limit_range_item(self, namespace: str) -> LimitRangeItem | None:
        """Those for all containers of a pod together, if there are any."""


class LimitsRangeCalculator:
    """Reads the cache of an informer of LimitRanges (NewLimitsRangeCalculator).

    Where several LimitRanges set a default limit, upstream takes that of the one which its cache lists last, in no
    order; here it is the one that entered the cache last.
    """

    def __init__(self, limit_ranges: Indexer) -> None:
        self._limit_ranges = limit_ranges
        self._known: dict[tuple[str, str], tuple[Sequence[Object], LimitRangeItem | None]] = {}

    def get_container_limit_range_item(self, namespace: str) -> LimitRangeItem | None:
        """See LimitRangeCalculator."""
        return self._item(namespace, _CONTAINER)

    def get_pod_limit_range_item(self, namespace: str) -> LimitRangeItem | None:
        """See LimitRangeCalculator."""
        return self._item(namespace, _POD)

    def _item(self, namespace: str, limit_type: str) -> LimitRangeItem | None:
        """Computed anew only if there are other LimitRanges than last time."""
        if not len(self._limit_ranges):
            return None
        found = self._limit_ranges.by_index(NAMESPACE_INDEX, namespace)
        if not found:
            return None
        known = self._known.get((namespace, limit_type))
        if known is not None and len(known[0]) == len(found) and all(map(_is, known[0], found)):
            return known[1]
        item = merge_limit_ranges(found, limit_type)
        self._known[namespace, limit_type] = (found, item)
        return item


def _is(first: Object, second: Object) -> bool:
    return first is second


def merge_limit_ranges(limit_ranges: Iterable[Object], limit_type: str) -> LimitRangeItem | None:
    """The lowest maximum, the highest minimum and the last default of all items of a type (getLimitRangeItem).

    Resources other than CPU and memory count only in the first list of each kind.
    """
    highest: ResourceList | None = None
    lowest: ResourceList | None = None
    default: ResourceList | None = None
    for limit_range in limit_ranges:
        for item in limit_range["spec"].get("limits") or ():
            if item.get("type") != limit_type:
                continue
            if item.get("default") is not None:
                default = resource_list(item["default"])
            highest = _updated(highest, resource_list(item.get("max")), _lower)
            lowest = _updated(lowest, resource_list(item.get("min")), _higher)
    if highest is None and lowest is None and default is None:
        return None
    return LimitRangeItem(highest, lowest, default)


def _lower(first: Quantity, second: Quantity) -> Quantity:
    return compared_with(first, second) if first.compare(second) < 0 else second


def _higher(first: Quantity, second: Quantity) -> Quantity:
    return compared_with(first, second) if first.compare(second) > 0 else second


def _updated(
    result: ResourceList | None, item: ResourceList | None, pick: Callable[[Quantity, Quantity], Quantity]
) -> ResourceList | None:
    if item is None or result is None:
        return result if item is None else item
    for name in (CPU, MEMORY):
        if name in item:
            result[name] = pick(result[name], item[name]) if name in result else item[name]
    return result
