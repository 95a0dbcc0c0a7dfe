"""Which pods form a group: those that one owner created at one instant, with the same labels.

A controller cannot tell these pods apart, so a lifecycle is chosen for the whole group. Pods without a controller form
groups too: a ReplicaSet that adopts them cannot tell them apart either.
"""

from __future__ import annotations

from lockstep.wire.meta import controller_of
from lockstep.world.api import Object
from lockstep.world.lifecycle import Group

#: The owner's uid (or the namespace), the labels, the instant at which the pods were seen first.
GroupKey = tuple[str, tuple[tuple[str, str], ...], int]


class Groups:
    """Remembers the group of each pod from the moment when it is seen first."""

    def __init__(self) -> None:
        self._keys: dict[str, GroupKey] = {}
        self._sequences: dict[str, dict[int, int]] = {}  # owner -> instant of creation -> sequence

    def note(self, pod: Object, now: int) -> None:
        """A pod is seen at instant `now`; only the first time counts."""
        meta = pod["metadata"]
        if meta["uid"] in self._keys:
            return
        controller = controller_of(pod)
        owner = controller["uid"] if controller else f"{meta['namespace']}/"
        sequences = self._sequences.setdefault(owner, {})
        sequences.setdefault(now, len(sequences))
        self._keys[meta["uid"]] = owner, tuple(sorted((meta.get("labels") or {}).items())), now

    def key(self, uid: str) -> GroupKey:
        """The group of a pod that was noted."""
        return self._keys[uid]

    def describe(self, pod: Object) -> Group:
        """The group of a pod that was noted, as lifecycles see it."""
        owner, labels, created = self._keys[pod["metadata"]["uid"]]
        controller = controller_of(pod)
        return Group(
            namespace=pod["metadata"]["namespace"],
            owner=controller["name"] if controller else "",
            labels=dict(labels),
            sequence=self._sequences[owner][created],
        )

    def forget(self, uid: str) -> None:
        """The pod is gone."""
        self._keys.pop(uid, None)
