"""One container of one pod: which samples of its usage count (pkg/recommender/model/container.go)."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from lockstep.wire.gomath import int64
from lockstep.wire.gotime import ZERO_TIME
from lockstep_reference.vpa.apis import CPU, MEMORY
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.errors import SampleDiscarded
from lockstep_reference.vpa.recommender.model.types import Resources, memory_amount_from_bytes, scale_resource
from lockstep_reference.vpa.recommender.util.times import difference, truncate_duration


class ContainerUsageSample(NamedTuple):
    """What a container used: `usage` is an amount of the resource, `measure_start` the start of the measurement."""

    measure_start: int
    usage: int
    resource: str


class ContainerStateAggregator(Protocol):
    """Where the samples of a container go (ContainerStateAggregator)."""

    def current(self) -> AggregateContainerState:
        """The aggregation, which this may have to create."""


class ContainerState:
    """See the module docstring. Instants that are not known yet are Go's zero time.

    Memory counts once in each aggregation interval, with its peak; `window_end` is the end of the current one. The peak
    is kept apart from the one that an out-of-memory kill makes likely.
    """

    __slots__ = (
        "_last_memory_sample_start",
        "_memory_peak",
        "_oom_peak",
        "aggregator",
        "last_cpu_sample_start",
        "request",
        "window_end",
    )

    def __init__(self, request: Resources, aggregator: ContainerStateAggregator) -> None:
        self.request = request
        self.aggregator = aggregator
        self.last_cpu_sample_start = ZERO_TIME
        self.window_end = ZERO_TIME
        self._memory_peak = 0
        self._oom_peak = 0
        self._last_memory_sample_start = ZERO_TIME

    def add_sample(self, sample: ContainerUsageSample) -> bool:
        """Add a sample, if it is valid and not older than the last one. Returns whether it was (AddSample)."""
        start, usage, resource = sample
        if resource == CPU:
            return self._add_cpu_sample(start, usage)
        return resource == MEMORY and self._add_memory_sample(start, usage, is_oom=False)

    def get_max_memory_peak(self) -> int:
        """The peak of the current interval in bytes, seen or estimated (GetMaxMemoryPeak)."""
        return max(self._memory_peak, self._oom_peak)

    def record_oom(self, timestamp: int, requested_memory: int) -> None:
        """Take an out-of-memory kill for a sample of more memory than was there (RecordOOM).

        Raises SampleDiscarded if it is too old. What an earlier kill made likely is left out of account, lest one kill
        after another drive the recommendation up.
        """
        aggregate = self.aggregator.current()
        if timestamp < self.window_end - aggregate.memory_aggregation_interval_duration:
            raise SampleDiscarded("OOM event will be discarded - it is too old")
        used = max(requested_memory, self._memory_peak)
        bumped = int64(used + memory_amount_from_bytes(aggregate.oom_min_bump_up))
        needed = max(bumped, scale_resource(used, aggregate.oom_bump_up_ratio))
        if not self._add_memory_sample(timestamp, needed, is_oom=True):
            raise SampleDiscarded("adding OOM sample failed")

    def _add_cpu_sample(self, start: int, usage: int) -> bool:
        if usage < 0 or start <= self.last_cpu_sample_start:
            return False
        self.aggregator.current().add_cpu_sample(start, usage)
        self.last_cpu_sample_start = start
        return True

    def _add_memory_sample(self, start: int, usage: int, *, is_oom: bool) -> bool:
        """Put a new peak in place of the interval's old one, or begin an interval (addMemorySample)."""
        if usage < 0 or (not is_oom and start < self._last_memory_sample_start):
            return False
        self._last_memory_sample_start = start
        if self.window_end == ZERO_TIME:
            self.window_end = start
        aggregate = self.aggregator.current()  # also where nothing is added, upstream creates a missing one
        if start < self.window_end:
            old_peak = self.get_max_memory_peak()
            if not old_peak or usage <= old_peak:
                return True
            aggregate.subtract_memory_peak(self.window_end, old_peak)
        else:
            interval = aggregate.memory_aggregation_interval_duration
            past = truncate_duration(difference(start, self.window_end), interval)
            self.window_end += int64(past + interval)
            self._memory_peak = 0
            self._oom_peak = 0
        aggregate.add_memory_peak(self.window_end, usage)
        if is_oom:
            self._oom_peak = usage
        else:
            self._memory_peak = usage
        return True
