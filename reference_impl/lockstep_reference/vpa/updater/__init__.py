"""The VPA updater 1.7: evicts or resizes pods whose resources differ from the recommendation.

`run` starts it. `main` assembles it, `logic` is its loop; `restriction` limits how many pods are disrupted, `priority`
selects and orders them, `inplace` computes the patches of a resize.
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
    """Run the updater against one API server until cancelled. Cancelling is a crash: nothing more is written.

    `flags` are the fields of UpdaterConfig. `rng` gives jitter, and decides where upstream depends on the order of a
    map; without it, jitter is seeded with 0, and pods are taken in the order of their arrival. `on_error` receives what
    upstream only logs. Raises TypeError for an unknown flag, and Panic where upstream panics and its process ends.
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
