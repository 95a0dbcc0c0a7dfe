"""Messages between a bubble and the network: requests, replies and watches."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import orjson


class ReplyLike(Protocol):
    """The part of a reply that the driver needs (`lockstep.apiserver.Reply`)."""

    @property
    def status(self) -> int:
        """HTTP status code."""

    @property
    def watch(self) -> WatchLike | None:
        """The watch that the request opened, if it did."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers besides Content-Type."""

    def raw(self) -> bytes:
        """The body, serialised."""


class WatchLike(Protocol):
    """The part of a watch that the driver needs (`lockstep.apiserver.Watch`).

    A watch may also have an attribute `broken`: "reset" or "eof" makes its end look like a broken connection.
    """

    events: deque[Any]
    on_event: Callable[[], None] | None
    closed: bool

    def take(self) -> Sequence[Any]:
        """The events that the client gets next, removed from `events`. It settles before it gets more."""

    def stop(self) -> None:
        """The client has ended the watch."""


@dataclass(slots=True)
class ApiRequest:
    """One request of a controller.

    `actor` is its user agent; `controller` the name under which it was started; `accept` the media types that it
    accepts, "" for plain JSON.
    """

    method: str
    path: str
    query: Mapping[str, str]
    content_type: str
    actor: str
    controller: str
    raw_body: bytes
    accept: str = ""

    @property
    def body(self) -> Any:
        """The body, decoded at each access; None if there is none. A body that is not JSON comes as its text."""
        if not self.raw_body:
            return None
        try:
            return orjson.loads(self.raw_body)
        except orjson.JSONDecodeError:
            return self.raw_body.decode(errors="replace")
