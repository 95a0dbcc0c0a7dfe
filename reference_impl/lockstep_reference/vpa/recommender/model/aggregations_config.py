"""How usage is aggregated (pkg/recommender/model/aggregations_config.go)."""

from __future__ import annotations

from dataclasses import dataclass, field

from lockstep.wire.gotime import SECOND
from lockstep_reference.vpa.recommender.util.histogram_options import ExponentialHistogramOptions

#: The weight of a sample of CPU usage before it decays (minSampleWeight).
MIN_SAMPLE_WEIGHT = 0.1
#: Small enough to keep samples from the far end of the memory window (epsilon). Go computes it exactly.
_EPSILON = 1e-4
_BUCKET_SIZE_GROWTH = 0.05
DEFAULT_MEMORY_AGGREGATION_INTERVAL = 24 * 3600 * SECOND
DEFAULT_MEMORY_AGGREGATION_INTERVAL_COUNT = 8
DEFAULT_HISTOGRAM_DECAY_HALF_LIFE = 24 * 3600 * SECOND
DEFAULT_OOM_BUMP_UP_RATIO = 1.2
DEFAULT_OOM_MIN_BUMP_UP = 100.0 * 1024 * 1024


def _cpu_histogram_options() -> ExponentialHistogramOptions:
    """From 0.01 to 1000 cores (cpuHistogramOptions)."""
    return ExponentialHistogramOptions(1000.0, 0.01, 1.0 + _BUCKET_SIZE_GROWTH, _EPSILON)


def _memory_histogram_options() -> ExponentialHistogramOptions:
    """From 10 MB to 1 TB (memoryHistogramOptions)."""
    return ExponentialHistogramOptions(1e12, 1e7, 1.0 + _BUCKET_SIZE_GROWTH, _EPSILON)


@dataclass(frozen=True, slots=True)
class AggregationsConfig:
    """Durations in nanoseconds, `oom_min_bump_up` in bytes. Upstream has one for the whole process.

    A container contributes the peak of its memory usage in each interval; `count` intervals are remembered. A sample
    loses half of its weight in each half-life. After an OOM kill at least the bump-up is added, or the ratio applied.
    """

    memory_aggregation_interval_duration: int = DEFAULT_MEMORY_AGGREGATION_INTERVAL
    memory_aggregation_interval_count: int = DEFAULT_MEMORY_AGGREGATION_INTERVAL_COUNT
    memory_histogram_decay_half_life: int = DEFAULT_HISTOGRAM_DECAY_HALF_LIFE
    cpu_histogram_decay_half_life: int = DEFAULT_HISTOGRAM_DECAY_HALF_LIFE
    oom_bump_up_ratio: float = DEFAULT_OOM_BUMP_UP_RATIO
    oom_min_bump_up: float = DEFAULT_OOM_MIN_BUMP_UP
    cpu_histogram_options: ExponentialHistogramOptions = field(default_factory=_cpu_histogram_options)
    memory_histogram_options: ExponentialHistogramOptions = field(default_factory=_memory_histogram_options)
