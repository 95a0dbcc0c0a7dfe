"""A cache of answers of scale subresources (pkg/target/controller_fetcher/controller_cache_storage.go).

Durations are nanoseconds. An entry is due for a refresh after `validity_time` and up to `jitter_factor` times as much
again; it is dropped when it was not read for `life_time`. The caller triggers both.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from lockstep_reference.machinery.scale import Scale
from lockstep_reference.machinery.transport import Clock


class ScaleKey(NamedTuple):
    """Whose scale it is (scaleCacheKey)."""

    namespace: str
    group: str
    resource: str
    name: str


class _Entry:
    """An answer, which may be an error."""

    __slots__ = ("answer", "delete_after", "refresh_after")

    def __init__(self, answer: Scale | Exception, refresh_after: int, delete_after: int) -> None:
        self.answer = answer
        self.refresh_after = refresh_after
        self.delete_after = delete_after


class ControllerCacheStorage:
    """See the module. Reading extends an entry's life; refreshing does not."""

    def __init__(
        self, clock: Clock, rng: random.Random, validity_time: int, life_time: int, jitter_factor: float
    ) -> None:
        self._clock = clock
        self._rng = rng
        self._validity_time = validity_time
        self._life_time = life_time
        self._jitter_factor = jitter_factor
        self._cache: dict[ScaleKey, _Entry] = {}

    def get(self, key: ScaleKey) -> Scale | Exception | None:
        """The cached answer, or None (Get)."""
        entry = self._cache.get(key)
        if entry is None:
            return None
        entry.delete_after = self._clock.now() + self._life_time
        return entry.answer

    def insert(self, key: ScaleKey, answer: Scale | Exception) -> None:
        """Store an answer, unless there is one already (Insert)."""
        if key not in self._cache:
            now = self._clock.now()
            self._cache[key] = _Entry(answer, self._refresh_after(now), now + self._life_time)

    def refresh(self, key: ScaleKey, answer: Scale | Exception) -> None:
        """Replace an answer, unless it was dropped in the meantime (Refresh)."""
        entry = self._cache.get(key)
        if entry is not None:
            entry.answer, entry.refresh_after = answer, self._refresh_after(self._clock.now())

    def keys_to_refresh(self) -> list[ScaleKey]:
        """Those that are due (GetKeysToRefresh)."""
        now = self._clock.now()
        return [key for key, entry in self._cache.items() if now > entry.refresh_after]

    def quiet_for(self) -> int:
        """Nanoseconds for which nothing becomes due, whatever is inserted meanwhile."""
        first = min((min(entry.refresh_after, entry.delete_after) for entry in self._cache.values()), default=None)
        return self._validity_time if first is None else min(self._validity_time, max(first - self._clock.now(), 0))

    def remove_expired(self) -> None:
        """Drop entries that are no longer read (RemoveExpired)."""
        now = self._clock.now()
        for key in [key for key, entry in self._cache.items() if now > entry.delete_after]:
            del self._cache[key]

    def _refresh_after(self, now: int) -> int:
        """wait.Jitter."""
        factor = self._jitter_factor if self._jitter_factor > 0 else 1.0
        return now + self._validity_time + int(self._rng.random() * factor * self._validity_time)
