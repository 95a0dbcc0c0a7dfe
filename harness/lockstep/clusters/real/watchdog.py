"""Watches whether the cluster of a session is alive: runs would wait for minutes for one that has died."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

#: Seconds between two checks.
_GLANCE = 0.2


class Watchdog:
    """Checks periodically, on its own thread, while the block lasts.

    `death` says how the cluster died; "" while it is alive. `bury` is called once, with that text.
    """

    def __init__(self, death: Callable[[], str], bury: Callable[[str], None]) -> None:
        self._death = death
        self._bury = bury
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="lockstep-watchdog", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(_GLANCE):
            if reason := self._death():
                self._bury(reason)
                return
