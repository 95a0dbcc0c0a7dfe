"""Names of implementations: `reference`, `upstream`, `upstream:RELEASE`, `upstream:path=DIR`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.implementations import Implementation


class UsageError(Exception):
    """What the user asked for does not exist; the message is one line."""


def parse_spec(spec: str) -> tuple[str, str]:
    """Split a spec into kind and argument. Raises UsageError on an unknown one, naming those that exist."""
    kind, _, argument = spec.partition(":")
    if kind == "reference" and not argument:
        return kind, ""
    if kind == "upstream":
        if argument.startswith("path="):
            directory = Path(argument.removeprefix("path=")).expanduser()
            if not (directory / "go.mod").is_file():
                raise UsageError(f"{spec!r}: {directory} is no Kubernetes checkout (it has no go.mod)")
            return kind, argument
        from harness.upstream.releases import RELEASES

        if argument and argument not in RELEASES:
            raise UsageError(f"unknown upstream release {argument!r}; known: {', '.join(sorted(RELEASES))}")
        return kind, argument
    raise UsageError(
        f"unknown implementation {spec!r}; known: reference, upstream, upstream:RELEASE, upstream:path=DIR"
    )


def release_of(spec: str) -> str | None:
    """The release that a spec names, or None."""
    kind, _, argument = spec.partition(":")
    return argument if kind == "upstream" and argument and not argument.startswith("path=") else None


def open_implementation(spec: str, release: str, progress: Callable[[str], None]) -> Implementation:
    """Make an implementation ready to run; upstream is built first if need be, with `progress` lines."""
    kind, argument = parse_spec(spec)
    if kind == "reference":
        from harness.implementations.reference import Reference

        return Reference()
    from harness.implementations.upstream import Upstream

    return Upstream(spec, argument or release, progress)
