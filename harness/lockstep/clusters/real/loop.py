"""The virtual loop on a real clock: due work runs on time, and the loop has to wait for controllers to settle.

The loop in memory knows when all controllers are parked; this one waits until nothing has happened for a while. The
scenario's own clock stands still during such a rest. So a scenario's steps keep their distances on this clock, and what
follows a step immediately happens at the step's instant.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Self

from lockstep.serving.boxes import Inbox
from lockstep.serving.clocks import RealClock
from lockstep.time.clock import SECOND, seconds
from lockstep.time.loop import VirtualLoop

if TYPE_CHECKING:
    from lockstep.clusters.real.gateway import Gateways

#: Seconds without any request, answer or event after which the controllers count as settled.
CALM = 0.3
#: Seconds after which they count as settled despite activity, since some controllers poll: once no answer is in flight,
#: and in any case.
_PATIENCE, _LONGEST = 15.0, 30.0
#: Seconds by which an instant on a real clock may be early or late and still count as on time.
SLACK = 2.0


class Moment(float):
    """A time on a real clock. It equals the planned time if it differs by at most `SLACK`.

    A controller's own timers run while the scenario's clock stands still. So it may also be earlier than planned, by up
    to the `stood` seconds for which the clock stood still in between.
    """

    __slots__ = ("stood",)
    stood: float

    def __new__(cls, value: float, stood: float = 0.0) -> Self:
        """A time in seconds."""
        made = super().__new__(cls, value)
        made.stood = stood
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, float | int):
            return NotImplemented
        return -SLACK - self.stood <= float(self) - other <= SLACK

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __add__(self, other: float) -> Moment:
        return Moment(float(self) + other, self.stood)

    def __sub__(self, other: float) -> Moment:
        stood = self.stood - other.stood if isinstance(other, Moment) else self.stood
        return Moment(float(self) - other, abs(stood))

    def __round__(self, digits: int | None = None) -> Moment:  # type: ignore[override]
        return Moment(round(float(self), digits), self.stood)

    def __bool__(self) -> bool:
        return self != 0

    __hash__ = None  # type: ignore[assignment]  # what equals what is not transitive


class _Mark(NamedTuple):
    """The scenario's clock from an instant on: it shows `shown` there, and then runs or stands still."""

    instant: int
    shown: int
    goes: bool


class _Burst(NamedTuple):
    """A burst: requests, answers and events that happen together."""

    began: int
    #: The instant of its last activity, and the time of the scenario's clock then.
    latest: int
    shown: int


class RealLoop(VirtualLoop):
    """See the module docstring."""

    #: The greatest delay of the machine for due work since the scenario began, in nanoseconds.
    late = 0

    def __init__(self, inbox: Inbox, gateways: Gateways | None = None) -> None:
        self._real = RealClock(inbox)
        super().__init__(self._real)
        self.now = self._real.start()
        self.inbox = inbox
        #: Through which other threads, and so controllers that are separate programs, reach the loop.
        self.gateways = gateways
        self.begin()
        #: The instant of a controller's last activity, and whether an answer to a controller is in flight.
        self.last_news: Callable[[], int] = lambda: 0
        self.busy: Callable[[], bool] = lambda: False
        #: Called with the delay, in seconds, of everything that was due.
        self.delayed: Callable[[float], None] = lambda _: None

    def clock(self) -> int:
        """The machine's clock, which runs on during a turn of the loop."""
        return self._real.start()

    def _advance(self, until: int | None) -> None:
        """Without planned work, wait for activity from outside until the run is over."""
        if until is None and self.horizon is not None and self.now < self.horizon:
            until = self.horizon
        super()._advance(until)
        if until is not None and self.now >= until:
            late = self.clock() - until
            self.late = max(self.late, late)
            self.delayed(late / SECOND)

    # -- the scenario's clock -----------------------------------------------------------------------------------------

    def begin(self) -> None:
        """The scenario begins: its clock shows the loop's time."""
        self._marks = [_Mark(self.now, self.now, goes=False)]
        self._burst = _Burst(self.now, self.now, self.now)
        self.late = 0

    @property
    def scenario_now(self) -> int:
        """What the scenario's clock shows now."""
        return self._shown(self.now)

    def scenario_seconds(self, since: int, instant: int) -> float:
        """How long after `since` an instant was on the scenario's clock, as exactly as a real clock can say."""
        shown = self._shown(instant)
        return Moment((shown - since) / SECOND, (instant - shown) / SECOND)

    @property
    def moment(self) -> int:
        """When the present burst began. A burst ends when the clock has run on without activity."""
        began, latest, shown = self._burst
        if self.scenario_now != shown and self.now - latest > seconds(CALM):
            began = self.now
        self._burst = _Burst(began, self.now, self.scenario_now)
        return began

    def instant_at(self, scenario_time: int) -> int:
        """The instant at which the scenario's clock will show this time, if it runs from now on."""
        return self.now + scenario_time - self.scenario_now

    def _shown(self, instant: int) -> int:
        position = max(0, bisect_right(self._marks, instant, key=lambda mark: mark.instant) - 1)
        mark = self._marks[position]
        return mark.shown + (instant - mark.instant if mark.goes or instant < mark.instant else 0)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """The scenario's clock runs inside the block."""
        self._mark(self.scenario_now, goes=True)
        try:
            yield
        finally:
            self._mark(self.scenario_now, goes=False)

    def _mark(self, shown: int, *, goes: bool) -> None:
        self._marks.append(_Mark(self.now, shown, goes))

    # -- passing time -------------------------------------------------------------------------------------------------

    async def world_sleep(self, duration: float) -> None:
        """Let `duration` seconds pass, then wait until the controllers rest."""
        if duration > 0:
            then = self.scenario_now + seconds(duration)
            self._mark(self.scenario_now, goes=True)
            await super().world_sleep(duration)
            self._mark(then, goes=False)
        await self.rest()

    async def rest(self, calm: float = CALM) -> None:
        """Wait until nothing has happened for `calm` seconds. The scenario's clock stands still."""
        began, silence = self.now, seconds(calm)
        while self.now - began < seconds(_LONGEST):
            idle, busy = self.now - max(began, self.last_news()), self.busy()
            if not busy and (idle >= silence or self.now - began >= seconds(_PATIENCE)):
                return
            await super().world_sleep(max(silence - idle, silence // 4) / SECOND)
