"""What a request is about, from its method and path (upstream: apiserver/pkg/endpoints/request/requestinfo.go)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from lockstep.apiserver.routing import Place, parse_path

if TYPE_CHECKING:
    from lockstep.apiserver import Request

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "GET": "get"}


#: Groups whose paths name a metric, and a resource that the metric describes.
_METRIC_GROUPS = frozenset({"custom.metrics.k8s.io", "external.metrics.k8s.io"})


#: The first part of paths that lead to another server than the API server.
_PROMETHEUS = "/prometheus/"


class Target(NamedTuple):
    """`verb` as Kubernetes names it, `resource` as plural[.group]; outside the API groups everything else is empty.

    For a custom or external metric, `resource` is the API group, and `name` that of the metric. For a query to
    Prometheus, `resource` is `prometheus`, the verb `get` whatever the method, and `name` is `query` or `query_range`.
    """

    verb: str
    resource: str
    subresource: str
    namespace: str
    name: str


def target_of(request: Request) -> Target:
    """The target of a request. Never fails: fields that cannot be found stay empty."""
    return _target(request.method, request.path, request.query.get("watch") in ("true", "1"))


@lru_cache(maxsize=16384)
def _target(method: str, path: str, watch: bool) -> Target:
    verb = _VERBS.get(method, method.lower())
    if path.startswith(_PROMETHEUS):
        return Target("get", "prometheus", "", "", path.rpartition("/")[2])
    place = parse_path(path)
    if place is None:
        return Target(verb, "", "", "", "")
    if place.group in _METRIC_GROUPS:
        return Target(verb, place.group, "", place.namespace, _metric(place))
    if not place.name and verb == "get":
        verb = "watch" if watch else "list"
    elif not place.name and verb == "delete":
        verb = "deletecollection"
    resource = f"{place.plural}.{place.group}" if place.group else place.plural
    return Target(verb, resource, place.subresource, place.namespace, place.name)


def _metric(place: Place) -> str:
    """The metric that a path of a metrics API names: `RESOURCE/OBJECT/METRIC`, `metrics/METRIC` or `METRIC`."""
    return place.subresource or place.name or place.plural
