"""Rate limiters: how long a failed item waits, and token buckets.

Upstream: client-go util/workqueue/default_rate_limiters.go, golang.org/x/time/rate. Delays are nanoseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lockstep.wire.gotime import SECOND

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lockstep_reference.machinery.transport import Clock


class RateLimiter(Protocol):
    """Decides how long an item waits before it is tried again."""

    def when(self, item: Hashable, /) -> int:
        """Count a failure; nanoseconds to wait."""

    def forget(self, item: Hashable, /) -> None:
        """The item is done with, for good or bad."""

    def num_requeues(self, item: Hashable, /) -> int:
        """Failures counted since the last `forget`."""


class ItemExponentialFailureRateLimiter:
    """base * 2^failures, at most `maximum`; per item (TypedItemExponentialFailureRateLimiter)."""

    def __init__(self, base: int, maximum: int) -> None:
        self._base = base
        self._maximum = maximum
        self._failures: dict[Hashable, int] = {}

    def when(self, item: Hashable) -> int:
        """The back-off of this failure."""
        failures = self._failures.get(item, 0)
        self._failures[item] = failures + 1
        return min(self._base << min(failures, 63), self._maximum)

    def forget(self, item: Hashable) -> None:
        """Start over at the base."""
        self._failures.pop(item, None)

    def num_requeues(self, item: Hashable) -> int:
        """Failures counted."""
        return self._failures.get(item, 0)


class TokenBucket:
    """`qps` tokens a second, at most `burst` saved up; starts full (golang.org/x/time/rate, Limiter).

    The arithmetic is the original's, in floating point, so that delays come out the same to the nanosecond.
    """

    def __init__(self, qps: float, burst: int, clock: Clock) -> None:
        self._qps = qps
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._last = clock.now()

    def reserve(self) -> int:
        """Take a token, going into debt if there is none; nanoseconds until it is earned."""
        tokens, wait = self._take()
        self._last, self._tokens = self._clock.now(), tokens
        return wait

    def reserve_within(self, longest: int) -> int | None:
        """Take a token, unless that means to wait for more than `longest` nanoseconds; as `reserve`, or None."""
        tokens, wait = self._take()
        if wait > longest:
            return None
        self._last, self._tokens = self._clock.now(), tokens
        return wait

    def allow(self) -> bool:
        """Take a token if there is one."""
        tokens, wait = self._take()
        if wait > 0:
            return False
        self._last, self._tokens = self._clock.now(), tokens
        return True

    def _take(self) -> tuple[float, int]:
        elapsed = max(self._clock.now() - self._last, 0)
        seconds = elapsed // SECOND + (elapsed % SECOND) / 1e9
        tokens = min(self._tokens + seconds * self._qps, float(self._burst)) - 1.0
        return tokens, int(-tokens / self._qps * SECOND) if tokens < 0 else 0


class BucketRateLimiter:
    """One token bucket for all items (TypedBucketRateLimiter)."""

    def __init__(self, bucket: TokenBucket) -> None:
        self._bucket = bucket

    def when(self, _item: Hashable) -> int:
        """Until the next free token."""
        return self._bucket.reserve()

    def forget(self, _item: Hashable) -> None:
        """A bucket remembers no items."""

    def num_requeues(self, _item: Hashable) -> int:
        """None: a bucket remembers no items."""
        return 0


class MaxOfRateLimiter:
    """The longest wait that any of its limiters asks for (TypedMaxOfRateLimiter)."""

    def __init__(self, *limiters: RateLimiter) -> None:
        self._limiters = limiters

    def when(self, item: Hashable) -> int:
        """The longest of their waits; every one of them counts the failure."""
        return max(limiter.when(item) for limiter in self._limiters)

    def forget(self, item: Hashable) -> None:
        """All of them forget."""
        for limiter in self._limiters:
            limiter.forget(item)

    def num_requeues(self, item: Hashable) -> int:
        """The most that one of them has counted."""
        return max(limiter.num_requeues(item) for limiter in self._limiters)


def default_controller_rate_limiter(clock: Clock) -> RateLimiter:
    """5 ms doubling up to 1000 s per item, and 10 a second with bursts of 100 over all items.

    Upstream: DefaultTypedControllerRateLimiter.
    """
    return MaxOfRateLimiter(
        ItemExponentialFailureRateLimiter(SECOND // 200, 1000 * SECOND),
        BucketRateLimiter(TokenBucket(10.0, 100, clock)),
    )
