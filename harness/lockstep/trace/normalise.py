"""From a history to a normalised trace. See `lockstep.trace.model` for the parts of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lockstep.trace.colocation import Colocation
from lockstep.trace.items import Items
from lockstep.trace.model import Item, Trace, multiset
from lockstep.trace.reads import Reads, is_renewal
from lockstep.trace.symbols import Symbols, clock_text, milliseconds
from lockstep.trace.values import ABSENT, flatten
from lockstep.wire.meta import controller_of, uid

if TYPE_CHECKING:
    from lockstep.trace.history import History, Write

__all__ = ["Trace", "normalise"]

_EVENTS = ("events", "events.events.k8s.io")


def normalise(history: History, start: int = 0) -> Trace:
    """The trace of the actors under test. `start` is the instant (ns) from which it counts time."""
    normaliser = _Normaliser(history, start)
    for position, write in enumerate(history):
        normaliser.take_reads(position)
        normaliser.take(write)
    normaliser.take_reads(len(history))
    return normaliser.finish()


_Place = tuple[str, str, str]  # (resource, namespace, name)


class _Touched:
    """An object that was written during the instant: its state before the first write and after the last."""

    __slots__ = ("after", "before", "name", "status_written")

    def __init__(self, name: str, before: dict[str, Any] | None) -> None:
        self.name = name
        self.before = before
        self.after: dict[str, Any] | None = None
        self.status_written = False


class _Normaliser:
    def __init__(self, history: History, start: int) -> None:
        self._history = history
        self._start = start
        self._symbols = Symbols(start)
        self._items = Items(self._symbols)
        self._reads = Reads(self._symbols, start)
        self._next_read = 0
        self._colocation = Colocation()
        self._instants: list[Item] = []
        self._at: int | None = None
        self._writes: list[Item] = []
        self._events: list[Item] = []
        self._touched: dict[str, _Touched] = {}
        self._live: dict[_Place, dict[str, Any]] = {}
        self._with_status: set[str] = set()  # uids of objects whose status an actor under test has written

    def take_reads(self, position: int) -> None:
        """Add the reads that came before the write at this position of the history."""
        reads = self._history.reads
        while self._next_read < len(reads) and reads[self._next_read].writes <= position:
            self._reads.take(reads[self._next_read])
            self._next_read += 1

    def take(self, write: Write) -> None:
        at = milliseconds(write.at - self._start)
        if at != self._at:
            self._end_instant()
            self._at = at
        if write.verb == "review":
            if self._history.under_test(write):
                self._writes.append(self._items.write(write, None, 0))
            return
        if self._history.under_test(write) and is_renewal(write):
            self._reads.take_renewal(write)
            return
        if write.failed:
            self._symbols.learn_refused(write)
        else:
            self._symbols.learn(write)
        under_test = self._history.under_test(write)
        if under_test:
            self._add_item(write)
        if not write.failed:
            self._follow(write, under_test)

    def _add_item(self, write: Write) -> None:
        if write.resource in _EVENTS:
            event = self._items.event(write)
            if event is not None:
                self._events.append(event)
        elif write.subresource != "status":
            pod = self._live.get(_place(write)) if write.resource == "pods" else None
            self._writes.append(self._items.write(write, pod, self._colocation.rank(pod) if pod else 0))

    def _follow(self, write: Write, under_test: bool) -> None:
        known = write.after or write.before
        if known is None or write.resource in _EVENTS:
            return
        identity = uid(known)
        touched = self._touched.get(identity)
        if touched is None:
            name = f"{write.resource} {self._symbols.of(write)}"
            touched = self._touched[identity] = _Touched(name, write.before)
        touched.after = write.after
        if under_test and write.subresource == "status":
            touched.status_written = True
            self._with_status.add(identity)
        if write.after is None:
            self._live.pop(_place(write), None)
        else:
            self._live[_place(write)] = write.after
        self._colocation.follow(write, under_test=under_test)

    # -- the end of an instant, and of the run ------------------------------------------------------------------------

    def _end_instant(self) -> None:
        status = self._status_changes()
        if self._at is not None and (self._writes or self._events or status):
            instant: Item = {"at": clock_text(self._at)}
            for name, value in (
                ("writes", multiset(self._writes)),
                ("status", status),
                ("events", multiset(self._events)),
            ):
                if value:
                    instant[name] = value
            self._instants.append(instant)
        self._writes, self._events = [], []
        self._touched = {}
        self._colocation.end_instant()

    def _status_changes(self) -> dict[str, Item]:
        result: dict[str, Item] = {}
        for touched in self._touched.values():
            if not touched.status_written or touched.after is None:
                continue
            before, after = (flatten((obj or {}).get("status") or {}) for obj in (touched.before, touched.after))
            old, new = self._normalised(_others(before, after)), self._normalised(_others(after, before))
            changed: Item = {path: value for path, value in new.items() if old.get(path) != value}
            changed |= {path: None for path in old if path not in new}
            if changed:
                result[touched.name] = dict(sorted(changed.items()))
        return dict(sorted(result.items()))

    def _normalised(self, leaves: Item) -> Item:
        return {self._symbols.text(path): self._symbols.value(value) for path, value in leaves.items()}

    def finish(self) -> Trace:
        self._end_instant()
        return Trace(
            tuple(self._instants),
            dict(sorted(self._items.specs.items())),
            {"objects": self._final_objects(), "pods": self._final_pods()},
            self._reads.runs(),
        )

    def _final_objects(self) -> Item:
        """The objects whose status the actors under test have written, and those that control pods."""
        controlled = {
            str((controller_of(obj) or {}).get("uid"))
            for (resource, *_), obj in self._live.items()
            if resource == "pods"
        }
        final: Item = {}
        for (resource, *_), obj in self._live.items():
            if resource == "pods" or uid(obj) not in self._with_status | controlled:
                continue
            spec = obj.get("spec") or {}
            fields = {f"spec.{name}": spec[name] for name in ("minReadySeconds", "replicas") if name in spec}
            status = self._normalised(flatten(obj.get("status") or {}))
            fields |= {f"status.{path}": value for path, value in sorted(status.items())}
            final[f"{resource} {self._symbols.of_object(obj)}"] = fields
        return dict(sorted(final.items()))

    def _final_pods(self) -> Item:
        """The pods of each owner, by description."""
        owned: dict[str, list[Item]] = {}
        for (resource, *_), obj in self._live.items():
            if resource == "pods":
                owned.setdefault(self._symbols.owner(obj) or "(no owner)", []).append(self._items.describe_pod(obj))
        return {owner: multiset(pods) for owner, pods in sorted(owned.items())}


def _others(leaves: Item, than: Item) -> Item:
    """The leaves that differ from those in `than`."""
    return {path: value for path, value in leaves.items() if than.get(path, ABSENT) != value}


def _place(write: Write) -> _Place:
    return write.resource, write.namespace, write.name
