"""`lockstep list`: the scenarios, for people and for programs."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

import click

from lockstep.cli import options

if TYPE_CHECKING:
    from lockstep.scenarios.declare import Scenario


@click.command("list", short_help="List the scenarios.")
@click.argument("patterns", nargs=-1, metavar="[SCENARIO]...")
@options.controller
@options.suite
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print.",
)
def command(patterns: tuple[str, ...], controller: str | None, suite: bool, format_: str) -> None:
    """List the scenarios: what each demands, and where that comes from (with --format json)."""
    from lockstep.cli.selection import choose
    from lockstep.clusters.real.obstacles import known_obstacles

    chosen = choose(patterns, controller, suite=suite)
    obstacles = known_obstacles()
    if format_ == "json":
        click.echo(
            json.dumps(
                [_as_json(one, obstacles.get(one.id, "")) for one in chosen],
                indent=1,
                sort_keys=True,
                ensure_ascii=False,
            )
        )
        return
    for one in chosen:
        click.echo(one.id)
        click.echo(textwrap.fill(one.must, 80, initial_indent="    ", subsequent_indent="    "))
        if why := obstacles.get(one.id):
            click.echo(textwrap.fill(f"in memory only: {why}", 80, initial_indent="    ", subsequent_indent="    "))
    fit = sum(one.id not in obstacles for one in chosen)
    click.echo(f"\n{len(chosen)} scenario{'' if len(chosen) == 1 else 's'}, {fit} of them also on real clusters")


def _as_json(scenario: Scenario, obstacle: str) -> dict[str, Any]:
    return {
        "id": scenario.id,
        "must": scenario.must,
        "source": list(scenario.source),
        "issues": list(scenario.issues),
        "controllers": list(scenario.controllers),
        "features": list(scenario.features),
        "horizon": scenario.horizon,
        "in_memory_only": obstacle,
        "module": scenario.module,
        "line": scenario.line,
    }
