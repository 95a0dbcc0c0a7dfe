"""Recommendations from usage (pkg/recommender/logic)."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep_reference.vpa.recommender.logic.recommender import (
    PodResourceRecommender,
    RecommendationConfig,
    RecommendationFormat,
    map_to_list_of_recommended_container_resources,
)
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.aggregations_config import AggregationsConfig
from lockstep_reference.vpa.recommender.model.types import (
    humanize_memory_quantity,
    round_up_to_scale,
    scale_resource,
)

MINUTE = 60 * 10**9
CONFIG = AggregationsConfig()


def steady(cpu: int, memory: int, samples: int = 1440) -> AggregateContainerState:
    """One sample of CPU a minute, one peak of memory."""
    state = AggregateContainerState(CONFIG)
    for minute in range(samples):
        state.add_cpu_sample(minute * MINUTE, cpu)
    if samples:
        state.add_memory_peak(0, memory)
    return state


def recommended(states: dict[str, AggregateContainerState], **format_: Any) -> list[Any]:
    estimates = PodResourceRecommender(RecommendationConfig()).get_recommended_pod_resources(states)
    listed = map_to_list_of_recommended_container_resources(estimates, RecommendationFormat(**format_))
    return [one.to_wire() for one in listed]


@pytest.mark.parametrize(
    ("cpu", "memory", "target"),
    [
        (50, 100 * 2**20, {"cpu": "63m", "memory": "250Mi"}),
        (100, 500 * 10**6, {"cpu": "126m", "memory": "587804717"}),
        (1000, 2**30, {"cpu": "1168m", "memory": "1238659775"}),
    ],
)
def test_steady_usage_has_a_target_of_its_bucket_and_the_margin(cpu: int, memory: int, target: Any) -> None:
    (one,) = recommended({"app": steady(cpu, memory)})
    assert one["target"] == one["uncappedTarget"] == target


def test_little_history_widens_the_bounds() -> None:
    hour, day = (recommended({"app": steady(1000, 2**30, samples)})[0] for samples in (61, 1441))
    assert (hour["lowerBound"]["cpu"], hour["upperBound"]["cpu"]) == ("1113m", "29200m")
    assert (day["lowerBound"]["cpu"], day["upperBound"]["cpu"]) == ("1165m", "2336m")


def test_without_history_the_upper_bound_is_as_high_as_can_be() -> None:
    """Confidence is 0, and Go divides by it."""
    (one,) = recommended({"app": steady(1000, 2**30, 1)})
    assert one["upperBound"] == {"cpu": "100G", "memory": "97656250000Ki"}
    assert one["lowerBound"] == {"cpu": "25m", "memory": "250Mi"}
    (none,) = recommended({"app": steady(0, 0, 0)})
    assert none["upperBound"] == none["target"] == {"cpu": "25m", "memory": "250Mi"}


def test_the_minimum_is_shared_by_the_containers() -> None:
    listed = recommended({name: steady(0, 0, 0) for name in "cab"})
    assert [one["containerName"] for one in listed] == ["a", "b", "c"]
    assert listed[0]["target"] == {"cpu": "8m", "memory": "87381333"}
    assert recommended({}) == []


def test_only_what_is_controlled_is_recommended() -> None:
    state = steady(100, 10**9)
    state.update_from_policy({"controlledResources": ["memory", "nvidia.com/gpu"]}, per_vpa_config=False)
    assert list(recommended({"app": state})[0]["target"]) == ["memory"]
    state.update_from_policy({"controlledResources": []}, per_vpa_config=False)
    assert recommended({"app": state}) == [{"containerName": "app", "target": {}}]


def test_amounts_are_rounded_up_and_humanized() -> None:
    states = {"app": steady(100, 500 * 10**6)}
    (one,) = recommended(states, round_cpu_millicores=50, round_memory_bytes=2**20)
    assert one["target"] == {"cpu": "150m", "memory": "561Mi"}
    (one,) = recommended(states, humanize_memory=True)
    assert one["target"]["memory"] == "587800248320m"
    (one,) = recommended(states, round_cpu_millicores=0)
    assert one["target"]["cpu"] == "126m"


def test_amounts_have_a_highest_and_a_lowest() -> None:
    assert scale_resource(10**14, 2.0) == 10**14
    assert scale_resource(5, -1.0) == 0
    assert scale_resource(1, float("nan")) == -(2**63)
    assert round_up_to_scale(101, 50) == 150
    assert [humanize_memory_quantity(number) for number in (5, 2048, 3 << 19, 5 << 30, 1 << 41)] == [
        "5",
        "2.00Ki",
        "1.50Mi",
        "5.00Gi",
        "2.00Ti",
    ]
