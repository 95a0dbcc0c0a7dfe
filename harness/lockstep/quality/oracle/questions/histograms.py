"""Questions about buckets and histograms."""

from __future__ import annotations

import math
import random
from typing import Any

from lockstep.quality.oracle.questions import chance
from lockstep.quality.oracle.questions.chance import DAY, half_life, instant, maybe, scheme

_PERCENTILES = (0.5, 0.9, 0.95, 0.0, 1.0, 0.99, 2.0, -0.1)
_WEIGHTS = (0.1, 0.1, 0.1, 1.0, 1.0, 0.5, 1e-5, 5e-5, 1e-4, 9.9e-5, 0.0)


def draw_bucket(rng: random.Random) -> Any:
    """A value in some scheme, often at the edge of a bucket."""
    chosen = scheme(rng)
    return {"scheme": chosen, "value": _value(rng, chosen)}


def _value(rng: random.Random, chosen: dict[str, float]) -> float:
    kind, first, ratio = rng.random(), chosen["first"], chosen["ratio"]
    if kind < 0.3 and ratio:
        edge = first * (ratio ** rng.randrange(1, 180) - 1) / (ratio - 1)
        return edge if kind < 0.1 else math.nextafter(edge, math.inf if kind < 0.2 else 0.0)
    if kind < 0.6:
        return rng.randrange(0, 3000) / 1000.0 * first * 100
    if kind < 0.98:
        return first * 10 ** rng.uniform(-1, 6)
    return rng.choice((0.0, -1.0, -0.0, 1e18, 9.3e18))


def draw(rng: random.Random) -> Any:
    """Steps that build a histogram, and percentiles of it."""
    chosen = scheme(rng)
    return {
        "scheme": chosen,
        "halfLife": maybe(rng, 0.8, half_life(rng)),
        "steps": _steps(rng, chosen, rng.randrange(14), deep=True),
        "percentiles": rng.sample(_PERCENTILES, 3),
    }


def _steps(rng: random.Random, chosen: dict[str, float], count: int, *, deep: bool) -> list[Any]:
    around = instant(rng, 0, 200 * DAY)
    steps: list[Any] = []
    for _ in range(count):
        steps.append(_step(rng, chosen, around, steps, deep=deep))
        if rng.random() < 0.1:
            around += rng.randrange(150) * DAY
    return steps


def _step(rng: random.Random, chosen: dict[str, float], around: int, before: list[Any], *, deep: bool) -> Any:
    kind = rng.random()
    if kind < 0.68:
        return _sample(rng, chosen, around)
    if kind < 0.8:
        added = [step for step in before if step["do"] == "add"]
        return {**(rng.choice(added) if added else _sample(rng, chosen, around)), "do": "subtract"}
    if kind < 0.88 and deep:
        return {"do": "merge", "other": _steps(rng, chosen, rng.randrange(6), deep=False)}
    if kind < 0.94:
        return {"do": "save"}
    return {"do": "load", "checkpoint": _checkpoint(rng, around, chosen)}


def _sample(rng: random.Random, chosen: dict[str, float], around: int) -> Any:
    weight = rng.choice(_WEIGHTS) if rng.random() < 0.999 else -0.1
    value = min(max(_value(rng, chosen), 0.0), 9.3e18)
    return {"do": "add", "v": value, "w": weight, "t": instant(rng, around) if rng.random() < 0.99 else None}


def _checkpoint(rng: random.Random, around: int, chosen: dict[str, float]) -> Any:
    buckets = 176 if chosen["ratio"] == chance.CPU["ratio"] else 6
    weights = {str(rng.randrange(buckets)): rng.randrange(10001) for _ in range(rng.randrange(8))}
    if rng.random() < 0.05:
        weights = {str(rng.choice((-1, 176, 1000))): 7}  # at most one, because upstream names any of several
    total = rng.choice((0.0, 1.0, 0.001, 1e-7, 1e30, 123.456, 10 ** rng.uniform(-5, 5), -1.5))
    reference = round(around / DAY) * DAY if rng.random() < 0.8 else maybe(rng, 0.8, instant(rng, around))
    return {"weights": weights, "total": total, "reference": reference}
