"""Calls into a controller: the other direction of traffic, which webhooks need.

A controller that listens is called while the API server carries out somebody's request. Like everything else that a
controller does, it answers when it comes to that, and the answer is seen when every controller is parked.
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

#: Nobody listens: the controller does not run, or does not serve yet.
REFUSED = Broken("connect: connection refused")
#: The controller crashed, or its handler did, before it answered.
HUNG_UP = Broken("EOF")
