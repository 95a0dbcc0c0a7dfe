"""`lockstep mutants`: the scenarios against controllers that are known to be wrong."""

from __future__ import annotations

import click

from lockstep.cli import options


@click.command("mutants", short_help="Check that the scenarios catch wrong controllers.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--of", "kind", type=click.Choice(["reference", "upstream"]), help="Only mutants of this implementation.")
@click.option("--controller", metavar="NAME", help="Only mutants of this controller.")
@options.suite
@click.pass_context
def command(
    ctx: click.Context, /, names: tuple[str, ...], kind: str | None, controller: str | None, suite: bool
) -> None:
    """Run the scenarios against controllers with one deliberate mistake each.

    A NAME may be a glob and may include kind and controller (upstream/replicaset/burst-*); without one, all mutants
    run. Ends with 0 only if every mistake is caught by a scenario of its controller.
    """
    from lockstep.cli.screen import Screen
    from lockstep.quality.mutants import mutants
    from lockstep.report.text import table

    screen = Screen()
    results = mutants(names, screen.note, kind, controller, suite=suite)
    rows = [(one.name, "caught" if one.killed_by else "SURVIVED", "".join(one.killed_by[:1])) for one in results]
    screen.lines(table(("mutant", "verdict", "by"), rows))
    survived = [one for one in results if not one.killed_by]
    screen.line()
    for one in survived:
        screen.line(f"{one.name} passed all {one.tried} scenarios: {one.says}", "bold red")
    if results and not survived:
        screen.line(f"green: all {len(results)} mutants were caught", "bold green")
    else:
        reason = f"{len(survived)} of {len(results)} were not caught" if survived else "there was no mutant to catch"
        screen.line(f"not green: {reason}", "bold red")
    ctx.exit(0 if results and not survived else 1)
