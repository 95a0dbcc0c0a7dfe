"""Planned steps of the world, gathered by instant.

An actor does everything that is due at one instant in one world step. So a thousand pods that turn ready together cost
one step, and the controllers see them together. An item added for the present instant is done in a later step of the
same instant, after the controllers have settled.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from lockstep.time.loop import VirtualLoop, WorldStep

T = TypeVar("T")


class Agenda(Generic[T]):
    """What one actor has planned, and for when. `act` gets all items due at an instant, in the order in which they were
    added.

    `alive` says whether an item still has an effect; an item without one does not count as the next step.
    """

    def __init__(
        self, loop: VirtualLoop, act: Callable[[list[T]], None], alive: Callable[[T], bool] = lambda _: True
    ) -> None:
        self._loop = loop
        self._act = act
        self._alive = alive
        self._due: dict[int, list[T]] = {}
        self._steps: dict[int, WorldStep] = {}
        self._instants: list[int] = []

    def add(self, instant: int, item: T) -> None:
        """Plan `item` for `instant` (nanoseconds; the past means a later step of the present instant)."""
        instant = max(instant, self._loop.now)
        items = self._due.get(instant)
        if items is not None:
            items.append(item)
            return
        self._due[instant] = [item]
        self._steps[instant] = self._loop.world_at(instant, partial(self._run, instant))
        heapq.heappush(self._instants, instant)

    def next_due(self) -> int | None:
        """The instant of the next step that still has an effect, or None."""
        while self._instants:
            instant = self._instants[0]
            items = self._due.get(instant)
            if items is not None:
                if any(map(self._alive, items)):
                    return instant
                del self._due[instant]
                self._steps.pop(instant).cancel()
            heapq.heappop(self._instants)
        return None

    def clear(self) -> list[T]:
        """Cancel everything that is planned and return it, soonest first."""
        taken = [item for instant in sorted(self._due) for item in self._due[instant]]
        for step in self._steps.values():
            step.cancel()
        self._due.clear()
        self._steps.clear()
        self._instants.clear()
        return taken

    def _run(self, instant: int) -> None:
        del self._steps[instant]
        self._act(self._due.pop(instant))
