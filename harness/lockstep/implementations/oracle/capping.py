"""Capping: policies, limits and LimitRanges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lockstep.wire.quantity import BINARY_SI, DECIMAL_SI, Quantity
from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer, namespace_index
from lockstep_reference.vpa.apis import (
    RecommendedPodResources,
    ResourceList,
    recommendation_of,
    recommendation_to_wire,
    resource_list,
    resource_list_to_wire,
)
from lockstep_reference.vpa.utils.limitrange import LimitRangeItem, LimitsRangeCalculator
from lockstep_reference.vpa.utils.vpa.capping import CappingRecommendationProcessor, apply_vpa_policy
from lockstep_reference.vpa.utils.vpa.limit_and_request_scaling import (
    get_boundary_request,
    get_proportional_limit,
)


def calculator_of(limit_ranges: Sequence[Any]) -> LimitsRangeCalculator:
    """The reference's calculator, with a cache of these LimitRanges."""
    indexer = Indexer({NAMESPACE_INDEX: namespace_index})
    indexer.replace(list(limit_ranges), "1")
    return LimitsRangeCalculator(indexer)


def answer(question: Any) -> Any:
    """What the recommender writes, what the pod gets, and annotations, sorted."""
    vpa = question["vpa"]
    policy, most = vpa["spec"].get("resourcePolicy"), resource_list(question["globalMax"])
    written = apply_vpa_policy(recommendation_of(vpa), policy, most)
    processor = CappingRecommendationProcessor(calculator_of(question["limitRanges"]))
    capped, annotations = processor.apply(vpa, question["pod"])
    remarks = None if capped is None else {name: sorted(each) for name, each in annotations.items()}
    return [_wire(written), _wire(capped), remarks]


def _wire(recommendation: RecommendedPodResources | None) -> Any:
    return None if recommendation is None else recommendation_to_wire(recommendation)


def answer_limits(question: Any) -> Any:
    """Limits with annotations, and the requests that belong to the boundary."""
    limit, request, target, default, boundary = (
        resource_list(question[name]) for name in ("limit", "request", "target", "default", "boundary")
    )
    limits, remarks = get_proportional_limit(limit, request, target, default)
    bounds = [
        str(get_boundary_request(name, *(_of(each, name, format_) for each in (request, limit, boundary, default))))
        for name, format_ in (("cpu", DECIMAL_SI), ("memory", BINARY_SI))
    ]
    return [None if limits is None else resource_list_to_wire(limits), remarks, *bounds]


def _of(resources: ResourceList | None, name: str, format_: str) -> Quantity:
    return (resources or {}).get(name) or Quantity(0, 0, format_)


def answer_limit_ranges(question: Any) -> Any:
    """The bounds for containers and for pods."""
    calculator = calculator_of(question)
    items = calculator.get_container_limit_range_item("default"), calculator.get_pod_limit_range_item("default")
    return [_bounds(item) for item in items]


def _bounds(item: LimitRangeItem | None) -> Any:
    if item is None:
        return None
    return [None if each is None else resource_list_to_wire(each) for each in (item.max, item.min, item.default)]
