"""`lockstep list`: the scenarios, for people and for programs."""

from __future__ import annotations

import difflib
import json
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from lockstep.cli import options

if TYPE_CHECKING:
    from lockstep.project.index import Entry

#: What `obstacle_of` means for real clusters, in one word of the JSON.
_NOT_TRIED = "not tried"


@click.command("list", short_help="List the scenarios.")
@click.argument("patterns", nargs=-1, metavar="[SCENARIO]...")
@options.controller
@options.suite
@click.option("--grep", "text", metavar="TEXT", default="", help="Only those with this text in their id or their rule.")
@click.option("--feature", metavar="NAME", default="", help="Only those with this feature.")
@click.option("--source", metavar="TEXT", default="", help="Only those whose source has this text, such as a function.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print.",
)
def command(
    patterns: tuple[str, ...],
    controller: str | None,
    suite: bool,
    text: str,
    feature: str,
    source: str,
    format_: str,
) -> None:
    """List the scenarios: the rule of each, and the source of that rule (with --format json).

    --grep, --feature and --source ignore case.
    """
    from lockstep.cli.selection import entries
    from lockstep.clusters.real.obstacles import obstacle_of

    chosen = _filtered(entries(patterns, controller, suite=suite), text, feature, source)
    obstacles = {one.id: obstacle_of(one) for one in chosen}
    if format_ == "json":
        listed = [_as_json(one, obstacles[one.id]) for one in chosen]
        click.echo(json.dumps(listed, indent=1, sort_keys=True, ensure_ascii=False))
        return
    for one in chosen:
        click.echo(one.id)
        click.echo(_indented(one.must))
        why = obstacles[one.id]
        if why is None:
            click.echo(_indented(f"real clusters: {_NOT_TRIED}"))
        elif why:
            click.echo(_indented(f"in memory only: {why}"))
    click.echo(f"\n{_summary(list(obstacles.values()))}")


def _filtered(scenarios: Sequence[Entry], text: str, feature: str, source: str) -> list[Entry]:
    """The scenarios that have all of these; "" matches all. Raises click.UsageError if none is left."""
    features = {name.lower(): name for one in scenarios for name in one.features}
    close = difflib.get_close_matches(feature.lower(), features, n=3)
    known = f"did you mean {' or '.join(features[one] for one in close)}?" if close else "--format json shows them"
    filters: list[tuple[str, Callable[[Entry], bool], str]] = [
        (f"--grep {text}", lambda one: _in(text, f"{one.id} {one.must}"), "try a shorter text"),
        (f"--feature {feature}", lambda one: not feature or features.get(feature.lower()) in one.features, known),
        (
            f"--source {source}",
            lambda one: not source or any(_in(source, cited) for cited in one.source),
            "try a shorter text",
        ),
    ]
    left = list(scenarios)
    for option, holds, hint in filters:
        left = [one for one in left if holds(one)]
        if not left:
            raise click.UsageError(f"no scenario is left by {option}; {hint}")
    return left


def _in(text: str, where: str) -> bool:
    return text.lower() in where.lower()


def _indented(text: str) -> str:
    return textwrap.fill(text, 80, initial_indent="    ", subsequent_indent="    ")


def _summary(obstacles: Sequence[str | None]) -> str:
    """How many there are, and how many of them run on real clusters; untried scenarios do not count there."""
    parts = [f"{len(obstacles)} scenario{'' if len(obstacles) == 1 else 's'}"]
    tried = [why for why in obstacles if why is not None]
    if tried:
        parts.append(f"{sum(not why for why in tried)} of them also on real clusters")
    if len(tried) < len(obstacles):
        parts.append(f"{len(obstacles) - len(tried)} {_NOT_TRIED} there")
    return ", ".join(parts)


def _as_json(scenario: Entry, obstacle: str | None) -> dict[str, Any]:
    return {
        "id": scenario.id,
        "must": scenario.must,
        "source": list(scenario.source),
        "issues": list(scenario.issues),
        "controllers": list(scenario.controllers),
        "features": list(scenario.features),
        "horizon": scenario.horizon,
        "in_memory_only": obstacle or "",
        "real_clusters": _NOT_TRIED if obstacle is None else "no" if obstacle else "yes",
        "module": scenario.module,
        "line": scenario.line,
    }
