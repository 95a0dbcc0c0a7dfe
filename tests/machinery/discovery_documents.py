"""Discovery documents, legacy and aggregated, of one small server."""

from __future__ import annotations

from typing import Any

from lockstep_reference.machinery.transport import Response
from tests.machinery.fake_server import status

Kinds = dict[str, str]
#: group/version -> resource -> kind; `resource/scale` names the kind of Scale as group/version.
Served = dict[str, dict[str, str]]

SERVED: Served = {
    "v1": {"pods": "Pod", "replicationcontrollers": "ReplicationController"},
    "apps/v1": {"deployments": "Deployment", "deployments/scale": "autoscaling/v1", "replicasets": "ReplicaSet"},
    "example.com/v2": {"widgets": "Widget", "widgets/scale": "apps/v1beta2"},
    "example.com/v1": {"widgets": "Widget", "gadgets": "Gadget"},
}


def answers(served: Served, *, aggregated: bool) -> dict[str, Any]:
    """Documents by path. Legacy discovery prefers the version that it names last."""
    documents = {_path(key): _resource_list(key, resources) for key, resources in served.items()}
    return {**documents, **(_aggregated(served) if aggregated else _legacy(served))}


def script(documents: dict[str, Any]) -> Any:
    """Answers from these documents; the 404 of everything else is left to the server."""

    def answer(method: str, path: str, _query: Any, _body: Any) -> Response | Exception | None:
        found = documents.get(path)
        if isinstance(found, (Response, Exception)):
            return found
        if found is not None:
            return Response(200, found)
        return status(404, "NotFound", "the server could not find the requested resource")

    return answer


def _path(group_version: str) -> str:
    return f"/apis/{group_version}" if "/" in group_version else f"/api/{group_version}"


def _groups(served: Served) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for key in served:
        group, _, version = key.rpartition("/")
        groups.setdefault(group, []).append(version)
    return groups


def _resource_list(key: str, resources: Kinds) -> dict[str, Any]:
    entries = []
    for name, kind in resources.items():
        group, _, version = kind.rpartition("/")
        scale = {"group": group, "version": version, "kind": "Scale"}
        entries.append({"name": name, "singularName": "", **(scale if "/" in name else {"kind": kind})})
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": key, "resources": entries}


def _legacy(served: Served) -> dict[str, Any]:
    groups = [
        {
            "name": group,
            "versions": [{"groupVersion": f"{group}/{version}", "version": version} for version in versions],
            "preferredVersion": {"groupVersion": f"{group}/{versions[-1]}", "version": versions[-1]},
        }
        for group, versions in _groups(served).items()
        if group
    ]
    return {
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups},
    }


def _aggregated(served: Served) -> dict[str, Any]:
    def item(group: str, versions: list[str]) -> dict[str, Any]:
        entries = [_version(version, served[f"{group}/{version}" if group else version]) for version in versions]
        return {"metadata": {"name": group} if group else {}, "versions": entries}

    groups = _groups(served)
    kind = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}}
    return {
        "/api": {**kind, "items": [item("", groups[""])]},
        "/apis": {**kind, "items": [item(group, versions) for group, versions in groups.items() if group]},
    }


def _version(version: str, resources: Kinds) -> dict[str, Any]:
    entries = []
    for name, kind in resources.items():
        if "/" in name:
            continue
        entry: dict[str, Any] = {"resource": name, "responseKind": {"group": "", "version": "", "kind": kind}}
        if f"{name}/scale" in resources:
            group, _, scale = resources[f"{name}/scale"].rpartition("/")
            entry["subresources"] = [
                {"subresource": "scale", "responseKind": {"group": group, "version": scale, "kind": "Scale"}}
            ]
        entries.append(entry)
    return {"version": version, "resources": entries}
