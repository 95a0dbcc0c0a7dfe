"""The simulated world around the controllers under test: scheduler, kubelets, garbage collector, namespace controller.

All of them act through the API server, in world steps of the virtual loop, and learn of changes from ordinary watches.
They never treat two pods differently if a controller cannot tell them apart (see `canonical` and `lifecycle`).
"""

from __future__ import annotations

from functools import partial

from lockstep.apiserver import ApiServer
from lockstep.time.loop import VirtualLoop
from lockstep.world.api import Api, Object, WorldError
from lockstep.world.canonical import canonical_order, pick
from lockstep.world.census import Census
from lockstep.world.disruption import DisruptionController
from lockstep.world.feed import Feeds
from lockstep.world.garbage_collector import GarbageCollector
from lockstep.world.kubelet import Kubelet
from lockstep.world.lifecycle import Group, InTurn, Lifecycle, Lifecycles, Seeded
from lockstep.world.memory import MemoryWatch
from lockstep.world.namespaces import NamespaceController
from lockstep.world.node_monitor import NodeMonitor
from lockstep.world.nodes import Node, Nodes
from lockstep.world.owners import Owners
from lockstep.world.resizes import Resize
from lockstep.world.resources import Resources
from lockstep.world.scheduler import Scheduler, nowhere

__all__ = [
    "GarbageCollector",
    "Group",
    "InTurn",
    "Kubelet",
    "Lifecycle",
    "Lifecycles",
    "Node",
    "Resize",
    "Scheduler",
    "Seeded",
    "World",
    "WorldError",
    "canonical_order",
    "nowhere",
    "pick",
]


class World:
    """Everything that acts in the cluster besides the controllers under test.

    `nodes` nodes are created as node-1, node-2 ...; set `world.nodes["node-1"].skew` (seconds) before pods start there.
    """

    def __init__(self, loop: VirtualLoop, server: ApiServer, seed: int = 0, nodes: int = 3) -> None:
        self._loop = loop
        self.nodes = Nodes(loop)
        self._count = nodes
        self._api = Api(server, "world")
        self._census = Census(self._api)
        self.scheduler = Scheduler(loop, Api(server, "scheduler"), self._census)
        self.node_monitor = NodeMonitor(loop, Api(server, "node-lifecycle-controller"), self.nodes)
        self.kubelet = Kubelet(loop, Api(server, "kubelet"), self.nodes, self._census, self.node_monitor, seed)
        self._resources = Resources(self._api)
        self.garbage_collector = GarbageCollector(loop, Api(server, "garbage-collector"), self._resources)
        self.namespaces = NamespaceController(loop, Api(server, "namespace-controller"), self._resources)
        self._feeds = Feeds(loop, self._api)
        self.owners = Owners(loop, server, self._feeds)
        self.memory = MemoryWatch(loop, self._api, self.kubelet)
        self.disruption = DisruptionController(loop, server)
        self._followed: set[str] = set()

    def start(self) -> None:
        """Create the nodes and follow the cluster. Call it once, before anything else happens."""
        self.nodes.create(Api(self._api.server, "kubelet"), self._count)
        pods = (self._census.observe, self.scheduler.observe, self.kubelet.observe, self.memory.observe)
        self._feeds.listen("/api/v1/pods", *pods, self.disruption.observe_pod)
        self._feeds.listen("/api/v1/nodes", self.scheduler.observe_node)
        self._feeds.listen("/apis/policy/v1/poddisruptionbudgets", self.disruption.observe_budget)
        self._follow_resources()
        self._feeds.start()

    def next_due(self) -> int | None:
        """The instant of the next step that any actor has planned, or None."""
        if self._feeds.pending():
            return self._loop.now
        actors = (self.scheduler, self.kubelet, self.garbage_collector, self.namespaces, self.owners, self.disruption)
        return min((due for due in (actor.next_due() for actor in actors) if due is not None), default=None)

    def pending(self) -> bool:
        """Whether the world still has work that no scenario step triggers."""
        return self.next_due() is not None

    def _follow_resources(self) -> None:
        """Follow every kind that the cluster serves; again whenever a CustomResourceDefinition changes."""
        self._resources.refresh()
        found = {resource.path(): resource for resource in self._resources.all()}
        for path in sorted(self._followed - found.keys()):
            self._feeds.leave(path)
        new = [path for path in found if path not in self._followed]
        self._followed = set(found)
        for path in new:
            resource = found[path]
            collectors = (self.garbage_collector, self.namespaces)
            self._feeds.listen(path, *(partial(actor.observe, resource) for actor in collectors))
            if resource.kind == "CustomResourceDefinition":
                self._feeds.listen(path, self._observe_definition)

    def _observe_definition(self, kind: str, definition: Object) -> None:
        self._follow_resources()
