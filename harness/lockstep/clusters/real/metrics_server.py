"""The metrics APIs of all tenants, as one server behind the cluster's API aggregation.

APIService objects make kube-apiserver forward requests for these groups to us. The namespace in a request's path names
the tenant, which answers from its own load models, as in memory.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Protocol

import orjson
from aiohttp import web

from lockstep.apiserver import Reply, Request
from lockstep.apiserver.routing import parse_path
from lockstep.clusters.real.connection import ClusterError, Connection
from lockstep.clusters.real.tenant import owner_of
from lockstep.clusters.real.tenant_server import TenantServer
from lockstep.clusters.real.trust import Trust

_NAMESPACE, _SERVICE = "lockstep-metrics", "metrics"
_VERSIONS = (
    ("metrics.k8s.io", "v1beta1"),
    ("custom.metrics.k8s.io", "v1beta1"),
    ("custom.metrics.k8s.io", "v1beta2"),
    ("external.metrics.k8s.io", "v1beta1"),
)
#: Seconds until kube-apiserver must reach us, and between two checks of that.
_PATIENCE, _GLANCE = 60.0, 0.1
#: Seconds for a tenant to answer.
_ANSWER = 30.0


class Measured(Protocol):
    """A tenant, as this server sees it."""

    def measure(self, request: Request, answer: Callable[[Reply], None]) -> None:
        """Any thread: answer a request to a metrics API; `answer` is called on the tenant's thread."""


class MetricsServer(TenantServer[Measured]):
    """Listens on `host`, which the cluster reaches as `seen_as`. `loop` is that of the thread on which it serves."""

    def __init__(self, loop: asyncio.AbstractEventLoop, host: str, seen_as: str) -> None:
        super().__init__(loop, host)
        self._seen_as = seen_as
        self._trust = Trust(f"{_SERVICE}.{_NAMESPACE}.svc")  # the name under which kube-apiserver calls us

    def start(self, connection: Connection) -> None:
        """Serve, and have the cluster pass requests on. Raises ClusterError if it does not."""
        port = self._listen(web.Application(), "GET", self._handle, self._trust)
        _apply(connection, "/api/v1/namespaces", _object("v1", "Namespace", _NAMESPACE))
        service = {"type": "ExternalName", "externalName": self._seen_as, "ports": [{"port": port}]}
        services = f"/api/v1/namespaces/{_NAMESPACE}/services"
        _apply(connection, services, _object("v1", "Service", _SERVICE, service))
        for group, version in _VERSIONS:
            spec = {
                "group": group,
                "version": version,
                "groupPriorityMinimum": 100,
                "versionPriority": 100,
                "service": {"namespace": _NAMESPACE, "name": _SERVICE, "port": port},
                "caBundle": self._trust.bundle,
            }
            one = _object("apiregistration.k8s.io/v1", "APIService", f"{version}.{group}", spec)
            _apply(connection, "/apis/apiregistration.k8s.io/v1/apiservices", one)
        _wait_until_found(connection)

    async def _handle(self, http: web.Request) -> web.Response:
        place = parse_path(http.path)
        prefix = owner_of(place.namespace) if place is not None else ""
        tenant = self._tenants.get(prefix)
        if tenant is None:
            return _json(200, {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "", "resources": []})
        request = Request("GET", http.path.replace(prefix, ""), dict(http.query))
        reply: Reply = await self._answered(lambda answer: tenant.measure(request, answer), _ANSWER)
        return web.Response(status=reply.status, body=reply.raw(), headers=dict(reply.headers))


def _json(status: int, body: Any) -> web.Response:
    return web.Response(status=status, body=orjson.dumps(body), content_type="application/json")


def _object(api_version: str, kind: str, name: str, spec: Any = None) -> dict[str, Any]:
    one = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}
    return one | ({"spec": spec} if spec is not None else {})


def _apply(connection: Connection, collection: str, one: dict[str, Any]) -> None:
    path, query = f"{collection}/{one['metadata']['name']}", {"fieldManager": "lockstep", "force": "true"}
    answer = connection.request("PATCH", path, query, orjson.dumps(one), "application/apply-patch+yaml")
    if answer.status >= 400:
        raise ClusterError(f"{connection.host} refuses {path}: {answer.words}")


def _wait_until_found(connection: Connection) -> None:
    deadline = time.monotonic() + _PATIENCE
    for group, version in _VERSIONS:
        while (found := connection.request("GET", f"/apis/{group}/{version}", {})).status != 200:
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"{connection.host} does not reach our metrics API {group}/{version}: {found.status}"
                )
            time.sleep(_GLANCE)
