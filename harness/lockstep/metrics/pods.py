"""The pods as a measurement sees them: which run, since when, and which are serving.

A scrape is evaluated when an answer needs it, which may be later, so a short history of each pod is kept. A measurement
sees the pods as they were *before* its instant, so the order of changes at that instant does not matter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lockstep.apiserver.selectors import first_equality, parse_labels
from lockstep.metrics.views import ALWAYS, Object, PodView, canonical, reported_starts, starts

if TYPE_CHECKING:
    from lockstep.apiserver.kinds import Kind
    from lockstep.apiserver.state import State


class _Bucket:
    """The pods that exist now and have one label, or that are in one namespace."""

    __slots__ = ("pods", "selected")

    def __init__(self) -> None:
        self.pods: dict[str, PodView] = {}
        #: Results of selectors: sorted by name, and in canonical order. Cleared by every change.
        self.selected: dict[tuple[str, bool], list[PodView]] = {}


class Pods:
    """All pods, now and a little while ago. Follows every write to the API server from the moment when it is made."""

    def __init__(self, state: State) -> None:
        self._now = state.now
        #: By uid: instants of changes, ascending, each with the pod since then (None: gone).
        self._history: dict[str, list[tuple[int, PodView | None]]] = {}
        self._buckets: dict[tuple[str, str, str], _Bucket] = {}
        #: Deleted pods with the instant of their deletion, for as long as a measurement may see them.
        self._gone: deque[tuple[int, str]] = deque()
        #: The instant of the last change, and the pods since then, once computed.
        self._changed = ALWAYS
        self._present: list[PodView] | None = None
        #: How far back a measurement may look, in nanoseconds.
        self.reach = 0
        for stored in state.collection("pods").items.values():
            self._note(
                stored.object["metadata"]["uid"], None, PodView(stored.object, reported_starts(stored.object)), ALWAYS
            )
        state.after_write.append(self._after_write)

    # -- now ----------------------------------------------------------------------------------------------------------

    def select(self, namespace: str, selector: str, *, canonically: bool = False) -> list[PodView]:
        """The pods that exist now and match a `labelSelector`, sorted by namespace and name, or canonically.

        `namespace` is "" for all. The list is shared: do not change it. Raises ApiError 400 on a malformed selector.
        """
        key, value = first_equality(selector) if selector else ("", "")
        bucket = self._buckets.get((namespace, key, value))
        if bucket is None:
            parse_labels(selector)
            return []
        found = bucket.selected.get((selector, canonically))
        if found is None:
            wanted = parse_labels(selector)
            chosen = [pod for pod in bucket.pods.values() if wanted.matches(pod.labels)]
            if canonically:
                found = canonical([pod for pod in chosen if pod.running])
            else:
                found = sorted(chosen, key=lambda pod: (pod.namespace, pod.name))
            bucket.selected[selector, canonically] = found
        return found

    # -- a little while ago -------------------------------------------------------------------------------------------

    def at(self, instant: int) -> list[PodView]:
        """The pods as they were at the end of an instant, in order of creation: the same list while nothing changes."""
        if instant >= self._changed:
            if self._present is None:
                self._present = [pod for entries in self._history.values() if (pod := entries[-1][1]) is not None]
            return self._present
        found = []
        for entries in self._history.values():
            at = len(entries) - 1
            while at >= 0 and entries[at][0] > instant:
                at -= 1
            pod = entries[at][1] if at >= 0 else None
            if pod is not None:
                found.append(pod)
        return found

    # -- following ----------------------------------------------------------------------------------------------------

    def _after_write(self, state: State, kind: Kind, old: Object | None, new: Object | None) -> None:
        if kind.plural != "pods" or kind.group:
            return
        last: Any = new or old
        uid = last["metadata"]["uid"]
        entries = self._history.get(uid)
        known = entries[-1][1] if entries else None
        now = self._now()
        if new is None:
            self._note(uid, known, None, now)
            self._gone.append((now, uid))
            while self._gone[0][0] < now - self.reach:
                self._history.pop(self._gone.popleft()[1], None)
        else:
            self._note(uid, known, PodView(new, starts(new, known, now)), now)

    def _note(self, uid: str, known: PodView | None, pod: PodView | None, now: int) -> None:
        self._changed, self._present = now, None
        entries = self._history.setdefault(uid, [])
        if entries and entries[-1][0] == now:
            entries.pop()
        entries.append((now, pod))
        while len(entries) > 1 and entries[1][0] < now - self.reach:
            del entries[0]
        if known is not None:
            for place in _places(known):
                bucket = self._buckets[place]
                bucket.pods.pop(uid, None)
                bucket.selected.clear()
        if pod is not None:
            for place in _places(pod):
                bucket = self._buckets.setdefault(place, _Bucket())
                bucket.pods[uid] = pod
                bucket.selected.clear()


def _places(pod: PodView) -> Iterable[tuple[str, str, str]]:
    yield "", "", ""
    yield pod.namespace, "", ""
    for key, value in pod.labels.items():
        yield pod.namespace, key, value
        yield "", key, value
