"""The queue between a reflector and its informer: what happened to the collection, in order.

Upstream: client-go tools/cache/the_real_fifo.go as 1.36 uses it (gates InOrderInformers, AtomicFIFO and
UnlockWhileProcessingFIFO). Nothing is coalesced: two updates of one object stay two entries. A list is a single entry
that replaces everything at once, so that the indexer never shows half of it; so are a resync and a bookmark.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lockstep_reference.machinery.wakeup import Wakeup

if TYPE_CHECKING:
    from lockstep_reference.machinery.store import Object


@dataclass(slots=True)
class Changed:
    """An object was added or modified."""

    obj: Object


@dataclass(slots=True)
class Deleted:
    """An object was deleted; `obj` is its last state."""

    obj: Object


@dataclass(slots=True)
class ReplacedAll:
    """The collection is exactly this, as of `version`."""

    objects: list[Object]
    version: str


@dataclass(slots=True)
class SyncAll:
    """Resync: notify the handlers that asked for it about every object again."""


@dataclass(slots=True)
class Bookmark:
    """Everything up to `version` has been received."""

    version: str


Delta = Changed | Deleted | ReplacedAll | SyncAll | Bookmark


class RealFIFO:
    """Deltas, first in first out. Synced once the first list, and what was queued before it, has been processed."""

    def __init__(self) -> None:
        self._items: deque[Delta] = deque()
        self._filled = Wakeup()
        self._populated = False
        self._initial_population_count = 0

    def push(self, delta: Delta) -> None:
        """Queue a delta."""
        self._items.append(delta)
        if isinstance(delta, ReplacedAll) and not self._populated:
            self._populated = True
            self._initial_population_count = len(self._items)
        self._filled.wake()

    def pop(self) -> Delta | None:
        """The oldest delta, or None. Call `processed` when it has been processed."""
        return self._items.popleft() if self._items else None

    def processed(self) -> None:
        """The delta popped last has been processed."""
        if self._initial_population_count > 0:
            self._initial_population_count -= 1

    async def wait(self) -> None:
        """Wait until there is something to pop."""
        while not self._items:
            await self._filled.sleep()

    def has_synced(self) -> bool:
        """Whether the first list has been processed."""
        return self._populated and self._initial_population_count == 0
