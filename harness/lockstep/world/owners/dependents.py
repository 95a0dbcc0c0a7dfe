"""What each owner controls, from a feed and from its own writes.

An owner's own writes count at once, so that it does not act again before the feed has reported them.
"""

from __future__ import annotations

from collections.abc import Callable

from lockstep.wire.meta import controller_of
from lockstep.world.api import Api, Object

#: Whether an instant has come. If not, the owner is reconciled again when it comes; the call does not wait.
Wake = Callable[[Object, int], bool]


class Dependents:
    """The objects of one resource by the uid of their controller."""

    def __init__(self, api: Api, resource: str) -> None:
        #: Whether it has listed the existing objects and follows their changes.
        self.followed = False
        self._api = api
        self._resource = resource
        self._owners: dict[str, str] = {}  # uid -> its controller's
        self._of: dict[str, dict[str, Object]] = {}
        self._asked: dict[str, int] = {}

    def start(self) -> None:
        """Record what exists. The feed reports every later change."""
        self.followed = True
        for one in self._api.objects(self._resource):
            self.observe("ADDED", one)

    def observe(self, kind: str, one: Object) -> None:
        """Handler of the feed."""
        uid = one["metadata"]["uid"]
        reference = controller_of(one)
        owner = "" if reference is None or kind == "DELETED" else reference["uid"]
        before = self._owners.get(uid, "")
        if before and before != owner:
            self._of[before].pop(uid, None)
            del self._owners[uid]
        if owner:
            known = self._of.setdefault(owner, {})
            version = known[uid]["metadata"]["resourceVersion"] if uid in known else "0"
            if int(version) <= int(one["metadata"]["resourceVersion"]):
                known[uid] = one
            self._owners[uid] = owner

    def wrote(self, one: Object) -> None:
        """An owner has written this object itself: this version counts from now on."""
        meta = one["metadata"]
        live = self._api.find(self._resource, meta["namespace"], meta["name"])
        gone = live is None or live["metadata"]["uid"] != meta["uid"]
        self.observe("DELETED" if gone else "MODIFIED", one if live is None or gone else live)

    def asked(self, owner: Object) -> None:
        """The owner has requested another object; until the request is `answered` it is unknown what the owner
        controls.
        """
        uid = owner["metadata"]["uid"]
        self._asked[uid] = self._asked.get(uid, 0) + 1

    def answered(self, owner: Object) -> None:
        """The request noted by `asked` has succeeded or was refused."""
        self._asked[owner["metadata"]["uid"]] -= 1

    def waits(self, owner: Object) -> bool:
        """Whether a request of the owner has not been answered yet."""
        return self._asked.get(owner["metadata"]["uid"], 0) > 0

    def of(self, owner: Object) -> list[Object]:
        """What `owner` controls, in order of creation."""
        known = self._of.get(owner["metadata"]["uid"], {})
        return [known[uid] for uid in sorted(known)]
