"""Owners of pods that are not under test: Deployments, StatefulSets, Jobs, custom resources with a scale, and others.

A kind is managed once a scenario names it in `manage`. A managed Deployment rolls its ReplicaSets, whose pods are
created by the ReplicaSet controller under test, or by the ReplicaSet if that is managed too. A CronJob creates Jobs.
All others create their pods themselves. Each acts one step after it has seen a change, or `delay` seconds later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from lockstep.apiserver import ApiServer
from lockstep.apiserver.kinds import Kind
from lockstep.time.clock import seconds
from lockstep.time.loop import VirtualLoop
from lockstep.wire.meta import controller_of
from lockstep.world.agenda import Agenda
from lockstep.world.api import Api, Object
from lockstep.world.feed import Feeds
from lockstep.world.owners.cron_jobs import CronJobs
from lockstep.world.owners.custom import CustomResources
from lockstep.world.owners.daemon_sets import DaemonSets
from lockstep.world.owners.dependents import Dependents
from lockstep.world.owners.deployments import Deployments
from lockstep.world.owners.jobs import Jobs
from lockstep.world.owners.pods import Refused
from lockstep.world.owners.replicated import Replicated
from lockstep.world.owners.stateful_sets import StatefulSets

_PODS, _SETS, _JOBS = "/api/v1/pods", "/apis/apps/v1/replicasets", "/apis/batch/v1/jobs"
_BUILT_IN = frozenset(
    {"CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"}
)
#: Seconds until an owner retries what a quota refused.
_RETRY = 15.0
#: Seconds between looks at an owner whose request waits for a webhook.
_PATIENCE = 1.0
#: Resource, namespace and name of an owner to reconcile.
Key = tuple[str, str, str]


class Manager(Protocol):
    """The owners of one kind."""

    def reconcile(self, owner: Object) -> None:
        """Bring the actual state closer to what the owner wants. It is called again when either changes."""


class Owners:
    """Which kinds are managed, and when. `delay`: seconds from when an owner's controller sees a change to when it
    acts.
    """

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
        self._jobs = Dependents(self._api, "jobs.batch")
        #: Kinds that controllers under test act for.
        self.under_test: frozenset[str] = frozenset()

    def manage(self, *resources: str) -> None:
        """Act for every object of these resources, existing and future ones.

        A resource is named by its plural, with its group where that is needed: "deployments", "statefulsets",
        "replicasets", "replicationcontrollers", "daemonsets", "jobs", "cronjobs" (which brings "jobs"), or a custom
        resource whose definition exists and has a scale. A custom resource needs a pod template at `spec.template`.
        Raises ValueError on anything else, and on a kind that a controller under test acts for.
        """
        for resource in resources:
            self._manage(resource)

    def next_due(self) -> int | None:
        """The instant of the next planned step, or None."""
        return self._agenda.next_due()

    def _manage(self, resource: str) -> None:
        kind = self._server.state.registry.of_resource(resource)
        if kind is None or not _can_be_managed(kind):
            known = ", ".join(f"{name.lower()}s" for name in sorted(_BUILT_IN))
            raise ValueError(
                f"cannot manage {resource!r}: name one of {known}, or a namespaced custom resource as plural.group, "
                "whose definition exists and has a scale subresource"
            )
        if kind.strategic and kind.kind in self.under_test:
            raise ValueError(f"cannot manage {resource!r}: a controller under test acts for them already")
        if kind.resource in self._managers:
            return
        self._managers[kind.resource] = self._manager(kind)
        self._follow_dependents(_PODS, self._pods)
        self._resources[kind.api_version, kind.kind] = kind.resource
        self._feeds.listen(_root(kind), lambda _, one: self._look_at(kind.resource, one))
        if kind.kind == "DaemonSet":
            self._feeds.listen("/api/v1/nodes", lambda _, __: self._look_at_all(kind.resource))
        self._look_at_all(kind.resource)

    def _manager(self, kind: Kind) -> Manager:
        """The manager of a kind."""
        api = Api(self._server, f"{kind.kind.lower()}-controller")
        if not kind.strategic:
            return CustomResources(api, self._pods, kind)
        if kind.kind == "Deployment":
            self._follow_dependents(_SETS, self._sets)
        elif kind.kind == "CronJob":
            self._follow_dependents(_JOBS, self._jobs)
            self._manage("jobs")
        makers: dict[str, Callable[[], Manager]] = {
            "Deployment": lambda: Deployments(api, self._sets, self._pods),
            "StatefulSet": lambda: StatefulSets(api, self._pods),
            "DaemonSet": lambda: DaemonSets(api, self._pods),
            "Job": lambda: Jobs(api, self._pods, self._wake),
            "CronJob": lambda: CronJobs(api, self._jobs, self._wake),
        }
        return makers.get(kind.kind, lambda: Replicated(api, self._pods, _root(kind, "{}"), self._wake))()

    def _wake(self, owner: Object, instant: int) -> bool:
        """See `dependents.Wake`."""
        if instant <= self._loop.now:
            return True
        resource = self._resources[owner["apiVersion"], owner["kind"]]
        self._loop.world_at(instant, lambda: self._look_at(resource, owner))
        return False

    def _look_at_all(self, resource: str) -> None:
        for one in self._api.objects(resource):
            self._look_at(resource, one)

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
        """Reconcile the managed controller of a dependent, or of the ReplicaSet that controls it."""
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
            if self._pods.waits(owner):
                continue
            try:
                self._managers[resource].reconcile(owner)
            except Refused:
                self._look_again((resource, namespace, name), _RETRY)
            if self._pods.waits(owner):
                self._look_again((resource, namespace, name), _PATIENCE)

    def _look_again(self, key: Key, after: float) -> None:
        """Reconcile an owner later. A run does not wait for this, because it may never succeed."""
        self._loop.world_after(after, lambda: self._agenda.add(self._loop.now, key))


def _can_be_managed(kind: Kind) -> bool:
    return kind.kind in _BUILT_IN if kind.strategic else kind.namespaced and "scale" in kind.subresources


def _root(kind: Kind, namespace: str = "") -> str:
    """The path of a kind's objects: of all, or of those in a namespace."""
    place = f"/namespaces/{namespace}" if namespace else ""
    return f"/{'apis' if kind.group else 'api'}/{kind.api_version}{place}/{kind.plural}"
