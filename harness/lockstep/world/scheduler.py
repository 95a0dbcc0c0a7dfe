"""The scheduler: binds pending pods to nodes.

By default a pod goes to the node that holds the fewest active pods of its workload; among those, to one whose pods are
first in the canonical order. So the outcome never depends on which of several equal pods a controller deleted before;
with round-robin it would. Capacity, affinity and tolerations are not simulated; `place` can stand in for them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from lockstep.time.clock import rfc3339, seconds
from lockstep.time.loop import VirtualLoop
from lockstep.world.agenda import Agenda
from lockstep.world.api import Api, Object, pod_path
from lockstep.world.census import Census

#: Chooses the node of a pod, or None if none will do. It must not tell pods apart by their names.
Placement = Callable[[Object], str | None]


def nowhere(_: Object) -> None:
    """A placement that leaves every pod unschedulable."""


class Scheduler:
    """Pods of the default scheduler only. `delay`: seconds from when it sees a pod to when it binds it."""

    def __init__(self, loop: VirtualLoop, api: Api, census: Census) -> None:
        self.delay = 0.0
        self._place: Placement | None = None
        self._loop = loop
        self._api = api
        self._census = census
        self._agenda: Agenda[str] = Agenda(loop, self._schedule, lambda uid: uid in self._waiting)
        self._waiting: dict[str, Object] = {}
        self._unschedulable: dict[str, Object] = {}

    @property
    def place(self) -> Placement | None:
        """The function that chooses nodes; None: the default. Setting it retries all unschedulable pods."""
        return self._place

    @place.setter
    def place(self, place: Placement | None) -> None:
        self._place = place
        self.retry()

    def retry(self) -> None:
        """Retry all unschedulable pods."""
        for uid, pod in self._unschedulable.items():
            self._enqueue(uid, pod)
        self._unschedulable.clear()

    def observe(self, kind: str, pod: Object) -> None:
        """Handler of the pods' feed."""
        meta, spec = pod["metadata"], pod["spec"]
        uid = meta["uid"]
        if kind == "DELETED" or spec.get("nodeName") or "deletionTimestamp" in meta:
            self._waiting.pop(uid, None)
            self._unschedulable.pop(uid, None)
        elif spec.get("schedulingGates") or spec.get("schedulerName", "default-scheduler") != "default-scheduler":
            return
        elif uid not in self._waiting and uid not in self._unschedulable:
            self._enqueue(uid, pod)

    def observe_node(self, kind: str, node: Object) -> None:
        """Handler of the nodes' feed: a changed node may accept unschedulable pods."""
        self.retry()

    def next_due(self) -> int | None:
        """The instant of the next planned step, or None. Nothing is planned for unschedulable pods."""
        return self._agenda.next_due()

    def _enqueue(self, uid: str, pod: Object) -> None:
        self._waiting[uid] = pod
        self._agenda.add(self._loop.now + seconds(self.delay), uid)

    def _schedule(self, uids: list[str]) -> None:
        waiting = [(uid, self._waiting.pop(uid)) for uid in sorted(set(uids)) if uid in self._waiting]
        nodes = sorted(node["metadata"]["name"] for node in self._api.objects("nodes") if accepts_pods(node))
        queues: dict[str, _Nodes] = {}
        for uid, pod in waiting:
            if self._place is not None:
                node = self._place(pod)
            elif required := required_node(pod):
                node = required if required in nodes else None
            else:
                workload = self._census.workload(pod)
                if workload not in queues:
                    queues[workload] = _Nodes(nodes, workload, self._census)
                node = queues[workload].take()
            if node is None:
                self._give_up(uid, pod, len(self._api.objects("nodes")))
            else:
                self._bind(pod, node)

    def _bind(self, pod: Object, node: str) -> None:
        meta = pod["metadata"]
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": meta["name"], "namespace": meta["namespace"], "uid": meta["uid"]},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        }
        self._api.write("POST", pod_path(pod, "binding"), binding)

    def _give_up(self, uid: str, pod: Object, nodes: int) -> None:
        """Report the pod as unschedulable (handleSchedulingFailure), once."""
        self._unschedulable[uid] = pod
        meta = pod["metadata"]
        live = self._api.find("pods", meta["namespace"], meta["name"])
        if live is None or live["metadata"]["uid"] != uid:
            return
        others = [one for one in live["status"].get("conditions", ()) if one["type"] != "PodScheduled"]
        if len(others) != len(live["status"].get("conditions", ())):
            return
        condition = {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": f"0/{nodes} nodes are available",
            "lastTransitionTime": rfc3339(self._loop.now),
        }
        self._api.merge(pod_path(live, "status"), {"status": {"conditions": [*others, condition]}})


class _Nodes:
    """The nodes for one workload, fewest pods first; compared in detail only where several hold equally many."""

    def __init__(self, nodes: list[str], workload: str, census: Census) -> None:
        ranks = census.ranks(workload)
        self._heap = [(census.load(workload, node), ranks.get(node, -1), node) for node in nodes]
        heapq.heapify(self._heap)

    def take(self) -> str | None:
        """The node for the next pod, or None if there is no node at all."""
        if not self._heap:
            return None
        load, rank, node = self._heap[0]
        heapq.heapreplace(self._heap, (load + 1, rank, node))
        return node


def accepts_pods(node: Object) -> bool:
    """Whether pods without tolerations may be placed on a node."""
    spec = node.get("spec") or {}
    tainted = any(taint.get("effect") in ("NoSchedule", "NoExecute") for taint in spec.get("taints") or ())
    return not spec.get("unschedulable") and not tainted and "deletionTimestamp" not in node["metadata"]


def required_node(pod: Object) -> str:
    """The node that a pod requires, in the form in which the DaemonSet controller writes it; "": any node."""
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    for term in required.get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            if field["key"] == "metadata.name" and field["operator"] == "In":
                return str(field["values"][0])
    return ""
