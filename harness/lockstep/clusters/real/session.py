"""A session: one real cluster, and the scenarios that run there at the same time, each in its own tenant."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from lockstep.apiserver import ApiServer, Request
from lockstep.apiserver.kinds import Kind
from lockstep.clusters.real import webhook_names
from lockstep.clusters.real.connection import ClusterError, Connection
from lockstep.clusters.real.definitions import DEFINITIONS, PATH, Definitions
from lockstep.clusters.real.gateway import Gateways
from lockstep.clusters.real.hub import Hub
from lockstep.clusters.real.metrics_server import MetricsServer
from lockstep.clusters.real.remote import RemoteServer
from lockstep.clusters.real.starts import Starts
from lockstep.clusters.real.tenant import Tenant, prefix_of
from lockstep.clusters.real.webhook_names import WEBHOOKS, Door
from lockstep.clusters.real.webhook_server import WebhookServer
from lockstep.objects import replica_set

#: Threads that send requests for all tenants.
_WORKERS = 64
#: Namespaces that every cluster has, and so every tenant.
_NAMESPACES = ("default", "kube-system")
#: Cluster-scoped kinds whose objects may belong to a tenant.
_SCOPES = frozenset({"nodes", "namespaces"}) | webhook_names.RESOURCES
#: The name of the VPA's MutatingWebhookConfiguration.
_VPA_WEBHOOK = "vpa-webhook-config"
_AT_ONCE = orjson.dumps({"gracePeriodSeconds": 0})
#: Seconds: for the cluster's own controllers to act, and between two checks of that.
_PATIENCE, _PROBE, _GLANCE = 30.0, 10.0, 0.05


class RealSession:
    """Context manager around a running cluster.

    `accounts`: whether a namespace needs its ServiceAccount before pods can be created in it, as in a complete cluster.
    `reach`: the address on which the cluster can reach a server of ours, and its name there; None if it cannot, or if
    it has metrics of its own. Then the network answers the metrics APIs.
    """

    def __init__(
        self, kubeconfig: Path, context: str = "", *, accounts: bool = False, reach: tuple[str, str] | None = None
    ) -> None:
        self.connection = Connection(kubeconfig, context)
        self._definitions = Definitions(self.connection)
        self._accounts = accounts
        self.gateways = Gateways()
        self.metrics = MetricsServer(self.gateways.loop, *reach) if reach is not None else None
        self.webhooks = WebhookServer(self.gateways.loop, reach[0]) if reach is not None else None
        self.workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="lockstep-request")
        self._hub = Hub(self.connection, _kinds())
        #: Tenants of several sessions on one cluster must not share a prefix.
        self._numbers = itertools.count((os.getpid() << 12) & 0xFFFFFF)
        self._lock = threading.Lock()
        #: Held while controllers start.
        self.starts = Starts()
        #: Whether the cluster runs its own VPA.
        self.has_vpa = False

    def __enter__(self) -> Self:
        """Look at the cluster. Raises ClusterError if it cannot be used."""
        try:
            self._definitions.bring()
            self.has_vpa = any(one["metadata"]["name"] == _VPA_WEBHOOK for one in self._list(WEBHOOKS))
            self._hub.start()
            if self.metrics is not None:
                self.metrics.start(self.connection)
            if self.webhooks is not None:
                self.webhooks.start(self.connection)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def _end(self) -> None:
        self._hub.stop()
        self.workers.shutdown(wait=True)
        if self.metrics is not None:
            self.metrics.stop()
        if self.webhooks is not None:
            self.webhooks.stop()
        self._definitions.remove()
        self.gateways.close()
        self.connection.close()

    def tenant(self) -> Tenant:
        """A new tenant."""
        with self._lock:
            return Tenant(prefix_of(next(self._numbers)), self.door)

    @property
    def door(self) -> Door | None:
        """Where the cluster calls webhooks of tenants; None if it cannot call any."""
        return self.webhooks.door if self.webhooks is not None else None

    def join(self, server: RemoteServer) -> None:
        """Add a tenant: create its namespaces, and send it its events."""
        self._hub.join(server.tenant.prefix, server)
        if self.metrics is not None:
            self.metrics.join(server.tenant.prefix, server)
        if self.webhooks is not None:
            self.webhooks.join(server.tenant.prefix, server)
        if self._accounts:
            server.furnish = self._wait_for_account
        for name in _NAMESPACES:
            namespace = server.tenant.prefix + name
            self._post("/api/v1/namespaces", {"metadata": {"name": namespace}})
            server.furnish(namespace)

    def leave(self, server: RemoteServer) -> None:
        """Remove a tenant with its namespaces, nodes and webhooks."""
        self._hub.leave(server.tenant.prefix)
        if self.metrics is not None:
            self.metrics.leave(server.tenant.prefix)
        if self.webhooks is not None:
            self.webhooks.leave(server.tenant.prefix)
        server.end()
        self.workers.submit(self._remove, server.tenant.prefix, server.holdings())

    def lose(self, reason: str) -> None:
        """Any thread: the cluster is gone, or the runs are abandoned. All runs, including later ones, end with this
        reason.
        """
        self._hub.lose(reason)
        self.starts.hurry()

    def _remove(self, prefix: str, holdings: Sequence[str] = ()) -> None:
        """Delete all that a tenant has at once: its pods have no kubelet that would end them, and would stay in all
        lists.
        """
        for path in holdings:
            if not path.endswith("/events"):  # there are many events, and no one lists them all
                with suppress(ConnectionError):
                    self.connection.request("DELETE", path, {}, _AT_ONCE)
        for path in (WEBHOOKS, "/api/v1/nodes", "/api/v1/namespaces"):
            for one in self._list(path):
                name = one["metadata"]["name"]
                if name.startswith(prefix):
                    with suppress(ConnectionError):  # the cluster is gone, and they with it
                        self.connection.request("DELETE", f"{path}/{name}", {})

    def refuse_rivals(self) -> None:
        """Raise ClusterError if the cluster's own controllers do the work of those under test.

        A ReplicaSet with 0 replicas shows it: its controller writes a status at once.
        """
        tenant = self.tenant()
        namespace = f"{tenant.prefix}probe"
        self._post("/api/v1/namespaces", {"metadata": {"name": namespace}})
        path = f"/apis/apps/v1/namespaces/{namespace}/replicasets"
        try:
            self._post(path, {**replica_set("probe", 0), "metadata": {"name": "probe"}})
            deadline = time.monotonic() + _PROBE
            while time.monotonic() < deadline:
                found = self._list(path)
                if found and (found[0].get("status") or {}).get("observedGeneration"):
                    raise ClusterError(
                        f"the cluster at {self.connection.host} runs a ReplicaSet controller of its own, which would "
                        "do the work of the one under test; end it (kube-controller-manager --controllers=*,"
                        "-replicaset-controller,-horizontal-pod-autoscaler-controller), or use --environment kind"
                    )
                time.sleep(_GLANCE)
        finally:
            self._remove(tenant.prefix)

    def _wait_for_account(self, namespace: str) -> None:
        """Wait until pods can be created; those of scenarios need no token."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
        deadline = time.monotonic() + _PATIENCE
        patch = orjson.dumps({"automountServiceAccountToken": False})
        while True:
            answer = self.connection.request("PATCH", path, {}, patch, "application/merge-patch+json")
            if answer.status == 200:
                return
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"namespace {namespace} has no ServiceAccount after {_PATIENCE:g} s: does the cluster run its "
                    "serviceaccount controller?"
                )
            time.sleep(_GLANCE)

    def _list(self, path: str) -> list[dict[str, Any]]:
        try:
            answer = self.connection.request("GET", path, {})
        except ConnectionError:
            return []
        items: list[dict[str, Any]] = orjson.loads(answer.body).get("items", []) if answer.status == 200 else []
        return items

    def _post(self, path: str, body: object) -> None:
        answer = self.connection.ask("POST", path, body=body)
        if answer.status >= 400 and answer.status != 409:
            raise ClusterError(f"{self.connection.host} refused to create {path}: {answer.words}")


def _kinds() -> list[Kind]:
    """The kinds that tenants use, each in its storage version."""
    server = ApiServer(lambda: 0)
    for definition in DEFINITIONS:
        server.handle(Request("POST", PATH, body=definition))
    kinds = {kind.collection: server.state.registry.of_resource(kind.collection) for kind in server.state.registry}
    return [kind for kind in kinds.values() if kind is not None and (kind.namespaced or kind.plural in _SCOPES)]
