"""Exponential back-off with jitter that starts over after a while (apimachinery pkg/util/wait/backoff.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lockstep.wire.gotime import SECOND

if TYPE_CHECKING:
    import random

    from lockstep_reference.machinery.transport import Clock


class BackoffManager:
    """The reflector's back-off: 0.8 s, doubling up to 30 s, each plus up to 100 % jitter.

    It starts over when more than two minutes have passed since it last did so, whatever happened in between
    (Backoff.DelayWithReset; the constants are those of tools/cache/reflector.go).
    """

    _INITIAL = 800 * SECOND // 1000
    _CAP = 30 * SECOND
    _RESET = 120 * SECOND

    def __init__(self, clock: Clock, rng: random.Random) -> None:
        self._clock = clock
        self._rng = rng
        self._duration = self._INITIAL
        self._last_start = clock.now()

    def step(self) -> float:
        """Seconds to wait this time."""
        now = self._clock.now()
        if now - self._last_start > self._RESET:
            self._duration = self._INITIAL
            self._last_start = now
        duration = self._duration
        self._duration = min(2 * duration, self._CAP)
        return (duration + int(self._rng.random() * duration)) / SECOND
