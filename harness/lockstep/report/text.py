"""The summary of a run as lines of text, 80 columns unless a name is longer: for terminals and log files alike."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from lockstep.report.document import totals
from lockstep.report.session import Row, Session, plural
from lockstep.runs.command import command_of
from lockstep.runs.outcome import GREEN, VERDICTS

WIDTH = 80


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: the first column to the left, all others to the right, two spaces between them."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (header, *rows)
    ]


def summary(session: Session) -> list[str]:
    """Two blocks: the verdicts with what was judged against what, then the amount of work."""
    groups: list[tuple[str, list[Row]]] = [(name, session.rows_of(name)) for name in session.controllers]
    if len(groups) > 1:
        groups.append(("total", session.rows))
    return [
        f"held to {session.config.yardstick}",
        "",
        *table(("controller", "judged", *VERDICTS), [(name, *_verdicts(rows)) for name, rows in groups]),
        "",
        *table(
            ("controller", "assertions", "writes compared", "cluster time", "wall time", "speed"),
            [(name, *_amounts(rows)) for name, rows in groups],
        ),
    ]


def _verdicts(rows: list[Row]) -> list[str]:
    counts = totals(rows)["verdicts"]
    judged = sum(row.judged for row in rows)
    return [f"{judged}/{len(rows)}", *(str(counts[verdict]) for verdict in VERDICTS)]


def _amounts(rows: list[Row]) -> list[str]:
    amounts = totals(rows)
    virtual, wall = amounts["virtual_seconds"], amounts["wall_seconds"]
    return [
        f"{amounts['assertions']:,}",
        f"{amounts['writes_compared']:,}",
        duration(virtual),
        duration(wall),
        f"x{virtual / wall:,.0f}" if wall else "-",
    ]


def duration(seconds: float) -> str:
    """A duration in words: "0.35 s", "2 min 5 s", "3 h 20 min", "2 d 4 h"."""
    if seconds < 60:
        return f"{seconds:.3g} s" if seconds < 9.995 else f"{seconds:.1f} s"
    whole = round(seconds)
    for size, unit, smaller, smaller_unit in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {unit}" + (f" {rest} {smaller_unit}" if rest else "")
    return f"{whole} s"


def closing(session: Session) -> list[str]:
    """The conclusion of the run, green or why not, in lines of 80 columns."""
    return textwrap.wrap(_closing(session), WIDTH, subsequent_indent="  ", break_long_words=False)


def _closing(session: Session) -> str:
    reasons = session.reasons()
    if reasons:
        return f"not green: {', '.join(reasons)}"
    rows = session.rows
    known = sum(row.verdict == "divergent" for row in rows)
    note = f" ({known} with a known divergence)" if known else ""
    return f"green: {plural(len(rows), 'scenario')} judged, no unknown difference{note}"


def divergence_lines(rows: Sequence[Row]) -> list[str]:
    """One line for each known divergence of each scenario that showed one."""
    return [f"{row.id}: {one}" for row in rows if row.verdict in GREEN for one in row.divergences]


def rerun_command(session: Session) -> list[str]:
    """The exact command that repeats what was not green, one shell command folded at 80 columns."""
    return fold(command_of(session.selectors, session.config))


def fold(words: Sequence[str], indent: str = "    ") -> list[str]:
    """A shell command as lines of at most 80 columns where its words allow it, joined by backslashes."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) + 2 <= WIDTH - 2:
            lines[-1] += f" {word}"
        else:
            lines[-1] += " \\"
            lines.append(indent + word)
    return lines
