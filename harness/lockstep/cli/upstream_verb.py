"""`lockstep upstream`: build and inspect the unmodified Go controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lockstep.runs.config import RunConfig

if TYPE_CHECKING:
    from lockstep.implementations.upstream.releases import Release


@click.group("upstream", short_help="Build and inspect the upstream controllers.")
def command() -> None:
    """Build and inspect the unmodified upstream controllers. A run builds missing ones by itself."""


_release = click.argument("release", default=RunConfig().release)


@command.command("list")
def list_releases() -> None:
    """List the known releases, and which of them are built."""
    from lockstep.implementations.upstream.build import installed
    from lockstep.implementations.upstream.releases import RELEASES, parse

    built = {one.release for one in installed()}
    rows = [(release, "built" if release in built else "-", _controllers(parse(release))) for release in RELEASES]
    for name, state, controllers in (("release", "state", "controllers"), *rows):
        click.echo(f"{name.ljust(max(map(len, RELEASES)))}  {state.ljust(5)}  {controllers}")


def _controllers(release: Release) -> str:
    return ", ".join(release.controllers) + (f" (VPA {release.vpa})" if release.vpa else "")


@command.command("build")
@_release
def build_release(release: str) -> None:
    """Build the controllers of a RELEASE (default: the primary one) unless they are built already."""
    from lockstep.cli.screen import Screen
    from lockstep.implementations.upstream.build import build

    screen = Screen()
    built = build(release, screen.note)
    screen.line(f"upstream {built.release} is built: {built.path}")


@command.command("info")
@_release
def show_info(release: str) -> None:
    """Show where a RELEASE is built, and from what."""
    from dataclasses import asdict

    from lockstep.cli.screen import Screen
    from lockstep.implementations.upstream.build import info

    found = info(release)
    if found is None:
        raise click.UsageError(f"upstream {release} is not built; lockstep upstream build {release} does it")
    Screen().header([(name.replace("_", " "), str(value)) for name, value in asdict(found).items()])
