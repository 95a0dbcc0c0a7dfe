"""`lockstep record`: write down what the real upstream controllers do."""

from __future__ import annotations

import click

from lockstep.cli import options
from lockstep.runs.config import RunConfig


@click.command("record", short_help="Record what upstream does in each scenario.")
@click.argument("patterns", nargs=-1, metavar="[SCENARIO]...")
@options.controller
@options.suite
@click.option("--release", metavar="VERSION", required=True, help="The Kubernetes release to run and to record.")
@options.seed
@options.jobs
@click.pass_context
def command(
    ctx: click.Context,
    /,
    patterns: tuple[str, ...],
    controller: str | None,
    suite: bool,
    release: str,
    seed: int,
    jobs: int | None,
) -> None:
    """Record what upstream does in each scenario.

    Runs the unmodified upstream controllers of the release and replaces their recordings. Only upstream can be
    recorded, and never where CI is set: a recording is evidence, so a person must review what changed.
    """
    config = RunConfig.parse(implementation=f"upstream:{release}", release=release, seed=seed, jobs=jobs, update=True)
    from lockstep.cli.execution import execute
    from lockstep.cli.screen import Screen
    from lockstep.cli.selection import choose

    session = execute(config, choose(patterns, controller, suite=suite), Screen())
    ctx.exit(0 if session.green else 1)
