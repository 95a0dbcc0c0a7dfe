"""The virtual event loop: asyncio that moves the clock instead of waiting.

Three kinds of work share the loop, and at one instant they run in a fixed order:

1. *Ready tasks*, the controllers under test: they run until all of them wait.
2. *The network*: one pending API request is answered, then the controllers run again. So a request is only answered
   when all tasks are parked, which is also how the Go bubble is served (see docs/time.md).
3. *The world* (scenario body, kubelet, scheduler, faults): when no request is pending and no controller timer is due,
   the next due world step runs, and then the controllers again.

Time moves only when none of them has work left at this instant. It moves to the next controller timer or world step,
whichever comes first; at a tie the controllers go first. `VirtualLoop.quiet` is the only place that moves time.
"""

from __future__ import annotations

import asyncio
import heapq
import selectors
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import Context
from typing import Any, Protocol, TypeVar, TypeVarTuple

from lockstep.time.clock import SECOND, seconds

_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")


class Stuck(RuntimeError):
    """Nothing is scheduled any more, yet the awaited coroutine has not finished."""


class HorizonPassed(RuntimeError):
    """Virtual time passed the horizon of the run: some work never ends, or a wait can never end."""


class Standstill(RuntimeError):
    """Virtual time stands still: at one instant, the controllers and the world keep giving each other work."""


#: More world steps at one instant than any run needs; 10,000 pods take a few.
STEPS_IN_ONE_INSTANT = 20_000


class WorldStep:
    """A scheduled step of the world; `cancel()` cancels it."""

    __slots__ = ("callback",)

    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        """Cancel the step. Has no effect once it has run."""
        self.callback = None


class Driver(Protocol):
    """Moves time once Python is quiet."""

    def advance(self, loop: VirtualLoop, until: int | None) -> None:
        """Move `loop.now` to `until`, or to an earlier instant at which Python has work. None: nothing is scheduled."""


class JumpDriver:
    """Everything runs in Python: jump straight to the next instant."""

    def advance(self, loop: VirtualLoop, until: int | None) -> None:
        """Jump there. Raises Stuck if nothing is scheduled."""
        if until is None:
            raise Stuck(f"nothing is scheduled after {loop.now / SECOND:.3f} s, but the run has not ended")
        loop.now = until


class _Selector(selectors.BaseSelector):
    """A selector, because asyncio needs one. It has no file descriptors and is never polled."""

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        raise RuntimeError("a virtual loop has no file descriptors: real input and output would need real time")

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        raise KeyError(fileobj)

    def get_map(self) -> Any:
        return {}

    def close(self) -> None:
        """There is nothing to close."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        raise RuntimeError("a virtual loop never waits for input: VirtualLoop._run_once moves time instead")


class VirtualLoop(asyncio.SelectorEventLoop):
    """An asyncio event loop on virtual time, starting at instant 0. See the module docstring for the order of work."""

    def __init__(self, driver: Driver | None = None) -> None:
        #: Nanoseconds since the virtual epoch; moved by the driver only.
        self.now = 0
        #: Instant that must not be passed; None for no limit.
        self.horizon: int | None = None
        self.driver: Driver = driver or JumpDriver()
        #: Answers one pending request and returns True, or returns False when none is pending.
        self.serve_request: Callable[[], bool] = lambda: False
        #: Delivers one pending event to a controller of this loop and returns True, or returns False when none is.
        self.deliver_event: Callable[[], bool] = lambda: False
        #: Whether a request, or an event for a controller of this loop, is pending.
        self.requests_wait: Callable[[], bool] = lambda: False
        self._world: list[tuple[int, int, WorldStep]] = []
        self._sequence = 0
        self._last_step = (0, 0)  # instant of the last world step, and how many there have been at it
        self._timers: list[tuple[int, int, asyncio.TimerHandle]] = []
        super().__init__(_Selector())
        # Each future and each handle asks whether debug mode is on; `bool()`, which is False, is the fastest answer.
        self.get_debug = bool  # type: ignore[method-assign]

    def time(self) -> float:
        """Seconds since the virtual epoch, as asyncio wants it."""
        return self.now / SECOND

    # -- tasks and their timers ---------------------------------------------------------------------------------------

    def call_soon(
        self, callback: Callable[[*_Ts], object], *args: *_Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """As asyncio's, without its checks of threads and debug mode: each step of each task calls this."""
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)  # type: ignore[attr-defined]
        return handle

    def call_at(
        self, when: float, callback: Callable[[*_Ts], object], *args: *_Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """As asyncio's. Timers of one instant run in the order of their creation, which asyncio leaves open."""
        return self._call_at(seconds(when), callback, args, context)

    def call_later(
        self, delay: float, callback: Callable[[*_Ts], object], *args: *_Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """As asyncio's, and exact to the nanosecond."""
        return self._call_at(self.now + seconds(delay), callback, args, context)

    def _call_at(
        self, instant: int, callback: Callable[..., object], args: Sequence[Any], context: Context | None
    ) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(instant / SECOND, callback, args, self, context)
        self._sequence += 1
        heapq.heappush(self._timers, (instant, self._sequence, timer))
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Keep a cancelled timer in the heap until its turn comes."""

    def _run_once(self) -> None:
        """Run turns until the loop is stopped.

        A turn is like asyncio's: if nothing is ready, time moves; due timers become ready; then everything ready runs.
        Asyncio's own turn spends more on file descriptors and its clock than on the callbacks.
        """
        ready: deque[asyncio.Handle] = self._ready  # type: ignore[attr-defined]
        timers = self._timers
        while not self._stopping:  # type: ignore[attr-defined]
            if not ready:
                self.quiet()
            while timers and timers[0][0] <= self.now:
                ready.append(heapq.heappop(timers)[2])
            for _ in range(len(ready)):
                handle = ready.popleft()
                if not handle._cancelled:  # noqa: SLF001 - the loop is the handle's other half
                    # What Handle._run does, inlined.
                    try:
                        handle._context.run(handle._callback, *handle._args)  # type: ignore[attr-defined]  # noqa: SLF001
                    except (SystemExit, KeyboardInterrupt):
                        raise
                    except BaseException as error:
                        self.call_exception_handler({"message": f"exception in {handle!r}", "exception": error})

    # -- the world ----------------------------------------------------------------------------------------------------

    def world_at(self, instant: int, callback: Callable[[], object]) -> WorldStep:
        """Run `callback` as a world step at `instant` (nanoseconds; the past means now, after what is already due)."""
        step = WorldStep(callback)
        self._sequence += 1
        heapq.heappush(self._world, (max(instant, self.now), self._sequence, step))
        return step

    def world_after(self, duration: float, callback: Callable[[], object]) -> WorldStep:
        """Run `callback` as a world step in `duration` seconds."""
        return self.world_at(self.now + seconds(duration), callback)

    # The following differs on real time (`clusters.real.loop`), where controllers take time to settle.

    def clock(self) -> int:
        """The clock of the machine that the controllers run on: here virtual time, which stands still during a turn."""
        return self.now

    @property
    def moment(self) -> int:
        """The instant of the present step; equal for everything that happens together."""
        return self.now

    @property
    def scenario_now(self) -> int:
        """The instant on the scenario's own clock, which is the loop's."""
        return self.now

    def scenario_seconds(self, since: int, instant: int) -> float:
        """How long after `since` an instant was on the scenario's own clock."""
        return (instant - since) / SECOND

    def instant_at(self, scenario_time: int) -> int:
        """The instant at which the scenario's own clock will show `scenario_time`."""
        return scenario_time

    def waiting(self) -> AbstractContextManager[None]:
        """A block in which the scenario waits, so that its clock runs."""
        return nullcontext()

    async def world_sleep(self, duration: float) -> None:
        """Let `duration` seconds pass; 0 lets the controllers run until they are quiet."""
        future: asyncio.Future[None] = self.create_future()

        def wake() -> None:
            if not future.done():
                future.set_result(None)

        self.world_after(duration, wake)
        await future

    def next_world_step(self) -> int | None:
        """The instant of the next world step, or None."""
        world = self._world
        while world and world[0][2].callback is None:
            heapq.heappop(world)
        return world[0][0] if world else None

    # -- time ---------------------------------------------------------------------------------------------------------

    def quiet(self) -> None:
        """No task is ready: answer a request, take a world step, or move time."""
        if self.serve_request():
            return
        timer, step = self._next_timer(), self.next_world_step()
        if step is not None and (timer is None or step < timer):
            if step > self.now:
                self._advance(step)
            if self._has_ready() or self.now < step or self.requests_wait():
                return  # the driver stopped early, or served a request that woke a task
            self._take_world_step()
        else:
            self._advance(timer)

    def _next_timer(self) -> int | None:
        timers = self._timers
        while timers and timers[0][2].cancelled():
            heapq.heappop(timers)
        return timers[0][0] if timers else None

    def _advance(self, until: int | None) -> None:
        if self.horizon is not None and (until is None or until > self.horizon):
            until = self.horizon + 1 if until is None else until
            if until > self.horizon:
                raise HorizonPassed(f"virtual time passed the horizon of {self.horizon / SECOND:g} s")
        self.driver.advance(self, until)

    def _has_ready(self) -> bool:
        return bool(self._ready)  # type: ignore[attr-defined]

    def note_outside_event(self) -> None:
        """Something came from outside the run: the steps that follow at this instant do not count as a standstill."""
        self._last_step = (self.now, 0)

    def _take_world_step(self) -> None:
        instant, count = self._last_step
        self._last_step = (self.now, count + 1 if instant == self.now else 1)
        if self._last_step[1] > STEPS_IN_ONE_INSTANT:
            raise Standstill(
                f"virtual time stands still at {self.now / SECOND:.3f} s: more than {STEPS_IN_ONE_INSTANT:,} steps of "
                "the world at this instant; some actor reacts again and again without a delay: give it one"
            )
        _, _, step = heapq.heappop(self._world)
        callback, step.callback = step.callback, None
        if callback is not None:
            callback()

    # -- no self-pipe: nothing outside the loop wakes it -----------------------------------------------------------

    def _make_self_pipe(self) -> None:
        self._ssock = self._csock = None
        self._internal_fds = 0

    def _close_self_pipe(self) -> None:
        """There is none."""


def run(loop: VirtualLoop, main: Coroutine[Any, Any, _T]) -> _T:
    """Run `main` on `loop` until it ends, then cancel what is left and close the loop."""
    try:
        return loop.run_until_complete(main)
    finally:
        try:
            _cancel_all(loop)
        finally:
            loop.close()


def _cancel_all(loop: VirtualLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.driver = JumpDriver()
        loop.horizon = None
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
