"""The work queue: every key at most once in the queue, at most one worker on a key, retries with back-off.

Upstream: client-go util/workqueue/{queue,delaying_queue,rate_limiting_queue}.go. A key that is added while a worker is
on it becomes dirty, and is queued again when that worker is `done`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable
from typing import TYPE_CHECKING, Generic, TypeVar

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.heap import WaitingHeap
from lockstep_reference.machinery.ratelimit import RateLimiter, default_controller_rate_limiter

if TYPE_CHECKING:
    from lockstep_reference.machinery.transport import Clock

K = TypeVar("K", bound=Hashable)


class RateLimitingQueue(Generic[K]):
    """A queue of keys. `get` suspends only when there is nothing to do: a worker that finds a key goes on at once."""

    def __init__(self, clock: Clock, rate_limiter: RateLimiter | None = None) -> None:
        self._clock = clock
        self._limiter = rate_limiter or default_controller_rate_limiter(clock)
        self._queue: deque[K] = deque()
        # Membership only, never iterated.
        self._dirty: set[K] = set()
        self._processing: set[K] = set()
        self._workers: deque[asyncio.Future[None]] = deque()
        #: How many waiting workers have been woken so far.
        self.woken = 0
        self._shutting_down = False
        self._waiting: WaitingHeap[K] = WaitingHeap()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0

    def __len__(self) -> int:
        """Keys that wait for a worker now."""
        return len(self._queue)

    # -- queue ---------------------------------------------------------------------------------------------------------

    def add(self, key: K) -> None:
        """Ask for `key` to be worked on (queue.go, Add). Ignored once shut down."""
        if self._shutting_down or key in self._dirty:
            return
        self._dirty.add(key)
        if key not in self._processing:
            self._push(key)

    async def get(self) -> tuple[K | None, bool]:
        """(key, False), or (None, True) once the queue is shut down and empty. Follow with `done(key)`."""
        while not self._queue:
            if self._shutting_down:
                return None, True
            await self._signal()
        key = self._queue.popleft()
        self._processing.add(key)
        self._dirty.discard(key)
        return key, False

    def done(self, key: K) -> None:
        """The worker has finished with `key`; if it was added meanwhile, it is queued again."""
        self._processing.discard(key)
        if key in self._dirty:
            self._push(key)

    def shut_down(self) -> None:
        """Take no more keys; workers drain what is queued, then `get` says shutdown. Keys that wait are dropped."""
        self._shutting_down = True
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._workers:
            self._wake_one()

    def _push(self, key: K) -> None:
        self._queue.append(key)
        self._wake_one()

    async def _signal(self) -> None:
        """Wait to be woken, first come first served."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._workers.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self._wake_one()  # pass the wake-up on
            elif waiter in self._workers:
                self._workers.remove(waiter)
            raise

    def _wake_one(self) -> None:
        while self._workers:
            waiter = self._workers.popleft()
            if not waiter.done():
                waiter.set_result(None)
                self.woken += 1
                return

    # -- delays --------------------------------------------------------------------------------------------------------

    def add_after(self, key: K, seconds: float) -> None:
        """`add(key)` in `seconds`; at once if that is not positive. If it already waits, the earlier instant counts."""
        self._add_after(key, round(seconds * SECOND))

    def add_rate_limited(self, key: K) -> None:
        """Count a failure of `key`, and add it after its back-off."""
        self._add_after(key, self._limiter.when(key))

    def forget(self, key: K) -> None:
        """`key` no longer fails: its next back-off starts from the beginning."""
        self._limiter.forget(key)

    def num_requeues(self, key: K) -> int:
        """Failures of `key` since the last `forget`."""
        return self._limiter.num_requeues(key)

    def _add_after(self, key: K, delay: int) -> None:
        """delaying_queue.go, AddAfter and insert; `delay` in nanoseconds."""
        if self._shutting_down:
            return
        if delay <= 0:
            self.add(key)
            return
        self._waiting.insert(key, self._clock.now() + delay)
        self._set_timer()

    def _set_timer(self) -> None:
        first = self._waiting.first()
        if self._timer is not None:
            if self._timer_at == first:
                return
            self._timer.cancel()
            self._timer = None
        if first is not None:
            self._timer_at = first
            delay = (first - self._clock.now()) / SECOND
            self._timer = asyncio.get_running_loop().call_later(max(delay, 0.0), self._add_ready)

    def _add_ready(self) -> None:
        """delaying_queue.go, waitingLoop: add every key whose instant has come."""
        self._timer = None
        now = self._clock.now()
        waiting = self._waiting
        while (first := waiting.first()) is not None and first <= now:
            self.add(waiting.pop())
        self._set_timer()
