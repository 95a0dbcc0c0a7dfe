"""Why scenarios cannot run on a real cluster, as determined by `lockstep.clusters.real.fitness`.

The reasons are kept in lockstep_fixtures/in_memory_only.json, which `python -m tools.pages` writes.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import orjson

from lockstep_fixtures import ROOT as FIXTURES

#: Seconds that a scenario may take on a real clock.
LONGEST = 60.0
OBSTACLES = FIXTURES / "in_memory_only.json"


@functools.cache
def known_obstacles() -> Mapping[str, str]:
    """By scenario id: why it runs in memory only. Scenarios that are absent run anywhere."""
    found: dict[str, str] = orjson.loads(OBSTACLES.read_bytes())
    return found
