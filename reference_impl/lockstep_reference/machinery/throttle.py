"""How often a client may ask (client-go rest/request.go: tryThrottle; golang.org/x/time/rate: Limiter.Wait)."""

from __future__ import annotations

import asyncio
from struct import pack, unpack
from typing import TYPE_CHECKING

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.ratelimit import TokenBucket

if TYPE_CHECKING:
    from lockstep_reference.machinery.transport import Clock

_NOT_WAITED = "client rate limiter Wait returned an error"


class Throttle:
    """Tokens of one client: `qps` more each second, at most `burst`, and that many to begin with.

    A `qps` below 0 is no limit. It is rounded to the 32 bits that upstream keeps of it.
    """

    def __init__(self, qps: float, burst: int, clock: Clock) -> None:
        self._limit = qps, burst, clock
        self._bucket = TokenBucket(unpack("f", pack("f", qps))[0], burst, clock) if qps > 0 else None

    def sibling(self) -> Throttle:
        """The same limit, with tokens of its own."""
        return Throttle(*self._limit)

    async def wait(self, deadline: int | None) -> None:
        """Take a token, and wait until it is there. Raises TimeoutError at once if that would be after `deadline`."""
        if self._bucket is None:
            return
        delay = self._bucket.reserve() if deadline is None else self._reserve_before(self._bucket, deadline)
        if delay:
            await asyncio.sleep(delay / SECOND)

    def _reserve_before(self, bucket: TokenBucket, deadline: int) -> int:
        left = deadline - self._limit[-1].now()
        if left <= 0:
            raise TimeoutError(f"{_NOT_WAITED}: context deadline exceeded")
        delay = bucket.reserve_within(left)
        if delay is None:
            raise TimeoutError(f"{_NOT_WAITED}: rate: Wait(n=1) would exceed context deadline")
        return delay
