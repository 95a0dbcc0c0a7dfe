"""The namespace controller: empties a namespace that is being deleted, then removes it.

Upstream: pkg/controller/namespace/deletion. It does not poll: it checks again whenever an object in the namespace is
removed.
"""

from __future__ import annotations

from lockstep.time.loop import VirtualLoop
from lockstep.world.agenda import Agenda
from lockstep.world.api import Api, Object
from lockstep.world.resources import Resource, Resources


class NamespaceController:
    """Deletes the content of terminating namespaces in the background. `enabled`: whether it runs."""

    def __init__(self, loop: VirtualLoop, api: Api, resources: Resources) -> None:
        self.enabled = True
        self._loop = loop
        self._api = api
        self._resources = resources
        self._agenda: Agenda[str] = Agenda(loop, self._work)
        self._terminating: set[str] = set()
        self._emptied: set[str] = set()

    def observe(self, resource: Resource, kind: str, one: Object) -> None:
        """Handler of the feeds of all resources."""
        if not self.enabled:
            return
        meta = one["metadata"]
        if resource.kind == "Namespace":
            name = meta["name"]
            if kind == "DELETED":
                self._terminating.discard(name)
                self._emptied.discard(name)
            elif "deletionTimestamp" in meta and name not in self._terminating:
                self._terminating.add(name)
                self._agenda.add(self._loop.now, name)
        elif kind == "DELETED" and meta.get("namespace") in self._terminating:
            self._agenda.add(self._loop.now, meta["namespace"])

    def next_due(self) -> int | None:
        """The instant of the next planned step, or None."""
        return self._agenda.next_due()

    def _work(self, names: list[str]) -> None:
        for name in sorted(set(names)):
            namespace = self._api.find("namespaces", "", name)
            if namespace is None or "deletionTimestamp" not in namespace["metadata"]:
                continue
            content = [one for one in self._resources.all() if one.namespaced and self._api.objects(one.name, name)]
            if content and name not in self._emptied:
                self._emptied.add(name)
                for resource in content:
                    options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
                    self._api.write("DELETE", resource.path(name), options)
            if not any(self._api.objects(one.name, name) for one in content):
                self._finalize(namespace)

    def _finalize(self, namespace: Object) -> None:
        spec = {**namespace["spec"], "finalizers": []}
        path = f"/api/v1/namespaces/{namespace['metadata']['name']}/finalize"
        self._api.write("PUT", path, {**namespace, "spec": spec})
