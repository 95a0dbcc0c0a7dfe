"""Runs scenarios for a verb: header, one line for each that is not a plain pass, explanations, summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lockstep import __version__
from lockstep.report import Row, Session, document, write

if TYPE_CHECKING:
    from lockstep.cli.screen import Screen
    from lockstep.runs.config import RunConfig
    from lockstep.scenarios.declare import Scenario


def execute(
    config: RunConfig,
    scenarios: Sequence[Scenario],
    screen: Screen,
    *,
    report: Path | None = None,
    fail_fast: bool = False,
    list_divergences: bool = False,
    histories: Path | None = None,
) -> Session:
    """Run the scenarios, show their outcomes, and write the report if one is requested."""
    from lockstep.environments import REAL
    from lockstep.project import find_project
    from lockstep.runs.availability import available
    from lockstep.runs.runner import Runner

    scenarios, about = available(config, scenarios)
    if not scenarios:
        raise click.UsageError(f"nothing remains to be run; left out: {about[0][1]}")
    session = Session(config, selected=len(scenarios))
    screen.header([*config.lines(__version__), *about, ("scenarios", str(len(scenarios)))])
    with _explanations(screen) as explanations, ExitStack() as held:
        with screen.progress(len(scenarios)):  # something may have to be built
            runner = held.enter_context(Runner(config, find_project(), screen.note, histories))
        # Before the bar: its thread must not exist when processes are forked.
        outcomes = held.enter_context(runner.run_all(scenarios, screen.doing))
        held.enter_context(screen.progress(len(scenarios)))
        for outcome in outcomes:
            row = Row.of(outcome)
            session.add(row)
            screen.done_one(row)
            if config.environment in REAL:  # on real time, this takes minutes
                screen.tell(len(session.rows), f"{len(session.to_repeat)} not green")
            if row.flaw:
                explanations.append(
                    (f"{row.flaw}: {row.id}", outcome.message or f"{outcome.scenario.must}\n\nThe scenario {row.flaw}.")
                )
                if fail_fast:
                    break
    screen.summary(session, list_divergences=list_divergences)
    if report is not None:
        write(report, document([session]))
    return session


@contextmanager
def _explanations(screen: Screen) -> Iterator[list[tuple[str, str]]]:
    """Titles and texts to show at the end, also after Ctrl-C: a user who gives up sees what was found so far."""
    found: list[tuple[str, str]] = []
    try:
        yield found
    finally:
        for title, text in found:
            screen.explanation(title, text)
