"""The local cache of an informer: objects by key, indexed, with the resourceVersion it has reached.

Upstream: client-go tools/cache/{store,thread_safe_store}.go. Objects are shared: whoever reads one must not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lockstep.wire.meta import key_of, resource_version

if TYPE_CHECKING:
    import random

Object = dict[str, Any]
_Objects = list[Object]
#: The values under which an object is found in one index.
IndexFunc = Callable[[Object], Iterable[str]]
#: The index that every informer of a factory has.
NAMESPACE_INDEX = "namespace"
_NOTHING: Mapping[str, Object] = {}


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


class _Index:
    """The objects by the values that one index function gives."""

    __slots__ = ("_function", "_values", "objects")

    def __init__(self, function: IndexFunc) -> None:
        self._function = function
        #: By value, then by key.
        self.objects: dict[str, dict[str, Object]] = {}
        self._values: dict[str, list[str]] = {}

    def put(self, key: str, obj: Object) -> None:
        """Move `key` from the values of its old object to those of the new one (updateSingleIndex)."""
        before, after = self._values.get(key), [*self._function(obj)]
        if before != after:
            if before is not None:
                self._take_out(key, before)
            self._values[key] = after
        for value in self._values[key]:
            found = self.objects.get(value)
            if found is None:
                found = self.objects[value] = {}
            found[key] = obj

    def clear(self) -> None:
        """Nothing is here any more."""
        self.objects.clear()
        self._values.clear()

    def remove(self, key: str) -> None:
        """The object of that key, which is here, is gone."""
        self._take_out(key, self._values.pop(key))

    def _take_out(self, key: str, values: list[str]) -> None:
        for value in values:
            found = self.objects.get(value)
            if found is not None:
                found.pop(key, None)
                if not found:
                    del self.objects[value]


class Indexer:
    """Objects by key, with indices (threadSafeMap).

    Go iterates maps in random order; here `list`, `list_keys` and `by_index` keep the order of insertion, or shuffle
    with `order`, so that one seed explores one order.
    """

    def __init__(self, indexers: Mapping[str, IndexFunc] | None = None, order: random.Random | None = None) -> None:
        self._items: dict[str, Object] = {}
        self._indices: dict[str, _Index] = {}
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
        return self._ordered([*self._indices[index].objects.get(value, _NOTHING).values()])

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
            if name in self._indices:
                raise ValueError(f"indexer conflict: {name!r} exists already: choose another name")
        for name, function in indexers.items():
            index = self._indices[name] = _Index(function)
            for key, obj in self._items.items():
                index.put(key, obj)

    def update(self, obj: Object) -> Object | None:
        """Add or update an object; returns what it replaces."""
        key = key_of(obj)
        old = self._items.get(key)
        self._items[key] = obj
        for index in self._indices.values():
            index.put(key, obj)
        self._resource_version = resource_version(obj)
        return old

    def delete(self, obj: Object | DeletedFinalStateUnknown) -> None:
        """Remove an object, if it is there. Its last state carries the version of its deletion."""
        key = deletion_key_of(obj)
        if self._items.pop(key, None) is not None:
            for index in self._indices.values():
                index.remove(key)
        if not isinstance(obj, DeletedFinalStateUnknown):
            self._resource_version = resource_version(obj)

    def replace(self, objects: Iterable[Object], version: str) -> None:
        """Hold exactly `objects`, as of `version`."""
        self._items = {key_of(obj): obj for obj in objects}
        for index in self._indices.values():
            index.clear()
            for key, obj in self._items.items():
                index.put(key, obj)
        self._resource_version = version

    def bookmark(self, version: str) -> None:
        """Everything up to `version` has been seen."""
        self._resource_version = version
