"""Calls into a controller, as webhooks need them: the other direction of traffic.

The API server calls a listening controller while it carries out a request. The controller answers when it gets to it,
and the answer takes effect when every controller is parked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from lockstep.network import Broken

#: A handler of the reference: takes path, headers and body, returns status, headers and body.
Handler = Callable[[str, Mapping[str, str], bytes], Awaitable[tuple[int, Mapping[str, str], bytes]]]


@dataclass(frozen=True, slots=True)
class Served:
    """What a controller answered to a call."""

    status: int
    body: bytes


CallAnswer = Callable[[Served | Broken], None]

#: No listener: the controller does not run, or does not serve yet.
REFUSED = Broken("connect: connection refused")
#: The controller or its handler crashed before it answered.
HUNG_UP = Broken("EOF")
