"""DaemonSets: one pod on each node that accepts pods.

From pkg/controller/daemon/daemon_controller.go and update.go. Not simulated: affinity, tolerations, surge, revisions as
objects, back-off of pods that fail.
"""

from __future__ import annotations

import math

from lockstep.wire.pods import is_finished, is_ready
from lockstep.world.api import Api, Object
from lockstep.world.canonical import canonical_order
from lockstep.world.owners.dependents import Dependents
from lockstep.world.owners.pods import create_pod, delete_pod, revision_of, write_status
from lockstep.world.scheduler import accepts_pods, required_node

_REVISION, _GENERATION = "controller-revision-hash", "pod-template-generation"


class DaemonSets:
    """Acts as the DaemonSet controller."""

    def __init__(self, api: Api, pods: Dependents) -> None:
        self._api = api
        self._pods = pods

    def reconcile(self, owner: Object) -> None:
        """Create a pod for each node, replace pods that have ended or are out of date, then write the status."""
        nodes = [node["metadata"]["name"] for node in self._api.objects("nodes") if accepts_pods(node)]
        revision = revision_of(owner["spec"]["template"])
        on: dict[str, list[Object]] = {}
        for pod in self._pods.of(owner):
            on.setdefault(_target(pod), []).append(pod)
        for node in sorted({*on, *nodes}):
            self._care(owner, node, on.get(node, []), revision, wanted=node in nodes)
        self._update(owner, revision, len(nodes))
        self._write_status(owner, revision, nodes)

    def _care(self, owner: Object, node: str, pods: list[Object], revision: str, *, wanted: bool) -> None:
        """PodsShouldBeOnNode."""
        for pod in pods:
            if (not wanted or is_finished(pod)) and "deletionTimestamp" not in pod["metadata"]:
                delete_pod(self._api, self._pods, pod)
        if wanted and not pods:
            labels = {_REVISION: revision, _GENERATION: str(owner["metadata"].get("generation", 1))}
            spec = {"affinity": _affinity(node)}
            create_pod(self._api, self._pods, owner, f"{owner['metadata']['name']}-", labels, **spec)

    def _update(self, owner: Object, revision: str, nodes: int) -> None:
        """rollingUpdate: delete old pods while no more than maxUnavailable pods are unavailable."""
        strategy = owner["spec"]["updateStrategy"]
        if strategy["type"] != "RollingUpdate":
            return
        most = strategy["rollingUpdate"]["maxUnavailable"]
        allowed = most if isinstance(most, int) else math.ceil(int(most.removesuffix("%")) * nodes / 100)
        pods = canonical_order(self._pods.of(owner))
        old = [pod for pod in pods if _revision(pod) != revision and "deletionTimestamp" not in pod["metadata"]]
        away = nodes - sum(is_ready(pod) and "deletionTimestamp" not in pod["metadata"] for pod in pods)
        for pod in old:
            if not is_ready(pod):
                delete_pod(self._api, self._pods, pod)
            elif away < allowed:
                away += 1
                delete_pod(self._api, self._pods, pod)

    def _write_status(self, owner: Object, revision: str, nodes: list[str]) -> None:
        """UpdateDaemonSetStatus."""
        meta = owner["metadata"]
        current = [pod for pod in self._pods.of(owner) if "deletionTimestamp" not in pod["metadata"]]
        placed = [pod for pod in current if _target(pod) in nodes]
        ready = sum(map(is_ready, placed))
        status = {
            "observedGeneration": meta.get("generation", 0),
            "currentNumberScheduled": len(placed),
            "numberMisscheduled": len(current) - len(placed),
            "desiredNumberScheduled": len(nodes),
            "numberReady": ready,
            "numberAvailable": ready,
            "numberUnavailable": len(nodes) - ready,
            "updatedNumberScheduled": sum(_revision(pod) == revision for pod in placed),
        }
        path = f"/apis/apps/v1/namespaces/{meta['namespace']}/daemonsets/{meta['name']}"
        write_status(self._api, path, owner, status)


def _affinity(node: str) -> Object:
    """ReplaceDaemonSetPodNodeNameNodeAffinity."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [node]}]
    term = {"nodeSelectorTerms": [{"matchFields": fields}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term}}


def _target(pod: Object) -> str:
    """The node that a pod runs on or is meant for (GetTargetNodeName)."""
    node = pod["spec"].get("nodeName")
    if node:
        return str(node)
    return required_node(pod)


def _revision(pod: Object) -> str:
    return str((pod["metadata"].get("labels") or {}).get(_REVISION, ""))
