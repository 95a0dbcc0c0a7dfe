"""Recommendations within policies, limits and LimitRanges. Worked examples after pkg/utils/vpa/capping_test.go."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep_reference.vpa.apis import recommendation_of, recommendation_to_wire, resource_list
from lockstep_reference.vpa.utils.panic import Panic
from lockstep_reference.vpa.utils.vpa.capping import CappingRecommendationProcessor, apply_vpa_policy
from tests.reference_vpa.vpa_kit import calculator, container, limit_range, pod, recommended, vpa

Wire = dict[str, Any]


def _capped(vpa_: Wire, pod_: Wire, *limit_ranges: Wire) -> tuple[list[Wire], dict[str, list[str]]]:
    capped, annotations = CappingRecommendationProcessor(calculator(*limit_ranges)).apply(vpa_, pod_)
    assert capped is not None
    return recommendation_to_wire(capped).get("containerRecommendations", []), annotations


def _targets(vpa_: Wire, pod_: Wire, *limit_ranges: Wire) -> dict[str, Wire]:
    return {each["containerName"]: each["target"] for each in _capped(vpa_, pod_, *limit_ranges)[0]}


def test_nothing_to_cap() -> None:
    processor = CappingRecommendationProcessor(calculator())
    assert processor.apply(vpa(), pod(container())) == (None, {})
    assert processor.apply(vpa(policies=[]), pod(container())) == ([], {})


def test_a_policy_caps_all_lists_but_the_uncapped_target() -> None:
    policy = {"containerName": "app", "minAllowed": {"cpu": "100m"}, "maxAllowed": {"cpu": "200m", "memory": "1Gi"}}
    wide = recommended(
        target={"cpu": "300m", "memory": "512Mi"},
        lowerBound={"cpu": "50m"},
        upperBound={"cpu": "1", "memory": "2Gi"},
        uncappedTarget={"cpu": "300m"},
    )
    [capped], annotations = _capped(vpa(wide, policies=[policy]), pod(container()))
    assert capped == {
        "containerName": "app",
        "target": {"cpu": "200m", "memory": "512Mi"},
        "lowerBound": {"cpu": "100m"},
        "upperBound": {"cpu": "200m", "memory": "1Gi"},
        "uncappedTarget": {"cpu": "300m"},
    }
    assert annotations == {"app": ["cpu capped to maxAllowed"]}


def test_the_maximum_beats_the_minimum_and_zero_is_no_bound() -> None:
    policy = {"containerName": "*", "minAllowed": {"cpu": "300m"}, "maxAllowed": {"cpu": "200m", "memory": "0"}}
    small = recommended(target={"cpu": "1m", "memory": "1Gi"})
    [capped], annotations = _capped(vpa(small, policies=[policy]), pod(container()))
    assert capped["target"] == {"cpu": "200m", "memory": "1Gi"}
    assert annotations == {"app": ["cpu capped to minAllowed", "cpu capped to maxAllowed"]}


def test_containers_that_the_pod_lacks_are_left_out() -> None:
    found = _targets(vpa(recommended("gone", {"cpu": "1"}), recommended("app", {"cpu": "2"})), pod(container()))
    assert found == {"app": {"cpu": "2"}}


@pytest.mark.parametrize(("values", "cpu"), [("RequestsOnly", "150m"), ("RequestsAndLimits", "300m"), (None, "300m")])
def test_limits_cap_where_only_requests_are_controlled(values: str | None, cpu: str) -> None:
    policy = {"containerName": "app", **({"controlledValues": values} if values else {})}
    limited = pod(container(requests={"cpu": "100m"}, limits={"cpu": "150m"}))
    assert _targets(vpa(recommended(target={"cpu": "300m"}), policies=[policy]), limited) == {"app": {"cpu": cpu}}


@pytest.mark.parametrize(
    ("requests", "limits", "item", "wanted", "remark"),
    [
        # the limit is twice the request, so a limit of at most 1 is a request of at most 500m
        ({"cpu": "1"}, {"cpu": "2"}, {"max": {"cpu": "1"}}, "500m", "Max"),
        ({"cpu": "1"}, {"cpu": "2"}, {"min": {"cpu": "8"}}, "8", "Min"),
        ({"cpu": "1"}, {"cpu": "2"}, {"max": {"cpu": "4"}}, "700m", ""),
        # no request: Kubernetes takes the limit for it
        ({}, {"cpu": "2"}, {"max": {"cpu": "600m"}}, "600m", "Max"),
        # no limit: that of the LimitRange, or none
        ({"cpu": "1"}, {}, {"max": {"cpu": "600m"}}, "700m", ""),
        ({"cpu": "1"}, {}, {"max": {"cpu": "600m"}, "default": {"cpu": "2"}}, "300m", "Max"),
    ],
)
def test_a_limit_range_for_containers(requests: Wire, limits: Wire, item: Wire, wanted: str, remark: str) -> None:
    one = pod(container(requests=requests, limits=limits))
    bounds = limit_range({"type": "Container", **item})
    [capped], annotations = _capped(vpa(recommended(target={"cpu": "700m"})), one, bounds)
    assert capped["target"] == {"cpu": wanted}
    assert annotations == ({"app": [f"cpu capped to fit {remark} in container LimitRange"]} if remark else {})


def test_a_limit_range_for_pods_lowers_all_containers() -> None:
    two = pod(
        container("a", {"cpu": "1"}, {"cpu": "1"}),
        container("b", {"cpu": "1"}, {"cpu": "1"}),
    )
    bounds = limit_range({"type": "Pod", "max": {"cpu": "1"}})
    wide = vpa(
        recommended("a", {"cpu": "1"}, lowerBound={"cpu": "1"}, upperBound={"cpu": "1"}),
        recommended("b", {"cpu": "2"}, lowerBound={"cpu": "2"}, upperBound={"cpu": "2"}),
    )
    assert _targets(wide, two, bounds) == {"a": {"cpu": "333m"}, "b": {"cpu": "666m"}}


def test_a_limit_range_for_pods_raises_all_containers() -> None:
    two = pod(
        container("a", {"cpu": "1"}, {"cpu": "1"}),
        container("b", {"cpu": "1"}, {"cpu": "1"}),
    )
    bounds = limit_range({"type": "Pod", "min": {"cpu": "1"}})
    narrow = vpa(
        recommended("a", {"cpu": "100m"}, lowerBound={"cpu": "100m"}, upperBound={"cpu": "1"}),
        recommended("b", {"cpu": "200m"}, lowerBound={"cpu": "200m"}, upperBound={"cpu": "1"}),
    )
    assert _targets(narrow, two, bounds) == {"a": {"cpu": "334m"}, "b": {"cpu": "667m"}}


def test_a_limit_range_for_pods_brings_requests_in() -> None:
    two = pod(container("a", {"cpu": "1"}, {"cpu": "1"}), container("b", {"cpu": "300m"}, {"cpu": "300m"}))
    bounds = limit_range({"type": "Pod", "max": {"cpu": "10"}})
    assert _targets(vpa(recommended("a", {"cpu": "1"})), two, bounds) == {"a": {"cpu": "1"}, "b": {"cpu": "300m"}}


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (container("b", {"cpu": "1"}, {"cpu": "1"}), "assignment to entry in nil map"),
        (container("b"), "runtime error: invalid memory address or nil pointer dereference"),
    ],
)
def test_a_limit_range_for_pods_can_make_upstream_panic(other: Wire, text: str) -> None:
    bounds = limit_range({"type": "Pod", "max": {"cpu": "100m"}})
    wide = recommended("a", {"cpu": "1"}, lowerBound={"cpu": "1"}, upperBound={"cpu": "1"})
    with pytest.raises(Panic, match=text.replace("[", r"\[")):
        _capped(vpa(wide), pod(container("a", {"cpu": "1"}, {"cpu": "1"}), other), bounds)


def test_what_the_recommender_writes() -> None:
    policy = {"containerPolicies": [{"containerName": "app", "maxAllowed": {"cpu": "200m"}}]}
    wide = vpa(recommended(target={"cpu": "1", "memory": "8Gi"}), recommended("other", {"cpu": "1"}))
    most = resource_list({"cpu": "100m", "memory": "4Gi"})
    written = apply_vpa_policy(recommendation_of(wide), policy, most)
    assert written is not None
    targets = {
        each.container_name: {name: str(value) for name, value in (each.target or {}).items()} for each in written
    }
    assert targets == {"app": {"cpu": "200m", "memory": "4Gi"}, "other": {"cpu": "100m"}}
    assert apply_vpa_policy(None, policy) is None
