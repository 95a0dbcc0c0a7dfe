"""Which of many selectors select given objects (pkg/controller/util/selectors/bimultimap.go).

Upstream keeps associations in both directions and compares a pod with every selector of its namespace. Here selectors
are found by a label that they require, so that a question costs as much as the objects asked about have labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lockstep.wire.meta import split_key
from lockstep.wire.selectors import NOTHING, Selector

_Label = tuple[str, str]


class _Namespace:
    """The selectors of one namespace, those that require a label apart from those that do not."""

    def __init__(self) -> None:
        self.by_label: dict[_Label, dict[str, Selector]] = {}
        self.others: dict[str, Selector] = {}
        self.idle: dict[str, Selector] = {}  # those that select nothing

    def place(self, selector: Selector) -> dict[str, Selector]:
        if selector.nothing:
            return self.idle
        label = _required_label(selector)
        return self.others if label is None else self.by_label.setdefault(label, {})

    def matching(self, labels: Mapping[str, str]) -> Iterable[str]:
        places = [self.by_label[label] for label in labels.items() if label in self.by_label] if self.by_label else []
        for place in (*places, self.others):
            for key, selector in place.items():
                if selector.matches(labels):
                    yield key


def _required_label(selector: Selector) -> _Label | None:
    for one in selector.requirements:
        if one.operator in ("=", "==", "in") and len(one.values) == 1:
            return one.key, one.values[0]
    return None


class SelectorMap:
    """Selectors by the key, `namespace/name`, of the object that they belong to."""

    def __init__(self) -> None:
        self._selectors: dict[str, Selector] = {}
        self._namespaces: dict[str, _Namespace] = {}
        #: Changes whenever an answer of `selecting` may.
        self.generation = 0

    def __contains__(self, key: str) -> bool:
        """Whether the object is known (SelectorExists)."""
        return key in self._selectors

    def put(self, key: str, selector: Selector = NOTHING) -> None:
        """Make an object known, or give it another selector (PutSelector)."""
        known = self._selectors.get(key)
        if known is not None and known.text == selector.text:
            return
        self.delete(key)
        self._selectors[key] = selector
        self._namespace_of(key).place(selector)[key] = selector
        self.generation += 1

    def delete(self, key: str) -> None:
        """Forget an object (DeleteSelector)."""
        known = self._selectors.pop(key, None)
        if known is not None:
            del self._namespace_of(key).place(known)[key]
            self.generation += 1

    def selecting(self, namespace: str, objects: Iterable[Mapping[str, Any]]) -> list[str]:
        """The keys of all objects whose selector selects at least one of `objects`, sorted (Put and ReverseSelect)."""
        known = self._namespaces.get(namespace)
        if known is None:
            return []
        found: dict[str, None] = {}
        asked: dict[tuple[_Label, ...], None] = {}
        for one in objects:
            labels = one["metadata"].get("labels") or {}
            same = tuple(labels.items())
            if same not in asked:
                asked[same] = None
                found.update(dict.fromkeys(known.matching(labels)))
        return sorted(found)

    def _namespace_of(self, key: str) -> _Namespace:
        return self._namespaces.setdefault(split_key(key)[0], _Namespace())
