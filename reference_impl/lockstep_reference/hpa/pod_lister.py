"""The pods of a namespace that a selector selects, by the informer's cache (client-go listers/core/v1).

Upstream compares the selector with every pod of the namespace. Here an index of the cache finds them by a label that
the selector requires, so that the pods of other workloads cost nothing.
"""

from __future__ import annotations

from lockstep.wire.selectors import Selector
from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer, Object

Pods = list[Object]
_LABEL_INDEX = "label"
#: How many answers are remembered.
_ENOUGH = 10_000


def label_index(pod: Object) -> list[str]:
    """Where an index finds a pod: under each of its labels."""
    metadata = pod["metadata"]
    labels = metadata.get("labels")
    if not labels:
        return []
    return [_label_key(metadata.get("namespace") or "", key, value) for key, value in labels.items()]


def _label_key(namespace: str, key: str, value: str) -> str:
    return f"{namespace}/{key}={value}"


class PodLister:
    """Adds an index to the cache, whose informer must not run yet.

    Answers are remembered, since most syncs ask twice, and nothing has happened since the last one. They are shared,
    and must not be changed.
    """

    def __init__(self, indexer: Indexer) -> None:
        indexer.add_indexers({_LABEL_INDEX: label_index})
        self._indexer = indexer
        self._known: dict[tuple[str, str], tuple[str, Pods]] = {}

    def list(self, namespace: str, selector: Selector) -> Pods:
        """The pods, in the cache's order. As long as they stay the same objects, it is the same list."""
        version = self._indexer.last_store_sync_resource_version()
        key = (namespace, selector.text)
        known_version, known = self._known.get(key, ("", None))
        if known is not None and known_version == version:
            return known
        found = self._find(namespace, selector)
        if known is not None and len(known) == len(found) and all(map(_same, known, found)):
            found = known
        if len(self._known) >= _ENOUGH:
            self._known.clear()
        self._known[key] = (version, found)
        return found

    def _find(self, namespace: str, selector: Selector) -> Pods:
        for one in selector.requirements:
            if one.operator in ("=", "==", "in") and len(one.values) == 1:
                candidates = self._indexer.by_index(_LABEL_INDEX, _label_key(namespace, one.key, one.values[0]))
                break
        else:
            candidates = self._indexer.by_index(NAMESPACE_INDEX, namespace)
        return [pod for pod in candidates if selector.matches(pod["metadata"].get("labels"))]


def _same(left: Object, right: Object) -> bool:
    return left is right
