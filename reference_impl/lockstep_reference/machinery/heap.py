"""A priority queue of keys by instant, with equal instants in the order of Go's container/heap.

Python's heapq sifts differently, so keys that become ready at one instant would be processed in another order than in
upstream's delaying queue. Upstream: container/heap, client-go util/workqueue/delaying_queue.go.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class WaitingHeap(Generic[K]):
    """Keys with the instant at which each is ready; a key is in it at most once (waitForPriorityQueue)."""

    def __init__(self) -> None:
        self._keys: list[K] = []
        self._ready: dict[K, int] = {}
        self._index: dict[K, int] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def first(self) -> int | None:
        """The earliest instant, or None."""
        return self._ready[self._keys[0]] if self._keys else None

    def insert(self, key: K, ready_at: int) -> None:
        """Add a key; of two instants the earlier one counts (delaying_queue.go, insert)."""
        known = self._ready.get(key)
        if known is None:
            self._ready[key] = ready_at
            self._index[key] = len(self._keys)
            self._keys.append(key)
            self._up(len(self._keys) - 1)
        elif ready_at < known:
            self._ready[key] = ready_at
            index = self._index[key]
            if not self._down(index, len(self._keys)):
                self._up(index)

    def pop(self) -> K:
        """Remove and return the key that is ready first. Raises IndexError if there is none."""
        last = len(self._keys) - 1
        if last > 0:
            self._swap(0, last)
            self._down(0, last)
        key = self._keys.pop()
        del self._ready[key], self._index[key]
        return key

    def clear(self) -> None:
        """Drop everything."""
        self._keys.clear()
        self._ready.clear()
        self._index.clear()

    def _less(self, left: int, right: int) -> bool:
        keys, ready = self._keys, self._ready
        return ready[keys[left]] < ready[keys[right]]

    def _swap(self, left: int, right: int) -> None:
        keys = self._keys
        keys[left], keys[right] = keys[right], keys[left]
        self._index[keys[left]] = left
        self._index[keys[right]] = right

    def _up(self, index: int) -> None:
        while index > 0:
            parent = (index - 1) // 2
            if not self._less(index, parent):
                return
            self._swap(parent, index)
            index = parent

    def _down(self, start: int, size: int) -> bool:
        """Sift down within the first `size` places. Returns whether anything moved."""
        index = start
        while (child := 2 * index + 1) < size:
            if child + 1 < size and self._less(child + 1, child):
                child += 1
            if not self._less(child, index):
                break
            self._swap(index, child)
            index = child
        return index > start
