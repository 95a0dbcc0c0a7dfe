"""The command that repeats a run."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lockstep.project import find_project
from lockstep.runs.config import REPORTED, RunConfig

if TYPE_CHECKING:
    from collections.abc import Iterator


def command_of(selectors: Sequence[str], config: RunConfig) -> list[str]:
    """The words of the shell command that runs these scenarios again in the same way."""
    return ["lockstep run", *map(shlex.quote, selectors), *option_words(config)]


def option_words(config: RunConfig, prefix: str = "--") -> list[str]:
    """The options of a run, each with its value; those with their default value are left out.

    Where the project sets its own default, the value is named, so that the command means the same anywhere.
    """
    return [f"{prefix}{name} {shlex.quote(value)}" for name, value in _given(config)]


def _given(config: RunConfig) -> Iterator[tuple[str, str]]:
    usual = {**RunConfig().reported, "release": config.implied_release}
    settings = find_project().defaults
    for name in REPORTED:
        if name in settings or getattr(config, name) != usual[name]:
            yield name, str(getattr(config, name))
    for name in ("kubeconfig", "context"):
        if value := getattr(config.cluster, name):
            yield name, value
