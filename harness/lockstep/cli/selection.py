"""Which scenarios a command line means. A pattern that matches nothing is a mistake, never an empty run."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from lockstep.controllers.names import GROUPS

if TYPE_CHECKING:
    from lockstep.scenarios.declare import Scenario


def select(scenarios: Sequence[Scenario], patterns: Sequence[str], controller: str | None = None) -> list[Scenario]:
    """The scenarios whose id, name or controller matches a pattern (all if there is none), in their order.

    Raises click.UsageError with close matches if a pattern, or the controller, matches nothing.
    """
    if controller is not None:
        scenarios = _of_controller(scenarios, controller)
    for pattern in patterns:
        if not any(_matches(one, pattern) for one in scenarios):
            raise click.UsageError(_no_match(pattern, scenarios))
    chosen = [one for one in scenarios if not patterns or any(_matches(one, pattern) for pattern in patterns)]
    if not chosen:
        raise click.UsageError("there are no scenarios to choose from; is the conformance folder installed?")
    return chosen


def _of_controller(scenarios: Sequence[Scenario], controller: str) -> list[Scenario]:
    wanted = (controller, *GROUPS.get(controller, ()))
    chosen = [one for one in scenarios if any(name in one.controllers for name in wanted)]
    if not chosen:
        known = sorted({name for one in scenarios for name in one.controllers})
        raise click.UsageError(f"no scenario is about controller {controller!r}; known: {', '.join(known) or 'none'}")
    return chosen


def _matches(scenario: Scenario, pattern: str) -> bool:
    groups = [group for group, names in GROUPS.items() if scenario.controller in names]
    return any(fnmatchcase(text, pattern) for text in (scenario.id, scenario.name, scenario.controller, *groups))


def _no_match(pattern: str, scenarios: Sequence[Scenario]) -> str:
    names = {one.id: one.id for one in scenarios} | {one.name: one.id for one in scenarios}
    close = [names[name] for name in difflib.get_close_matches(pattern.strip("*"), sorted(names), n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(dict.fromkeys(close))}?" if close else "lockstep list shows all of them"
    return f"no scenario matches {pattern!r}; {hint}"
