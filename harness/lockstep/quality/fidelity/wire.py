"""The interface of a target: it takes a request as bytes and gives an answer, or a stream of events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from lockstep.errors import LockstepError


class FidelityError(LockstepError):
    """The suite cannot run as asked, or a scenario is declared wrongly. The message, one line, says what to do."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its code, its body as a JSON value (or as text, if it is not JSON), and its headers in lower case."""

    code: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """A request as it goes over the wire. `target` is the path with the query."""

    method: str
    target: str
    data: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Stream(Protocol):
    """The events of a watch."""

    def take(self, count: int) -> list[dict[str, Any]]:
        """The next `count` events; fewer if they do not arrive in time or the watch ended."""

    def rest(self) -> list[dict[str, Any]]:
        """The remaining events, once it is quiet."""

    def ended(self) -> bool:
        """Whether the server has ended the watch."""

    def close(self) -> None:
        """End the watch."""


class Transport(Protocol):
    """A way to one API server."""

    def send(self, call: Call) -> Answer:
        """The answer to a request."""

    def watch(self, call: Call) -> Stream | Answer:
        """A running watch, or the answer that refuses it."""

    def now(self) -> float:
        """The server's clock, in seconds since the Unix epoch."""

    def compact(self) -> None:
        """Have the server discard all versions but the current one."""

    def close(self) -> None:
        """Close all connections."""
