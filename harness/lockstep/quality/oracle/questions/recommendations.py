"""Questions about recommendations: the estimators, from histograms to the status."""

from __future__ import annotations

import random
from typing import Any

from lockstep.quality.oracle.questions.chance import DAY, HOUR, SECOND, cpu, instant, maybe, memory

_INTERVALS = (DAY, DAY, DAY, DAY, HOUR, 90 * SECOND, 0)
_RESOURCES: tuple[list[str], ...] = (
    ["cpu"],
    ["memory"],
    ["memory", "cpu"],
    [],
    ["cpu", "nvidia.com/gpu"],
    ["cpu", "cpu"],
)
_ROUNDINGS = (1, 1, 1, 1, 10, 50, 2**20, 0)


def draw(rng: random.Random) -> Any:
    """A configuration, and the history of some containers."""
    return {
        "config": _config(rng),
        "format": {
            "HumanizeMemory": rng.random() < 0.2,
            "RoundCPUMillicores": rng.choice(_ROUNDINGS),
            "RoundMemoryBytes": rng.choice(_ROUNDINGS),
        },
        "containers": {f"c{index}": _usage(rng) for index in range(rng.randrange(4))},
    }


def _config(rng: random.Random) -> dict[str, Any]:
    usual = rng.random() < 0.5
    return {
        "SafetyMarginFraction": 0.15 if usual else rng.choice((0.0, 0.3, 1.0, -0.1, rng.random())),
        "PodMinCPUMillicores": 25.0 if usual else rng.choice((0.0, 1.0, 33.3, 1000.0)),
        "PodMinMemoryMb": 250.0 if usual else rng.choice((0.0, 1.5, 100.0, 1e9)),
        "ConfidenceIntervalCPU": DAY if usual else rng.choice(_INTERVALS),
        "ConfidenceIntervalMemory": DAY if usual else rng.choice(_INTERVALS),
        **{
            f"{bound}{resource}Percentile": percentile if usual else rng.random()
            for resource in ("CPU", "Memory")
            for bound, percentile in (("Target", 0.9), ("LowerBound", 0.5), ("UpperBound", 0.95))
        },
    }


def _usage(rng: random.Random) -> dict[str, Any]:
    first = instant(rng, 0, 9 * DAY)
    count = rng.choice((0, 1, rng.randrange(1, 20), rng.randrange(12000)))
    last = first + rng.choice((0, 60 * SECOND * max(count - 1, 0), rng.randrange(10 * DAY), -HOUR))
    usage = {
        "cpu": [{"v": max(cpu(rng), 0) / 1000.0, "w": _weight(rng)} for _ in range(rng.randrange(6))],
        "memory": [{"v": float(max(memory(rng), 0)), "w": _weight(rng)} for _ in range(rng.randrange(6))],
        "first": maybe(rng, 0.9 if count else 0.2, first),
        "last": maybe(rng, 0.9 if count else 0.2, last),
        "count": count,
    }
    if rng.random() < 0.2:
        usage["resources"] = rng.choice(_RESOURCES)
    return usage


def _weight(rng: random.Random) -> float:
    return rng.choice((0.1, 1.0, 1e-5, rng.random(), 10 ** rng.uniform(-4, 6)))
