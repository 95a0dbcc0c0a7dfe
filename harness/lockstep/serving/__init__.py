"""The in-memory cluster over HTTP, for clients that do not know Lockstep.

Two threads: the *simulation* (API server, world, reference controllers: `simulation`) on its virtual loop, and the
*front* (`front`) on an ordinary asyncio loop, which speaks HTTP. Jobs go to the simulation through an `inbox`; answers
come back through an `outbox`. The module `clocks` says what moves the simulation's clock meanwhile.
"""

from __future__ import annotations

from lockstep.errors import LockstepError


class ServeError(LockstepError):
    """The requested cluster cannot be served; the message is one line for the user."""
