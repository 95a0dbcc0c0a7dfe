"""One object for equal parts: the specs, labels and owner references of a thousand pods have few different values.

Parts of stored objects are immutable, so equal ones can be one object. The serialised form is the key. It
also makes copying and checking a request's body cheap: a part that was seen before is neither copied nor checked again.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")
_LIMIT = 8192


class Shared:
    """The one canonical form of each part, made by `canonical` from a sent one (which it must not keep)."""

    __slots__ = ("_canonical", "_known", "_made")

    def __init__(self, canonical: Callable[[Any], Any]) -> None:
        self._canonical = canonical
        self._known: dict[bytes, Any] = {}
        #: The canonical forms by identity: a part that was read in this process and is sent back is one of them.
        self._made: dict[int, Any] = {}

    def __call__(self, part: Any) -> Any:
        """The shared form of a part; what `canonical` raises. Raises ValueError on data that is not JSON."""
        if id(part) in self._made:
            return part
        key = marshal.dumps(part, 2)
        found = self._known.get(key)
        if found is None:
            found = self._canonical(part)
            if len(self._known) >= _LIMIT:
                self._known.clear()
                self._made.clear()
            self._known[key] = found
            # The canonical form sent again, as by a controller that updates what it has read, stays the same object.
            found = self._known.setdefault(marshal.dumps(found, 2), found)
            self._made[id(found)] = found
        return found


class ByIdentity(Generic[_T]):
    """Remembers what was computed for a shared object. It keeps the object, so that no other object gets its identity.

    `limit`: how many objects are kept at most.
    """

    __slots__ = ("_compute", "_known", "_limit")

    def __init__(self, compute: Callable[[Any], _T], limit: int = _LIMIT) -> None:
        self._compute = compute
        self._limit = limit
        self._known: dict[int, tuple[Any, _T]] = {}

    def __call__(self, part: Any) -> _T:
        """The result for a shared object, computed at most once."""
        entry = self._known.get(id(part))
        if entry is None:
            entry = (part, self._compute(part))
            if len(self._known) >= self._limit:
                self._known.clear()
            self._known[id(part)] = entry
        return entry[1]
