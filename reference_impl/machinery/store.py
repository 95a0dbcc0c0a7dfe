"""The local cache of an informer: objects by key, indexed, with the resourceVersion it has reached.

Upstream: client-go tools/cache/{store,thread_safe_store}.go. Objects are shared: whoever reads one must not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reference_impl.machinery.meta import key_of, resource_version

if TYPE_CHECKING:
    import random

Object = dict[str, Any]
_Objects = list[Object]
#: The values under which an object is found in one index.
IndexFunc = Callable[[Object], Iterable[str]]
#: The index that every informer of a factory has.
NAMESPACE_INDEX = "namespace"


@dataclass(frozen=True, slots=True)
class DeletedFinalStateUnknown:
    """A deletion that the watch missed and a later list revealed; `obj` is the last state known, perhaps stale."""

    key: str
    obj: Object


def deletion_key_of(obj: Object | DeletedFinalStateUnknown) -> str:
    """The key of an object or of such a tombstone (DeletionHandlingMetaNamespaceKeyFunc)."""
    return obj.key if isinstance(obj, DeletedFinalStateUnknown) else key_of(obj)


def namespace_index(obj: Object) -> list[str]:
    """MetaNamespaceIndexFunc."""
    return [obj["metadata"].get("namespace") or ""]


class Indexer:
    """Objects by key, with indices (threadSafeMap).

    Go iterates maps in random order; here `list`, `list_keys` and `by_index` keep the order of insertion, or shuffle
    with `order`, so that one seed explores one order.
    """

    def __init__(self, indexers: Mapping[str, IndexFunc] | None = None, order: random.Random | None = None) -> None:
        self._items: dict[str, Object] = {}
        self._indexers: dict[str, IndexFunc] = {}
        self._indices: dict[str, dict[str, dict[str, None]]] = {}
        self._order = order
        self._resource_version = ""
        self.add_indexers(indexers or {})

    def __len__(self) -> int:
        return len(self._items)

    # -- reading -------------------------------------------------------------------------------------------------------

    def get_by_key(self, key: str) -> Object | None:
        """The object of that key, if there is one."""
        return self._items.get(key)

    def get(self, namespace: str, name: str) -> Object | None:
        """The object of that name, if there is one; `namespace` is "" for kinds without."""
        return self._items.get(f"{namespace}/{name}" if namespace else name)

    def list(self) -> _Objects:
        """Every object."""
        return self._ordered([*self._items.values()])

    def list_keys(self) -> Sequence[str]:
        """Every key."""
        keys = [*self._items]
        if self._order is not None:
            self._order.shuffle(keys)
        return keys

    def by_index(self, index: str, value: str) -> _Objects:
        """The objects for which the index function gave `value`. Raises KeyError without such an index."""
        items = self._items
        return self._ordered([items[key] for key in self._indices[index].get(value, ())])

    def last_store_sync_resource_version(self) -> str:
        """The resourceVersion of the latest change or bookmark seen; "" before the first.

        Controllers that read their own writes compare it with what they wrote (LastStoreSyncResourceVersion, 1.36).
        """
        return self._resource_version

    def _ordered(self, objects: _Objects) -> _Objects:
        if self._order is not None:
            self._order.shuffle(objects)
        return objects

    # -- writing, by the informer --------------------------------------------------------------------------------------

    def add_indexers(self, indexers: Mapping[str, IndexFunc]) -> None:
        """Index what is there and what will come. Raises ValueError if an index of that name exists."""
        for name in indexers:
            if name in self._indexers:
                raise ValueError(f"indexer conflict: {name!r} exists already: choose another name")
        for name, function in indexers.items():
            self._indexers[name] = function
            self._indices[name] = {}
            for key, obj in self._items.items():
                self._index(name, function, key, None, obj)

    def update(self, obj: Object) -> None:
        """Add or update an object."""
        self._put(key_of(obj), obj)
        self._resource_version = resource_version(obj)

    def delete(self, obj: Object | DeletedFinalStateUnknown) -> None:
        """Remove an object, if it is there. Its last state carries the version of its deletion."""
        self._remove(deletion_key_of(obj))
        if not isinstance(obj, DeletedFinalStateUnknown):
            self._resource_version = resource_version(obj)

    def replace(self, objects: Iterable[Object], version: str) -> None:
        """Hold exactly `objects`, as of `version`."""
        self._items = {key_of(obj): obj for obj in objects}
        self._indices = {name: {} for name in self._indexers}
        for key, obj in self._items.items():
            for name, function in self._indexers.items():
                self._index(name, function, key, None, obj)
        self._resource_version = version

    def bookmark(self, version: str) -> None:
        """Everything up to `version` has been seen."""
        self._resource_version = version

    def _put(self, key: str, obj: Object) -> None:
        old = self._items.get(key)
        self._items[key] = obj
        for name, function in self._indexers.items():
            self._index(name, function, key, old, obj)

    def _remove(self, key: str) -> None:
        old = self._items.pop(key, None)
        if old is not None:
            for name, function in self._indexers.items():
                self._index(name, function, key, old, None)

    def _index(self, name: str, function: IndexFunc, key: str, old: Object | None, new: Object | None) -> None:
        """Move `key` from the old object's values to the new one's (updateSingleIndex)."""
        before = list(function(old)) if old is not None else []
        after = list(function(new)) if new is not None else []
        if before == after:
            return
        index = self._indices[name]
        for value in before:
            keys = index.get(value)
            if keys is not None:
                keys.pop(key, None)
                if not keys:
                    del index[value]
        for value in after:
            index.setdefault(value, {})[key] = None
