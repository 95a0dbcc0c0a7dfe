"""A watch between the server and a controller, where a scenario can delay, hold, break or end it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from lockstep.apiserver import Watch, WatchEvent
from lockstep.apiserver.watching import INITIAL_EVENTS_END
from lockstep.network.faults import status_object
from lockstep.time.clock import seconds

if TYPE_CHECKING:
    import random

    from lockstep.time.loop import VirtualLoop

#: How likely a burst arrives in one piece when it may arrive in several.
_WHOLE = 0.5


class Relay(Watch):
    """What a transport gets in place of the server's watch.

    The initial list of a WatchList passes at once; every change after it is subject to `lag` and `held`. Order within
    one watch never changes. With `rng`, a burst of events may arrive in pieces, as packets do.
    """

    def __init__(
        self,
        loop: VirtualLoop,
        source: Watch,
        resource: str,
        *,
        lag: float,
        held: bool,
        rng: random.Random | None = None,
    ) -> None:
        super().__init__()
        self._rng = rng
        self.resource = resource
        self.lag = lag
        self._held = held
        self._loop = loop
        self._source = source
        #: Events in flight, each with the earliest instant of its arrival.
        self._flight: deque[tuple[int, WatchEvent]] = deque()
        self._pass_initial_events()
        self._pump()
        source.on_event = self._pump

    def _pass_initial_events(self) -> None:
        """Pass the list that opens a WatchList, up to its bookmark, without delay: it is an answer, not a change."""
        arrivals = self._source.events
        if any(_ends_initial_events(event) for event in arrivals):
            while arrivals:
                event = arrivals.popleft()
                self.events.append(event)
                if _ends_initial_events(event):
                    return

    def take(self) -> list[WatchEvent]:
        """The events that the client gets next. It settles before it gets more."""
        events, rng = self.events, self._rng
        if rng is None or len(events) < 2 or rng.random() < _WHOLE:
            return super().take()
        return [events.popleft() for _ in range(rng.randint(1, len(events)))]

    def stop(self) -> None:
        """The client has ended the watch."""
        self._source.stop()
        self._flight.clear()
        self.closed = True

    def hold(self) -> None:
        """Keep back every event from now on, until `release`."""
        self._held = True

    def release(self) -> None:
        """Deliver the events that were kept back, and all later ones."""
        self._held = False
        self._pump()
        self._deliver()

    def drop(self) -> None:
        """End the connection cleanly; events still in flight are lost to this watch."""
        self._source.stop()
        self._flight.clear()
        self._close()

    def gone(self) -> None:
        """Send a 410 Gone error event and end the watch: the client's version has been compacted away."""
        self._source.stop()
        self._flight.clear()
        self.events.append(WatchEvent("ERROR", status_object(410, "too old resource version", "Expired")))
        self._close()

    def _close(self) -> None:
        self.closed = True
        if self.on_event is not None:
            self.on_event()

    def _pump(self) -> None:
        arrivals = self._source.events
        if not self.lag and not self._held and not self._flight:
            self._pass_on(arrivals)
            arrivals.clear()
        else:
            self._delay(arrivals)
        self._end_with_source()

    def _end_with_source(self) -> None:
        if self._source.closed and not self.closed and not self._flight:
            self._close()

    def _delay(self, arrivals: deque[WatchEvent]) -> None:
        due = self._loop.now + seconds(self.lag)
        if self._flight:
            due = max(due, self._flight[-1][0])
        self._flight.extend((due, event) for event in arrivals)
        arrivals.clear()
        if not self._held:
            self._loop.world_at(due, self._deliver)

    def _deliver(self) -> None:
        if self._held or self.closed:
            return
        due: deque[WatchEvent] = deque()
        while self._flight and self._flight[0][0] <= self._loop.now:
            due.append(self._flight.popleft()[1])
        self._pass_on(due)
        self._end_with_source()
        if self._flight:
            self._loop.world_at(self._flight[0][0], self._deliver)

    def _pass_on(self, arrivals: deque[WatchEvent]) -> None:
        if arrivals:
            first = not self.events
            self.events.extend(arrivals)
            if first and self.on_event is not None:
                self.on_event()


def _ends_initial_events(event: WatchEvent) -> bool:
    if event.type != "BOOKMARK":
        return False
    return INITIAL_EVENTS_END in event.object["metadata"].get("annotations", {})
