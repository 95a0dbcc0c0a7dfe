"""Discovery of the kinds that this server itself has: groups, their versions, and APIResource entries."""

from __future__ import annotations

import re
from typing import Any

from lockstep.apiserver.builtin.resources import resources as published
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.registry import Registry

Entry = dict[str, Any]

_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
_CUSTOM_VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
_SUBRESOURCE_KINDS = {
    "scale": ("autoscaling", "v1", "Scale"),
    "binding": ("", "v1", "Binding"),
    "eviction": ("policy", "v1", "Eviction"),
    "token": ("authentication.k8s.io", "v1", "TokenRequest"),
}
_SUBRESOURCE_VERBS = {"binding": ["create"], "eviction": ["create"], "finalize": ["update"], "token": ["create"]}
#: The built-in groups, by GroupPriorityMinimum: positions in the published list.
_POSITIONS = {group: position for position, group in enumerate(dict.fromkeys(key[0] for key in published()))}
_KUBE_VERSION = re.compile(r"v([0-9]+)(?:(alpha|beta)([0-9]+))?")
_STABILITY = {"alpha": 0, "beta": 1, None: 2}


def groups(registry: Registry) -> list[tuple[str, list[str]]]:
    """The groups by their priority, each with its versions, the preferred one first."""
    found: dict[str, dict[str, None]] = {}
    for kind in registry:
        found.setdefault(kind.group, {})[kind.version] = None
    ordered = sorted(found, key=lambda name: (_POSITIONS.get(name, len(_POSITIONS)), name))
    return [(name, sorted(found[name], key=_version_key)) for name in ordered]


def is_custom(group: str) -> bool:
    """Whether definitions have made the group."""
    return group not in _POSITIONS


def _version_key(version: str) -> tuple[int, int, int, int, str]:
    """CompareKubeAwareVersionStrings, the better version first: stable, beta, alpha, higher numbers, other names."""
    found = _KUBE_VERSION.fullmatch(version)
    if found is None:
        return 1, 0, 0, 0, version
    return 0, -_STABILITY[found[2]], -int(found[1]), -int(found[3] or 0), ""


def resources(registry: Registry, group: str, version: str) -> list[Entry]:
    """The APIResource entries of a version; empty if it is not served."""
    kinds = [kind for kind in registry if (kind.group, kind.version) == (group, version)]
    return [entry for kind in sorted(kinds, key=lambda kind: kind.plural) for entry in _entries(kind)]


def _entries(kind: Kind) -> list[Entry]:
    entry: Entry = {
        "name": kind.plural,
        "singularName": kind.kind.lower(),
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": _verbs(kind),
    }
    if kind.short_names:
        entry["shortNames"] = list(kind.short_names)
    if kind.categories:
        entry["categories"] = list(kind.categories)
    names = sorted(kind.subresources) if kind.strategic else kind.subresources
    return [entry, *(_subresource(kind, name) for name in names)]


def _verbs(kind: Kind) -> list[str]:
    if kind.asked_only:
        return ["create"]
    return _VERBS if kind.strategic else _CUSTOM_VERBS


def _subresource(kind: Kind, name: str) -> Entry:
    entry: Entry = {
        "name": f"{kind.plural}/{name}",
        "singularName": "",
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": _SUBRESOURCE_VERBS.get(name, ["get", "patch", "update"]),
    }
    if name in _SUBRESOURCE_KINDS:
        entry["group"], entry["version"], entry["kind"] = _SUBRESOURCE_KINDS[name]
    return entry
