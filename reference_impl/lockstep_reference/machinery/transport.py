"""What the machinery needs from the outside world: a way to send requests, and a clock.

The caller that runs a controller supplies both. Requests and watches never complete synchronously. The objects that
they return are shared and must not be mutated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

NO_HEADERS: Mapping[str, str] = {}


class Response(NamedTuple):
    """One reply: HTTP status, decoded JSON body (or text, if the server sent no JSON), headers."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = NO_HEADERS

    @property
    def succeeded(self) -> bool:
        """Whether client-go treats it as a success: 200 to 206."""
        return 200 <= self.status <= 206


class WatchStream(Protocol):
    """An open watch."""

    async def next(self) -> tuple[str, Any] | None:
        """The next (type, object); None once the server has ended the stream.

        Raises ConnectionError when the connection breaks.
        """

    def close(self) -> None:
        """Stop watching. Idempotent."""


class Transport(Protocol):
    """Sends one request; no retries, no rate limit.

    `query` values are strings, `body` is a JSON value, `accept` the media types that are wanted ("": plain JSON).
    """

    async def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "",
    ) -> Response:
        """The server's reply, whatever its status. Raises ConnectionError when the connection breaks."""

    async def watch(self, path: str, query: Mapping[str, str]) -> WatchStream | Response:
        """An open stream, or the reply that refused it. Raises ConnectionError when the connection breaks."""


class Clock(Protocol):
    """Wall time. Timers are asyncio's; this is for timestamps and ages."""

    def now(self) -> int:
        """Nanoseconds since 2000-01-01T00:00:00Z."""
