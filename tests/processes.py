"""What tests of other processes share."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable


def until(condition: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
    """Look until what other processes, or other threads, do has come about."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"there never was {what}"
        time.sleep(0.02)


def hear_interrupts() -> None:
    """In a new process: a shell makes what it starts in the background, and all that this starts, deaf to SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
