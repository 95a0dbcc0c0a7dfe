"""The VPA admission controller 1.7.3, readable.

`run` starts it. `main` assembles it: it listens, registers itself as a webhook and renews its Lease. `logic` has the
server that answers reviews, `resource` the handlers of pods and of VPA objects.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.transport import Clock, Transport
from lockstep_reference.vpa.admission.config import AdmissionConfig
from lockstep_reference.vpa.admission.main import Handler, Main

__all__ = ["Handler", "run"]


async def run(
    transport: Transport,
    clock: Clock,
    *,
    listen: Callable[[Handler], None],
    rng: random.Random | None = None,
    on_error: Callable[[str], None] | None = None,
    **flags: Any,
) -> None:
    """Run the controller against one API server until cancelled. Cancelling is a crash.

    `listen` receives the handler once the caches are filled. `flags` are the fields of AdmissionConfig. `rng` gives
    jitter; the default is seeded with 0. `on_error` receives what upstream only logs. Raises TypeError for an unknown
    flag.
    """
    main = Main(
        Client(transport), clock, AdmissionConfig(**flags), rng or random.Random(0), on_error or (lambda _message: None)
    )
    async with asyncio.TaskGroup() as group:
        await main.run(group, listen)
