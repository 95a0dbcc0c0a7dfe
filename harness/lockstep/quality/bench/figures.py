"""Figures and their targets."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from lockstep.errors import LockstepError


class BenchFailed(LockstepError):
    """A measure could not be taken; the message is one line for the user."""


@dataclass(frozen=True, slots=True)
class Target:
    """A bound: the least value that is acceptable, or the greatest."""

    bound: float
    least: bool

    def met_by(self, value: float) -> bool:
        """Whether a value is within the bound."""
        return value >= self.bound if self.least else value <= self.bound

    def __str__(self) -> str:
        return f"{'>=' if self.least else '<='} {self.bound:,g}"


def at_least(bound: float) -> Target:
    """No less than `bound`."""
    return Target(bound, least=True)


def at_most(bound: float) -> Target:
    """No more than `bound`."""
    return Target(bound, least=False)


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. `target` is None for a figure without a target."""

    name: str
    value: float
    unit: str
    target: Target | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        return None if self.target is None else self.target.met_by(self.value)


def seconds_of(work: Callable[[], object]) -> float:
    """Real seconds that `work` takes. Garbage of earlier work is collected first."""
    gc.collect()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def best(rounds: int, *works: Callable[[], object]) -> list[float]:
    """The least real seconds of each of `works`, which take turns for so many rounds."""
    times = [[seconds_of(work) for work in works] for _ in range(rounds)]
    return [min(column) for column in zip(*times, strict=True)]


def medians(rounds: int, *works: Callable[[], object]) -> list[float]:
    """The median real seconds of each of `works`, which take turns for so many rounds."""
    times = [[seconds_of(work) for work in works] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times, strict=True)]
