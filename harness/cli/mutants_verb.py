"""`lockstep mutants`: the scenarios against controllers that are known to be wrong."""

from __future__ import annotations

import click


@click.command("mutants", short_help="Check that the scenarios catch wrong controllers.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.pass_context
def command(ctx: click.Context, /, names: tuple[str, ...]) -> None:
    """Run the scenarios against controllers with one deliberate mistake each.

    Ends with 0 only if every mistake is caught by a scenario.
    """
    from harness.cli.screen import Screen
    from harness.mutants import mutants
    from harness.report.text import table

    screen = Screen()
    results = mutants(names, screen.note)
    rows = [(one.name, "caught" if one.killed_by else "SURVIVED", str(len(one.killed_by))) for one in results]
    screen.lines(table(("mutant", "verdict", "scenarios"), rows))
    survived = [one.name for one in results if not one.killed_by]
    screen.line()
    if results and not survived:
        screen.line(f"green: all {len(results)} mutants were caught", "bold green")
    else:
        reason = f"not caught: {', '.join(survived)}" if survived else "there was no mutant to catch"
        screen.line(f"not green: {reason}", "bold red")
    ctx.exit(0 if results and not survived else 1)
