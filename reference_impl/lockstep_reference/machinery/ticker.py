"""A ticker: wakes its reader at equal distances (Go's time.Tick and time.NewTicker).

Its channel holds one tick. A reader who is busy at a tick gets it late; what falls due meanwhile is lost, and the ticks
after it stand where they always stood.
"""

from __future__ import annotations

import asyncio

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.transport import Clock


class Ticker:
    """Ticks every `period` seconds, for the first time one period after it was made."""

    def __init__(self, period: float, clock: Clock) -> None:
        self._period = round(period * SECOND)
        self._clock = clock
        self._next = clock.now() + self._period

    async def tick(self) -> None:
        """Wait for the next tick, or take the one that waits already."""
        late = self._clock.now() - self._next
        if late < 0:
            await asyncio.sleep(-late / SECOND)
            late = 0
        self._next += (late // self._period + 1) * self._period
