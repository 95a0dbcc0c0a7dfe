"""Running calls at the same time, as upstream starts one goroutine for each and waits for all (sync.WaitGroup)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any


async def concurrently(calls: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Await all of the calls, which must not raise. Cancelled together with the caller.

    The order is that of Go on one processor: the goroutine started last runs first, in the caller's place, and the
    others follow in order. So a fault that happens once hits the same call.
    """
    if not calls:
        return
    *others, last = calls
    tasks = [asyncio.ensure_future(call) for call in others]
    try:
        await last
    except BaseException:
        for task in tasks:
            task.cancel()
        raise
    await asyncio.gather(*tasks)
