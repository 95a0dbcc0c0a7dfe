"""Questions about the containers of one aggregation: samples of CPU and memory, out-of-memory kills, checkpoints."""

from __future__ import annotations

import random
from typing import Any

from lockstep.quality.oracle.questions.chance import DAY, HOUR, SECOND, cpu, instant, memory

_INTERVALS = (DAY, DAY, DAY, DAY, HOUR, 10 * 60 * SECOND, 0)
_RATIOS = (1.2, 1.2, 1.2, 2.0, 1.0, 0.0)
_BUMPS = (104857600.0, 104857600.0, 0.0, 1e15, 1.5)


def draw(rng: random.Random) -> Any:
    """Some containers and a sequence of steps."""
    containers = rng.randrange(1, 4)
    now = instant(rng, 0, 30 * DAY)
    steps = []
    for _ in range(rng.randrange(1, 16)):
        now += rng.choice((0, 60 * SECOND, 60 * SECOND, HOUR, 7 * HOUR, DAY, 3 * DAY, -60 * SECOND, -2 * DAY))
        steps.append(_step(rng, rng.randrange(containers), now))
    return {
        "containers": containers,
        "interval": rng.choice(_INTERVALS),
        "bumpRatio": rng.choice(_RATIOS),
        "minBump": rng.choice(_BUMPS),
        "steps": steps,
    }


def _step(rng: random.Random, container: int, now: int) -> Any:
    kind = rng.random()
    if kind < 0.35:
        return {"do": "cpu", "c": container, "t": now, "a": cpu(rng)}
    if kind < 0.8:
        return {"do": "memory", "c": container, "t": now, "a": memory(rng)}
    if kind < 0.95:
        return {"do": "oom", "c": container, "t": now, "a": memory(rng)}
    return {"do": "reload"}
