"""The usage of all containers of one kind: same name, namespace and labels of the pod.

Source: pkg/recommender/model/aggregate_container_state.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lockstep.wire.gomath import int64
from lockstep.wire.gotime import SECOND, ZERO_TIME
from lockstep.wire.metav1 import milli_of, time_of
from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.recommender.model.aggregations_config import MIN_SAMPLE_WEIGHT, AggregationsConfig
from lockstep_reference.vpa.recommender.model.types import (
    DEFAULT_CONTROLLED_RESOURCES,
    resource_names_api_to_model,
)
from lockstep_reference.vpa.recommender.util.checkpoint import (
    CheckpointError,
    HistogramCheckpoint,
    time_to_wire,
)
from lockstep_reference.vpa.recommender.util.decaying_histogram import DecayingHistogram

#: The version of checkpoints that can be loaded (SupportedCheckpointVersion).
SUPPORTED_CHECKPOINT_VERSION = "v3"


class AggregateContainerState:
    """Histograms of CPU usage and of memory peaks, and how many samples of CPU there were from when to when.

    `creation_time` and the times of samples are instants, Go's zero time if there is none; the interval is in
    nanoseconds, `oom_min_bump_up` in bytes.
    """

    __slots__ = (
        "aggregate_cpu_usage",
        "aggregate_memory_peaks",
        "controlled_resources",
        "creation_time",
        "first_sample_start",
        "last_sample_start",
        "memory_aggregation_interval_count",
        "memory_aggregation_interval_duration",
        "oom_bump_up_ratio",
        "oom_min_bump_up",
        "total_samples_count",
    )

    def __init__(self, config: AggregationsConfig, creation_time: int = ZERO_TIME) -> None:
        self.aggregate_cpu_usage = DecayingHistogram(config.cpu_histogram_options, config.cpu_histogram_decay_half_life)
        self.aggregate_memory_peaks = DecayingHistogram(
            config.memory_histogram_options, config.memory_histogram_decay_half_life
        )
        self.first_sample_start = ZERO_TIME
        self.last_sample_start = ZERO_TIME
        self.total_samples_count = 0
        self.creation_time = creation_time
        self.controlled_resources: Iterable[str] = DEFAULT_CONTROLLED_RESOURCES
        self.oom_bump_up_ratio = config.oom_bump_up_ratio
        self.oom_min_bump_up = config.oom_min_bump_up
        self.memory_aggregation_interval_duration = config.memory_aggregation_interval_duration
        self.memory_aggregation_interval_count = config.memory_aggregation_interval_count

    def current(self) -> AggregateContainerState:
        """Itself: it can stand for the aggregation of a container."""
        return self

    def add_cpu_sample(self, start: int, usage: int) -> None:
        """Add CPU usage in millicores (addCPUSample)."""
        self.aggregate_cpu_usage.add_sample(usage / 1000.0, MIN_SAMPLE_WEIGHT, start)
        if start > self.last_sample_start:  # noqa: PLR1730 - faster than max(), and done for every sample
            self.last_sample_start = start
        if self.first_sample_start == ZERO_TIME or start < self.first_sample_start:
            self.first_sample_start = start
        self.total_samples_count += 1

    def add_memory_peak(self, start: int, usage: int) -> None:
        """Add a peak in bytes (AddSample)."""
        self.aggregate_memory_peaks.add_sample(float(usage), 1.0, start)

    def subtract_memory_peak(self, start: int, usage: int) -> None:
        """Take back a peak that was added (SubtractSample)."""
        self.aggregate_memory_peaks.subtract_sample(float(usage), 1.0, start)

    def merge_container_state(self, other: AggregateContainerState) -> None:
        """Add all that another one has (MergeContainerState)."""
        self.aggregate_cpu_usage.merge(other.aggregate_cpu_usage)
        self.aggregate_memory_peaks.merge(other.aggregate_memory_peaks)
        first = other.first_sample_start
        if self.first_sample_start == ZERO_TIME or (first != ZERO_TIME and first < self.first_sample_start):
            self.first_sample_start = first
        self.last_sample_start = max(self.last_sample_start, other.last_sample_start)
        self.total_samples_count += other.total_samples_count

    def save_to_checkpoint(self, now: int) -> dict[str, Any]:
        """The status of a VerticalPodAutoscalerCheckpoint in wire form (SaveToCheckpoint)."""
        status: dict[str, Any] = {
            "lastUpdateTime": time_to_wire(now),
            "version": SUPPORTED_CHECKPOINT_VERSION,
            "cpuHistogram": self.aggregate_cpu_usage.save_to_checkpoint().to_wire(),
            "memoryHistogram": self.aggregate_memory_peaks.save_to_checkpoint().to_wire(),
            "firstSampleStart": time_to_wire(self.first_sample_start),
            "lastSampleStart": time_to_wire(self.last_sample_start),
        }
        if self.total_samples_count:
            status["totalSamplesCount"] = self.total_samples_count
        return status

    def load_from_checkpoint(self, status: Mapping[str, Any]) -> None:
        """Add what such a status holds (LoadFromCheckpoint).

        Raises CheckpointError if upstream refuses it, with part of it loaded, and ValueError if it does not decode.
        """
        version = status.get("version") or ""
        if version != SUPPORTED_CHECKPOINT_VERSION:
            raise CheckpointError(f"unsupported checkpoint version {version}")
        self.total_samples_count = int(status.get("totalSamplesCount") or 0)
        self.first_sample_start = time_of(status.get("firstSampleStart"))
        self.last_sample_start = time_of(status.get("lastSampleStart"))
        self.aggregate_memory_peaks.load_from_checkpoint(HistogramCheckpoint.from_wire(status.get("memoryHistogram")))
        self.aggregate_cpu_usage.load_from_checkpoint(HistogramCheckpoint.from_wire(status.get("cpuHistogram")))

    def is_expired(self, now: int) -> bool:
        """Whether the last sample, or without any the creation, is older than all intervals together (isExpired)."""
        since = self.creation_time if self.is_empty() else self.last_sample_start
        return now - since >= int64(self.memory_aggregation_interval_duration * self.memory_aggregation_interval_count)

    def is_empty(self) -> bool:
        """Whether there has not been a sample of CPU usage (isEmpty)."""
        return not self.total_samples_count

    def update_from_policy(self, policy: Object | None, *, per_vpa_config: bool) -> None:
        """Take over what a container's policy says; what it does not say of OOM kills and memory stays as it is.

        `per_vpa_config` is the feature gate PerVPAConfig (UpdateFromPolicy).
        """
        controlled = None if policy is None else policy.get("controlledResources")
        self.controlled_resources = (
            DEFAULT_CONTROLLED_RESOURCES if controlled is None else resource_names_api_to_model(controlled)
        )
        if policy is not None and per_vpa_config:
            self._update_from_per_vpa_config(policy)

    def _update_from_per_vpa_config(self, policy: Object) -> None:
        ratio, bump_up = policy.get("oomBumpUpRatio"), policy.get("oomMinBumpUp")
        if ratio is not None:
            self.oom_bump_up_ratio = milli_of(ratio) / 1000.0
        if bump_up is not None:
            self.oom_min_bump_up = milli_of(bump_up) / 1000.0
        seconds, count = policy.get("memoryAggregationIntervalSeconds"), policy.get("memoryAggregationIntervalCount")
        if seconds is not None:
            self.memory_aggregation_interval_duration = int64(SECOND * seconds)
        if count is not None:
            self.memory_aggregation_interval_count = count
