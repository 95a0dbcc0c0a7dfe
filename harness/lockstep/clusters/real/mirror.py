"""The mirror: a tenant's objects of a real cluster, in the collections of the in-memory server.

The world, the metrics and a scenario's reads use the mirror as they use the store of the in-memory server. It is
updated in two ways: at once from the answers to the tenant's own writes, and from the hub's watches.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.state import State
from lockstep.apiserver.store import Change, Collection, Versions
from lockstep.apiserver.stored import Stored


class MirroredCollection(Collection):
    """A collection whose versions come from a real server. It has no history: watch it from its present version."""

    def __init__(self, versions: Versions) -> None:
        super().__init__(versions)
        self._gone: dict[tuple[str, str], int] = {}

    def take(self, namespace: str, name: str, payload: dict[str, Any], version: int) -> bool:
        """Store a version of an object. False if a newer one is known already."""
        names = self.namespaces.setdefault(namespace, {})
        old = names.get(name)
        if max(old.version if old is not None else 0, self._gone.get((namespace, name), 0)) >= version:
            return False
        stored = Stored(f"{namespace}/{name}" if namespace else name, payload, version)
        names[name] = self.items[stored.key] = stored
        if old is None:
            self._sorted = None
        self._tell(Change(version, old, stored, stored))
        return True

    def drop(self, namespace: str, name: str, payload: dict[str, Any], version: int) -> bool:
        """An object is gone; `payload`: its last state. False if it is unknown, or another object has its name."""
        self._gone[namespace, name] = version
        old = self.get(namespace, name)
        if old is None or old.version > version:
            return False
        del self.namespaces[namespace][name]
        del self.items[old.key]
        self._sorted = None
        self._tell(Change(version, old, None, Stored(old.key, payload, version)))
        return True

    def _tell(self, change: Change) -> None:
        self._versions.current = max(self._versions.current, change.version)
        for deliver in self._deliveries:
            deliver(change)


class Mirror:
    """Applies changes of the real cluster to a server's state."""

    def __init__(self, state: State) -> None:
        self._state = state
        #: The newest version of each object that the hub has reported, and the writes that it has not reported yet.
        self._reported: dict[tuple[str, str, str], int] = {}
        self._owed: dict[tuple[str, str, str], int] = {}

    @property
    def waits(self) -> bool:
        """Whether the hub, and so perhaps the controllers' watches, has not reported a write yet."""
        return bool(self._owed)

    def notice(self, kind: Kind, event: str, payload: dict[str, Any]) -> None:
        """An event of the hub."""
        meta = payload["metadata"]
        key, version = (kind.collection, meta.get("namespace", ""), meta["name"]), int(meta["resourceVersion"])
        self._reported[key] = max(version, self._reported.get(key, 0))
        if self._owed.get(key, version + 1) <= version:
            del self._owed[key]
        self.apply(kind, event, payload)

    def write(self, kind: Kind, payload: dict[str, Any]) -> None:
        """The answer to a write of the tenant."""
        meta = payload["metadata"]
        key, version = (kind.collection, meta.get("namespace", ""), meta["name"]), int(meta["resourceVersion"])
        if self._reported.get(key, 0) < version:
            self._owed[key] = version
        self.apply(kind, "MODIFIED", payload)

    def find(self, kind: Kind, namespace: str, name: str) -> dict[str, Any] | None:
        """The latest known version of an object, or None."""
        stored = self._state.collection(kind.collection).get(namespace, name)
        return stored.object if stored is not None else None

    def apply(self, kind: Kind, event: str, payload: dict[str, Any]) -> None:
        """Apply a version of an object, unless a newer one is known already."""
        meta = payload["metadata"]
        namespace, name, version = meta.get("namespace", ""), meta["name"], int(meta["resourceVersion"])
        payload.setdefault("apiVersion", kind.api_version)
        payload.setdefault("kind", kind.kind)
        collection = self._state.collection(kind.collection)
        assert isinstance(collection, MirroredCollection)
        before = collection.get(namespace, name)
        old = before.object if before is not None else None
        if event == "DELETED":
            if collection.drop(namespace, name, payload, version):
                self._state.wrote(kind, old, None)
        elif collection.take(namespace, name, payload, version):
            self._state.wrote(kind, old, payload)
