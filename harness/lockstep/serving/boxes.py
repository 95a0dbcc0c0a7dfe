"""Queues between the two threads: jobs for the simulation, and results for the front."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable

Job = Callable[[], object]
#: Longest single wait, in seconds: the limit of a lock.
_LONGEST = 3600.0


class Inbox:
    """Jobs from any thread for the one that runs the simulation, in the order in which they came."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self._arrived = threading.Event()

    def put(self, job: Job) -> None:
        """Any thread: hand a job over."""
        self._jobs.append(job)
        self._arrived.set()

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return len(self._jobs)

    def wait(self, timeout: float | None) -> None:
        """Until there is a job, or `timeout` seconds have passed (at most an hour); None for no limit."""
        self._arrived.wait(None if timeout is None else min(timeout, _LONGEST))

    def run(self) -> bool:
        """Run the waiting jobs. False if there were none."""
        self._arrived.clear()
        jobs, count = self._jobs, len(self._jobs)
        for _ in range(count):
            jobs.popleft()()
        if jobs:  # arrived in the meantime, perhaps before the flag was cleared
            self._arrived.set()
        return count > 0


class Outbox:
    """Results for the front's loop. The loop is woken once for all results that wait."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._results: deque[Job] = deque()
        self._lock = threading.Lock()
        self._woken = False

    def put(self, result: Job) -> None:
        """Any thread: run `result` on the front's loop; dropped if that has ended."""
        with self._lock:
            self._results.append(result)
            if self._woken or self._loop.is_closed():
                return
            self._woken = True
        self._loop.call_soon_threadsafe(self._flush)

    def _flush(self) -> None:
        with self._lock:
            self._woken = False
            results, self._results = self._results, deque()
        for result in results:
            result()
