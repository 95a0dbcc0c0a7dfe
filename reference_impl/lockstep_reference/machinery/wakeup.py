"""How a task without work sleeps until there is more: like the receiver of a Go channel, without the channel.

An `asyncio.Event` does the same for any number of tasks, at several times the cost. Here one task sleeps at a time.
"""

from __future__ import annotations

import asyncio


class Wakeup:
    """`await wakeup.sleep()` once there is nothing to do, with no other await in between; `wake` ends the sleep."""

    __slots__ = ("_sleeper",)

    def __init__(self) -> None:
        self._sleeper: asyncio.Future[None] | None = None

    def sleep(self) -> asyncio.Future[None]:
        """Done as soon as `wake` is called."""
        self._sleeper = asyncio.get_running_loop().create_future()
        return self._sleeper

    def wake(self) -> None:
        """There is something to do. Has no effect if no task sleeps."""
        sleeper, self._sleeper = self._sleeper, None
        if sleeper is not None and not sleeper.done():
            sleeper.set_result(None)
