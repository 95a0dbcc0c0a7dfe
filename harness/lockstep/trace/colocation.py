"""How many pods of the same or a related owner share a node: the "doubled up" criterion of upstream's deletion ranking.

Upstream counts the active pods of all ReplicaSets that share a controller with the one at hand, node by node
(`replicaset.getPodsRankedByRelatedPodsOnSameNode`); for a ReplicaSet without a controller it counts none. The count is
the one before the controllers under test began to write in this instant, since the order of their writes inside an
instant is free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lockstep.wire.meta import Object, controller_of, uid
from lockstep.wire.pods import is_active

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lockstep.trace.history import Write

_Place = tuple[str, str]  # (family of owners, node)


class Colocation:
    """Follows the pods of a run, write by write."""

    def __init__(self) -> None:
        self._families: dict[str, str] = {}  # uid of an owner: uid of its own controller, if it has one
        self._places: dict[str, _Place] = {}  # uid of an active pod: where it is
        self._counts: dict[_Place, int] = {}
        self._leaving: dict[str, None] = {}

    def rank(self, pod: Object) -> int:
        """The number of active related pods on the pod's node, itself included; 0 if it is on none."""
        place = self._place(pod)
        return 0 if place is None else self._counts.get(place, 0)

    def follow(self, write: Write, *, under_test: bool) -> None:
        """Apply a successful write. Pods that the controllers under test remove count until the instant ends."""
        if write.resource == "pods":
            self._follow_pod(write, under_test)
        elif write.after is not None and (reference := controller_of(write.after)) is not None:
            self._families[uid(write.after)] = str(reference["uid"])

    def _follow_pod(self, write: Write, under_test: bool) -> None:
        pod = uid(write.after or write.before or {})
        place = self._place(write.after) if write.after and is_active(write.after) else None
        if place is None and (under_test or pod in self._leaving):
            if pod in self._places:
                self._leaving[pod] = None
        else:
            self._move(pod, place)

    def end_instant(self) -> None:
        """The instant is over: pods that the controllers under test removed in it no longer count."""
        for pod in self._leaving:
            self._move(pod, None)
        self._leaving = {}

    def _move(self, pod: str, place: _Place | None) -> None:
        old = self._places.pop(pod, None)
        if old is not None:
            self._counts[old] -= 1
        if place is not None:
            self._places[pod] = place
            self._counts[place] = self._counts.get(place, 0) + 1

    def _place(self, pod: Mapping[str, Any]) -> _Place | None:
        node = (pod.get("spec") or {}).get("nodeName")
        reference = controller_of(pod)
        if not node or reference is None:
            return None
        family = self._families.get(str(reference.get("uid", "")))
        return None if family is None else (family, str(node))
