"""The driver of a run with upstream controllers: the bubble's clock moves the virtual loop's.

Whenever Python is quiet, the loop calls `advance`. The bubble then runs until it has no work left before the requested
instant, and we answer its API requests meanwhile, one at a time. Each is answered when every goroutine is parked, so
upstream sees the same order of events as controllers written in Python do (harness/lockstep/time/loop.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qsl, unquote

from lockstep.implementations.upstream.calls import CallOutcome, OnOutcome, OpenCalls
from lockstep.implementations.upstream.errors import RunRefused, UpstreamFailed
from lockstep.implementations.upstream.process import NO_GATES, UpstreamProcess
from lockstep.implementations.upstream.traffic import ApiRequest, ReplyLike, WatchLike
from lockstep.time.clock import SECOND
from lockstep.time.loop import Stuck

if TYPE_CHECKING:
    from lockstep.time.loop import VirtualLoop

_DAY = 24 * 3600 * SECOND


class RequestSink(Protocol):
    """Answers the controllers' requests."""

    def serve(self, request: ApiRequest, answer: Answer) -> None:
        """Answer now or, by calling `answer` from a later world step, later."""


class Answer:
    """Answers the caller of one request. Call `reply` or `broken` once; an answer that is too late is dropped."""

    __slots__ = ("_driver", "_id", "controller")

    def __init__(self, driver: BubbleDriver, request_id: int, controller: str) -> None:
        self._driver = driver
        self._id = request_id
        self.controller = controller

    def reply(self, reply: ReplyLike) -> None:
        """Answer the request."""
        self._driver._reply(self._id, self.controller, reply)  # noqa: SLF001 - two halves of one thing

    def broken(self, reason: str = "reset") -> None:
        """Break the connection: "reset", "eof" (unexpected end) or "refused"."""
        self._driver._broken(self._id, reason)  # noqa: SLF001


@dataclass(frozen=True, slots=True)
class Note:
    """An error that upstream only logs, and its instant."""

    at: int
    text: str


@dataclass(slots=True, eq=False)
class _OpenWatch:
    id: int
    controller: str
    watch: WatchLike
    queued: bool = False


class BubbleDriver:
    """Implements `lockstep.time.loop.Driver` for one run.

    `seed` fixes the jitter that upstream draws. `shuffle`: 0 serves waiting requests first come, first served; any
    other number is the seed that draws the next one. `feature_gates`: those that differ from the defaults in this run.
    `attach` it to the loop before the loop runs; always `end` the run. Raises RunRefused if it cannot begin.
    """

    def __init__(
        self,
        process: UpstreamProcess,
        sink: RequestSink,
        *,
        seed: int = 0,
        shuffle: int = 0,
        feature_gates: Mapping[str, bool] = NO_GATES,
    ) -> None:
        #: Errors that upstream reported without acting on them, in order.
        self.notes: list[Note] = []
        #: Why the bubble did not end cleanly (goroutines that never return), or "".
        self.problem = ""
        self._process = process
        self._sink = sink
        self._now = 0
        self._outbox: list[tuple[dict[str, Any], bytes]] = []
        self._arrived: list[_OpenWatch] = []
        self._open_requests: dict[int, str] = {}
        self._watches: dict[int, _OpenWatch] = {}
        self._last_watch = 0
        self._running: set[str] = set()
        self._calls = OpenCalls()
        self._ended = False
        self._loop: VirtualLoop | None = None
        process.begin_run(seed, shuffle, feature_gates)
        frame, _ = self._receive("idle", "done")
        if frame["op"] == "done":
            raise self._refused(frame.get("failed", ""))

    def attach(self, loop: VirtualLoop) -> None:
        """Make this the driver of `loop`."""
        self._loop = loop
        loop.driver = self
        served_before = loop.serve_request
        # events of all sides go before requests, as with a single implementation
        loop.serve_request = lambda: loop.deliver_event() or self.react() or served_before()

    # -- controllers --------------------------------------------------------------------------------------------------

    def start(self, controller: str, options: Mapping[str, Any] | None = None) -> None:
        """Start a controller, as soon as the bubble runs next. Raises ValueError if it runs already or is not there."""
        if controller not in self._process.controllers:
            known = ", ".join(self._process.controllers)
            raise ValueError(f"upstream has no controller {controller!r} here; it has: {known}")
        if controller in self._running:
            raise ValueError(f"upstream controller {controller!r} is running already: crash it first")
        self._running.add(controller)
        self._outbox.append(({"op": "start", "name": controller, "options": dict(options or {})}, b""))

    def crash(self, controller: str) -> None:
        """Kill a controller: none of its requests, not even a pending one, is sent or answered any more."""
        if controller not in self._running:
            raise ValueError(f"upstream controller {controller!r} cannot crash: it is not running")
        self._running.discard(controller)
        self._open_requests = {key: name for key, name in self._open_requests.items() if name != controller}
        for open_watch in [one for one in self._watches.values() if one.controller == controller]:
            self._close_watch(open_watch.id)
        self._outbox.append(({"op": "crash", "name": controller}, b""))
        self._calls.crash(controller)

    def call(
        self,
        controller: str,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        on_outcome: OnOutcome,
    ) -> Callable[[], None]:
        """Call a controller that listens. `on_outcome` gets the outcome, at once if the controller does not run.

        Returns a function that cancels the call; `on_outcome` is not called any more then.
        """
        if controller not in self._running:
            on_outcome(CallOutcome(reason="refused"))
            return lambda: None
        item, call_id = self._calls.begin(controller, method, path, headers, body, on_outcome)
        self._outbox.append((item, body))

        def take_back() -> None:
            if self._calls.take_back(call_id):
                self._outbox.append(({"op": "hang_up", "id": call_id}, b""))

        return take_back

    # -- time ---------------------------------------------------------------------------------------------------------

    def react(self) -> bool:
        """Let the controllers react to new answers and events at this instant. False if there are none."""
        if self._ended or not (self._outbox or self._arrived):
            return False
        assert self._loop is not None, "attach the driver to a loop first"
        self.advance(self._loop, self._loop.now)
        return True

    def advance(self, loop: VirtualLoop, until: int | None) -> None:
        """Run the bubble until `until`, or an earlier instant at which Python has work (lockstep.time.loop.Driver).

        Raises Stuck if nothing is scheduled in Python and the bubble gives it nothing to do for a day.
        """
        limit = loop.now + _DAY if until is None else until
        self._send(limit)
        while True:
            frame, body = self._receive("idle", "request", "served")
            loop.now = self._now
            if self._now > limit:
                raise self._give_up(f"its clock ran past {limit / SECOND:g} s, to {self._now / SECOND:g} s")
            if frame["op"] == "idle":
                break
            if frame["op"] == "served":
                self._calls.conclude(frame, body)
            else:
                self._serve(frame, body)
            self._send(_next_instant(loop, limit))
        if until is None and loop.now >= limit and _next_instant(loop, limit + 1) > limit:
            raise Stuck(f"nothing is scheduled after {loop.now / SECOND:.3f} s, but the run has not ended")

    def end(self) -> None:
        """End the run. Requests that the controllers still send while they shut down are dropped."""
        if self._ended:
            return
        self._ended = True
        self._calls.forget()
        for watch_id in list(self._watches):
            self._close_watch(watch_id)
        try:
            self._process.send(self._now, [{"op": "finish"}], [])
            frame, _ = self._process.receive()
            self._gather(frame)
            self.problem = frame.get("failed", "") if frame["op"] == "done" else "the bubble went on after its end"
        except UpstreamFailed as error:
            self.problem = str(
                error
            )  # the verdict is still valid; only the process is lost, and the next run starts another
        self._process.end_run(clean=not self.problem)

    # -- frames -------------------------------------------------------------------------------------------------------

    def _receive(self, *expected: str) -> tuple[dict[str, Any], bytes]:
        try:
            frame, body = self._process.receive()
        except UpstreamFailed:
            self._ended = True
            raise
        if frame["op"] not in expected:
            raise self._give_up(f"sent a frame {frame['op']!r} where only {' or '.join(expected)} makes sense")
        self._now = frame["now"]
        self._gather(frame)
        if frame.get("failed") and frame["op"] != "done":
            raise self._give_up(frame["failed"])
        return frame, body

    def _gather(self, frame: dict[str, Any]) -> None:
        for request_id in frame.get("gone", ()):
            self._open_requests.pop(request_id, None)
        for watch_id in frame.get("closed", ()):
            self._close_watch(watch_id)
        self.notes += [Note(note["at"], note["text"]) for note in frame.get("notes", ())]

    def _serve(self, frame: dict[str, Any], body: bytes) -> None:
        path, query = _split(frame["target"])
        controller = frame["controller"]
        request = ApiRequest(
            frame["method"],
            path,
            query,
            frame.get("type", ""),
            frame.get("actor", ""),
            controller,
            body,
            frame.get("accept", ""),
        )
        self._open_requests[frame["id"]] = controller
        self._sink.serve(request, Answer(self, frame["id"], controller))

    def _send(self, wake: int) -> None:
        # Answers first, then events, one watch after the other: between any two of them the controllers run until they
        # are quiet.
        outbox, self._outbox = self._outbox, []
        arrived, self._arrived = self._arrived, []
        items = [item for item, _ in outbox]
        bodies = [body for _, body in outbox]
        for one in arrived:
            self._pack_watch(one, items, bodies)
        try:
            self._process.send(wake, items, bodies)
        except UpstreamFailed:
            self._ended = True
            raise

    def _give_up(self, what: str) -> UpstreamFailed:
        self._ended = True
        self._process.end_run(clean=False)
        return UpstreamFailed(f"upstream gave up at {self._now / SECOND:.3f} s: {what}")

    def _refused(self, why: str) -> RunRefused:
        self._ended = True
        self._process.end_run(clean=False)  # it cannot undo a part of the request
        return RunRefused(f"upstream cannot begin this run: {why}")

    # -- answers and watches ------------------------------------------------------------------------------------------

    def _reply(self, request_id: int, controller: str, reply: ReplyLike) -> None:
        waited_for = self._open_requests.pop(request_id, None) is not None
        watch = reply.watch
        if not waited_for:
            if watch is not None:
                watch.stop()
            return
        item: dict[str, Any] = {"op": "answer", "id": request_id, "status": reply.status}
        if reply.headers:
            item["headers"] = dict(reply.headers)
        if watch is not None:
            item["watch"] = self._last_watch = self._last_watch + 1
            self._outbox.append((item, b""))
            self._open_watch(controller, watch)
            return
        body = reply.raw()
        item["length"] = len(body)
        self._outbox.append((item, body))

    def _broken(self, request_id: int, reason: str) -> None:
        if self._open_requests.pop(request_id, None) is not None:
            self._outbox.append(({"op": "broken", "id": request_id, "reason": reason}, b""))

    def _open_watch(self, controller: str, watch: WatchLike) -> None:
        one = self._watches[self._last_watch] = _OpenWatch(self._last_watch, controller, watch)

        def on_event() -> None:
            if not one.queued:
                one.queued = True
                self._arrived.append(one)

        watch.on_event = on_event
        if watch.events or watch.closed:
            on_event()

    def _pack_watch(self, one: _OpenWatch, items: list[dict[str, Any]], bodies: list[bytes]) -> None:
        """All that has arrived on a watch: one item for each piece, and its end if it has ended."""
        one.queued = False
        if one.id not in self._watches:
            return
        while one.watch.events:
            body = b"\n".join([event.raw() for event in one.watch.take()]) + b"\n"
            items.append({"op": "events", "id": one.id, "length": len(body)})
            bodies.append(body)
        if one.watch.closed:
            items.append({"op": "end", "id": one.id, "reason": getattr(one.watch, "broken", "")})
            self._close_watch(one.id)

    def _close_watch(self, watch_id: int) -> None:
        one = self._watches.pop(watch_id, None)
        if one is not None:
            one.watch.on_event = None
            one.watch.stop()


def _next_instant(loop: VirtualLoop, limit: int) -> int:
    """The next instant at which Python has work, at most `limit`."""
    # asyncio has no public question "is a task ready?"; requests are pending if a controller of this run is outside of
    # the bubble
    if loop._ready or loop.requests_wait():  # type: ignore[attr-defined]  # noqa: SLF001
        return loop.now
    step = loop.next_world_step()
    return limit if step is None else min(limit, step)


@lru_cache(maxsize=1024)
def _split(target: str) -> tuple[str, Mapping[str, str]]:
    path, _, query = target.partition("?")
    return unquote(path), dict(parse_qsl(query, keep_blank_values=True))
