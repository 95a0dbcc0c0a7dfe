"""Which scenarios can be judged by a release of upstream: those whose controller it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from lockstep.clusters.real.obstacles import known_obstacles
from lockstep.environments import REAL
from lockstep.implementations.registry import lacking

if TYPE_CHECKING:
    from lockstep.runs.config import RunConfig
    from lockstep.scenarios.declare import Scenario


class Available(NamedTuple):
    """Scenarios that can be judged, and facts for the header: what was left out, and what the reference replaces."""

    scenarios: list[Scenario]
    facts: list[tuple[str, str]]


def available(config: RunConfig, scenarios: Sequence[Scenario]) -> Available:
    """Leave out scenarios about controllers that a release of upstream in this run does not have."""
    substituted = lacking(config.implementation, config.release)
    unknown = substituted | _not_held(config)
    kept = [one for one in scenarios if one.controller not in unknown]
    facts = []
    left_out = [one for one in scenarios if one.controller in unknown]
    if left_out:
        names = ", ".join(sorted({one.controller for one in left_out}))
        plural = "scenario" if len(left_out) == 1 else "scenarios"
        facts.append(("left out", f"{len(left_out)} {plural}: upstream {config.release} has no {names}"))
    if config.environment in REAL:
        obstacles = known_obstacles()
        fit = [one for one in kept if one.id not in obstacles]
        if len(fit) < len(kept):
            facts.append(("in memory only", f"{len(kept) - len(fit)} more; lockstep list says why"))
        kept = fit
    stand_ins = sorted({name for one in kept for name in one.controllers if name in substituted})
    if stand_ins:
        facts.append(("by reference", f"{', '.join(stand_ins)}: upstream {config.release} has none"))
    return Available(kept, facts)


def _not_held(config: RunConfig) -> frozenset[str]:
    """Controllers that are missing from what the run is compared with."""
    if config.against == "none":
        return frozenset()
    return lacking(f"upstream:{config.release}" if config.against == "recorded" else config.against, config.release)
