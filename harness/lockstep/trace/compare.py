"""Compares two traces: the left one is expected, the right one is what the run did.

Inside an instant writes and events are multisets. Items that only one side has are paired by verb and object and
compared field by field; an item without a partner is missing or extra. The status of an object is followed path by path
over the whole run, so a field that is never written gives differences of that field only and hides no others.
"""

from __future__ import annotations

from heapq import merge
from typing import TYPE_CHECKING, Any

from lockstep.trace import reads
from lockstep.trace.difference import (
    CHANGED_FIELD,
    END,
    EXTRA_EVENT,
    EXTRA_WRITE,
    FINAL_STATE,
    MISSING_EVENT,
    MISSING_WRITE,
    Comparison,
    Difference,
    Tolerance,
)
from lockstep.trace.model import Item, Trace, times
from lockstep.trace.timeline import timeline
from lockstep.trace.values import ABSENT, canonical, changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["Comparison", "Difference", "Tolerance", "compare", "nearest"]

_Changes = dict[str, tuple[Any, Any]]


def compare(left: Trace, right: Trace, tolerance: Sequence[Tolerance] = ()) -> Comparison:
    """All differences of `right` from `left`, by time."""
    return Comparison(list(_Comparer(left, right, tolerance).differences()), left, right, tolerance)


def nearest(variants: Sequence[Trace], trace: Trace, tolerance: Sequence[Tolerance] = ()) -> Comparison:
    """The comparison with the variant that has the fewest differences (the first of several). Raises ValueError without
    variants.
    """
    if not variants:
        raise ValueError("nothing to compare with: give at least one variant")
    equal = next((variant for variant in variants if variant == trace), None)
    if equal is not None:
        return Comparison([], equal, trace, tolerance)
    return min((compare(variant, trace, tolerance) for variant in variants), key=lambda found: len(found.differences))


class _Comparer:
    def __init__(self, left: Trace, right: Trace, tolerance: Sequence[Tolerance]) -> None:
        self._left = left
        self._right = right
        self._tolerance = tolerance
        self._status: dict[str, tuple[Item, Item]] = {}  # object: its present status on either side

    def differences(self) -> Iterator[Difference]:
        window = max((one.within for one in self._tolerance if one.path == "at"), default=0.0)
        unequal = sorted(reads.differences(self._left.reads, self._right.reads, window), key=_moment)
        yield from merge(unequal, self._instants(window), key=_moment)
        yield from self._final()

    def _instants(self, window: float) -> Iterator[Difference]:
        for at, left, right in timeline(self._left.instants, self._right.instants, window):
            yield from self._items(at, left.get("writes", ()), right.get("writes", ()), (MISSING_WRITE, EXTRA_WRITE))
            yield from self._statuses(at, left.get("status", {}), right.get("status", {}))
            yield from self._items(at, left.get("events", ()), right.get("events", ()), (MISSING_EVENT, EXTRA_EVENT))

    # -- writes, events, pods: multisets ------------------------------------------------------------------------------

    def _items(self, at: str, left: Iterable[Item], right: Iterable[Item], kinds: tuple[str, str]) -> list[Difference]:
        ours, theirs = _Bag(left), _Bag(right)
        ours.cancel(theirs)
        found: list[Difference] = []
        for same in (("resource", "verb", "object", "reason"), ("resource", "verb")):
            for mine, yours, changed in self._pairs(ours, theirs, same):
                label = _label(mine) if _label(mine) == _label(yours) else f"{_label(mine)} / {_label(yours)}"
                found += [Difference(at, CHANGED_FIELD, label, path, *pair) for path, pair in changed.items()]
        for key, item in ours.rest():
            found.append(Difference(at, kinds[0], _label(item), "", ours.counted(key), theirs.counted(key)))
        for key, item in theirs.rest():
            found.append(Difference(at, kinds[1], _label(item), "", ours.counted(key), theirs.counted(key)))
        return found

    def _pairs(self, ours: _Bag, theirs: _Bag, same: tuple[str, ...]) -> Iterator[tuple[Item, Item, _Changes]]:
        """Remove pairs that agree in the fields `same` from both bags, the most similar pairs first."""
        for key, mine in ours.rest():
            while ours.left[key]:
                candidates = [
                    (other, yours, self._changed(mine, yours))
                    for other, yours in theirs.rest()
                    if all(mine.get(name) == yours.get(name) for name in same)
                ]
                if not candidates:
                    break
                other, yours, changed = min(candidates, key=lambda candidate: len(candidate[2]))
                number = min(ours.left[key], theirs.left[other])
                ours.left[key] -= number
                theirs.left[other] -= number
                yield mine, yours, changed

    def _changed(self, mine: Item, yours: Item) -> _Changes:
        found = changes(_with_spec(mine, self._left), _with_spec(yours, self._right))
        return {path: pair for path, pair in found.items() if not self._tolerated(path, *pair)}

    def _tolerated(self, path: str, left: Any, right: Any) -> bool:
        return any(one.allows(path, left, right) for one in self._tolerance)

    # -- status -------------------------------------------------------------------------------------------------------

    def _statuses(self, at: str, left: Mapping[str, Item], right: Mapping[str, Item]) -> Iterator[Difference]:
        for name in sorted(left.keys() | right.keys()):
            ours, theirs = self._status.setdefault(name, ({}, {}))
            ours |= left.get(name, {})
            theirs |= right.get(name, {})
            for path in sorted(left.get(name, {}).keys() | right.get(name, {}).keys()):
                yield from self._field(at, name, f"status.{path}", _absent(ours.get(path)), _absent(theirs.get(path)))

    def _field(self, at: str, name: str, path: str, left: Any, right: Any) -> Iterator[Difference]:
        if left != right and not self._tolerated(path, left, right):
            yield Difference(at, CHANGED_FIELD, name, path, left, right)

    # -- the end ------------------------------------------------------------------------------------------------------

    def _final(self) -> Iterator[Difference]:
        left, right = self._left.final, self._right.final
        ours, theirs = left.get("objects", {}), right.get("objects", {})
        for name in sorted(ours.keys() | theirs.keys()):
            if name not in ours or name not in theirs:
                yield Difference(END, FINAL_STATE, name, "", ours.get(name, ABSENT), theirs.get(name, ABSENT))
                continue
            for path in sorted(ours[name].keys() | theirs[name].keys()):
                yield from self._field(END, name, path, ours[name].get(path, ABSENT), theirs[name].get(path, ABSENT))
        ours, theirs = left.get("pods", {}), right.get("pods", {})
        for owner in sorted(ours.keys() | theirs.keys()):
            yield from self._items(END, ours.get(owner, ()), theirs.get(owner, ()), (FINAL_STATE, FINAL_STATE))


class _Bag:
    """A multiset of items, from which matches are removed."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.items: dict[bytes, Item] = {}
        self.total: dict[bytes, int] = {}
        for item in items:
            single = {name: value for name, value in item.items() if name != "times"}
            key = canonical(single)
            self.items[key] = single
            self.total[key] = self.total.get(key, 0) + times(item)
        self.left = dict(self.total)

    def cancel(self, other: _Bag) -> None:
        """Remove the items that both bags have."""
        for key in self.left.keys() & other.left.keys():
            common = min(self.left[key], other.left[key])
            self.left[key] -= common
            other.left[key] -= common

    def rest(self) -> list[tuple[bytes, Item]]:
        """The items that are still without a partner."""
        return [(key, item) for key, item in self.items.items() if self.left[key]]

    def counted(self, key: bytes) -> Any:
        """An item with how often it occurred here; `ABSENT` if never."""
        if key not in self.items:
            return ABSENT
        return self.items[key] | ({"times": self.total[key]} if self.total[key] > 1 else {})


def _moment(difference: Difference) -> float:
    return float(difference.at)


def _label(item: Item) -> str:
    if "resource" in item:
        return f"{item['resource']} {item['object']}"
    return f"event on {item['object']}" if "source" in item else f"pods {item.get('pod', '')}"


def _with_spec(item: Item, trace: Trace) -> Item:
    """The item with the spec itself where it has only its digest."""
    body = item.get("body")
    if not isinstance(body, dict) or body.get("spec") not in trace.specs:
        return item
    return item | {"body": body | {"spec": trace.specs[body["spec"]]}}


def _absent(value: Any) -> Any:
    return ABSENT if value is None else value
