"""Questions about amounts: how they are cut, rounded and printed."""

from __future__ import annotations

import random
from typing import Any

from lockstep.quality.oracle.questions.chance import cpu, memory

_SCALES = (1, 1, 10, 50, 100, 2**20, 1 << 26, 1000, 3, 0, -5)


def draw(rng: random.Random) -> Any:
    """A float, an amount, and options of the format."""
    return {
        "number": _number(rng),
        "factor": rng.choice((0.15, 1.2, 1 / 3, 0.5, 1.0, -1.0, 1e300, rng.random())),
        "humanize": rng.random() < 0.5,
        "roundCPU": rng.choice(_SCALES),
        "roundMemory": rng.choice(_SCALES),
        "amount": rng.choice((cpu, memory))(rng),
        "scale": rng.choice(_SCALES),
    }


def _number(rng: random.Random) -> float:
    kind = rng.random()
    if kind < 0.9:
        return 10 ** rng.uniform(-4, 13)
    return rng.choice((0.0, -1.0, 1e14, 1e11, 1.1e14, 1e300, -1e300, 0.9999999))
