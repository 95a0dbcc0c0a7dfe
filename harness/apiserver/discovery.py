"""Discovery: which groups, versions and resources there are (legacy documents; /version and health probes)."""

from __future__ import annotations

from typing import Any

from harness.apiserver import errors
from harness.apiserver.kinds import Kind
from harness.apiserver.messages import Reply, Request
from harness.apiserver.state import State

_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
_SUBRESOURCE_KINDS = {
    "scale": ("autoscaling", "v1", "Scale"),
    "binding": ("", "v1", "Binding"),
    "eviction": ("policy", "v1", "Eviction"),
}
_SUBRESOURCE_VERBS = {"binding": ["create"], "eviction": ["create"], "finalize": ["update"]}
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


def discover(state: State, request: Request) -> Reply:
    """Answer a path that is no resource. Raises ApiError 404 or 405."""
    parts = request.path.strip("/").split("/")
    path = "/" + "/".join(parts)
    document: dict[str, Any] | None = None
    if path == "/version":
        document = _VERSION
    elif path in _PROBES:
        document = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    elif path == "/api":
        document = {
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}],
        }
    elif path == "/apis":
        document = {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(*item) for item in _groups(state)]}
    elif parts[0] == "api" and len(parts) == 2:
        document = _resources(state, "", parts[1])
    elif parts[0] == "apis" and len(parts) == 2:
        found = [item for item in _groups(state) if item[0] == parts[1]]
        document = {"kind": "APIGroup", "apiVersion": "v1", **_group(*found[0])} if found else None
    elif parts[0] == "apis" and len(parts) == 3:
        document = _resources(state, parts[1], parts[2])
    if document is None:
        raise errors.unknown_path()
    if request.method != "GET":
        raise errors.method_not_allowed()
    return Reply(200, document)


def _groups(state: State) -> list[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for kind in state.registry:
        if kind.group and kind.version not in groups.setdefault(kind.group, []):
            groups[kind.group].append(kind.version)
    return sorted(groups.items())


def _group(name: str, versions: list[str]) -> dict[str, Any]:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _resources(state: State, group: str, version: str) -> dict[str, Any] | None:
    kinds = [kind for kind in state.registry if (kind.group, kind.version) == (group, version)]
    if not kinds:
        return None
    entries = [entry for kind in sorted(kinds, key=lambda kind: kind.plural) for entry in _entries(kind)]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": kinds[0].api_version, "resources": entries}


def _entries(kind: Kind) -> list[dict[str, Any]]:
    entry: dict[str, Any] = {
        "name": kind.plural,
        "singularName": kind.kind.lower(),
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": _VERBS,
    }
    if kind.short_names:
        entry["shortNames"] = list(kind.short_names)
    entries = [entry]
    for name in kind.subresources:
        sub: dict[str, Any] = {
            "name": f"{kind.plural}/{name}",
            "singularName": "",
            "namespaced": kind.namespaced,
            "kind": kind.kind,
            "verbs": _SUBRESOURCE_VERBS.get(name, ["get", "patch", "update"]),
        }
        if name in _SUBRESOURCE_KINDS:
            sub["group"], sub["version"], sub["kind"] = _SUBRESOURCE_KINDS[name]
        entries.append(sub)
    return entries
