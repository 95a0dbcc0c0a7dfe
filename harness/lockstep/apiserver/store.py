"""The store: collections of immutable objects, one log of changes per collection, one version counter for all.

As in etcd, every effective write gets the next number of a single counter, and a collection can be read as it was at
any version that has not been compacted away. Watches subscribe to the collection and get every change as it happens.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any

from lockstep.apiserver.messages import Watch, WatchEvent
from lockstep.apiserver.stored import Stored


class Change:
    """One entry of a collection's log."""

    __slots__ = ("_others", "event", "new", "old", "version")

    def __init__(self, version: int, old: Stored | None, new: Stored | None, last: Stored) -> None:
        self.version = version
        #: The version replaced; None for a create.
        self.old = old
        #: The version that is current from now on; None for a delete.
        self.new = new
        kind = "ADDED" if old is None else "DELETED" if new is None else "MODIFIED"
        #: The event for watchers that see the whole collection.
        self.event = WatchEvent(kind, last.object, last)
        self._others: dict[str, WatchEvent] = {}

    def event_as(self, kind: str) -> WatchEvent:
        """The event for a selective watcher: an object leaving the selection is reported as it was, at this version."""
        if kind == self.event.type:
            return self.event
        found = self._others.get(kind)
        if found is None:
            if kind == "DELETED" and self.old is not None:
                last = at_version(self.old, self.version)
            else:
                last = self.new or self.old  # type: ignore[assignment]
            found = self._others[kind] = WatchEvent(kind, last.object, last)
        return found


def at_version(stored: Stored, version: int) -> Stored:
    """The same object, stamped with another resourceVersion: the last state of a deleted object."""
    payload = {**stored.object, "metadata": {**stored.object["metadata"], "resourceVersion": str(version)}}
    return Stored(stored.key, payload, version)


class Versions:
    """The server's only counter of resource versions."""

    __slots__ = ("current",)

    def __init__(self, start: int = 1) -> None:
        self.current = start

    def next(self) -> int:
        """Count one write."""
        self.current += 1
        return self.current


class Collection:
    """All objects of one resource."""

    def __init__(self, versions: Versions) -> None:
        self._versions = versions
        #: By key, in order of creation.
        self.items: dict[str, Stored] = {}
        #: By namespace ("" for cluster-scoped kinds) and name, in order of creation.
        self.namespaces: dict[str, dict[str, Stored]] = {}
        self.log: list[Change] = []
        #: Versions up to this one can no longer be read or watched from.
        self.compacted = 0
        self._baseline: dict[str, Stored] = {}
        self._sorted: list[str] | None = None
        self._snapshot: tuple[int, list[Stored]] | None = None
        self._watches: dict[int, tuple[Watch, bool, Callable[[Change], None]]] = {}
        #: Each watch's function for a change. Replaced, never changed: a loop may be iterating over it.
        self._deliveries: tuple[Callable[[Change], None], ...] = ()
        self._next_watcher = 0

    # -- reading ------------------------------------------------------------------------------------------------------

    def get(self, namespace: str, name: str) -> Stored | None:
        """The current version of an object, or None."""
        names = self.namespaces.get(namespace)
        return names.get(name) if names is not None else None

    def sorted_items(self) -> list[Stored]:
        """All objects, in key order."""
        if self._sorted is None:
            self._sorted = sorted(self.items)
        items = self.items
        return [items[key] for key in self._sorted]

    def as_of(self, version: int) -> list[Stored]:
        """All objects as they were at `version`, in key order. Linear in the log; the last snapshot is kept."""
        if not self.log or self.log[-1].version <= version:
            return self.sorted_items()
        if self._snapshot is None or self._snapshot[0] != version:
            state = dict(self._baseline)
            for change in self.log[: self.position_after(version)]:
                if change.new is not None:
                    state[change.new.key] = change.new
                elif change.old is not None:
                    del state[change.old.key]
            self._snapshot = (version, [state[key] for key in sorted(state)])
        return self._snapshot[1]

    def position_after(self, version: int) -> int:
        """Index in the log of the first change after `version`."""
        return bisect_right(self.log, version, key=lambda change: change.version)

    # -- writing ------------------------------------------------------------------------------------------------------

    def put(self, namespace: str, name: str, payload: dict[str, Any]) -> Stored:
        """Store the next version of an object. `payload` becomes the store's: its metadata gets the new version."""
        version = self._versions.next()
        payload["metadata"]["resourceVersion"] = str(version)
        names = self.namespaces.get(namespace)
        if names is None:
            names = self.namespaces[namespace] = {}
        old = names.get(name)
        stored = Stored(f"{namespace}/{name}" if namespace else name, payload, version)
        names[name] = stored
        self.items[stored.key] = stored
        if old is None:
            self._sorted = None
        self._append(Change(version, old, stored, stored))
        return stored

    def remove(self, namespace: str, name: str) -> Stored:
        """Delete an object; returns its last state, stamped with the version of the deletion."""
        old = self.namespaces[namespace].pop(name)
        del self.items[old.key]
        self._sorted = None
        version = self._versions.next()
        last = at_version(old, version)
        self._append(Change(version, old, None, last))
        return last

    def _append(self, change: Change) -> None:
        self.log.append(change)
        for deliver in self._deliveries:
            deliver(change)

    def compact(self, through: int | None = None) -> None:
        """Forget the versions before the current one, or only those before `through`."""
        if through is None:
            through = self._versions.current
        if through < self.compacted:
            return
        position = self.position_after(through)
        self._baseline = {item.key: item for item in self.as_of(through)}
        self.compacted = through
        self.log = self.log[position:]
        self._snapshot = None

    # -- watching -----------------------------------------------------------------------------------------------------

    def changes_after(self, version: int) -> Iterable[Change]:
        """The log from the first change after `version` on."""
        return self.log[self.position_after(version) :]

    def subscribe(self, watch: Watch, deliver: Callable[[Change], None], *, bookmarks: bool) -> None:
        """Call `deliver` with every change from now on, until the watch stops."""
        self._next_watcher += 1
        number = self._next_watcher
        self._watches[number] = (watch, bookmarks, deliver)
        self._deliveries = (*self._deliveries, deliver)

        def leave() -> None:
            self._watches.pop(number, None)
            self._deliveries = tuple(deliver for _, _, deliver in self._watches.values())

        watch.attach(leave)

    @property
    def watched(self) -> int:
        """How many watches there are."""
        return len(self._watches)

    def send(self, event: WatchEvent) -> None:
        """Push an event to every watch that asked for bookmarks."""
        for watch, bookmarks, _ in list(self._watches.values()):
            if bookmarks:
                watch.push(event)

    def close_watches(self) -> None:
        """End every watch of this collection."""
        for watch, _, _ in list(self._watches.values()):
            watch.close()
