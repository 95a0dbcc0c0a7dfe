"""Three drivers of the virtual loop: what moves the simulation's clock between requests from outside.

All three let requests in when all actors are parked, as the loop's order demands (docs/time.md).
"""

from __future__ import annotations

import time
from collections.abc import Callable

from lockstep.serving.boxes import Inbox
from lockstep.time.clock import EPOCH_NS, SECOND
from lockstep.time.loop import VirtualLoop

#: How the clock may move: with the machine's; from one planned step to the next; by hand.
CLOCKS = ("real", "virtual", "manual")


class RealClock:
    """Waits until the next step is due on the machine's clock, or a request has come.

    A step that is due takes place at its own instant, though it may be late on the machine's clock. The clock never
    goes back: it follows the monotonic one from the time of day at which it began.
    """

    def __init__(self, inbox: Inbox, monotonic: Callable[[], int] = time.monotonic_ns) -> None:
        self._inbox = inbox
        self._monotonic = monotonic
        self._offset = time.time_ns() - EPOCH_NS - monotonic()

    def start(self) -> int:
        """The time of day."""
        return self._now()

    def _now(self) -> int:
        return self._monotonic() + self._offset

    def advance(self, loop: VirtualLoop, until: int | None) -> None:
        """Wait for `until`, or for a request."""
        now = self._now()
        if until is None or now < until:
            self._inbox.wait(None if until is None else (until - now) / SECOND)
            now = self._now()
        loop.now = max(loop.now, now if until is None else min(now, until))
        _let_in(loop, self._inbox)


class JumpingClock:
    """Jumps to the next step whenever no request waits. Begins at the virtual epoch."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    def start(self) -> int:
        """Instant 0."""
        return 0

    def advance(self, loop: VirtualLoop, until: int | None) -> None:
        """Let a request in, or jump; wait for a request if nothing is planned."""
        if _let_in(loop, self._inbox):
            return
        if until is None:
            self._inbox.wait(None)
            _let_in(loop, self._inbox)
        else:
            loop.now = until


class ManualClock:
    """Moves only as far as `move` allows. Begins at the virtual epoch; the first second passes by itself."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._limit = SECOND
        self._waiting: list[tuple[int, Callable[[], object]]] = []

    def start(self) -> int:
        """Instant 0."""
        return 0

    def move(self, by: int, reached: Callable[[], object]) -> None:
        """Let `by` more nanoseconds pass; `reached` is called afterwards."""
        self._limit += by
        self._waiting.append((self._limit, reached))

    def advance(self, loop: VirtualLoop, until: int | None) -> None:
        """Move up to the limit; there, wait for a request."""
        if until is not None and until <= self._limit:
            loop.now = until
            _let_in(loop, self._inbox)
            return
        loop.now = max(loop.now, self._limit)
        waiting, self._waiting = self._waiting, []
        for instant, reached in waiting:
            if instant <= loop.now:
                reached()
            else:
                self._waiting.append((instant, reached))
        self._inbox.wait(None)
        _let_in(loop, self._inbox)


def clock_of(name: str, inbox: Inbox) -> RealClock | JumpingClock | ManualClock:
    """The clock of that name (one of `CLOCKS`)."""
    if name == "real":
        return RealClock(inbox)
    return JumpingClock(inbox) if name == "virtual" else ManualClock(inbox)


def _let_in(loop: VirtualLoop, inbox: Inbox) -> bool:
    """Run the jobs from outside. False if there are none."""
    if not inbox.run():
        return False
    loop.note_outside_event()
    return True
