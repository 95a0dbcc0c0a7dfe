"""Why scenarios cannot run on a real cluster, as determined by `lockstep.clusters.real.fitness`.

The reasons are kept in lockstep_fixtures/in_memory_only.json, which `python -m tools.pages` writes.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

import orjson

from lockstep.scenarios.declare import SUITE
from lockstep_fixtures import ROOT as FIXTURES

if TYPE_CHECKING:
    from lockstep.project.index import Entry
    from lockstep.scenarios.declare import Scenario

#: Seconds that a scenario may take on a real clock.
LONGEST = 60.0
OBSTACLES = FIXTURES / "in_memory_only.json"


@functools.cache
def known_obstacles() -> Mapping[str, str]:
    """By scenario id: why it runs in memory only. Of the built-in suite, scenarios that are not there run anywhere."""
    found: dict[str, str] = orjson.loads(OBSTACLES.read_bytes())
    return found


def obstacle_of(scenario: Scenario | Entry) -> str | None:
    """Why a scenario runs in memory only; "" if it runs on real clusters too, None if that is untried.

    The scenarios of the built-in suite were all tried.
    """
    if known := scenario.virtual or known_obstacles().get(scenario.id, ""):
        return known
    return "" if scenario.module.partition(".")[0] == SUITE else None
