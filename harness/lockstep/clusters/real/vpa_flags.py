"""The command lines of the VPA's programs: a flag for each option, with the option's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lockstep.clusters.control_plane.commands import gate_flags

#: Options that are not flags.
_NO_FLAGS = frozenset({"namespace", "hostname", "ca_bundle"})
#: Flags that take a duration.
_SPANS = frozenset(
    {
        "recommender_interval",
        "checkpoints_gc_interval",
        "checkpoints_timeout",
        "confidence_interval_cpu",
        "confidence_interval_memory",
        "prometheus_query_timeout",
        "memory_aggregation_interval",
        "memory_histogram_decay_half_life",
        "cpu_histogram_decay_half_life",
        "updater_interval",
        "in_recommendation_bounds_eviction_lifetime_threshold",
        "evict_after_oom_threshold",
    }
)


def flags_of(options: Mapping[str, Any], gates: Mapping[str, bool]) -> Sequence[str]:
    """The flags for these options. An empty text leaves the program's own default."""
    flags = [
        f"--{name.replace('_', '-')}={_text(name, value)}"
        for name, value in options.items()
        if name not in _NO_FLAGS and value != ""
    ]
    return [*flags, *gate_flags(gates)]


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{round(value * 1000)}ms" if name in _SPANS else str(value)
