"""Discovery: which API groups, versions and resources the server serves.

Upstream: client-go discovery/{discovery_client,aggregated_discovery}.go. A server with aggregated discovery returns
everything in two documents; any other has one document for each group and version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from lockstep_reference.machinery.client import ApiError, Client
from lockstep_reference.machinery.errors import from_response, is_not_found, unstructured_error
from lockstep_reference.machinery.transport import Response

#: Errors of discovery.
DiscoveryErrors = (ApiError, OSError)
_KIND = "as=APIGroupDiscoveryList"
_FORMATS = ("g=apidiscovery.k8s.io;v=v2", "g=apidiscovery.k8s.io;v=v2beta1")
_ACCEPT = ",".join([*(f"application/json;{format_};{_KIND}" for format_ in _FORMATS), "application/json"])


class Group(NamedTuple):
    """An API group (APIGroup): its versions in the server's order, and the one that it prefers."""

    name: str
    versions: tuple[str, ...]
    preferred: str


class Resource(NamedTuple):
    """What a group and version serves (APIResource). `name` is plural, for a subresource `plural/subresource`.

    Group and version are those of the kind, "" if they are the same as the resource's.
    """

    name: str
    singular: str
    group: str
    version: str
    kind: str


#: Resources by `group/version`, or "v1".
Resources = Mapping[str, Sequence[Resource]]


class Discovered(NamedTuple):
    """All groups, the core group first. `resources` is None if the server returned the groups only.

    Versions marked as stale, as of an aggregated API server that is down, are left out.
    """

    groups: tuple[Group, ...]
    resources: Resources | None


class DiscoveryClient:
    """Asks the server each time (DiscoveryClient)."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._last: tuple[Any, Any] = (None, None)
        self._discovered = Discovered((), None)

    async def server_groups(self) -> tuple[Group, ...]:
        """Every group, the core group first (ServerGroups). Raises DiscoveryErrors."""
        return (await self.groups_and_maybe_resources()).groups

    async def groups_and_maybe_resources(self) -> Discovered:
        """The groups, and all resources if the server returns them together. Raises DiscoveryErrors.

        While the documents do not change, the same object is returned.
        """
        core = await self._client.request("GET", "/api", accept=_ACCEPT)
        if core.status != HTTPStatus.NOT_FOUND:  # an aggregated API server has no core group
            _expect_success(core)
        rest = await self._client.request("GET", "/apis", accept=_ACCEPT)
        _expect_success(rest)
        documents = (core.body if core.status != HTTPStatus.NOT_FOUND else None, rest.body)
        if documents != self._last:
            self._discovered = _join(*map(_parse, documents))
            self._last = documents
        return self._discovered

    async def server_resources_for_group_version(self, group_version: str) -> tuple[Resource, ...]:
        """The resources of `group/version`, or of "v1" (ServerResourcesForGroupVersion). Raises DiscoveryErrors."""
        path = f"/api/{group_version}" if group_version == "v1" else f"/apis/{group_version}"
        response = await self._client.request("GET", path)
        if not response.succeeded:
            error = from_response(response, "GET", "", "")
            if group_version == "v1" and is_not_found(error):
                return ()
            raise error
        return tuple(map(_legacy_resource, response.body.get("resources") or ()))


def _expect_success(response: Response) -> None:
    """The answer is read raw, so the Status in a refusal is not decoded (rest.Result.Raw)."""
    if not response.succeeded:
        raise unstructured_error(response, "GET")


# -- documents ---------------------------------------------------------------------------------------------------------


def _join(core: Discovered, rest: Discovered) -> Discovered:
    if core.resources is None or rest.resources is None:
        return Discovered(core.groups + rest.groups, None)
    return Discovered(core.groups + rest.groups, {**core.resources, **rest.resources})


def _parse(document: Any) -> Discovered:
    """Any of the documents that /api and /apis may answer with; None is an empty one."""
    if document is None:
        return Discovered((), {})
    kind = document.get("kind")
    if kind == "APIGroupDiscoveryList":
        return _parse_aggregated(document)
    if kind == "APIVersions":
        versions = tuple(document.get("versions") or ())
        return Discovered((Group("", versions, versions[0] if versions else ""),), None)
    return Discovered(tuple(map(_legacy_group, document.get("groups") or ())), None)


def _legacy_group(group: Mapping[str, Any]) -> Group:
    versions = tuple(version["version"] for version in group.get("versions") or ())
    return Group(group["name"], versions, (group.get("preferredVersion") or {}).get("version") or "")


def _legacy_resource(resource: Mapping[str, Any]) -> Resource:
    return Resource(
        resource["name"],
        resource.get("singularName") or "",
        resource.get("group") or "",
        resource.get("version") or "",
        resource.get("kind") or "",
    )


def _parse_aggregated(document: Mapping[str, Any]) -> Discovered:
    """SplitGroupsAndResources; the first version that is up to date is the preferred one."""
    groups = []
    resources: dict[str, list[Resource]] = {}
    for item in document.get("items") or ():
        name = (item.get("metadata") or {}).get("name") or ""
        current = [version for version in item.get("versions") or () if version.get("freshness") != "Stale"]
        versions = tuple(version["version"] for version in current)
        groups.append(Group(name, versions, versions[0] if versions else ""))
        for version in current:
            key = f"{name}/{version['version']}" if name else version["version"]
            resources[key] = [found for entry in version.get("resources") or () for found in _entries(entry)]
    return Discovered(tuple(groups), resources)


def _entries(entry: Mapping[str, Any]) -> list[Resource]:
    """A resource and its subresources; without a kind: none (convertAPIResource, convertAPISubresource)."""
    name, singular = entry["resource"], entry.get("singularResource") or ""
    named = [(name, entry.get("responseKind"))]
    named += [(f"{name}/{sub['subresource']}", sub.get("responseKind")) for sub in entry.get("subresources") or ()]
    return [
        Resource(full, singular, kind.get("group") or "", kind.get("version") or "", kind.get("kind") or "")
        for full, kind in named
        if kind and any(kind.values())
    ]
