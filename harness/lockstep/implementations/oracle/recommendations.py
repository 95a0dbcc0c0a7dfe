"""Recommendations, from histograms to the status."""

from __future__ import annotations

from typing import Any

from lockstep.implementations.oracle.values import time
from lockstep_reference.vpa.recommender.logic.recommender import (
    PodResourceRecommender,
    RecommendationConfig,
    RecommendationFormat,
    map_to_list_of_recommended_container_resources,
)
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.aggregations_config import AggregationsConfig

_CONFIG = AggregationsConfig()


def answer(question: Any) -> Any:
    """`status.recommendation.containerRecommendations`."""
    states = {name: _state(usage) for name, usage in question["containers"].items()}
    estimates = PodResourceRecommender(_config(question["config"])).get_recommended_pod_resources(states)
    wanted = question["format"]
    format_ = RecommendationFormat(wanted["HumanizeMemory"], wanted["RoundCPUMillicores"], wanted["RoundMemoryBytes"])
    return [one.to_wire() for one in map_to_list_of_recommended_container_resources(estimates, format_)]


def _config(config: Any) -> RecommendationConfig:
    return RecommendationConfig(
        safety_margin_fraction=config["SafetyMarginFraction"],
        pod_min_cpu_millicores=config["PodMinCPUMillicores"],
        pod_min_memory_mb=config["PodMinMemoryMb"],
        target_cpu_percentile=config["TargetCPUPercentile"],
        lower_bound_cpu_percentile=config["LowerBoundCPUPercentile"],
        upper_bound_cpu_percentile=config["UpperBoundCPUPercentile"],
        confidence_interval_cpu=config["ConfidenceIntervalCPU"],
        target_memory_percentile=config["TargetMemoryPercentile"],
        lower_bound_memory_percentile=config["LowerBoundMemoryPercentile"],
        upper_bound_memory_percentile=config["UpperBoundMemoryPercentile"],
        confidence_interval_memory=config["ConfidenceIntervalMemory"],
    )


def _state(usage: Any) -> AggregateContainerState:
    state = AggregateContainerState(_CONFIG)
    for one in usage["cpu"]:
        state.aggregate_cpu_usage.add_sample(one["v"], one["w"], 0)
    for one in usage["memory"]:
        state.aggregate_memory_peaks.add_sample(one["v"], one["w"], 0)
    state.first_sample_start, state.last_sample_start = time(usage["first"]), time(usage["last"])
    state.total_samples_count = usage["count"]
    state.update_from_policy({"controlledResources": usage.get("resources")}, per_vpa_config=False)
    return state
