"""`lockstep fidelity`: whether the in-memory API server answers like a real kube-apiserver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lockstep.cli import options

if TYPE_CHECKING:
    from lockstep.cli.screen import Screen
    from lockstep.quality.fidelity.judging import Verdict

_SHOWN = 12


@click.command("fidelity", short_help="Compare the API server with a real kube-apiserver.")
@click.argument("patterns", nargs=-1, metavar="[SCENARIO_GLOB]...")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="WHERE",
    help="What is judged: memory, http, control-plane or kubeconfig=FILE; may be repeated.  [default: memory, http]",
)
@click.option(
    "--against",
    type=click.Choice(["recorded", "control-plane"]),
    default="recorded",
    show_default=True,
    help="What it is held to: the recorded answers of kube-apiserver, or one that is started for this.",
)
@click.option(
    "--record", is_flag=True, help="Take the recordings again, from a kube-apiserver that is started for this."
)
@click.option("--sequences", metavar="N", type=click.IntRange(min=1), help="So many random sequences, instead.")
@options.seed
@click.pass_context
def command(
    ctx: click.Context,
    /,
    patterns: tuple[str, ...],
    targets: tuple[str, ...],
    against: str,
    record: bool,
    sequences: int | None,
    seed: int,
) -> None:
    """Send the same requests to the in-memory API server and to a real kube-apiserver, and compare every answer.

    Without options: every scenario in this process and over HTTP, against the recorded answers of kube-apiserver. With
    --sequences: random requests to both, live. Ends with 0 only if all differences are in the table of limits.
    """
    from lockstep.cli.screen import Screen

    screen = Screen()
    if sequences is not None:
        if patterns or targets or record:
            raise click.UsageError("--sequences takes --seed only: the requests are drawn, not chosen", ctx)
        ctx.exit(_sequences(screen, sequences, seed))
    if record:
        if patterns or targets or against != "recorded":
            raise click.UsageError("--record takes every scenario from kube-apiserver; leave the rest out", ctx)
        ctx.exit(_record(screen))
    ctx.exit(_scenarios(screen, patterns, targets or ("memory", "http"), against))


def _record(screen: Screen) -> int:
    from lockstep.quality.fidelity.suite import record

    written = record(screen.note)
    screen.lines([f"recorded {count:>3} scenarios  {path}" for path, count in written])
    return 0


def _scenarios(screen: Screen, patterns: tuple[str, ...], targets: tuple[str, ...], against: str) -> int:
    from lockstep.quality.fidelity.suite import judged, selected

    scenarios = selected(patterns)
    found: list[Verdict] = []
    with screen.progress(len(scenarios) * len(targets)):
        for target in targets:
            for verdict in judged(scenarios, target, against, screen.note):
                found.append(verdict)
                screen.advance(len(found), verdict.scenario.id)
    _show(screen, found)
    return 1 if any(one.state == "differs" for one in found) or not found else 0


def _show(screen: Screen, found: list[Verdict]) -> None:
    """A line for each scenario with differences or excuses, its differences, and the totals."""
    from lockstep.quality.fidelity.compare import shown
    from lockstep.report.text import table

    for one in found:
        if one.state == "equal":
            continue
        topics = ", ".join(sorted({excuse.topic for excuse in one.excuses}))
        colour = "bold red" if one.state == "differs" else "yellow"
        screen.line(f"{one.state:8}  {one.target:13}  {one.scenario.id}  {topics}".rstrip(), colour)
        for difference in one.differences[:_SHOWN]:
            screen.lines([f"    {line}" for line in shown(difference)])
        if len(one.differences) > _SHOWN:
            screen.line(f"    ... {len(one.differences) - _SHOWN} more fields")
        for excuse in one.stale:
            screen.line(f"    the limit {excuse.topic!r} says that this scenario shows it, and it does not any more")
    screen.line()
    rows = []
    for target in dict.fromkeys(one.target for one in found):
        mine = [one for one in found if one.target == target]
        counts = [sum(one.state == state for one in mine) for state in ("equal", "excused", "differs")]
        rows.append((target, str(len(mine)), *map(str, counts), f"{sum(one.steps for one in mine):,}"))
    screen.lines(table(("target", "scenarios", "equal", "excused", "differ", "answers"), rows))


def _sequences(screen: Screen, count: int, seed: int) -> int:
    from lockstep.quality.fidelity.compare import shown
    from lockstep.quality.fidelity.sequences import compare_sequences

    screen.header([("sequences", f"{count:,}"), ("seed", str(seed))])
    with screen.progress(count):
        result = compare_sequences(
            count, seed, screen.note, lambda so_far: screen.advance(so_far.sequences, f"{so_far.per_second:.0f}/s")
        )
    for finding in result.findings:
        screen.line("a difference, shrunk:", "bold red")
        screen.lines([f"  {line}" for line in finding.requests])
        for difference in finding.differences[:_SHOWN]:
            screen.lines([f"    {line}" for line in shown(difference)])
    screen.line()
    screen.line(
        f"{result.sequences:,} sequences, {result.requests:,} requests, {result.events:,} watch events compared, "
        f"{len(result.findings)} different; {result.per_second:.1f} sequences/s"
    )
    return 1 if result.findings else 0
