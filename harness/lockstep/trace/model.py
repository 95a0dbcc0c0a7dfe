"""The normalised trace: what the controllers under test did, equal for any two runs that behave alike.

A trace is plain JSON data:

    {"instants": [{"at": "12.345",                             seconds since the start of the run
                   "writes": [{"verb": ..., "resource": ..., "object": ..., "times": n}, ...],
                   "status": {"replicasets.apps web": {"replicas": 3, "readyReplicas": null}},
                   "events": [...]}, ...],
     "specs": {"<digest>": {...}},                             the specs that writes refer to by digest
     "final": {"objects": {"replicasets.apps web": {"spec.replicas": 3, ...}}, "pods": {"web": [...]}},
     "reads": {"replicasets.apps/scale web": [["15.100", "15.000", 40]]}}    if there are any; see `trace.periods`

Inside one instant the order of writes is free, so equal ones are kept once, with their number in `times` (1 if absent).
`status` holds what changed between the end of the last instant and the end of this one; null: the field is gone.
Refused status writes are left out, because their number depends on interleaving.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lockstep.trace.periods import Runs, count, unfold
from lockstep.trace.values import canonical, digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Item = dict[str, Any]


@dataclass(frozen=True)
class Trace:
    """See the module docstring. Equal traces are equal behaviour."""

    instants: tuple[Item, ...]
    specs: Mapping[str, Any]
    final: Mapping[str, Any]
    reads: Mapping[str, Runs] = field(default_factory=dict)

    def to_json(self) -> Item:
        """The trace as plain data."""
        data: Item = {"instants": list(self.instants), "specs": dict(self.specs), "final": dict(self.final)}
        return data | ({"reads": dict(self.reads)} if self.reads else {})

    @classmethod
    def from_json(cls, data: Any) -> Trace:
        """The inverse of `to_json`. Raises ValueError, with the reason, if the data cannot be a trace."""
        fields = {"instants": list, "specs": dict, "final": dict}
        found = {name: type(value) for name, value in data.items()} if isinstance(data, dict) else {}
        if found not in (fields, fields | {"reads": dict}):
            raise ValueError("a trace has a list of instants, an object of specs and an object `final`")
        if not all(_is_instant(item) for item in data["instants"]):
            raise ValueError("an instant has `at`, lists of writes and events, and a status by object")
        for runs in data.get("reads", {}).values():
            unfold(runs)
        return cls(tuple(data["instants"]), data["specs"], data["final"], data.get("reads", {}))

    def digest(self) -> str:
        """SHA-256 of the canonical JSON: one digest, one behaviour."""
        return digest(self.to_json())

    @property
    def compared_items(self) -> int:
        """How many writes, events, status values and reads a comparison looks at."""
        return sum(
            sum(times(item) for item in (*instant.get("writes", ()), *instant.get("events", ())))
            + len(instant.get("status", ()))
            for instant in self.instants
        ) + count(self.reads)


def _is_instant(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and isinstance(data.get("at"), str)
        and data.keys() <= {"at", "writes", "status", "events"}
        and all(isinstance(data.get(name, []), list) for name in ("writes", "events"))
        and all(isinstance(item, dict) for name in ("writes", "events") for item in data.get(name, []))
        and isinstance(data.get("status", {}), dict)
        and all(isinstance(changed, dict) for changed in data.get("status", {}).values())
    )


def times(item: Mapping[str, Any]) -> int:
    """The number of occurrences of an item."""
    return int(item.get("times", 1))


def multiset(items: Iterable[Item]) -> list[Item]:
    """Items in a fixed order, with equal ones merged into one with their number."""
    items = list(items)
    if len(items) < 2:
        return items
    folded: dict[bytes, Item] = {}
    counts: dict[bytes, int] = {}
    for item in items:
        key = canonical(item)
        folded.setdefault(key, item)
        counts[key] = counts.get(key, 0) + 1
    ordered = sorted(folded, key=lambda key: (_order(folded[key]), key))
    return [folded[key] | ({"times": counts[key]} if counts[key] > 1 else {}) for key in ordered]


def _order(item: Item) -> tuple[str, ...]:
    return tuple(str(item.get(name, "")) for name in ("resource", "verb", "object", "reason"))
