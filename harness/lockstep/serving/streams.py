"""A watch between the simulation and a client: events arrive in order, and a slow reader is cut off."""

from __future__ import annotations

import asyncio
from collections import deque

from lockstep.apiserver import Watch, WatchEvent
from lockstep.serving.boxes import Inbox, Outbox

#: Events that may wait for a reader, beyond those with which its watch begins; then the watch ends.
MOST_WAITING = 20_000


class Stream:
    """The front's end of a watch. Made on the simulation's thread; read by the front."""

    def __init__(self, watch: Watch, inbox: Inbox, outbox: Outbox) -> None:
        self._watch = watch
        self._inbox = inbox
        self._outbox = outbox
        self._events: deque[WatchEvent] = deque()
        self._ended = False
        self._news = asyncio.Event()
        self._limit = MOST_WAITING + len(watch.events)
        watch.on_event = self._pass_on
        self._pass_on()

    def _pass_on(self) -> None:
        """On the simulation's thread."""
        watch, events = self._watch, []
        while watch.events:
            events += watch.take()
        ended = watch.closed
        if events or ended:
            self._outbox.put(lambda: self._receive(events, ended=ended))

    def _receive(self, events: list[WatchEvent], *, ended: bool) -> None:
        if self._ended:
            return
        self._events.extend(events)
        self._ended = ended
        if len(self._events) > self._limit:
            self._events.clear()
            self.stop()
        self._news.set()

    async def take(self, within: float) -> list[WatchEvent] | None:
        """The events that have arrived, or arrive `within` seconds; None when the watch, or the time, is over."""
        if not self._events and not self._ended:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), within)
            except TimeoutError:
                return None
        if not self._events:
            return None
        taken = [*self._events]
        self._events.clear()
        return taken

    def stop(self) -> None:
        """The reader has gone."""
        self._ended = True
        self._inbox.put(self._watch.stop)
