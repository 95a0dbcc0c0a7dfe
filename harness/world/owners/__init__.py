"""Owners of pods that are not under test: Deployments, StatefulSets and custom resources with a scale.

Off until a scenario asks for a kind with `manage`. A managed Deployment rolls its ReplicaSets, whose pods the
ReplicaSet controller under test creates; a StatefulSet and a custom resource create their pods themselves. All act one
step after they have learnt of a change, or `delay` seconds later.
"""

from __future__ import annotations

from functools import partial
from typing import Protocol

from harness.apiserver import ApiServer
from harness.clock import seconds
from harness.loop import VirtualLoop
from harness.wire import controller_of
from harness.world.agenda import Agenda
from harness.world.api import Api, Object
from harness.world.feed import Feeds
from harness.world.owners.custom import CustomResources
from harness.world.owners.dependents import Dependents
from harness.world.owners.deployments import Deployments
from harness.world.owners.pods import Refused
from harness.world.owners.stateful_sets import StatefulSets

_PODS, _SETS = "/api/v1/pods", "/apis/apps/v1/replicasets"
#: Kinds with a scale that controllers under test act for.
_OTHERS = frozenset({"ReplicaSet", "ReplicationController"})
#: Seconds until an owner tries again what a quota refused.
_RETRY = 15.0
#: Resource, namespace and name of an owner that deserves a look.
Key = tuple[str, str, str]


class Manager(Protocol):
    """The owners of one kind."""

    def reconcile(self, owner: Object) -> None:
        """Bring what an owner has closer to what it wants; a change of either calls this again."""


class Owners:
    """Which kinds are managed, and when. `delay`: seconds from the moment when one learns of a change to the deed."""

    def __init__(self, loop: VirtualLoop, server: ApiServer, feeds: Feeds) -> None:
        self.delay = 0.0
        self._loop = loop
        self._server = server
        self._api = Api(server, "world")
        self._feeds = feeds
        self._agenda: Agenda[Key] = Agenda(loop, self._reconcile)
        self._managers: dict[str, Manager] = {}
        #: By apiVersion and kind.
        self._resources: dict[tuple[str, str], str] = {}
        self._pods = Dependents(self._api, "pods")
        self._sets = Dependents(self._api, "replicasets.apps")

    def manage(self, *resources: str) -> None:
        """Act for every object of these resources, those that exist and those to come.

        A resource is named by its plural, with its group where that is needed: "deployments", "statefulsets", or a
        custom resource whose definition exists and has a scale. A custom resource needs a pod template at
        `spec.template`. Raises ValueError on anything else.
        """
        for resource in resources:
            self._manage(resource)

    def next_due(self) -> int | None:
        """The instant of the next planned step, or None."""
        return self._agenda.next_due()

    def _manage(self, resource: str) -> None:
        kind = self._server.state.registry.of_resource(resource)
        if kind is None or not kind.namespaced or "scale" not in kind.subresources or kind.kind in _OTHERS:
            raise ValueError(
                f"cannot manage {resource!r}: name deployments, statefulsets, or a namespaced custom resource as "
                "plural.group, whose definition exists and has a scale subresource"
            )
        if kind.resource in self._managers:
            return
        actor = f"{kind.kind.lower()}-controller"
        api = Api(self._server, actor)
        if kind.kind == "Deployment":
            self._follow_dependents(_SETS, self._sets)
            self._managers[kind.resource] = Deployments(api, self._sets, self._pods)
        elif kind.kind == "StatefulSet":
            self._managers[kind.resource] = StatefulSets(api, self._pods)
        else:
            self._managers[kind.resource] = CustomResources(api, self._pods, kind)
        self._follow_dependents(_PODS, self._pods)
        self._resources[kind.api_version, kind.kind] = kind.resource
        root = f"/apis/{kind.api_version}/{kind.plural}"
        self._feeds.listen(root, lambda _, one: self._look_at(kind.resource, one))
        for one in self._api.objects(kind.resource):
            self._look_at(kind.resource, one)

    def _follow_dependents(self, path: str, dependents: Dependents) -> None:
        if dependents.followed:
            return
        dependents.start()

        def observe(kind: str, one: Object) -> None:
            dependents.observe(kind, one)
            self._look_at_controller(one)

        self._feeds.listen(path, observe)

    def _look_at(self, resource: str, owner: Object) -> None:
        meta = owner["metadata"]
        key = (resource, meta.get("namespace", ""), meta["name"])
        self._agenda.add(self._loop.now + seconds(self.delay), key)

    def _look_at_controller(self, one: Object) -> None:
        """Whoever controls a dependent, or controls the ReplicaSet that does, deserves a look."""
        reference = controller_of(one)
        while reference is not None:
            resource = self._resources.get((reference["apiVersion"], reference["kind"]))
            namespace = one["metadata"]["namespace"]
            if resource is not None:
                self._agenda.add(self._loop.now + seconds(self.delay), (resource, namespace, reference["name"]))
                return
            if reference["kind"] != "ReplicaSet" or not self._sets.followed:
                return
            holder = self._api.find("replicasets.apps", namespace, reference["name"])
            reference = None if holder is None else controller_of(holder)

    def _reconcile(self, keys: list[Key]) -> None:
        for resource, namespace, name in sorted(set(keys)):
            owner = self._api.find(resource, namespace, name)
            if owner is None or "deletionTimestamp" in owner["metadata"]:
                continue
            try:
                self._managers[resource].reconcile(owner)
            except Refused:  # nobody waits for what may never succeed
                self._loop.world_after(_RETRY, partial(self._agenda.add, self._loop.now, (resource, namespace, name)))
