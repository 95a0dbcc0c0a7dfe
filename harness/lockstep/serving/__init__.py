"""The in-memory cluster over HTTP, for clients that know nothing of Lockstep.

Two threads: the *simulation* (API server, world, reference controllers: `simulation`) on its virtual loop, and the
*front* (`front`) on an ordinary asyncio loop, which speaks HTTP. Jobs go to the simulation through an `inbox`; answers
come back through an `outbox`. Who moves the simulation's clock meanwhile is said in `clocks`.
"""

from __future__ import annotations

from lockstep.errors import LockstepError


class ServeError(LockstepError):
    """What was asked for cannot be served; the message is one line for the user."""
