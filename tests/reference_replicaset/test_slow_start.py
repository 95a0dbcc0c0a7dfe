"""Batches that double, and stop at the first failure."""

from __future__ import annotations

import asyncio

import pytest

from lockstep_reference.machinery.pod_control import PodControlError
from lockstep_reference.replicaset.slow_start import slow_start_batch


class Calls:
    """Counts calls and how many run at once; the call numbers in `failing` fail."""

    def __init__(self, *failing: int) -> None:
        self.failing = failing
        self.count = 0
        self.running = 0
        self.batches: list[int] = []

    async def __call__(self) -> None:
        self.count += 1
        number = self.count
        self.running += 1
        await asyncio.sleep(0)
        if self.running:
            self.batches.append(self.running)
            self.running = 0
        if number in self.failing:
            raise PodControlError(f"call {number}")


@pytest.mark.parametrize(
    ("count", "initial", "batches"),
    [
        (0, 1, []),
        (1, 1, [1]),
        (3, 1, [1, 2]),
        (10, 1, [1, 2, 4, 3]),
        (5, 3, [3, 2]),
        (500, 1, [1, 2, 4, 8, 16, 32, 64, 128, 245]),
    ],
)
def test_batches_double(count: int, initial: int, batches: list[int]) -> None:
    calls = Calls()
    assert asyncio.run(slow_start_batch(count, initial, calls)) == (count, None)
    assert calls.batches == batches


@pytest.mark.parametrize(
    ("failing", "made", "successes", "error"),
    [((1,), 1, 0, "call 1"), ((3,), 3, 2, "call 3"), ((2, 3), 3, 1, "call 2"), ((4,), 7, 6, "call 4")],
)
def test_a_failure_ends_its_batch_and_skips_the_rest(
    failing: tuple[int, ...], made: int, successes: int, error: str
) -> None:
    calls = Calls(*failing)
    done, reported = asyncio.run(slow_start_batch(20, 1, calls))
    assert (calls.count, done, str(reported)) == (made, successes, error)


def test_a_defect_is_not_taken_for_a_failure() -> None:
    async def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(slow_start_batch(3, 1, broken))
