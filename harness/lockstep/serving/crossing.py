"""From a front to the simulation's thread and back: a job there and its result, a request and its answer, a watch."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from aiohttp import web

from lockstep.apiserver import Reply, Request, WatchEvent
from lockstep.apiserver.reading import parse_int64
from lockstep.network import Broken
from lockstep.serving.boxes import Inbox, Outbox
from lockstep.serving.negotiation import JSON
from lockstep.serving.simulation import Simulation
from lockstep.serving.streams import Stream

#: Seconds after which a watch without timeoutSeconds ends; kube-apiserver draws from 30 to 60 minutes.
LONGEST_WATCH = 2700.0
_T = TypeVar("_T")


async def carried_out(simulation: Simulation, outbox: Outbox, job: Callable[[], _T]) -> _T:
    """The result of `job`, run on the simulation's thread when all actors are parked. Raises what it raises."""
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


def answering(
    answered: asyncio.Future[Reply | Stream | Broken], inbox: Inbox, outbox: Outbox
) -> Callable[[Reply | Broken], None]:
    """The function that the simulation's thread calls with the answer to a request; the front awaits `answered`."""

    def conclude(result: Reply | Stream | Broken) -> None:
        if not answered.done():
            answered.set_result(result)
        elif isinstance(result, Stream):
            result.stop()

    def answer(result: Reply | Broken) -> None:
        watch = result.watch if isinstance(result, Reply) else None
        found = result if watch is None else Stream(watch, inbox, outbox)
        outbox.put(lambda: conclude(found))

    return answer


async def relay(
    http: web.Request, request: Request, stream: Stream, line_of: Callable[[WatchEvent], bytes]
) -> web.StreamResponse:
    """Send the events of a watch as they come, a line of JSON each, until it times out or the client disconnects."""
    response = web.StreamResponse(headers={"Content-Type": JSON, "Cache-Control": "no-cache, private"})
    deadline = time.monotonic() + _timeout(request)
    try:
        await response.prepare(http)
        await response.write(b"")  # the headers go out before there is an event
        while (events := await stream.take(max(0.0, deadline - time.monotonic()))) is not None:
            await response.write(b"".join([line_of(event) + b"\n" for event in events]))
        await response.write_eof()
    except ConnectionError:
        pass  # the client has disconnected
    finally:
        stream.stop()
    return response


def _timeout(request: Request) -> float:
    wanted = parse_int64(request.query.get("timeoutSeconds") or "0")
    return min(float(wanted), LONGEST_WATCH) if wanted > 0 else LONGEST_WATCH
