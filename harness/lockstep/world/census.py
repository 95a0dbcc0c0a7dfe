"""The census: which active pods of a workload run on which node.

The workload of a pod is its controller, or that controller's own controller: all ReplicaSets of one Deployment are one
workload, because the ReplicaSet controller's deletion ranking counts related pods on the same node across them
(`getIndirectlyRelatedPods`). A ReplicaSet without a controller has no related pods. Where its pods run makes no
difference, so the census does not compare its nodes in detail.
"""

from __future__ import annotations

from collections.abc import Mapping

from lockstep.wire.meta import controller_of
from lockstep.wire.pods import is_active
from lockstep.world.api import Api, Object
from lockstep.world.canonical import rank_nodes

_NOBODY: Mapping[str, dict[str, Object]] = {}


class Census:
    """Follows the pods' feed. It holds only pods that count: bound, not finished, not being deleted."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._places: dict[str, tuple[str, str, str]] = {}  # uid -> controller's uid, workload, node
        self._pods: dict[str, dict[str, dict[str, Object]]] = {}  # workload -> node -> uid -> pod
        self._grouped: dict[str, bool] = {}  # workload -> whether several ReplicaSets may share it

    def observe(self, kind: str, pod: Object) -> None:
        """Handler of the pods' feed."""
        meta = pod["metadata"]
        uid = meta["uid"]
        node = pod["spec"].get("nodeName")
        known = self._places.get(uid)
        if kind == "DELETED" or not node or not is_active(pod):
            if known is not None:
                self._forget(uid, known)
            return
        controller = controller_of(pod)
        owner = controller["uid"] if controller else ""
        if known is None or known[0] != owner:
            if known is not None:
                self._forget(uid, known)
            known = self._places[uid] = (owner, self.workload(pod), node)
        self._pods.setdefault(known[1], {}).setdefault(node, {})[uid] = pod

    def workload(self, pod: Object) -> str:
        """Identifies the workload of a pod."""
        controller = controller_of(pod)
        if controller is None:
            return f"{pod['metadata']['namespace']}/"
        workload: str = controller["uid"]
        if controller["kind"] == "ReplicaSet":
            owner = self._api.find("replicasets.apps", pod["metadata"]["namespace"], controller["name"])
            above = controller_of(owner) if owner is not None else None
            if above is not None:
                workload = above["uid"]
                self._grouped[workload] = True
        return workload

    def load(self, workload: str, node: str) -> int:
        """How many active pods of the workload are on `node`."""
        return len(self._pods.get(workload, _NOBODY).get(node, ()))

    def ranks(self, workload: str) -> Mapping[str, int]:
        """The workload's nodes ranked by the pods on them; empty where that makes no difference. See `rank_nodes`."""
        if not self._grouped.get(workload):
            return {}
        return rank_nodes({node: pods.values() for node, pods in self._pods.get(workload, _NOBODY).items()})

    def _forget(self, uid: str, place: tuple[str, str, str]) -> None:
        _, workload, node = place
        del self._places[uid]
        del self._pods[workload][node][uid]
