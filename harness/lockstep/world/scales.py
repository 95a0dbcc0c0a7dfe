"""How many pods the controllers of some pods want (disruption.go: getExpectedScale and its finders)."""

from __future__ import annotations

from collections.abc import Iterable

from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.routing import path_to
from lockstep.wire.meta import controller_of
from lockstep.world.api import Api, Object

_SETS = "replicasets.apps"
#: Resources by kind and group whose spec.replicas counts.
_SPECS = {
    ("ReplicationController", ""): "replicationcontrollers",
    ("ReplicaSet", "apps"): _SETS,
    ("StatefulSet", "apps"): "statefulsets.apps",
}


class NoScale(Exception):
    """The number of pods that there should be is unknown; the message is upstream's."""


class Scales:
    """Adds up what controllers want."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def total(self, pods: Iterable[Object]) -> int:
        """The replicas of all controllers of `pods`; pods without one do not count. Raises NoScale."""
        wanted: dict[str, int] = {}
        known: set[str] = set()
        for pod in pods:
            reference = controller_of(pod)
            if reference is None or reference["uid"] in known:
                continue
            known.add(reference["uid"])
            uid, replicas = self._scale(pod, reference)
            wanted[uid] = replicas
        return sum(wanted.values())

    def _scale(self, pod: Object, reference: Object) -> tuple[str, int]:
        """The uid and the replicas of the controller that counts."""
        namespace = pod["metadata"]["namespace"]
        group = reference["apiVersion"].rpartition("/")[0]
        resource = _SPECS.get((reference["kind"], group))
        owner = None if resource is None else self._find(resource, namespace, reference)
        if owner is not None and resource == _SETS:
            holder = controller_of(owner)
            if holder is not None and holder["kind"] == "Deployment":
                owner = self._find("deployments.apps", namespace, holder)
        if owner is not None:
            return owner["metadata"]["uid"], owner["spec"]["replicas"]
        return self._from_subresource(pod, reference, group)

    def _find(self, resource: str, namespace: str, reference: Object) -> Object | None:
        found = self._api.find(resource, namespace, reference["name"])
        return found if found is not None and found["metadata"]["uid"] == reference["uid"] else None

    def _from_subresource(self, pod: Object, reference: Object, group: str) -> tuple[str, int]:
        """What the scale subresource says (getScaleController)."""
        kind = self._kind(group, reference["apiVersion"].rpartition("/")[2], reference["kind"])
        namespace = pod["metadata"]["namespace"]
        scale = self._api.ask(f"{path_to(kind, namespace, reference['name'])}/scale")
        if not scale and "scale" not in kind.subresources:
            raise NoScale(f"{kind.resource} does not implement the scale subresource")
        if not scale or scale["metadata"]["uid"] != reference["uid"]:
            raise NoScale(f'found no controllers for pod "{pod["metadata"]["name"]}"')
        return scale["metadata"]["uid"], (scale.get("spec") or {}).get("replicas", 0)

    def _kind(self, group: str, version: str, name: str) -> Kind:
        for kind in self._api.server.state.registry:
            if (kind.group, kind.version, kind.kind) == (group, version, name):
                return kind
        raise NoScale(f'no matches for kind "{name}" in version "{f"{group}/{version}" if group else version}"')
