"""A session: one real cluster, and the scenarios that run there at the same time, each a tenant of its own."""

from __future__ import annotations

import itertools
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

import orjson

from harness.apiserver import ApiServer, Request
from harness.apiserver.kinds import Kind
from harness.definitions import definitions_for
from harness.ground.connection import Connection, GroundError
from harness.ground.hub import Hub
from harness.ground.remote import RemoteServer
from harness.ground.tenant import Tenant, prefix_of
from harness.implementations import GROUPS

#: Threads that send requests for all tenants.
_WORKERS = 64
#: Namespaces that every cluster has, and so every tenant.
_NAMESPACES = ("default", "kube-system")
#: Cluster-scoped kinds whose objects can belong to a tenant.
_SCOPES = frozenset({"nodes", "namespaces"})
_DEFINITIONS = definitions_for(GROUPS["vpa"])
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class GroundSession:
    """Context manager around a cluster that is running already."""

    def __init__(self, kubeconfig: Path, context: str = "") -> None:
        self.connection = Connection(kubeconfig, context)
        self.workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="lockstep-request")
        self._hub = Hub(self.connection, _kinds())
        #: Tenants of several sessions on one cluster must not meet.
        self._numbers = itertools.count((os.getpid() << 12) & 0xFFFFFF)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Look at the cluster. Raises GroundError if it cannot be used."""
        self._define()
        self._hub.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._hub.stop()
        self.workers.shutdown(wait=False, cancel_futures=True)
        self.connection.close()

    def tenant(self) -> Tenant:
        """A new tenant."""
        with self._lock:
            return Tenant(prefix_of(next(self._numbers)))

    def join(self, server: RemoteServer) -> None:
        """A tenant moves in: it gets its namespaces, and hears of what happens."""
        self._hub.join(server.tenant.prefix, server)
        for name in _NAMESPACES:
            self._post("/api/v1/namespaces", {"metadata": {"name": server.tenant.prefix + name}})

    def leave(self, server: RemoteServer) -> None:
        """A tenant moves out, and takes its namespaces and nodes with it."""
        self._hub.leave(server.tenant.prefix)
        server.end()

    def _define(self) -> None:
        """Custom resources that controllers under test need."""
        for definition in _DEFINITIONS:
            self._post(DEFINITIONS, definition)

    def _post(self, path: str, body: object) -> None:
        try:
            answer = self.connection.request("POST", path, {}, orjson.dumps(body))
        except ConnectionError as broken:
            raise GroundError(f"the API server at {self.connection.host} does not answer: {broken}") from None
        if answer.status >= 400 and answer.status != 409:
            message = orjson.loads(answer.body).get("message", "") if "json" in answer.media else answer.body.decode()
            raise GroundError(f"{self.connection.host} refused to create {path}: {answer.status} {message}")


def _kinds() -> list[Kind]:
    """The kinds that tenants use, each in the version in which it is stored."""
    server = ApiServer(lambda: 0)
    for definition in _DEFINITIONS:
        server.handle(Request("POST", DEFINITIONS, body=definition))
    kinds = {kind.collection: server.state.registry.of_resource(kind.collection) for kind in server.state.registry}
    return [kind for kind in kinds.values() if kind is not None and (kind.namespaced or kind.plural in _SCOPES)]
