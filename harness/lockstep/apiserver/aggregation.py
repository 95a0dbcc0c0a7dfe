"""API groups that another server serves: the aggregation layer (kube-aggregator/pkg/apiserver).

The server owns neither their objects nor their discovery documents. It knows which groups there are, and passes on
requests for them. Unknown paths, and groups whose server is down, are answered in plain text; clients then make the
error message themselves: "the server could not find the requested resource (get pods.metrics.k8s.io)".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from lockstep.apiserver.messages import Reply, Request, TextReply
from lockstep.apiserver.routing import Place


class AggregatedApi(Protocol):
    """One API group behind the aggregation layer."""

    @property
    def versions(self) -> Sequence[str]:
        """The versions of the group, the preferred one first; not empty."""

    @property
    def available(self) -> bool:
        """Whether its server can be reached. If not, the group is still listed, and all its paths answer 503."""

    def resources(self, version: str) -> list[dict[str, Any]] | None:
        """The APIResource entries of a version, in order of their names; None if the server has no such version."""

    def serve(self, request: Request, place: Place) -> Reply:
        """Answer a request for something in the group. Raises ApiError if that is impossible."""


#: By name of the group.
AggregatedApis = Mapping[str, AggregatedApi]


def page_not_found() -> Reply:
    """The answer to a path that nothing serves (net/http.NotFound, the last handler of every API server)."""
    return TextReply(404, "404 page not found\n")


def service_unavailable() -> Reply:
    """The answer to a path whose server cannot be reached (kube-aggregator handler_proxy.go, proxyError)."""
    return TextReply(503, "service unavailable\n")


def resource_list(api: AggregatedApi, group: str, version: str) -> Reply:
    """The discovery document of one version of an aggregated group (`/apis/GROUP/VERSION`)."""
    if version not in api.versions:
        return page_not_found()
    if not api.available:
        return service_unavailable()
    entries = api.resources(version)
    if entries is None:
        return page_not_found()
    document = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": f"{group}/{version}"}
    return Reply(200, {**document, "resources": entries})


def serve(api: AggregatedApi, request: Request, place: Place) -> Reply:
    """Pass a request on to the server of its group."""
    if place.version not in api.versions:
        return page_not_found()
    if not api.available:
        return service_unavailable()
    return api.serve(request, place)
