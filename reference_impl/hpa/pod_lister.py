"""The pods of a namespace that a selector selects, by the informer's cache (client-go listers/core/v1)."""

from __future__ import annotations

from reference_impl.machinery.labels import Selector
from reference_impl.machinery.store import NAMESPACE_INDEX, Indexer, Object


class PodLister:
    """Answers are remembered until the cache changes: most syncs ask twice, and nothing has happened since the last.

    They are shared, and must not be changed.
    """

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self._version = ""
        self._known: dict[tuple[str, str], list[Object]] = {}

    def list(self, namespace: str, selector: Selector) -> list[Object]:
        """The pods, in the cache's order. As long as nothing changes, it is the same list."""
        version = self._indexer.last_store_sync_resource_version()
        if version != self._version:
            self._version = version
            self._known = {}
        key = (namespace, selector.text)
        found = self._known.get(key)
        if found is None:
            pods = self._indexer.by_index(NAMESPACE_INDEX, namespace)
            found = [pod for pod in pods if selector.matches(pod["metadata"].get("labels"))]
            self._known[key] = found
        return found
