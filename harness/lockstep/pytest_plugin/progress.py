"""Progress of slow steps: a line on the terminal for each step of a build, also under capture."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest


def progress_of(config: pytest.Config) -> Callable[[str], None]:
    """Prints a line that the user sees: not captured, and not among the dots of the tests."""

    def show(text: str) -> None:
        capture = config.pluginmanager.getplugin("capturemanager")
        if capture is None:
            _print(text)
            return
        with capture.global_and_fixture_disabled():
            _print(text)

    return show


def _print(text: str) -> None:
    print(f"\nlockstep: {text}", end="", file=sys.stderr, flush=True)  # noqa: T201 - there is no reporter in a worker
