"""A tiny API server for pods and ReplicaSets: just enough for the real ReplicaSet controller to work against.

The tests of the bridge need a server whose every move they can follow; what a cluster does is tested elsewhere.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from lockstep.implementations.upstream.driver import Answer
from lockstep.implementations.upstream.traffic import ApiRequest
from lockstep.time.clock import rfc3339
from lockstep.time.loop import VirtualLoop

Object = dict[str, Any]
_KINDS = {"pods": "Pod", "replicasets": "ReplicaSet", "events": "Event"}


@dataclass
class ToyEvent:
    type: str
    object: Object

    def raw(self) -> bytes:
        return orjson.dumps({"type": self.type, "object": self.object})


@dataclass(eq=False)
class ToyWatch:
    resource: str
    events: deque[ToyEvent] = field(default_factory=deque)
    on_event: Callable[[], None] | None = None
    closed: bool = False
    stopped: bool = False
    broken: str = ""

    def push(self, event: ToyEvent) -> None:
        self.events.append(event)
        self.tell()

    def tell(self) -> None:
        if self.on_event is not None:
            self.on_event()

    def end(self, broken: str = "") -> None:
        self.closed, self.broken = True, broken
        self.tell()

    def take(self) -> list[ToyEvent]:
        taken = [*self.events]
        self.events.clear()
        return taken

    def stop(self) -> None:
        self.stopped = True


@dataclass
class ToyReply:
    status: int
    body: Object | None = None
    watch: ToyWatch | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def raw(self) -> bytes:
        return b"" if self.body is None else orjson.dumps(self.body)


def status(code: int, reason: str) -> Object:
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "reason": reason,
        "code": code,
        "message": reason,
    }


def _pass(_: ApiRequest, __: Answer) -> bool:
    return False


class ToyServer:
    """Implements `RequestSink`. `before` may answer a request in the server's stead: it then returns True."""

    def __init__(self, loop: VirtualLoop) -> None:
        self.loop = loop
        self.version = 0
        self.names = 0
        self.stored: dict[tuple[str, str], Object] = {}
        self.watches: list[ToyWatch] = []
        self.log: list[tuple[int, str, str]] = []
        self.before: Callable[[ApiRequest, Answer], bool] = _pass

    def writes(self) -> list[tuple[int, str, str]]:
        """The writes so far, in order, without events."""
        return [entry for entry in self.log if entry[1] != "GET" and not entry[2].endswith("/events")]

    def serve(self, request: ApiRequest, answer: Answer) -> None:
        self.log.append((self.loop.now, request.method, request.path))
        if not self.before(request, answer):
            answer.reply(self.handle(request))

    def handle(self, request: ApiRequest) -> ToyReply:
        resource, name, subresource = _target(request.path)
        if request.method == "POST":
            return ToyReply(201, self.create(resource, request.body))
        if request.method == "GET" and not name:
            return self._watch(resource, request.query) if "watch" in request.query else self._list(resource)
        stored = self.stored.get((resource, name))
        if stored is None:
            return ToyReply(404, status(404, "NotFound"))
        if request.method == "DELETE":
            return ToyReply(200, self.delete(resource, name))
        if request.method == "PUT" and subresource == "status":
            return ToyReply(200, self.put(resource, {**stored, "status": request.body["status"]}))
        return ToyReply(200, stored)

    def create(self, resource: str, body: Object) -> Object:
        self.names += 1
        metadata = dict(body["metadata"])
        metadata.setdefault("name", f"{metadata.get('generateName', '')}{self.names:05d}")
        metadata.update(
            uid=f"uid-{self.names}", namespace="default", creationTimestamp=rfc3339(self.loop.now), generation=1
        )
        return self.put(resource, {**body, "metadata": metadata}, "ADDED")

    def put(self, resource: str, body: Object, kind: str = "MODIFIED") -> Object:
        self.version += 1
        api_version = "apps/v1" if resource == "replicasets" else "v1"
        metadata = {**body["metadata"], "resourceVersion": str(self.version)}
        stored = {**body, "apiVersion": api_version, "kind": _KINDS[resource], "metadata": metadata}
        self.stored[resource, metadata["name"]] = stored
        self._emit(resource, ToyEvent(kind, stored))
        return stored

    def delete(self, resource: str, name: str) -> Object:
        self.version += 1
        stored = self.stored.pop((resource, name))
        gone = {**stored, "metadata": {**stored["metadata"], "resourceVersion": str(self.version)}}
        self._emit(resource, ToyEvent("DELETED", gone))
        return gone

    def of(self, resource: str) -> list[Object]:
        return [stored for (kind, _), stored in self.stored.items() if kind == resource]

    def open_watches(self) -> list[ToyWatch]:
        return [watch for watch in self.watches if not watch.stopped]

    def _emit(self, resource: str, event: ToyEvent) -> None:
        for watch in self.watches:
            if watch.resource == resource and not watch.stopped and not watch.closed:
                watch.push(event)

    def _list(self, resource: str) -> ToyReply:
        meta = {"resourceVersion": str(self.version)}
        kind, api_version = f"{_KINDS[resource]}List", "apps/v1" if resource == "replicasets" else "v1"
        return ToyReply(200, {"kind": kind, "apiVersion": api_version, "metadata": meta, "items": self.of(resource)})

    def _watch(self, resource: str, query: Mapping[str, str]) -> ToyReply:
        watch = ToyWatch(resource)
        if "sendInitialEvents" in query:
            watch.events.extend(ToyEvent("ADDED", stored) for stored in self.of(resource))
            annotations = {"k8s.io/initial-events-end": "true"}
            metadata = {"resourceVersion": str(self.version), "annotations": annotations}
            api_version = "apps/v1" if resource == "replicasets" else "v1"
            bookmark = {"kind": _KINDS[resource], "apiVersion": api_version, "metadata": metadata}
            watch.events.append(ToyEvent("BOOKMARK", bookmark))
        self.watches.append(watch)
        return ToyReply(200, watch=watch)


def _target(path: str) -> tuple[str, str, str]:
    parts = path.strip("/").split("/")
    rest = parts[2:] if parts[0] == "api" else parts[3:]
    if rest[0] == "namespaces":
        rest = rest[2:]
    resource, name, subresource = (*rest, "", "")[:3]
    return resource, name, subresource


def replica_set(replicas: int, name: str = "web") -> Object:
    labels = {"app": name}
    container = {"name": "main", "image": "image"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"metadata": {"name": name}, "spec": spec}
