"""When scenarios of a session may start: evenly spread, for what happens at the same time makes a machine late.

A machine that is late gets time to catch up before it is given more to do.
"""

from __future__ import annotations

import os
import threading
import time
from types import TracebackType
from typing import Self

#: Seconds of one processor that a scenario may take for itself: to start, to be played, and to be cleaned up after.
_SHARE = 5.0
#: Seconds: by how much a machine may be late, how long it is left alone if it is later than that, and for how long in
#: all, since what makes it late may never end.
_LATE, _BREATH, _LONGEST = 0.25, 3.0, 30.0


class Starts:
    """A context manager to start controllers in, by any thread.

    One program for two processors starts at a time: more would starve each other, and those who run already. And one
    comes only some time after another, lest scenarios of equal length go on doing everything in step.
    """

    def __init__(self, processors: int = os.cpu_count() or 1, share: float = _SHARE) -> None:
        self._interval = share / processors
        self._turns = threading.Semaphore(max(1, processors // 2))
        self._lock = threading.Lock()
        self._next = 0.0
        #: Since when the machine has been on time again.
        self._calm = 0.0
        self._over = threading.Event()

    def __enter__(self) -> Self:
        self._turns.acquire()
        with self._lock:
            at = max(self._next, time.monotonic())
            self._next = at + self._interval
        self._over.wait(at - time.monotonic())
        while (pause := min(self._calm, at + _LONGEST) - time.monotonic()) > 0:
            if self._over.wait(pause):
                break
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._turns.release()

    def hear(self, late: float) -> None:
        """Any thread: something took place this number of seconds after it was due."""
        if late > _LATE:
            self._calm = time.monotonic() + _BREATH

    def hurry(self) -> None:
        """Any thread: nobody waits for the time any more, since all that starts ends at once."""
        self._over.set()
