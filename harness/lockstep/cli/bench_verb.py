"""`lockstep bench`: how fast the harness is on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lockstep.cli import options

if TYPE_CHECKING:
    from lockstep.quality.bench import Figure


@click.command("bench", short_help="Measure how fast the harness is.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.report
@click.pass_context
def command(ctx: click.Context, /, names: tuple[str, ...], report: Path | None) -> None:
    """Measure how fast the harness is on this machine; with no NAME, everything.

    Names: speed, hpa, week, fleet, vpa, vpa-fleet, fuzz, scale, server, suite, days, reconcile, steps, oracle, traffic,
    servers. The last one needs a real control plane, which is built if necessary. A missed target is shown, but does
    not change the exit code: a slow machine does not make a controller wrong.
    """
    options.check_report_path(report)
    from lockstep import __version__
    from lockstep.cli.screen import Screen
    from lockstep.quality.bench import MEASURES, bench
    from lockstep.report import write
    from lockstep.report.text import table

    unknown = [name for name in names if name not in MEASURES]
    if unknown:
        raise click.UsageError(f"there is no measure {unknown[0]!r}; the measures are {', '.join(MEASURES)}", ctx)
    screen = Screen()
    figures = bench(names, screen.note)
    screen.lines(table(("measure", "value", "unit", "target", "met"), [_row(one) for one in figures]))
    if report is not None:
        write(report, {"lockstep": {"version": __version__}, "bench": [_entry(one) for one in figures]})


def _row(one: Figure) -> tuple[str, ...]:
    value = f"{one.value:,.0f}" if one.value >= 1000 else f"{one.value:,.3g}"
    return one.name, value, one.unit, str(one.target or ""), {None: "", True: "yes", False: "NO"}[one.met]


def _entry(one: Figure) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": one.name, "value": one.value, "unit": one.unit}
    if one.target is not None:
        entry |= {"target": str(one.target), "met": one.met}
    return entry
