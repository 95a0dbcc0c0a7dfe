"""The order of Go's maps in another run: the pod that upstream took first comes first here, too.

Go iterates over a map in any order, so of several pods that are due for the same action, upstream takes any. Its
history shows which. With its caches in that order, the reference must do the same if the choice was open. If it was
not, the order changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

from lockstep.wire.meta import controller_of
from lockstep.world.canonical import state_key

if TYPE_CHECKING:
    from lockstep.trace.history import History

Object = dict[str, Any]
_VERBS = frozenset({"delete", "patch", "update"})
_SUBRESOURCES = frozenset({"eviction", "resize"})


class Acts:
    """What the controllers of a run did to pods: when, and to which pod in which state."""

    def __init__(self, history: History) -> None:
        self.by_instant: list[tuple[int, Object]] = [
            (write.at, write.before)
            for write in history
            if write.resource == "pods"
            and write.before is not None
            and (write.subresource in _SUBRESOURCES or (not write.subresource and write.verb in _VERBS))
            and history.under_test(write)
        ]


class Following(random.Random):
    """Replaces random orders: keeps the order. After a call of `follow`, pods that were acted on first come first."""

    _acts: Sequence[tuple[int, Object]] = ()
    _now: Callable[[], int]

    def follow(self, acts: Acts, now: Callable[[], int]) -> Self:
        """Follow that run from now on."""
        self._acts, self._now = acts.by_instant, now
        return self

    def shuffle(self, x: Any) -> None:
        """Order a cache, or its keys."""
        if self._acts and x and isinstance(x[0], dict) and "containers" in (x[0].get("spec") or {}):
            now = self._now()
            x.sort(key=_Rank([pod for at, pod in self._acts if at >= now]))


class _Rank:
    """The rank of a pod among those that will be acted on: by its observable state, or at least by owner and age."""

    def __init__(self, coming: Sequence[Object]) -> None:
        self._last = len(coming)
        self._exact: dict[Any, int] = {}
        self._rough: dict[Any, int] = {}
        for position, pod in enumerate(coming):
            self._exact.setdefault((_family(pod), state_key(pod)), position)
            self._rough.setdefault(_family(pod), position)

    def __call__(self, pod: Object) -> tuple[int, int]:
        family = _family(pod)
        exact = self._exact.get((family, state_key(pod)))
        if exact is not None:
            return exact, 0
        return self._rough.get(family, self._last), 1


def _family(pod: Object) -> tuple[str, str, str]:
    owner, meta = controller_of(pod), pod["metadata"]
    return meta.get("namespace", ""), (owner or {}).get("name", ""), meta.get("creationTimestamp", "")
