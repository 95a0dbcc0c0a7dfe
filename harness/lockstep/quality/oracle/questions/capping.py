"""Questions about capping: policies, limits and LimitRanges."""

from __future__ import annotations

import random
from typing import Any

from lockstep.quality.oracle.questions import pods
from lockstep.quality.oracle.questions.chance import maybe


def draw(rng: random.Random) -> Any:
    """A VPA, a pod, LimitRanges, and the recommender's own maximum."""
    containers = pods.names(rng)
    return {
        "vpa": pods.vpa(rng, containers),
        "pod": pods.pod(rng, containers=containers),
        "limitRanges": pods.limit_ranges(rng),
        "globalMax": maybe(rng, 0.3, pods.small(rng)),
    }


def draw_limits(rng: random.Random) -> Any:
    """Limits, requests, and what is wanted of them."""
    return {name: pods.resources(rng) for name in ("limit", "request", "target", "default", "boundary")}


def draw_limit_ranges(rng: random.Random) -> Any:
    """LimitRanges of one namespace."""
    return pods.limit_ranges(rng, 0.95)
