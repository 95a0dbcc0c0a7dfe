"""The containers of one aggregation."""

from __future__ import annotations

from typing import Any

from lockstep.implementations.oracle.histograms import saved, state_of
from lockstep.implementations.oracle.values import instant, time
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.aggregations_config import AggregationsConfig
from lockstep_reference.vpa.recommender.model.container import ContainerState, ContainerUsageSample
from lockstep_reference.vpa.recommender.model.errors import SampleDiscarded

_CONFIG = AggregationsConfig()


def answer(question: Any) -> Any:
    """The result of each step, and the aggregation at the end."""
    aggregate = AggregateContainerState(_CONFIG)
    aggregate.memory_aggregation_interval_duration = question["interval"]
    aggregate.oom_bump_up_ratio, aggregate.oom_min_bump_up = question["bumpRatio"], question["minBump"]
    containers = [ContainerState({}, aggregate) for _ in range(question["containers"])]
    results: list[Any] = []
    for step in question["steps"]:
        if step["do"] == "reload":
            results.append(_reload(aggregate))
            continue
        container = containers[step["c"]]
        results += [_take(container, step), container.get_max_memory_peak(), instant(container.window_end)]
    return [results, _state_of(aggregate)]


def _take(container: ContainerState, step: Any) -> bool:
    start = time(step["t"])
    if step["do"] != "oom":
        return container.add_sample(ContainerUsageSample(start, step["a"], step["do"]))
    try:
        container.record_oom(start, step["a"])
    except SampleDiscarded:
        return False
    return True


def _reload(aggregate: AggregateContainerState) -> Any:
    """Save to a checkpoint and load it, without the wire form, which truncates fractions of seconds."""
    cpu = aggregate.aggregate_cpu_usage.save_to_checkpoint()
    memory = aggregate.aggregate_memory_peaks.save_to_checkpoint()
    loaded, merged = AggregateContainerState(_CONFIG), AggregateContainerState(_CONFIG)
    loaded.aggregate_memory_peaks.load_from_checkpoint(memory)
    loaded.aggregate_cpu_usage.load_from_checkpoint(cpu)
    loaded.first_sample_start, loaded.last_sample_start = aggregate.first_sample_start, aggregate.last_sample_start
    loaded.total_samples_count = aggregate.total_samples_count
    merged.merge_container_state(loaded)
    merged.merge_container_state(aggregate)
    return [saved(cpu), saved(memory), _state_of(merged)]


def _state_of(aggregate: AggregateContainerState) -> Any:
    return {
        "cpu": state_of(aggregate.aggregate_cpu_usage),
        "memory": state_of(aggregate.aggregate_memory_peaks),
        "first": instant(aggregate.first_sample_start),
        "last": instant(aggregate.last_sample_start),
        "count": aggregate.total_samples_count,
    }
