"""The garbage collector: deletes objects whose owners are gone, and carries out foreground and orphan deletion.

Upstream: pkg/controller/garbagecollector, attemptToDeleteItem and attemptToOrphanWorker. Every decision is made on live
objects; the graph only says which ones to look at. An owner of a kind that the cluster does not serve is ignored.
"""

from __future__ import annotations

from functools import partial

from lockstep.time.clock import seconds
from lockstep.time.loop import VirtualLoop
from lockstep.wire.meta import FOREGROUND, ORPHAN
from lockstep.world.agenda import Agenda
from lockstep.world.api import Api, Object
from lockstep.world.ownership import Graph, Item
from lockstep.world.resources import Resource, Resources

#: "orphan" or "delete", and the item to look at.
Task = tuple[str, Item]


class GarbageCollector:
    """`delay`: seconds from when it sees a change to when it acts."""

    def __init__(self, loop: VirtualLoop, api: Api, resources: Resources) -> None:
        self.delay = 0.0
        self._enabled = True
        self._held: list[Task] = []
        self._loop = loop
        self._api = api
        self._resources = resources
        self._agenda: Agenda[Task] = Agenda(loop, self._work)
        self._graph = Graph(partial(self._enqueue, "delete"), partial(self._enqueue, "orphan"))

    @property
    def enabled(self) -> bool:
        """While it is off, it only records changes. Turning it on makes it catch up."""
        return self._enabled

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        if enabled == self._enabled:
            return
        self._enabled = enabled
        if not enabled:
            self._held = self._agenda.clear()
            return
        held, self._held = self._held, []
        for kind, item in held:
            self._enqueue(kind, item)

    def observe(self, resource: Resource, kind: str, one: Object) -> None:
        """Handler of the feeds of all resources."""
        self._graph.observe(resource, kind, one)

    def next_due(self) -> int | None:
        """The instant of the next planned step, or None. While it is off, nothing is planned."""
        return self._agenda.next_due()

    def _enqueue(self, kind: str, item: Item) -> None:
        if self._enabled:
            self._agenda.add(self._loop.now + seconds(self.delay), (kind, item))
        else:
            self._held.append((kind, item))

    def _work(self, tasks: list[Task]) -> None:
        for kind, item in sorted(dict.fromkeys(tasks), key=lambda task: (task[0] == "delete", task[1].uid)):
            if kind == "orphan":
                self._attempt_to_orphan(item)
            else:
                self._attempt_to_delete(item)

    # -- orphaning ----------------------------------------------------------------------------------------------------

    def _attempt_to_orphan(self, owner: Item) -> None:
        for dependent in sorted(self._graph.dependents(owner), key=lambda one: one.uid):
            self._remove_owners(dependent, {owner.uid})
        self._remove_finalizer(owner, ORPHAN)

    def _remove_owners(self, item: Item, uids: set[str]) -> None:
        live = self._live(item)
        if live is not None:
            kept = [one for one in live["metadata"].get("ownerReferences") or () if one["uid"] not in uids]
            self._patch_owners(item, live, kept)

    def _patch_owners(self, item: Item, live: Object, references: list[Object]) -> None:
        meta = live["metadata"]
        if references != (meta.get("ownerReferences") or []):
            version = meta["resourceVersion"]
            patch = {"resourceVersion": version, "uid": item.uid, "ownerReferences": references or None}
            self._api.merge(item.path, {"metadata": patch})

    def _remove_finalizer(self, item: Item, finalizer: str) -> None:
        live = self._live(item)
        if live is not None and finalizer in (live["metadata"].get("finalizers") or ()):
            kept = [one for one in live["metadata"]["finalizers"] if one != finalizer]
            patch = {"resourceVersion": live["metadata"]["resourceVersion"], "finalizers": kept or None}
            self._api.merge(item.path, {"metadata": patch})

    # -- deleting -----------------------------------------------------------------------------------------------------

    def _attempt_to_delete(self, item: Item) -> None:
        if item.being_deleted and not item.deleting_dependents:
            return
        live = self._live(item)
        if live is None:
            if item.uid in self._graph.items:
                self._graph.remove(item)
            return
        if item.deleting_dependents:
            self._wait_for_dependents(item)
            return
        references = live["metadata"].get("ownerReferences") or []
        if references:
            self._judge(item, live, references)

    def _wait_for_dependents(self, item: Item) -> None:
        """Remove the finalizer once no dependent blocks the deletion (processDeletingDependentsItem)."""
        blocking = self._graph.blocking_dependents(item)
        if not blocking:
            self._remove_finalizer(item, FOREGROUND)
        for dependent in blocking:
            if not dependent.deleting_dependents and not dependent.being_deleted:
                self._enqueue("delete", dependent)

    def _judge(self, item: Item, live: Object, references: list[Object]) -> None:
        """Classify the owners as solid, dangling or waiting for their dependents, and act on it."""
        solid, waiting = 0, set()
        dangling = set()
        for reference in references:
            resource = self._resources.of(reference["apiVersion"], reference["kind"])
            if resource is None or (resource.namespaced and not item.namespace):
                return
            owner = self._api.find(resource.name, item.namespace if resource.namespaced else "", reference["name"])
            if owner is None or owner["metadata"]["uid"] != reference["uid"]:
                dangling.add(reference["uid"])
            elif _waits_for_dependents(owner):
                waiting.add(reference["uid"])
            else:
                solid += 1
        if solid:
            if dangling or waiting:
                self._remove_owners(item, dangling | waiting)
        elif waiting and self._graph.dependents(item):
            if any(one.deleting_dependents for one in self._graph.dependents(item)):
                live = self._unblock(item, live, references)  # else owner and dependent could wait for each other
            self._delete(item, live, "Foreground")
        else:
            self._delete(item, live, _policy(live))

    def _unblock(self, item: Item, live: Object, references: list[Object]) -> Object:
        self._patch_owners(item, live, [{**one, "blockOwnerDeletion": False} for one in references])
        return self._live(item) or live

    def _delete(self, item: Item, live: Object, policy: str) -> None:
        preconditions = {"uid": item.uid, "resourceVersion": live["metadata"]["resourceVersion"]}
        options = {"propagationPolicy": policy, "preconditions": preconditions}
        self._api.write("DELETE", item.path, {"kind": "DeleteOptions", "apiVersion": "v1", **options})

    def _live(self, item: Item) -> Object | None:
        """The object as it is stored now, or None if it is gone or another one has its name."""
        live = self._api.find(item.resource.name, item.namespace, item.name)
        return live if live is not None and live["metadata"]["uid"] == item.uid else None


def _waits_for_dependents(owner: Object) -> bool:
    meta = owner["metadata"]
    return "deletionTimestamp" in meta and FOREGROUND in (meta.get("finalizers") or ())


def _policy(live: Object) -> str:
    """A finalizer of the collector decides the policy; without one the deletion is a background one."""
    finalizers = live["metadata"].get("finalizers") or ()
    if ORPHAN in finalizers:
        return "Orphan"
    return "Foreground" if FOREGROUND in finalizers else "Background"
