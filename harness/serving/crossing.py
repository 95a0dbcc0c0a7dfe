"""From the front to the simulation and back: one job on the other thread, and its result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from harness.serving.boxes import Outbox
from harness.serving.simulation import Simulation

_T = TypeVar("_T")


async def carried_out(simulation: Simulation, outbox: Outbox, job: Callable[[], _T]) -> _T:
    """What `job` returns, run on the simulation's thread when everybody there is parked. Raises what it raises."""
    done: asyncio.Future[_T] = asyncio.get_running_loop().create_future()

    def conclude(result: _T | None, error: Exception | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def carry_out() -> None:
        result, failure = None, None
        try:
            result = job()
        except Exception as error:
            failure = error
        outbox.put(lambda: conclude(result, failure))

    simulation.post(carry_out)
    return await done
