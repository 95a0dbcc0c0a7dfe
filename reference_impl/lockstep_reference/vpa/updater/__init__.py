"""The VPA updater 1.7: evicts or resizes pods whose resources are not what is recommended.

`run` starts it. `main` puts it together, `logic` is its loop; `restriction` says how many pods may be disturbed,
`priority` which ones are worth it, `inplace` what a resize changes.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.transport import Clock, Transport
from lockstep_reference.vpa.updater.config import UpdaterConfig
from lockstep_reference.vpa.updater.main import Main
from lockstep_reference.vpa.utils.panic import Panic

__all__ = ["run"]


async def run(
    transport: Transport,
    clock: Clock,
    *,
    rng: random.Random | None = None,
    on_error: Callable[[str], None] | None = None,
    **flags: Any,
) -> None:
    """Run the updater against one API server until cancelled, which is a crash: it writes nothing more.

    `flags` are the fields of UpdaterConfig. `rng` feeds jitter, and draws what upstream leaves to the order of a map;
    without one, jitter is seeded with 0, and pods are taken in the order in which they came. `on_error` is told of what
    upstream only logs. Raises TypeError for an unknown flag, and Panic where upstream panics, and its process ends.
    """
    main = Main(Client(transport), clock, UpdaterConfig(**flags), rng, on_error or (lambda _message: None))
    try:
        async with asyncio.TaskGroup() as group:
            await main.run(group)
    except ExceptionGroup as problems:
        panics = problems.subgroup(Panic)
        if panics is None:
            raise
        raise panics.exceptions[0] from problems
