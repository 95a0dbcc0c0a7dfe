"""Discovery: which groups, versions and resources there are (also /version and health probes).

A client that accepts aggregated discovery gets everything in two documents, /api and /apis; any other gets one document
for each group and version (apiserver/pkg/endpoints/discovery, kube-aggregator/pkg/apiserver/handler_apis.go).
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.aggregation import resource_list
from lockstep.apiserver.discovery import entries
from lockstep.apiserver.discovery.aggregated import aggregated_document, wants_aggregated
from lockstep.apiserver.messages import Reply, Request, TextReply
from lockstep.apiserver.state import State

_VERSION = {
    "major": "1",
    "minor": "36",
    "gitVersion": "v1.36.3",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "2000-01-01T00:00:00Z",
    "goVersion": "",
    "compiler": "",
    "platform": "linux/amd64",
}
_PROBES = frozenset({"/healthz", "/livez", "/readyz"})
_CORE = {
    "kind": "APIVersions",
    "versions": ["v1"],
    "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}],
}
_PLAIN: dict[str, dict[str, Any]] = {
    "/version": _VERSION,
    "/api": _CORE,
}


def discover(state: State, request: Request) -> Reply:
    """Answer a path that is not a resource. Raises ApiError 404 or 405."""
    parts = request.path.strip("/").split("/")
    if parts in (["api"], ["apis"]) and request.method == "GET" and wants_aggregated(request.accept):
        return aggregated_document(state, parts[0])
    if parts[0] == "apis" and len(parts) == 3 and parts[1] in state.aggregated:
        return resource_list(state.aggregated[parts[1]], parts[1], parts[2])
    if request.path in _PROBES and request.method == "GET":
        return TextReply(200, "ok")
    document = _document(state, parts)
    if document is None:
        raise errors.unknown_path()
    if request.method != "GET":
        raise errors.method_not_allowed()
    return Reply(200, document)


def _document(state: State, parts: list[str]) -> dict[str, Any] | None:
    plain = _PLAIN.get("/" + "/".join(parts))
    if plain is not None:
        return plain
    if parts == ["apis"]:
        groups = [_group(*item) for item in _groups(state)]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
    if parts[0] == "api" and len(parts) == 2:
        return _resources(state, "", parts[1])
    if parts[0] == "apis" and len(parts) == 2:
        found = next((item for item in _groups(state) if item[0] == parts[1]), None)
        return None if found is None else {"kind": "APIGroup", "apiVersion": "v1", **_group(*found)}
    if parts[0] == "apis" and len(parts) == 3:
        return _resources(state, parts[1], parts[2])
    return None


def _groups(state: State) -> list[tuple[str, list[str]]]:
    """Every group but the core one, with its versions; those of other servers, available or not, come last."""
    mine = [item for item in entries.groups(state.registry) if item[0]]
    return [*mine, *((name, list(api.versions)) for name, api in sorted(state.aggregated.items()))]


def _group(name: str, versions: list[str]) -> dict[str, Any]:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _resources(state: State, group: str, version: str) -> dict[str, Any] | None:
    found = entries.resources(state.registry, group, version)
    if not found:
        return None
    name = f"{group}/{version}" if group else version
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": name, "resources": found}
