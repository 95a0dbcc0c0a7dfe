"""What a request is about, read off its method and path (upstream: apiserver/pkg/endpoints/request/requestinfo.go)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.apiserver import Request

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "GET": "get"}


@dataclass(frozen=True, slots=True)
class Target:
    """`verb` as Kubernetes names it, `resource` as plural[.group]; for paths outside the API groups all else is empty."""

    verb: str
    resource: str
    subresource: str
    namespace: str
    name: str


def target_of(request: Request) -> Target:
    """The target of a request. Never fails: what cannot be read stays empty."""
    parts = request.path.strip("/").split("/")
    verb = _VERBS.get(request.method, request.method.lower())
    if parts[0] == "api" and len(parts) > 2:
        group, rest = "", parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, rest = parts[1], parts[3:]
    else:
        return Target(verb, "", "", "", "")
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    name = rest[1] if len(rest) > 1 else ""
    if not name and verb == "get":
        verb = "watch" if request.query.get("watch") in ("true", "1") else "list"
    elif not name and verb == "delete":
        verb = "deletecollection"
    resource = f"{rest[0]}.{group}" if group else rest[0]
    return Target(verb, resource, "/".join(rest[2:]), namespace, name)
