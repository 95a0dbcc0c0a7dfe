"""A server on a clock that the test moves."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import ApiServer, Reply, Request, Watch
from lockstep.time.clock import SECOND

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"


class Client:
    """Short spellings of requests to one server."""

    def __init__(self) -> None:
        self.now = 0
        self.server = ApiServer(lambda: self.now, seed=1)
        self.writes: list[Any] = []
        self.server.observers.append(self.writes.append)

    def advance(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        content_type: str = "application/json",
        as_of: int | None = None,
        **query: str,
    ) -> Reply:
        return self.server.handle(Request(method, path, query, body, content_type, "tester", as_of))

    def ok(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json", **query: str
    ) -> dict[str, Any]:
        reply = self.call(method, path, body, content_type, None, **query)
        assert reply.status < 300, reply.body
        assert reply.body is not None
        return reply.body

    def watch(self, path: str, as_of: int | None = None, **query: str) -> Watch:
        reply = self.call("GET", path, as_of=as_of, watch="true", **query)
        assert reply.watch is not None, reply.body
        return reply.watch


def drain(watch: Watch) -> list[tuple[str, str]]:
    """Types and names of the buffered events, which are taken out."""
    found = [(event.type, event.object.get("metadata", {}).get("name", "")) for event in watch.events]
    watch.events.clear()
    return found


def pod(name: str = "", **metadata: Any) -> dict[str, Any]:
    named = {"name": name} if name else {"generateName": "web-"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**named, "labels": {"app": "web"}, **metadata},
        "spec": {"containers": [{"name": "web", "image": "nginx"}]},
    }


def replica_set(name: str = "web", replicas: int | None = 2, **spec: Any) -> dict[str, Any]:
    body: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": "nginx"}]},
            },
        },
    }
    if replicas is not None:
        body["spec"]["replicas"] = replicas
    body["spec"].update(spec)
    return body


PODS = "/api/v1/namespaces/default/pods"
SETS = "/apis/apps/v1/namespaces/default/replicasets"
