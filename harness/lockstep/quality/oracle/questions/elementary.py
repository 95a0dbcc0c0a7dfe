"""Questions about logarithms and powers."""

from __future__ import annotations

import math
import random
from typing import Any

_RATIOS = (1.05, 1.05, 1.05, 1.1, 1.01, 2.0, 1.5)
_BASES = (0.0, -0.0, -1.0, 0.5, 1.0, 1e300, 1e-300, 3.7)


def draw(rng: random.Random) -> Any:
    """One function and its arguments."""
    function = rng.choice(("log", "exp2", "pow", "ldexp"))
    if function == "log":
        return {"f": function, "x": 10.0 ** rng.uniform(-3, 25)}
    if function == "exp2":
        return {"f": function, "x": rng.uniform(-110, 110) if rng.random() < 0.9 else rng.uniform(-1200, 1200)}
    if function == "pow":
        return {"f": function, "x": _base(rng), "y": rng.randrange(-180, 700) if rng.random() < 0.5 else -2}
    return {"f": function, "x": math.exp2(rng.uniform(-40, 40)), "y": rng.randrange(-1200, 1200)}


def _base(rng: random.Random) -> float:
    kind = rng.random()
    if kind < 0.4:
        return rng.choice(_RATIOS)
    if kind < 0.5:
        return rng.choice(_BASES)
    return 1.0 + 0.001 / math.pow(10.0, rng.uniform(-6, 2))  # as the confidence factor computes it
