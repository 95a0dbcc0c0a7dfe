"""Why scenarios cannot run on a real cluster, as `harness.ground.fitness` has found out.

The answers are kept in fixtures/real_ground.json, which `python -m harness.docs` writes.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

import orjson

#: Seconds that a scenario may take on a real clock.
LONGEST = 60.0
OBSTACLES = Path(__file__).resolve().parents[2] / "fixtures" / "real_ground.json"


@functools.cache
def known_obstacles() -> Mapping[str, str]:
    """By scenario id: why it runs in memory only. Scenarios that are not there run anywhere."""
    found: dict[str, str] = orjson.loads(OBSTACLES.read_bytes())
    return found
