"""Keeping checkpoints, loop by loop (pkg/recommender/routines/recommender.go, MaintainCheckpoints)."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.recommender.checkpoint.checkpoint_writer import CheckpointWriter
from lockstep_reference.vpa.recommender.input.checkpoints import Checkpoints


@dataclass(frozen=True, slots=True)
class CheckpointSettings:
    """Whether checkpoints are used at all; how long writing may take, and how often they are collected, in ns.

    `workers` write at the same time.
    """

    used: bool
    write_timeout: int
    gc_interval: int
    workers: int


class CheckpointMaintenance:
    """Writes checkpoints in every loop, and deletes those whose VPA is gone now and then."""

    def __init__(
        self, checkpoints: Checkpoints, writer: CheckpointWriter, settings: CheckpointSettings, clock: Clock
    ) -> None:
        self._checkpoints = checkpoints
        self._writer = writer
        self._settings = settings
        self._clock = clock
        self._last_gc = clock.now()

    async def maintain(self) -> None:
        """Write, for as long as the timeout allows; then collect, if the interval has passed."""
        settings = self._settings
        if not settings.used:
            return
        deadline = self._clock.now() + settings.write_timeout
        await self._writer.store_checkpoints(deadline, settings.workers)
        now = self._clock.now()
        if now - self._last_gc > settings.gc_interval:
            self._last_gc = now
            # Collecting shares the time with writing: what is left of it is none, and the next try an interval away.
            if now < deadline:
                await self._checkpoints.garbage_collect(deadline)
