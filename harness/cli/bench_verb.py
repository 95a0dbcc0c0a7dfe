"""`lockstep bench`: how fast the harness is on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli import options


@click.command("bench", short_help="Measure how fast the harness is.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.report
def command(names: tuple[str, ...], report: Path | None) -> None:
    """Measure how fast the harness is on this machine; with no NAME, everything."""
    options.check_report_path(report)
    from harness import __version__
    from harness.bench import bench
    from harness.cli.screen import Screen
    from harness.report import write
    from harness.report.text import table

    screen = Screen()
    results = bench(names, screen.note)
    screen.lines(table(("measure", "value", "unit"), [(one.name, f"{one.value:,.4g}", one.unit) for one in results]))
    if report is not None:
        measures = [{"name": one.name, "value": one.value, "unit": one.unit} for one in results]
        write(report, {"lockstep": {"version": __version__}, "bench": measures})
