"""How fast pods may be updated (pkg/updater/logic/updater.go, getRateLimiter; golang.org/x/time/rate)."""

from __future__ import annotations

import asyncio

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.ratelimit import TokenBucket
from lockstep_reference.machinery.transport import Clock


class RateLimitError(Exception):
    """There is no token in time; the text is upstream's."""


class EvictionRateLimiter:
    """`limit` tokens a second, at most `burst` saved up; a limit of 0 or less is none."""

    def __init__(self, limit: float, burst: int, clock: Clock) -> None:
        self._bucket = TokenBucket(limit, burst, clock) if limit > 0 else None
        self._burst = burst
        self._clock = clock

    async def wait(self, deadline: int) -> None:
        """Take a token, waiting for it if need be (Limiter.Wait). Raises RateLimitError if `deadline` comes first."""
        if self._bucket is not None and self._burst < 1:
            raise RateLimitError(f"rate: Wait(n=1) exceeds limiter's burst {self._burst}")
        remaining = deadline - self._clock.now()
        if remaining <= 0:
            raise RateLimitError("context deadline exceeded")
        if self._bucket is None:
            return
        delay = self._bucket.reserve_within(remaining)
        if delay is None:
            raise RateLimitError("rate: Wait(n=1) would exceed context deadline")
        if delay:
            await asyncio.sleep(delay / SECOND)
