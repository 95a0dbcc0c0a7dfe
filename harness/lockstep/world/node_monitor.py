"""Lost nodes: what the node lifecycle controller does when a kubelet falls silent.

After the grace period it marks the node's Ready condition Unknown, taints the node, and marks its pods not ready
(upstream: pkg/controller/nodelifecycle, MarkPodsNotReady). Evicting the pods later is not simulated.
"""

from __future__ import annotations

from lockstep.time.clock import rfc3339, seconds
from lockstep.time.loop import VirtualLoop
from lockstep.wire.pods import is_ready
from lockstep.world.agenda import Agenda
from lockstep.world.api import Api, Object, pod_path
from lockstep.world.nodes import Nodes

_TAINT = {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}


class NodeMonitor:
    """Acts as the node lifecycle controller. `grace`: seconds without a heartbeat (--node-monitor-grace-period)."""

    def __init__(self, loop: VirtualLoop, api: Api, nodes: Nodes) -> None:
        self.grace = 50.0
        self._loop = loop
        self._api = api
        self._nodes = nodes
        self._agenda: Agenda[str] = Agenda(loop, self._mark_unreachable, lambda name: nodes[name].lost)

    def lose(self, name: str) -> None:
        """The kubelet of the node falls silent now."""
        if not self._nodes[name].lost:
            self._nodes[name].lost = True
            self._agenda.add(self._loop.now + seconds(self.grace), name)

    def recover(self, name: str) -> None:
        """The kubelet reports again. Has no effect if the node is not lost."""
        if self._nodes[name].lost:
            self._nodes[name].lost = False
            self._set_ready(name, "True", "KubeletReady", "kubelet is posting ready status", taints=[])

    def next_due(self) -> int | None:
        """The instant of the next planned step, or None."""
        return self._agenda.next_due()

    def _mark_unreachable(self, names: list[str]) -> None:
        for name in names:
            if self._nodes[name].lost:
                message = "Kubelet stopped posting node status."
                self._set_ready(name, "Unknown", "NodeStatusUnknown", message, taints=[_TAINT])
        for pod in sorted(self._api.objects("pods"), key=lambda one: str(one["metadata"]["uid"])):
            if pod["spec"].get("nodeName") in names and self._nodes[pod["spec"]["nodeName"]].lost:
                self._mark_pod(pod)

    def _set_ready(self, name: str, status: str, reason: str, message: str, taints: list[Object]) -> None:
        node = self._api.find("nodes", "", name)
        if node is None:
            return
        before: Object = next((one for one in node["status"]["conditions"] if one["type"] == "Ready"), {})
        if before.get("status") == status:
            return
        ready = {**before, "type": "Ready", "status": status, "reason": reason, "message": message}
        ready["lastTransitionTime"] = rfc3339(self._loop.now)
        others = [one for one in node["status"]["conditions"] if one["type"] != "Ready"]
        self._api.merge(f"/api/v1/nodes/{name}/status", {"status": {"conditions": [*others, ready]}})
        kept = [one for one in node["spec"].get("taints") or () if one["key"] != _TAINT["key"]]
        self._api.merge(f"/api/v1/nodes/{name}", {"spec": {"taints": [*kept, *taints]}})

    def _mark_pod(self, pod: Object) -> None:
        if is_ready(pod):
            now = rfc3339(self._loop.now)
            changed = [
                {**one, "status": "False", "lastTransitionTime": now} if one["type"] == "Ready" else one
                for one in pod["status"]["conditions"]
            ]
            self._api.merge(pod_path(pod, "status"), {"status": {"conditions": changed}})
