"""When scenarios of a session may start: evenly spread, because simultaneous work makes a machine late.

A machine that is late gets time to catch up before the next start.
"""

from __future__ import annotations

import os
import threading
import time
from types import TracebackType
from typing import Self

#: Seconds of one processor that a scenario may use to start, to run, and for its clean-up.
_SHARE = 5.0
#: Seconds: how late a machine may be; how long starts pause if it is later than that; and for how long at most, since
#: what makes it late may never end.
_LATE, _BREATH, _LONGEST = 0.25, 3.0, 30.0


class Starts:
    """A context manager in which any thread starts controllers.

    One program per two processors starts at a time, since more would starve each other and the running ones. Starts are
    some time apart, so that scenarios of equal length do not do everything at the same time.
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

    def report_delay(self, late: float) -> None:
        """Any thread: something happened this many seconds after it was due."""
        if late > _LATE:
            self._calm = time.monotonic() + _BREATH

    def hurry(self) -> None:
        """Any thread: stop spreading starts, since all that starts ends at once."""
        self._over.set()
