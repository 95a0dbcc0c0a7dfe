"""Slow start: try one call first, then double the batch for as long as everything succeeds.

If a quota is used up, every one of 500 creates would be refused; with batches of 1, 2, 4, 8 ... only the first is
wasted, and only one event is sent.

Source: pkg/controller/replicaset/replica_set.go, slowStartBatch; pkg/controller/controller_utils.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from lockstep_reference.machinery.concurrent import concurrently
from lockstep_reference.machinery.pod_control import OPERATION_ERRORS

#: Size of the first batch (SlowStartInitialBatchSize).
SLOW_START_INITIAL_BATCH_SIZE = 1


async def slow_start_batch(
    count: int, initial_batch_size: int, call: Callable[[], Awaitable[None]]
) -> tuple[int, Exception | None]:
    """Await `call` up to `count` times, the calls of one batch concurrently, batches one after the other.

    After a batch with a failure the remaining batches are skipped. Returns how many calls succeeded, and the error
    that was reported first, or None.
    """
    errors: list[Exception] = []

    async def attempt() -> None:
        try:
            await call()
        except OPERATION_ERRORS as error:
            errors.append(error)

    remaining = count
    successes = 0
    batch_size = min(remaining, initial_batch_size)
    while batch_size > 0:
        await concurrently([attempt() for _ in range(batch_size)])
        successes += batch_size - len(errors)
        if errors:
            return successes, errors[0]
        remaining -= batch_size
        batch_size = min(2 * batch_size, remaining)
    return successes, None
