"""How fast the server is: creates and gets per second with tens of thousands of pods and one watcher."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from lockstep.apiserver.messages import Request
from lockstep.apiserver.server import ApiServer

_PODS = "/api/v1/namespaces/default/pods"


@dataclass(frozen=True, slots=True)
class Figures:
    """Requests per second of real time, each through `ApiServer.handle`."""

    pods: int
    creates_per_second: float
    gets_per_second: float
    lists_per_second: float


def pod(uid: str = "00000000-0000-4000-8000-0000000000ff") -> dict[str, Any]:
    """A pod as a ReplicaSet controller sends it."""
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {
            "generateName": "web-",
            "labels": {"app": "web", "tier": "front"},
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "ReplicaSet",
                    "name": "web",
                    "uid": uid,
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "containers": [
                {
                    "name": "web",
                    "image": "nginx:1.27",
                    "ports": [{"containerPort": 80}],
                    "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
                }
            ]
        },
    }


def measure(pods: int = 30_000) -> Figures:
    """Create, get and list `pods` pods while one watcher is attached."""
    server = ApiServer(lambda: 0)
    watch = server.handle(Request("GET", "/api/v1/pods", {"watch": "true"})).watch
    assert watch is not None
    bodies = [pod() for _ in range(pods)]
    start = time.perf_counter()
    names = []
    for body in bodies:
        reply = server.handle(Request("POST", _PODS, body=body, actor="replicaset-controller"))
        assert reply.body is not None
        assert reply.status == 201
        names.append(reply.body["metadata"]["name"])
    created = time.perf_counter()
    for name in names:
        server.handle(Request("GET", f"{_PODS}/{name}"))
    got = time.perf_counter()
    rounds = 5
    for _ in range(rounds):
        server.handle(Request("GET", _PODS)).raw()
    listed = time.perf_counter()
    return Figures(pods, pods / (created - start), pods / (got - created), rounds / (listed - got))
