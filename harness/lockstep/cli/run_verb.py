"""`lockstep run`: run scenarios and judge them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lockstep.cli import options


@click.command("run", short_help="Run scenarios and judge them.")
@click.argument("patterns", nargs=-1, metavar="[SCENARIO]...")
@options.controller
@options.suite
@options.run_options
@options.real_cluster_options
@options.report
@click.option("--list-divergences", is_flag=True, help="Name each known divergence that showed itself.")
@click.option(
    "--histories",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the history of each run below DIR; lockstep replay judges it again.",
)
@click.option("-x", "--fail-fast", is_flag=True, help="Stop at the first scenario that is not green.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    patterns: tuple[str, ...],
    controller: str | None,
    suite: bool,
    report: Path | None,
    list_divergences: bool,
    fail_fast: bool,
    histories: Path | None,
    **chosen: Any,
) -> None:
    """Run scenarios and judge them.

    A SCENARIO_GLOB matches a scenario's id (replicaset/scale-*), its name (scale-*) or a controller (replicaset);
    without one, all scenarios run. Ends with 0 only if something was judged and no unknown difference was found.
    """
    options.check_report_path(report)
    config = options.run_config(chosen)
    from lockstep.cli.execution import execute
    from lockstep.cli.screen import Screen
    from lockstep.cli.selection import choose

    session = execute(
        config,
        choose(patterns, controller, suite=suite),
        Screen(),
        report=report,
        fail_fast=fail_fast,
        list_divergences=list_divergences,
        histories=histories,
    )
    ctx.exit(0 if session.green else 1)
