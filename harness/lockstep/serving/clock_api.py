"""`/lockstep/clock`: the time in the simulation, and a way to move it by hand."""

from __future__ import annotations

import asyncio
import math

import orjson

from lockstep.apiserver import Reply
from lockstep.apiserver.errors import ApiError, bad_request, method_not_allowed
from lockstep.serving.boxes import Outbox
from lockstep.serving.simulation import Simulation
from lockstep.time.clock import SECOND, rfc3339

PATH = "/lockstep/clock"
_WANTED = 'send {"advance": SECONDS}, a number from 0 to 1e9'
_LONGEST = 1e9


class ClockApi:
    """Answers requests about the clock."""

    def __init__(self, simulation: Simulation, outbox: Outbox) -> None:
        self._simulation = simulation
        self._outbox = outbox

    async def answer(self, method: str, body: bytes) -> Reply:
        """GET returns the time; POST lets time pass, and answers afterwards. Raises ApiError."""
        if method == "POST":
            await self._advance(_seconds(body))
        elif method != "GET":
            raise method_not_allowed()
        now = self._simulation.loop.now
        told = {"clock": self._simulation.setup.clock, "now": rfc3339(now), "seconds": now / SECOND}
        return Reply(200, told)

    async def _advance(self, duration: float) -> None:
        there: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def arrive() -> None:
            if not there.done():
                there.set_result(None)

        if not self._simulation.move(duration, lambda: self._outbox.put(arrive)):
            clock = self._simulation.setup.clock
            raise ApiError(409, "Conflict", f"the {clock} clock moves by itself; start with --clock manual to move it")
        await there


def _seconds(body: bytes) -> float:
    try:
        wanted = orjson.loads(body)["advance"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise bad_request(_WANTED) from None
    if isinstance(wanted, bool) or not isinstance(wanted, int | float):
        raise bad_request(_WANTED)
    if not (math.isfinite(wanted) and 0 <= wanted <= _LONGEST):
        raise bad_request(_WANTED)
    return float(wanted)
