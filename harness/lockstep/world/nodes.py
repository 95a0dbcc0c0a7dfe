"""The nodes of the simulated cluster: their names, and how far their clocks are off."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.time.clock import rfc3339, seconds
from lockstep.time.loop import VirtualLoop
from lockstep.world.api import Api, Object


@dataclass(slots=True)
class Node:
    """One node. `skew`: seconds by which its clock is ahead of the cluster's; its kubelet's timestamps show it.

    As long as all nodes have the same skew, a controller cannot tell apart pods that differ only by their node.
    """

    name: str
    skew: float = 0.0
    #: Its kubelet neither writes nor reacts; see `NodeMonitor`.
    lost: bool = False


class Nodes:
    """All nodes by name. A node that a scenario creates through the API gets an entry when it is first asked for."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._nodes: dict[str, Node] = {}

    def __getitem__(self, name: str) -> Node:
        node = self._nodes.get(name)
        if node is None:
            node = self._nodes[name] = Node(name)
        return node

    def wall_clock(self, node: Node) -> str:
        """What the clock of `node` shows, as it stands in timestamps."""
        return rfc3339(self._loop.now + seconds(node.skew))

    def create(self, api: Api, count: int) -> None:
        """Create the Node objects node-1, node-2 ..."""
        for number in range(1, count + 1):
            node = self[f"node-{number}"]
            reply = api.write("POST", "/api/v1/nodes", node_object(node.name, self.wall_clock(node)))
            if ((reply.body or {}).get("spec") or {}).get("taints"):  # a real server waits for the node to be ready
                api.merge(f"/api/v1/nodes/{node.name}", {"spec": {"taints": None}})


def node_object(name: str, now: str) -> Object:
    """A ready Node with room for everything (capacity is not simulated)."""
    resources = {"cpu": "64", "memory": "256Gi", "pods": "110"}
    condition = {
        "type": "Ready",
        "status": "True",
        "reason": "KubeletReady",
        "message": "kubelet is posting ready status",
        "lastHeartbeatTime": now,
        "lastTransitionTime": now,
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "spec": {},
        "status": {
            "capacity": resources,
            "allocatable": resources,
            "conditions": [condition],
            "addresses": [{"type": "Hostname", "address": name}],
        },
    }
