"""Consistency store: do not sync an object before the caches have caught up with its own last writes.

Every write on behalf of an owner records the resourceVersion that the API server answered. Before the next sync of that
owner, each informer's store must have reached that version. Expectations count observations; this compares versions,
and so also covers status updates and adoptions.

Source: pkg/controller/util/consistency/consistency.go; on by default since 1.36 for ReplicaSets (feature gate
StaleControllerConsistencyReplicaSet). The comparison is apimachinery's pkg/util/resourceversion.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol


class LastSyncRVGetter(Protocol):
    """A store that knows the resourceVersion it has reached."""

    def last_store_sync_resource_version(self) -> str:
        """The resourceVersion of the newest event that the store holds; "" if unknown."""


class ConsistencyError(Exception):
    """A cache does not hold the last writes yet: retry later."""

    def __init__(self, read: str, wrote: str, resource: str) -> None:
        super().__init__(
            f"read version: {read} is not as new as written version: {wrote} for group resource {resource}"
        )
        self.read = read
        self.wrote = wrote
        self.resource = resource


class ConsistencyStore:
    """Newest written resourceVersion per owner and resource ("pods", "replicasets.apps"), and the stores to compare.

    An owner is its key "namespace/name" together with its uid: a new object of the same name starts clean.
    """

    def __init__(self, stores: Mapping[str, LastSyncRVGetter]) -> None:
        self._stores = stores
        self._writes: dict[str, tuple[str, dict[str, str]]] = {}

    def wrote_at(self, owner: str, owner_uid: str, resource: str, resource_version: str) -> None:
        """Record a write for `owner`; an older or equal version than the recorded one changes nothing."""
        uid, versions = self._writes.get(owner, ("", {}))
        if owner not in self._writes or uid != owner_uid:
            versions = {}
            self._writes[owner] = (owner_uid, versions)
        known = versions.get(resource)
        if known is None or compare_resource_version(known, resource_version) not in (0, 1):
            versions[resource] = resource_version

    def clear(self, owner: str, owner_uid: str) -> None:
        """Forget the owner if its uid is `owner_uid`; "" forgets whatever uid is recorded."""
        record = self._writes.get(owner)
        if record is not None and (not owner_uid or record[0] == owner_uid):
            del self._writes[owner]

    def ensure_ready(self, owner: str) -> None:
        """Raise ConsistencyError if a store is older than the owner's writes; otherwise forget those writes."""
        record = self._writes.get(owner)
        if record is None:
            return
        for resource, wrote in record[1].items():
            store = self._stores.get(resource)
            read = store.last_store_sync_resource_version() if store is not None else ""
            # An unknown or malformed version on either side must not block the owner for ever.
            if read and compare_resource_version(wrote, read) == 1:
                raise ConsistencyError(read, wrote, resource)
        del self._writes[owner]


def compare_resource_version(left: str, right: str) -> int | None:
    """-1, 0 or 1 as `left` is older than, equal to or newer than `right`; None if either is not well formed.

    Well formed means a decimal number without a leading zero, of any length.
    """
    if not (_is_well_formed(left) and _is_well_formed(right)):
        return None
    # Numbers of any length: the longer is the greater, equal lengths compare as text.
    key_left, key_right = (len(left), left), (len(right), right)
    return (key_left > key_right) - (key_left < key_right)


@lru_cache(maxsize=1024)
def _is_well_formed(version: str) -> bool:
    return version.isascii() and version.isdecimal() and version[0] != "0"
