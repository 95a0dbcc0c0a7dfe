"""`lockstep oracle`: arithmetic of the reference against that of the real packages, on generated questions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from lockstep.cli import options

if TYPE_CHECKING:
    from lockstep.cli.screen import Screen
    from lockstep.quality.oracle.comparing import Comparison


@click.command("oracle", short_help="Compare arithmetic on generated questions.")
@click.argument("topics", nargs=-1, metavar="[TOPIC]...")
@click.option(
    "--questions", metavar="N", type=click.IntRange(min=1), default=10_000, show_default=True, help="How many."
)
@options.seed
@click.option("--vpa", metavar="VERSION", help="The release of the VPA that is asked.  [default: the primary one]")
@click.pass_context
def command(ctx: click.Context, /, topics: tuple[str, ...], questions: int, seed: int, vpa: str | None) -> None:
    """Ask the Vertical Pod Autoscaler's real packages and the reference the same questions, bit for bit.

    Without a TOPIC, all of them are compared. Ends with 0 only if no answer differs. A question counts as open if
    upstream gives several answers to it, one of which is the reference's.
    """
    from lockstep.cli.screen import Screen
    from lockstep.implementations.oracle import answering
    from lockstep.implementations.upstream.oracle import VPA, Oracle, build_oracle
    from lockstep.quality.oracle.comparing import compare
    from lockstep.quality.oracle.topics import TOPICS

    for topic in topics:
        if topic not in TOPICS:
            raise click.UsageError(f"there is no topic {topic!r}; the topics are {', '.join(TOPICS)}", ctx)
    chosen, version, screen = topics or tuple(TOPICS), vpa or VPA, Screen()
    screen.header([("upstream", f"VPA {version}"), ("questions", f"{questions:,} a topic"), ("seed", str(seed))])
    binary = build_oracle(version, screen.note)
    found: list[Comparison] = []
    with Oracle(binary) as oracle, screen.progress(questions * len(chosen)):
        for topic in chosen:
            before = sum(one.questions for one in found)
            found.append(
                compare(
                    topic,
                    answering(topic),
                    oracle,
                    questions,
                    seed,
                    lambda so_far, before=before: screen.advance(before + so_far.questions, so_far.topic),  # type: ignore[misc]
                )
            )
    _show(screen, found)
    ctx.exit(1 if any(one.different for one in found) else 0)


def _show(screen: Screen, found: list[Comparison]) -> None:
    """A line per topic, then the first differences."""
    from lockstep.report.text import table

    rows = [
        (
            one.topic,
            f"{one.questions:,}",
            f"{one.different:,}",
            f"{one.open:,}",
            f"{one.panics:,}",
            f"{one.questions / max(one.oracle_seconds, 1e-6):,.0f}",
            f"{one.questions / one.seconds:,.0f}",
        )
        for one in found
    ]
    screen.lines(table(("topic", "questions", "different", "open", "panics", "upstream/s", "both/s"), rows))
    for one in found:
        for difference in one.differences:
            screen.line()
            screen.line(f"{one.topic}: {json.dumps(difference.question)}")
            screen.line(f"  upstream   {json.dumps(difference.upstream)}")
            screen.line(f"  reference  {json.dumps(difference.implementation)}")
    screen.line()
    screen.line(f"{sum(one.questions for one in found):,} questions, {sum(one.different for one in found):,} different")
