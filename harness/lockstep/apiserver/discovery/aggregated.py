"""Aggregated discovery (apidiscovery.k8s.io/v2): groups, versions and resources in one document.

From apiserver/pkg/endpoints/discovery/aggregated and kube-aggregator/pkg/apiserver/handler_discovery.go. Changes
are visible at once; a real aggregator asks other servers about once a minute.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from lockstep.apiserver.aggregation import AggregatedApi
from lockstep.apiserver.discovery import entries as discovery_entries
from lockstep.apiserver.messages import Reply
from lockstep.apiserver.state import State

Object = dict[str, Any]
#: What another server reports about its group: the name, and the entries of each version.
_Foreign = tuple[str, list[tuple[str, list[Object] | None]]]

CONTENT_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_WANTED = {"g": "apidiscovery.k8s.io", "v": "v2", "as": "APIGroupDiscoveryList"}
_JSON = "application/json"


@lru_cache(maxsize=64)
def wants_aggregated(accept: str) -> bool:
    """Whether the first media type of an Accept header that this server can give is the aggregated document."""
    for clause in accept.split(","):
        media, *parameters = (part.strip() for part in clause.split(";"))
        found = dict(parameter.split("=", 1) for parameter in parameters if "=" in parameter)
        if media == _JSON and "as" not in found:
            return False
        if media == _JSON and all(found.get(name) == value for name, value in _WANTED.items()):
            return True
    return False


def aggregated_document(state: State, root: str) -> Reply:
    """The document at /api (the core group) or /apis (all others). It stays the same object while nothing changes."""
    foreign = [_foreign(name, api) for name, api in sorted(state.aggregated.items())] if root == "apis" else []
    made_from = (state.registry.revision, foreign)
    known = state.documents.get(root)
    if known is not None and known[0] == made_from:
        return known[1]
    groups = [item for item in discovery_entries.groups(state.registry) if bool(item[0]) == (root == "apis")]
    items = [*(_own_group(state, *item) for item in groups), *(_foreign_group(*one) for one in foreign)]
    document = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}
    reply = Reply(200, document, headers={"Content-Type": CONTENT_TYPE})
    state.documents[root] = (made_from, reply)
    return reply


def _own_group(state: State, name: str, versions: list[str]) -> Object:
    described = []
    for version in versions:
        entries = discovery_entries.resources(state.registry, name, version)
        if discovery_entries.is_custom(name):  # its kinds are named in full
            entries = [{"group": name, "version": version, **entry} for entry in entries]
        described.append(_version(version, entries))
    return _group(name, described)


def _foreign(name: str, api: AggregatedApi) -> _Foreign:
    """For a server that is down, or does not know a version, only the version is listed (syncAPIService)."""
    available = api.available
    return name, [(version, api.resources(version) if available else None) for version in api.versions]


def _foreign_group(name: str, versions: Iterable[tuple[str, list[Object] | None]]) -> Object:
    return _group(name, [_version(version, entries) for version, entries in versions])


def _group(name: str, versions: list[Object]) -> Object:
    return {"metadata": {"name": name} if name else {}, "versions": versions}


def _version(version: str, entries: list[Object] | None) -> Object:
    if entries is None:
        return {"version": version, "freshness": "Stale"}
    return {"version": version, "resources": _resources(entries), "freshness": "Current"}


def _resources(entries: Iterable[Object]) -> list[Object]:
    """ConvertGroupVersionIntoToDiscovery: subresources move into their resource, which is added if it is missing."""
    found: dict[str, Object] = {}
    for entry in entries:
        name, slash, sub = entry["name"].partition("/")
        parent = found.get(name)
        if parent is None:
            parent = found[name] = {"resource": name, "scope": "Namespaced" if entry["namespaced"] else "Cluster"}
            parent.update(responseKind=_kind({"kind": ""}), singularResource="", verbs=None)
        if slash:
            shown = {"subresource": sub, "responseKind": _kind(entry), "verbs": entry["verbs"]}
            parent.setdefault("subresources", []).append(shown)
            continue
        parent.update(responseKind=_kind(entry), singularResource=entry["singularName"], verbs=entry["verbs"])
        if entry.get("shortNames"):
            parent["shortNames"] = entry["shortNames"]
        if entry.get("categories"):
            parent["categories"] = entry["categories"]
    return list(found.values())


def _kind(entry: Object) -> Object:
    return {"group": entry.get("group", ""), "version": entry.get("version", ""), "kind": entry["kind"]}
