"""The in-memory API server in this process, as a target."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import orjson

from lockstep.apiserver import ApiServer, Reply, Request, Watch
from lockstep.apiserver.errors import ApiError
from lockstep.quality.fidelity.wire import Answer, Call, Stream
from lockstep.serving.bodies import parse_body
from lockstep.time.clock import EPOCH_NS, SECOND


class MemoryStream:
    """The events of a watch of the server in this process, where they arrive at once."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def take(self, count: int) -> list[dict[str, Any]]:
        """The next `count` events, or as many as there are."""
        events = self._watch.events
        return [_event(events.popleft().raw()) for _ in range(min(count, len(events)))]

    def rest(self) -> list[dict[str, Any]]:
        """The remaining events."""
        return [_event(event.raw()) for event in self._watch.take()]

    def ended(self) -> bool:
        """Whether the server has ended the watch."""
        return self._watch.closed

    def close(self) -> None:
        """End the watch."""
        self._watch.stop()


class MemoryTransport:
    """Its own server, on a clock that stands still."""

    def __init__(self, server: ApiServer | None = None) -> None:
        self.server = server or ApiServer(lambda: 0)

    def send(self, call: Call) -> Answer:
        """The answer to a request."""
        found = self._handle(call)
        return found if isinstance(found, Answer) else _answer(found)

    def watch(self, call: Call) -> Stream | Answer:
        """A running watch, or the answer that refuses it."""
        found = self._handle(call)
        if isinstance(found, Answer):
            return found
        return _answer(found) if found.watch is None else MemoryStream(found.watch)

    def now(self) -> float:
        """The virtual clock."""
        return (EPOCH_NS + self.server.state.now()) / SECOND

    def compact(self) -> None:
        """Discard old versions."""
        self.server.compact()

    def close(self) -> None:
        """There is nothing to close."""

    def _handle(self, call: Call) -> Reply | Answer:
        parts = urlsplit(call.target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        try:
            body, media = parse_body(call.data or b"", call.headers.get("Content-Type", "application/json"))
        except ApiError as problem:
            return Answer(problem.code, problem.status)
        accept = call.headers.get("Accept", "")
        request = Request(call.method, unquote(parts.path), query, body, media, "fidelity", accept=accept)
        return self.server.handle(request)


def _event(raw: bytes) -> dict[str, Any]:
    event = orjson.loads(raw)
    assert isinstance(event, dict)
    return event


def _answer(reply: Reply) -> Answer:
    headers = {name.lower(): value for name, value in reply.headers.items()}
    raw = reply.raw()
    try:
        return Answer(reply.status, orjson.loads(raw), headers)
    except ValueError:
        return Answer(reply.status, raw.decode(errors="replace"), headers)
