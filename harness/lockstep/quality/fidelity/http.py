"""An API server behind HTTP as a target: ours, or a real kube-apiserver."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from lockstep import http
from lockstep.quality.fidelity.wire import Answer, Call, FidelityError, Stream

#: Seconds from a write until its event must arrive.
_PATIENCE = 5.0
#: The name by which real servers identify the writer.
_AGENT = {"User-Agent": "lockstep-fidelity"}
_KEPT_HEADERS = ("content-type", "retry-after", "warning", "location", "allow")
_END = None


class HttpStream:
    """The events of a watch, read by its own thread. `quiet`: seconds without an event after which the stream
    counts as ended.
    """

    def __init__(self, lines: http.Stream, quiet: float) -> None:
        self._lines = lines
        self._quiet = quiet
        self._events: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._ended = False
        self._reader = threading.Thread(target=self._read, name="fidelity-watch", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        try:
            for line in self._lines:
                self._events.put(orjson.loads(line))
        finally:
            self._events.put(_END)

    def _next(self, patience: float) -> dict[str, Any] | None:
        if self._ended:
            return None
        try:
            event = self._events.get(timeout=patience)
        except queue.Empty:
            return None
        self._ended = event is _END
        if event is not None and _is_plain_bookmark(event):
            return self._next(patience)
        return event

    def take(self, count: int) -> list[dict[str, Any]]:
        """The next `count` events; fewer, if they do not come in time or the watch ended."""
        found: list[dict[str, Any]] = []
        deadline = time.monotonic() + _PATIENCE
        while len(found) < count:
            event = self._next(max(0.0, deadline - time.monotonic()))
            if event is None:
                break
            found.append(event)
        return found

    def rest(self) -> list[dict[str, Any]]:
        """The events until it is quiet."""
        found: list[dict[str, Any]] = []
        while (event := self._next(self._quiet)) is not None:
            found.append(event)
        return found

    def ended(self) -> bool:
        """Whether the server has ended the watch, as far as it has been read."""
        return self._ended

    def close(self) -> None:
        """End the watch."""
        self._lines.close()
        self._reader.join(_PATIENCE)


class HttpTransport:
    """What `client` asks and hears. Threads may share it. `quiet`: see HttpStream."""

    def __init__(self, client: http.Client, compact: Callable[[], None] | None = None, *, quiet: float = 0.2) -> None:
        self._client = client
        self._compact = compact
        self._quiet = quiet

    def send(self, call: Call) -> Answer:
        """The answer to a request. Raises FidelityError if there is none."""
        try:
            headers = {**_AGENT, **call.headers}
            return _answer(self._client.request(call.method, call.target, call.data, headers=headers))
        except http.NoAnswer as error:
            raise FidelityError(str(error)) from error

    def watch(self, call: Call) -> Stream | Answer:
        """A running watch, or the answer that refuses it. Raises FidelityError if there is neither."""
        try:
            found = self._client.watch(call.target, {**_AGENT, **call.headers})
        except http.NoAnswer as error:
            raise FidelityError(str(error)) from error
        return HttpStream(found, self._quiet) if isinstance(found, http.Stream) else _answer(found)

    def now(self) -> float:
        """The machine's clock, which the server shares."""
        return time.time()

    def compact(self) -> None:
        """Discard old versions. Raises FidelityError if the server cannot be made to."""
        if self._compact is None:
            raise FidelityError("this target cannot be made to discard old versions; use memory, http or control-plane")
        self._compact()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _is_plain_bookmark(event: dict[str, Any]) -> bool:
    """A bookmark that only gives a version: servers send those at any time."""
    return event["type"] == "BOOKMARK" and not event["object"]["metadata"].get("annotations")


def _answer(answer: http.Answer) -> Answer:
    kept: Mapping[str, str] = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
    return Answer(answer.status, answer.data, kept)
