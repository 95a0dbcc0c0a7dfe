"""The Python reference as an implementation: its controllers are asyncio tasks on the virtual loop."""
# ruff: noqa: D102 - the protocols in lockstep.implementations and in the machinery say what each method means

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from lockstep import __version__
from lockstep.apiserver import Reply, Request
from lockstep.apiserver.messages import NO_QUERY
from lockstep.controllers.names import ACTORS, LISTENERS, feature_gates_of, options_of
from lockstep.implementations.following import Acts, Following
from lockstep.implementations.listening import Listening
from lockstep.network import Broken
from lockstep.trace.recordings import Provenance
from lockstep_reference.machinery.transport import Response

if TYPE_CHECKING:
    from lockstep.apiserver import WatchEvent
    from lockstep.controllers.options import Options
    from lockstep.network import Network, Relay
    from lockstep.network.calls import CallAnswer
    from lockstep.time.loop import VirtualLoop


_HOST = "http://bubble"
#: Characters that Go does not escape in the path of a URL (net/url, shouldEscape).
_PATH_SAFE = "$&+,/:;=@"


class MemoryTransport:
    """The reference's `Transport` over the simulated network. Dead once its controller crashed."""

    def __init__(self, loop: VirtualLoop, network: Network, actor: str) -> None:
        self._loop = loop
        self._network = network
        self._actor = actor
        self.dead = False

    def _is_dead(self) -> bool:
        return self.dead

    async def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "",
    ) -> Response:
        request = Request(method, path, query or NO_QUERY, body, content_type, self._actor, None, accept)
        reply = await self._reply(request)
        return Response(reply.status, reply.content, reply.headers)

    async def watch(self, path: str, query: Mapping[str, str]) -> MemoryWatch | Response:
        reply = await self._reply(Request("GET", path, query, actor=self._actor))
        if reply.watch is None:
            return Response(reply.status, reply.content, reply.headers)
        return MemoryWatch(self._loop, self._network, reply.watch)  # type: ignore[arg-type]

    def _reply(self, request: Request) -> asyncio.Future[Reply]:
        """The answer. Awaiting it raises ConnectionResetError if the connection breaks. A crashed controller never gets
        one.
        """
        answered: asyncio.Future[Reply] = self._loop.create_future()

        def answer(result: Reply | Broken) -> None:
            if self.dead or answered.done():
                return
            if isinstance(result, Broken):
                # Go's net/http wording, since the text appears in events and conditions
                text = f'{request.method.capitalize()} "{_url(request)}": {result.reason}'
                answered.set_exception(ConnectionResetError(text))
            else:
                answered.set_result(result)

        if not self.dead:
            self._network.submit(request, answer, self._is_dead)
        return answered


def _url(request: Request) -> str:
    query = "?" + urlencode(sorted(request.query.items())) if request.query else ""
    return f"{_HOST}{quote(request.path, safe=_PATH_SAFE)}{query}"


class MemoryWatch:
    """`lockstep_reference.machinery.transport.WatchStream` over a relay.

    Events reach the controller as a separate delivery, when all is quiet: after the answer to the request that caused
    them, and one watch at a time. The bubble does the same.
    """

    def __init__(self, loop: VirtualLoop, network: Network, relay: Relay) -> None:
        self._loop = loop
        self._network = network
        self._relay = relay
        self._shown: deque[WatchEvent] = deque()
        self._ended = False
        self._delivering = False
        self._waiter: asyncio.Future[None] | None = None
        relay.on_event = self._arrived
        if relay.events or relay.closed:
            self._arrived()

    async def next(self) -> tuple[str, Any] | None:
        while not self._shown:
            if self._ended:
                return None
            self._waiter = self._loop.create_future()
            await self._waiter
        event = self._shown.popleft()
        return event.type, event.object

    def close(self) -> None:
        self._relay.stop()

    def _arrived(self) -> None:
        if not self._delivering:
            self._delivering = True
            self._network.deliver(self._show)

    def _show(self) -> None:
        self._delivering = False
        self._shown.extend(self._relay.take())
        if self._relay.events:
            self._arrived()
        else:
            self._ended = self._relay.closed
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)


class _LoopClock:
    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def now(self) -> int:
        return self._loop.clock()


Run = Callable[..., Awaitable[None]]
#: Where each controller has its entry `run`. Imported when it is first needed: each loads much.
_MODULES = {
    "replicaset": "lockstep_reference.replicaset",
    "hpa": "lockstep_reference.hpa",
    "vpa-recommender": "lockstep_reference.vpa.recommender",
    "vpa-updater": "lockstep_reference.vpa.updater",
    "vpa-admission": "lockstep_reference.vpa.admission",
}


def _run_of(controller: str) -> Run:
    run: Run = import_module(_MODULES[controller]).run
    return run


class Reference:
    """See the module docstring. `acts`: those of another run, whose open choices this one makes, too."""

    spec = "reference"

    def __init__(self, acts: Acts | None = None) -> None:
        self._acts = acts

    def attach(self, loop: VirtualLoop, network: Network, options: Options, seed: int) -> ReferenceControllers:
        def order() -> random.Random | None:
            if self._acts is not None:
                return Following(0).follow(self._acts, lambda: loop.now)
            return random.Random(seed) if seed else None

        return ReferenceControllers(loop, network, options, order)

    def provenance(self, seed: int) -> Provenance:
        """Recordings are never taken from the reference; this lets the refusal name it."""
        return Provenance("reference", "", "", "", __version__, seed, "")

    def close(self) -> None:
        """There is nothing to release."""


class ReferenceControllers:
    """The reference's controllers in one run."""

    def __init__(
        self, loop: VirtualLoop, network: Network, options: Options, order: Callable[[], random.Random | None]
    ) -> None:
        self._loop = loop
        self._network = network
        self._options = options
        self._order = order
        self._running: dict[str, tuple[asyncio.Future[None], MemoryTransport]] = {}
        self._listening: dict[str, Listening] = {}
        self.errors: list[str] = []
        self.failure: str | None = None

    def start(self, controller: str) -> None:
        if controller in self._running:
            raise RuntimeError(f"the {controller} controller is running already; crash it first")
        transport = MemoryTransport(self._loop, self._network, ACTORS[controller])
        task = asyncio.ensure_future(
            _run_of(controller)(
                transport,
                _LoopClock(self._loop),
                **options_of(controller, self._options),
                **self._extras_of(controller),
                rng=self._order(),
                on_error=self.errors.append,
            ),
            loop=self._loop,
        )
        task.add_done_callback(lambda done: self._ended(controller, done))
        self._running[controller] = task, transport

    def _extras_of(self, controller: str) -> dict[str, Any]:
        """Arguments of only some controllers: feature gates, and a listener for calls."""
        extras: dict[str, Any] = {}
        gates = feature_gates_of(controller, self._options)
        if gates is not None:
            extras["feature_gates"] = gates
        if controller in LISTENERS:
            listening = self._listening[controller] = Listening(self._loop, self._network)
            extras["listen"] = listening.listen
        return extras

    def serve(
        self, controller: str, method: str, path: str, headers: Mapping[str, str], body: bytes, answer: CallAnswer
    ) -> Callable[[], None]:
        listening = self._listening.get(controller) or Listening(self._loop, self._network)
        return listening.serve(path, headers, body, answer)

    def crash(self, controller: str) -> None:
        running = self._running.pop(controller, None)
        if running is not None:
            task, transport = running
            transport.dead = True
            task.cancel()
        listening = self._listening.pop(controller, None)
        if listening is not None:
            listening.crash()

    def end(self) -> None:
        for listening in self._listening.values():
            listening.forget()
        for controller in list(self._running):
            self.crash(controller)

    def _ended(self, controller: str, task: asyncio.Future[None]) -> None:
        if task.cancelled():
            return
        error = task.exception()
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        how = f"{type(error).__name__}: {error}" if error else "it returned"
        self.failure = self.failure or f"the {controller} controller of the reference ended by itself: {how}"
        if error is not None:
            raise error
