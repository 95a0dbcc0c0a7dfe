"""`lockstep init`: a working example in a new or existing repository."""

from __future__ import annotations

from pathlib import Path

import click

from lockstep.scenarios.location import shown_path


@click.command("init", short_help="Lay out a working example in a repository.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
def command(folder: Path) -> None:
    """Lay out a working example in FOLDER (default: the current one).

    Writes a scenario, a table [tool.lockstep] in pyproject.toml and a CI workflow. Files that exist are kept.
    """
    from lockstep.project.layout import lay_out

    for path, what in lay_out(folder.resolve()):
        click.echo(f"{what.ljust(14)} {shown_path(str(path))}")
    click.echo("\nNow run:\n  lockstep run\n  python -m pytest")
