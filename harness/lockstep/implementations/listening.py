"""A controller of the reference that listens: calls run its handler as tasks on the virtual loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from lockstep.network.calls import HUNG_UP, REFUSED, CallAnswer, Handler, Served

if TYPE_CHECKING:
    from lockstep.network import Broken, Network
    from lockstep.time.loop import VirtualLoop


class Listening:
    """The listener of a controller from one start to its end. Calls are refused until `listen` has set a handler."""

    def __init__(self, loop: VirtualLoop, network: Network) -> None:
        self._loop = loop
        self._network = network
        self._handler: Handler | None = None
        self._calls: dict[asyncio.Task[None], CallAnswer] = {}

    def listen(self, handler: Handler) -> None:
        """Serve calls with `handler` from now on."""
        self._handler = handler

    def serve(self, path: str, headers: Mapping[str, str], body: bytes, answer: CallAnswer) -> Callable[[], None]:
        """Run the handler; see `lockstep.implementations.Controllers.serve`."""
        if self._handler is None:
            answer(REFUSED)
            return lambda: None
        task = self._loop.create_task(self._run(self._handler, path, headers, body))
        self._calls[task] = answer
        return lambda: self._take_back(task)

    def crash(self) -> None:
        """Break every call in flight, and refuse later ones."""
        self._handler = None
        calls, self._calls = self._calls, {}
        for task, answer in calls.items():
            task.cancel()
            answer(HUNG_UP)

    def forget(self) -> None:
        """Drop every call in flight: no caller waits any more."""
        for task in self._calls:
            task.cancel()
        self._calls.clear()

    async def _run(self, handler: Handler, path: str, headers: Mapping[str, str], body: bytes) -> None:
        task = asyncio.current_task()
        assert task is not None
        result: Served | Broken
        try:
            status, _, answered = await handler(path, headers, body)
            result = Served(status, answered)
        except Exception:  # Go's net/http hangs up on the caller when a handler panics
            result = HUNG_UP
        # the caller sees the answer when all is quiet, as it does in the bubble
        self._network.deliver(lambda: self._answer(task, result))

    def _answer(self, task: asyncio.Task[None], result: Served | Broken) -> None:
        answer = self._calls.pop(task, None)
        if answer is not None:
            answer(result)

    def _take_back(self, task: asyncio.Task[None]) -> None:
        if self._calls.pop(task, None) is not None:
            task.cancel()
