"""Draws that several topics share: times, amounts of resources, and bucket schemes."""

from __future__ import annotations

import random
from typing import Any

SECOND = 10**9
HOUR = 3600 * SECOND
DAY = 24 * HOUR

CPU: dict[str, float] = {"max": 1000.0, "first": 0.01, "ratio": 1.05, "epsilon": 0.0001}
MEMORY: dict[str, float] = {"max": 1e12, "first": 1e7, "ratio": 1.05, "epsilon": 0.0001}
_OTHERS = (
    {"max": 10.0, "first": 1.0, "ratio": 2.0, "epsilon": 0.001},
    {"max": 500.0, "first": 10.0, "ratio": 1.5, "epsilon": 1e-15},
    {"max": 10.0, "first": 1.0, "ratio": 0.0, "epsilon": 0.001},
    {"max": 7.3, "first": 0.3, "ratio": 0.0, "epsilon": 0.1},
)


def scheme(rng: random.Random) -> dict[str, float]:
    """The VPA's own buckets, mostly."""
    kind = rng.random()
    return CPU if kind < 0.45 else MEMORY if kind < 0.9 else rng.choice(_OTHERS)


def cpu(rng: random.Random) -> int:
    """Millicores."""
    kind = rng.random()
    if kind < 0.7:
        return rng.randrange(2000)
    return int(10 ** rng.uniform(0, 7)) if kind < 0.98 else rng.choice((0, -1, 10, 10**14, 2**63 - 1))


def memory(rng: random.Random) -> int:
    """Bytes."""
    kind = rng.random()
    if kind < 0.4:
        return rng.randrange(4096) << 20
    return int(10 ** rng.uniform(6, 12.5)) if kind < 0.98 else rng.choice((0, 0, -1, 10**7, 10**14, 2**63 - 1))


def instant(rng: random.Random, around: int = 0, spread: int = DAY) -> int:
    """An instant near another one: to the second, mostly."""
    offset = rng.randrange(-spread, spread)
    return around + (offset // SECOND * SECOND if rng.random() < 0.7 else offset)


def half_life(rng: random.Random) -> int:
    """That of the VPA, mostly."""
    if rng.random() < 0.8:
        return DAY
    return rng.choice((HOUR, 7 * 60 * SECOND, 48 * HOUR, 1, 0, -HOUR, 3 * 365 * DAY, 290 * 365 * DAY))


def maybe(rng: random.Random, chance: float, value: Any) -> Any:
    """The value, or with the rest of the chance null."""
    return value if rng.random() < chance else None
