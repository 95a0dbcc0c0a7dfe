"""Limits in proportion, and what LimitRanges ask for together. After limit_and_request_scaling_test.go and others."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep_reference.vpa.apis import ResourceList, quantity, resource_list, resource_list_to_wire
from lockstep_reference.vpa.utils.vpa.limit_and_request_scaling import (
    ContainerResources,
    Rounding,
    get_proportional_limit,
    scale_quantity_proportionally,
)
from tests.reference_vpa.vpa_kit import calculator, limit_range

Wire = dict[str, Any]
_CAPPED = "failed to keep limit to request ratio; capping limit to int64"


def _wire(resources: ResourceList | None) -> Wire | None:
    return None if resources is None else resource_list_to_wire(resources)


@pytest.mark.parametrize(
    ("limit", "requested", "target", "default", "wanted"),
    [
        ("2", "1", "10", None, "20"),
        ("1", "1", "10", None, "10"),
        ("2", None, "10", None, "10"),
        (None, "1", "10", None, None),
        (None, "1", "10", "2", "20"),
        ("0", "1", "10", "2", "20"),
        ("2", "1", "0", None, None),
        ("1", "3", "1", None, "333m"),
    ],
)
def test_proportional_limits(
    limit: str | None, requested: str | None, target: str, default: str | None, wanted: str | None
) -> None:
    lists = [resource_list({"cpu": each} if each else None) for each in (limit, requested, target, default)]
    found, _ = get_proportional_limit(*lists)
    assert _wire(found) == ({"cpu": wanted} if wanted else None)


def test_memory_is_cut_to_whole_bytes() -> None:
    lists = [resource_list({"memory": each}) for each in ("2", "3", "10", "1")]
    assert _wire(get_proportional_limit(*lists)[0]) == {"memory": "6"}


def test_remarks() -> None:
    limit, request = resource_list({"cpu": "2"}), resource_list({"cpu": "1m"})
    huge = resource_list({"cpu": "9000000000000", "memory": "1"})
    limits, remarks = get_proportional_limit(limit, request, huge, None)
    assert _wire(limits) == {"cpu": "9223372036854775807m"}
    assert remarks == [f"cpu: {_CAPPED}", "memory: limit NOT set since originalLimit is nil or 0"]
    assert get_proportional_limit(None, request, huge, None) == (None, [])


@pytest.mark.parametrize(
    ("name", "rounding", "wanted"),
    [
        ("cpu", Rounding.NONE, "333m"),
        ("cpu", Rounding.DOWN_TO_FULL_UNIT, "333m"),
        ("cpu", Rounding.UP_TO_FULL_UNIT, "334m"),
        ("memory", Rounding.UP_TO_FULL_UNIT, "0"),
        ("memory", Rounding.DOWN_TO_FULL_UNIT, "-1"),
    ],
)
def test_rounding(name: str, rounding: Rounding, wanted: str) -> None:
    found, capped = scale_quantity_proportionally(name, quantity("1"), quantity("3"), quantity("1"), rounding)
    assert (str(found), capped) == (wanted, False)


def test_a_resource_without_a_name() -> None:
    nameless = ContainerResources(resource_list({"": "1", "cpu": "1"}), resource_list({"cpu": "2"}))
    assert nameless.remove_empty_resource_key()
    assert (_wire(nameless.requests), _wire(nameless.limits)) == ({"cpu": "1"}, {"cpu": "2"})
    assert not nameless.remove_empty_resource_key()


def test_limit_ranges_are_merged() -> None:
    first = limit_range(
        {"type": "Container", "max": {"cpu": "2", "memory": "1Gi"}, "min": {"cpu": "100m"}, "default": {"cpu": "1"}},
        {"type": "Pod", "max": {"cpu": "10"}},
    )
    second = limit_range({"type": "Container", "max": {"cpu": "1"}, "min": {"cpu": "50m", "memory": "1Mi"}}, name="b")
    found = calculator(first, second).get_container_limit_range_item("default")
    assert found is not None
    assert [_wire(each) for each in (found.max, found.min, found.default)] == [
        {"cpu": "1", "memory": "1Gi"},
        {"cpu": "100m", "memory": "1Mi"},
        {"cpu": "1"},
    ]
    pods = calculator(first).get_pod_limit_range_item("default")
    assert pods is not None
    assert [_wire(each) for each in (pods.max, pods.min, pods.default)] == [{"cpu": "10"}, None, None]


def test_no_limit_ranges() -> None:
    assert calculator().get_container_limit_range_item("default") is None
    other = limit_range({"type": "PersistentVolumeClaim", "max": {"storage": "1"}})
    assert calculator(other).get_container_limit_range_item("default") is None
    assert calculator(limit_range({"type": "Pod", "max": {"cpu": "1"}})).get_pod_limit_range_item("other") is None
