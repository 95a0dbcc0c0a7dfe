"""Heartbeats of the simulated kubelets, for node lifecycle controllers and `kubectl describe node`.

A real kubelet renews a Lease in kube-node-lease every 10 s, and reports its version in its node's status. On a clock
that jumps, or is moved by hand, no client waits for either, so only the real clock has heartbeats.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import ApiServer, Request
from lockstep.time.clock import SECOND, rfc3339
from lockstep.time.loop import VirtualLoop
from lockstep.world import World

Object = dict[str, Any]
#: nodeLeaseDurationSeconds; a lease is renewed four times as often.
_DURATION = 40
_INTERVAL = 10.0
_LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
_MERGE = "application/merge-patch+json"
_SYSTEM = {
    "architecture": "amd64",
    "bootID": "",
    "containerRuntimeVersion": "simulated://1",
    "kernelVersion": "simulated",
    "kubeProxyVersion": "",
    "kubeletVersion": "v1.36.3",
    "machineID": "",
    "operatingSystem": "linux",
    "osImage": "Lockstep",
    "systemUUID": "",
}


class Heartbeats:
    """The heartbeats of all nodes."""

    def __init__(self, loop: VirtualLoop, server: ApiServer, world: World) -> None:
        self._loop = loop
        self._server = server
        self._world = world

    def start(self) -> None:
        """Report the version of each kubelet, then send heartbeats."""
        for node in self._server.objects("nodes"):
            self._send("PATCH", f"/api/v1/nodes/{node['metadata']['name']}/status", {"status": {"nodeInfo": _SYSTEM}})
        self._beat()

    def _beat(self) -> None:
        for node in self._server.objects("nodes"):
            name = node["metadata"]["name"]
            if not self._world.nodes[name].lost:
                self._renew(name, node["metadata"]["uid"])
        self._loop.world_after(_INTERVAL, self._beat)

    def _renew(self, name: str, uid: str) -> None:
        now = f"{rfc3339(self._loop.now)[:-1]}.{self._loop.now % SECOND // 1000:06d}Z"
        if self._server.find("leases.coordination.k8s.io", "kube-node-lease", name) is not None:
            self._send("PATCH", f"{_LEASES}/{name}", {"spec": {"renewTime": now}})
            return
        owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": uid}
        spec = {"holderIdentity": name, "leaseDurationSeconds": _DURATION, "renewTime": now}
        self._send("POST", _LEASES, {"metadata": {"name": name, "ownerReferences": [owner]}, "spec": spec})

    def _send(self, method: str, path: str, body: Object) -> None:
        """A refusal does no harm: the next heartbeat is a new attempt."""
        media = _MERGE if method == "PATCH" else "application/json"
        self._server.handle(Request(method, path, body=body, content_type=media, actor="kubelet"))
