"""From a path to the resource it names (apiserver/pkg/endpoints/request/requestinfo.go), and back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lockstep.apiserver.kinds import Kind


@dataclass(frozen=True, slots=True)
class Place:
    """The target of a path; the plural is "" for paths that do not name a resource."""

    group: str
    version: str
    namespace: str
    plural: str
    name: str
    subresource: str
    #: The path names a namespace, so the kind must be a namespaced one.
    in_namespace: bool


@lru_cache(maxsize=16384)
def parse_path(path: str) -> Place | None:
    """The place that a path names, or None unless it is a resource path."""
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) >= 3:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) >= 4:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    namespace, in_namespace = "", False
    if len(rest) > 2 and rest[0] == "namespaces" and not (len(rest) == 3 and rest[2] in ("status", "finalize")):
        namespace, rest, in_namespace = rest[1], rest[2:], True
    if len(rest) > 3 or "" in rest:
        return None
    padded = [*rest, "", ""]
    return Place(group, version, namespace, padded[0], padded[1], padded[2], in_namespace)


def path_to(kind: Kind, namespace: str = "", name: str = "") -> str:
    """The path of a kind's objects in all namespaces, of those in one, or of one object."""
    root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
    scope = f"/namespaces/{namespace}" if kind.namespaced and namespace else ""
    path = f"{root}{scope}/{kind.plural}"
    return f"{path}/{name}" if name else path
