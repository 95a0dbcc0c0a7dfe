"""`lockstep fuzz`: generated cases on two implementations, every difference shrunk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lockstep.cli import options

if TYPE_CHECKING:
    from lockstep.cli.screen import Screen
    from lockstep.quality.fuzz import FuzzResult
    from lockstep.runs.config import RunConfig


@click.command("fuzz", short_help="Run generated cases and report every difference.")
@click.argument("controller")
@click.option("--cases", metavar="N", type=click.IntRange(min=1), default=1000, show_default=True, help="How many.")
@options.implementation
@click.option(
    "--against",
    metavar="WHO",
    default="upstream",
    show_default=True,
    help="The implementation that it is compared with, run live.",
)
@options.release
@options.seed
@options.report
@click.option("--save", is_flag=True, help="Keep each difference as a regression that later runs replay.")
@click.pass_context
def command(ctx: click.Context, /, controller: str, cases: int, report: Path | None, save: bool, **chosen: Any) -> None:
    """Run generated cases of a controller on two implementations, and compare what they do.

    Each difference is shrunk, with at most a hundred further cases, to the smallest of them that shows it. Ends with 0
    only if writes were compared and none differed.
    """
    options.check_report_path(report)
    if chosen["against"] in ("recorded", "none"):
        raise click.UsageError("--against must name an implementation: generated cases have no recording", ctx)
    config = options.run_config(chosen)
    from lockstep import __version__
    from lockstep.cli.screen import Screen
    from lockstep.quality.fuzz import fuzz

    screen = Screen()
    screen.header([*config.lines(__version__), ("cases", f"{cases:,} generated, controller {controller}")])
    with screen.progress(cases):
        result = fuzz(
            controller,
            cases,
            config.seed,
            config.implementation,
            config.against,
            config.release,
            progress=screen.note,
            on_case=lambda so_far: screen.advance(so_far.cases, _doing(so_far)),
        )
    saved = _save(result) if save else []
    _show(screen, result, saved)
    if report is not None:
        _write(report, config, result)
    ctx.exit(0 if _green(result) else 1)


def _doing(result: FuzzResult) -> str:
    count = len(result.differences)
    if result.shrinking:
        return f"shrinking a difference, {result.shrinking} smaller cases tried"
    return f"{result.cases_per_second:,.1f} cases/s" + (f", {count} different" if count else "")


def _green(result: FuzzResult) -> bool:
    return not result.differences and result.cases > 0 and result.writes_compared > 0


def _save(result: FuzzResult) -> list[Path]:
    from lockstep.project import find_project
    from lockstep.quality.fuzz import save_regression

    project = find_project()
    folder = project.writable(project.evidence).regressions

    return [
        save_regression(folder, result.controller, found.plan, found.report.headline) for found in result.differences
    ]


def _show(screen: Screen, result: FuzzResult, saved: list[Path]) -> None:
    for number, found in enumerate(result.differences, 1):
        screen.explanation(f"difference {number}: {found.report.headline}", found.report.text)
        screen.lines(["", "the smallest case that shows it:"])
        screen.lines([f"  {line}" for line in _readable(found.plan).splitlines()])
        if saved:
            screen.lines(["", f"kept as {saved[number - 1]}; lockstep replay FILE runs it again"])
    if result.differences:
        screen.line()
    differences = f"{len(result.differences):,} difference{'' if len(result.differences) == 1 else 's'}"
    screen.line(f"{result.cases:,} cases, {differences}, {result.cases_per_second:,.1f} cases a second")
    words = f"{result.writes_compared:,} writes compared"
    if result.needed_variants:
        words += f"; {result.needed_variants:,} cases agreed in another order that upstream leaves open"
    screen.line(words)
    if _green(result):
        screen.line("green: no unknown difference", "bold green")
    else:
        count = len(result.differences)
        reason = f"{count} case{'' if count == 1 else 's'} differed" if count else "nothing was compared"
        screen.line(f"not green: {reason}", "bold red")


def _readable(plan: Any) -> str:
    """A plan as YAML, without the anchors that PyYAML writes for shared parts."""
    import json

    import yaml

    return yaml.safe_dump(json.loads(json.dumps(plan)), sort_keys=False)


def _write(path: Path, config: RunConfig, result: FuzzResult) -> None:
    from lockstep import __version__
    from lockstep.report import write

    found = [{"headline": one.report.headline, "plan": one.plan} for one in result.differences]
    content = {
        **config.reported,
        "cases": result.cases,
        "cases_per_second": round(result.cases_per_second, 1),
        "controller": result.controller,
        "differences": found,
        "green": _green(result),
        "needed_variants": result.needed_variants,
        "wall_seconds": round(result.seconds, 3),
        "writes_compared": result.writes_compared,
    }
    write(path, {"lockstep": {"version": __version__}, "fuzz": content})
