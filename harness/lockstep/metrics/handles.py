"""What a scenario sets about metrics, and for how long it holds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

from lockstep.errors import LockstepError


class Handle:
    """A setting of a scenario. It holds until `stop()`, or for the time that it was set for."""

    __slots__ = ("_now", "_since", "_until")

    def __init__(self, now: Callable[[], int], until: int | None = None) -> None:
        self._now = now
        self._since = now()
        self._until = until

    def stop(self) -> None:
        """End it now."""
        now = self._now()
        self._until = now if self._until is None else min(now, self._until)

    def holds(self, instant: int) -> bool:
        """Whether the setting holds at an instant."""
        return self._since <= instant and (self._until is None or instant < self._until)


class MetricsError(LockstepError):
    """A scenario sets something about metrics that is impossible. The message says what, where, and what to do."""


H = TypeVar("H", bound=Handle)


class Handles(Generic[H]):
    """All settings of one kind, in the order in which they were made. `key` gives the subject of a setting, for
    `about`.
    """

    def __init__(self, key: Callable[[H], Hashable] = lambda _: None) -> None:
        self._key = key
        self._all: list[H] = []
        self._about: dict[Hashable, list[H]] = {}

    def add(self, one: H) -> H:
        """Add a setting."""
        self._all.append(one)
        self._about.setdefault(self._key(one), []).append(one)
        return one

    def holding(self, instant: int) -> list[H]:
        """The settings that hold at an instant."""
        return [one for one in self._all if one.holds(instant)]

    def about(self, key: Hashable, instant: int) -> list[H]:
        """The settings about one subject that hold at an instant."""
        return [one for one in self._about.get(key, ()) if one.holds(instant)]

    def any_about(self, key: Hashable, instant: int) -> bool:
        """Whether a setting about this subject holds at an instant."""
        return any(one.holds(instant) for one in self._about.get(key, ()))

    def __iter__(self) -> Iterator[H]:
        return iter(self._all)

    def __bool__(self) -> bool:
        return bool(self._all)
