"""`lockstep diff`: what changed between two reports, or between two recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lockstep.trace.model import Trace

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("diff", short_help="Compare two reports or two recordings.")
@click.argument("file_a", type=_FILE)
@click.argument("file_b", type=_FILE)
@click.pass_context
def command(ctx: click.Context, /, file_a: Path, file_b: Path) -> None:
    """Compare two reports, or two recordings of one scenario. Ends with 0 if they are equal, 1 if not."""
    from lockstep.report.differ import diff_reports
    from lockstep.report.document import is_report, read

    reports = [is_report(_json(path)) for path in (file_a, file_b)]
    if all(reports):
        lines = diff_reports(read(file_a), read(file_b))
    elif any(reports):
        raise click.UsageError("one file is a report and the other is not; compare like with like", ctx)
    else:
        lines = _diff_recordings(file_a, file_b)
    for line in lines:
        click.echo(line)
    if not lines:
        click.echo("no difference")
    ctx.exit(1 if lines else 0)


def _json(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise click.UsageError(f"{path} is not JSON ({error}); name a report or a recording") from error


def _diff_recordings(file_a: Path, file_b: Path) -> list[str]:
    """Differences of the second recording's variants from the nearest variant of the first."""
    from lockstep.trace import compare

    left, right = _variants(file_a), _variants(file_b)
    lines: list[str] = []
    for number, variant in enumerate(right, 1):
        prefix = f"variant {number}: " if len(right) > 1 else ""
        lines.extend(f"{prefix}{difference.line()}" for difference in compare.nearest(left, variant).differences)
    return lines


def _variants(path: Path) -> list[Trace]:
    """The traces of a recording. Its file may lie anywhere, for example in a checkout of another branch."""
    from lockstep.trace.model import Trace

    content = _json(path)
    variants = content.get("variants") if isinstance(content, dict) else None
    if not isinstance(variants, list) or not variants:
        raise click.UsageError(f"{path} is neither a report nor a recording")
    try:
        return [Trace.from_json(one) for one in variants]
    except ValueError as error:
        raise click.UsageError(f"{path} is a damaged recording: {error}; restore it from version control") from error
