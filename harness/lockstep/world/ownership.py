"""The graph of owners and dependents, by uid, built from events (upstream:
pkg/controller/garbagecollector/graph_builder.go).

An owner that is referred to but was never seen has no node in the graph. Its dependents are checked on live objects;
upstream polls a virtual node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lockstep.wire.meta import FOREGROUND, ORPHAN
from lockstep.world.api import Object
from lockstep.world.resources import Resource


class Item:
    """One object as the graph knows it."""

    __slots__ = ("being_deleted", "deleting_dependents", "name", "namespace", "orphaning", "owners", "resource", "uid")

    def __init__(self, resource: Resource, one: Object) -> None:
        meta = one["metadata"]
        self.resource = resource
        self.namespace: str = meta.get("namespace", "")
        self.name: str = meta["name"]
        self.uid: str = meta["uid"]
        self.owners: list[Object] = []
        self.being_deleted = False
        #: Being deleted, and waiting until the dependents that block it are gone.
        self.deleting_dependents = False
        #: Being deleted, and waiting until its dependents are orphaned.
        self.orphaning = False

    @property
    def path(self) -> str:
        """The item's path on the API server."""
        return self.resource.path(self.namespace, self.name)


class Graph:
    """`attempt_to_delete` and `attempt_to_orphan` are called with the items to look at after a change."""

    def __init__(self, attempt_to_delete: Callable[[Item], None], attempt_to_orphan: Callable[[Item], None]) -> None:
        self.items: dict[str, Item] = {}
        self._dependents: dict[str, dict[str, Item]] = {}
        self._attempt_to_delete = attempt_to_delete
        self._attempt_to_orphan = attempt_to_orphan

    def dependents(self, item: Item) -> list[Item]:
        """All items that name `item` as an owner."""
        return list(self._dependents.get(item.uid, {}).values())

    def blocking_dependents(self, item: Item) -> list[Item]:
        """The dependents whose reference has blockOwnerDeletion."""
        return [one for one in self.dependents(item) if any(_blocks(ref, item.uid) for ref in one.owners)]

    def observe(self, resource: Resource, kind: str, one: Object) -> None:
        """An object was added, modified or deleted."""
        meta = one["metadata"]
        item = self.items.get(meta["uid"])
        if kind == "DELETED":
            if item is not None:
                self.remove(item)
            return
        owners = meta.get("ownerReferences") or []
        if item is None:
            item = self.items[meta["uid"]] = Item(resource, one)
        if item.owners != owners:
            self._change_owners(item, owners)
        if "deletionTimestamp" in meta:
            self._note_deletion(item, meta.get("finalizers") or ())

    def remove(self, item: Item) -> None:
        """The object is gone: look at its dependents, and at owners that wait for it."""
        self.items.pop(item.uid, None)
        for dependent in self.dependents(item):
            self._attempt_to_delete(dependent)
        for reference in item.owners:
            self._unlink(item, reference)
            owner = self.items.get(reference["uid"])
            if owner is not None and owner.deleting_dependents:
                self._attempt_to_delete(owner)

    def _note_deletion(self, item: Item, finalizers: Iterable[str]) -> None:
        """processTransitions: act once, when the deletion starts with one of the collector's finalizers."""
        item.being_deleted = True
        if ORPHAN in finalizers:
            if not item.orphaning:
                item.orphaning = True
                self._attempt_to_orphan(item)
        elif FOREGROUND in finalizers and not item.deleting_dependents:
            item.deleting_dependents = True
            for dependent in self.dependents(item):
                self._attempt_to_delete(dependent)
            self._attempt_to_delete(item)

    def _change_owners(self, item: Item, owners: list[Object]) -> None:
        before = {reference["uid"]: reference for reference in item.owners}
        after = {reference["uid"]: reference for reference in owners}
        item.owners = owners
        for uid, reference in before.items():
            owner = self.items.get(uid)
            unblocked = _blocks(reference, uid) and not _blocks(after.get(uid, {}), uid)
            if unblocked and owner is not None:
                self._attempt_to_delete(owner)
            if uid not in after:
                self._unlink(item, reference)
        for uid, reference in after.items():
            if uid not in before:
                self._dependents.setdefault(uid, {})[item.uid] = item
                owner = self.items.get(uid)
                if owner is None or owner.deleting_dependents or not _agrees(reference, owner, item):
                    self._attempt_to_delete(item)

    def _unlink(self, item: Item, reference: Object) -> None:
        dependents = self._dependents.get(reference["uid"])
        if dependents is not None:
            dependents.pop(item.uid, None)
            if not dependents:
                del self._dependents[reference["uid"]]


def _blocks(reference: Object, uid: str) -> bool:
    return reference.get("uid") == uid and bool(reference.get("blockOwnerDeletion"))


def _agrees(reference: Object, owner: Item, item: Item) -> bool:
    """Whether a reference describes the owner with its uid (ownerReferenceMatchesCoordinates), and its namespace."""
    described = (reference["apiVersion"], reference["kind"], reference["name"])
    is_described = described == (owner.resource.api_version, owner.resource.kind, owner.name)
    return is_described and owner.namespace in ("", item.namespace)
