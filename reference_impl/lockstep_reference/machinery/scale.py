"""The scale subresource of any resource that has one.

Upstream: client-go scale/{client,util}.go and scale/scheme. A server may speak one of several kinds of Scale; here
each becomes autoscaling/v1, and back into what discovery says when it is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lockstep.wire.gotext import quote
from lockstep.wire.selector_parser import parse_to_label_selector
from lockstep.wire.selectors import InvalidSelector, selector_from
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.discovery import DiscoveryClient, DiscoveryErrors
from lockstep_reference.machinery.errors import from_response
from lockstep_reference.machinery.restmapper import (
    DeferredDiscoveryRESTMapper,
    GroupVersionResource,
    NoMatchError,
)

AUTOSCALING_V1 = "autoscaling/v1"
#: Kinds of Scale with a `selector` that is a map and a `targetSelector` that is a text.
_OLDER = ("extensions/v1beta1", "apps/v1beta1", "apps/v1beta2")
#: How upstream's messages name its scheme: by the line that made it, here of 1.36.
_SCHEME = '"pkg/runtime/scheme.go:111"'


class ScaleError(Exception):
    """A scale that cannot be asked for, understood or sent; the text is upstream's."""


class Scale(NamedTuple):
    """A Scale of autoscaling/v1. `selector` has upstream's order, "" if there is none."""

    metadata: dict[str, Any]
    spec_replicas: int
    status_replicas: int
    selector: str


class DiscoveryScaleKindResolver:
    """The `group/version` of a resource's scale (NewDiscoveryScaleKindResolver). What it found it never asks again."""

    def __init__(self, discovery: DiscoveryClient) -> None:
        self._discovery = discovery
        self._known: dict[GroupVersionResource, str] = {}

    async def scale_for_resource(self, resource: GroupVersionResource) -> str:
        """Raises ScaleError."""
        known = self._known.get(resource)
        if known is None:
            known = self._known[resource] = await self._ask(resource)
        return known

    async def _ask(self, wanted: GroupVersionResource) -> str:
        group_version = _group_version(wanted)
        try:
            resources = await self._discovery.server_resources_for_group_version(group_version)
        except DiscoveryErrors as error:
            raise ScaleError(f"unable to fetch discovery information for {wanted}: {error}") from error
        for found in resources:
            if found.name == f"{wanted.resource}/scale":
                return f"{found.group}/{found.version}" if found.group and found.version else group_version
        raise ScaleError(f"could not find scale subresource for {wanted} in discovery information")


class ScaleClient:
    """Reads and writes scales (scaleClient).

    Its methods raise ApiError for what the server refuses, OSError for what does not reach it, and ScaleError.
    """

    def __init__(
        self, client: Client, mapper: DeferredDiscoveryRESTMapper, scale_kind_resolver: DiscoveryScaleKindResolver
    ) -> None:
        self._client = client
        self._mapper = mapper
        self._resolver = scale_kind_resolver

    async def get(self, group: str, resource: str, namespace: str, name: str) -> Scale:
        """The scale of an object."""
        full = await self._resource_for(group, resource)
        return await self._do("GET", full, namespace, name, None)

    async def update(self, group: str, resource: str, namespace: str, scale: Scale) -> Scale:
        """Write `scale` to the object of its name, unless that is of another version by now."""
        full = await self._resource_for(group, resource)
        try:
            group_version = await self._resolver.scale_for_resource(full)
        except ScaleError as error:
            text = f"could not find proper group-version for scale subresource of {full}: {error}"
            raise ScaleError(text) from error
        body = _to_wire(scale, group_version)
        return await self._do("PUT", full, namespace, scale.metadata.get("name") or "", body)

    async def _resource_for(self, group: str, resource: str) -> GroupVersionResource:
        try:
            return await self._mapper.resource_for(group, resource)
        except (*DiscoveryErrors, NoMatchError) as error:
            named = f"{resource}.{group}" if group else resource
            raise ScaleError(
                f"unable to get client for {named}: unable to get full preferred group-version-resource for {named}: "
                f"{error}"
            ) from error

    async def _do(
        self, method: str, resource: GroupVersionResource, namespace: str, name: str, body: dict[str, Any] | None
    ) -> Scale:
        if not name:
            raise ScaleError("resource name may not be empty")
        prefix = f"/apis/{resource.group}" if resource.group else "/api"
        scope = f"namespaces/{namespace}/" if namespace else ""
        path = f"{prefix}/{resource.version}/{scope}{resource.resource}/{name}/scale"
        response = await self._client.request(method, path, None, body)
        if not response.succeeded:
            # The client serves every group, so that its messages name none.
            raise from_response(response, method, resource.resource, name)
        return _from_wire(response.body)


def _group_version(resource: GroupVersionResource) -> str:
    return f"{resource.group}/{resource.version}" if resource.group else resource.version


def _from_wire(document: Mapping[str, Any]) -> Scale:
    """What the server sent, as autoscaling/v1 (convertToScale). Raises ScaleError."""
    kind, version = document.get("kind") or "", document.get("apiVersion") or ""
    if kind != "Scale" or version not in (AUTOSCALING_V1, *_OLDER):
        raise ScaleError(f"no kind {quote(kind)} is registered for version {quote(version)} in scheme {_SCHEME}")
    status = document.get("status") or {}
    try:
        selector = _selector(status, version)
    except InvalidSelector as error:
        raise ScaleError(
            f"received an object from a /scale endpoint which was not convertible to autoscaling Scale: {error}"
        ) from error
    return Scale(
        document.get("metadata") or {},
        (document.get("spec") or {}).get("replicas") or 0,
        status.get("replicas") or 0,
        selector,
    )


def _selector(status: Mapping[str, Any], version: str) -> str:
    """The selector in upstream's order, whichever way it was sent. Raises InvalidSelector."""
    text = status.get("selector" if version == AUTOSCALING_V1 else "targetSelector") or ""
    if text:
        try:
            return selector_from(parse_to_label_selector(text)).text
        except InvalidSelector as error:
            raise InvalidSelector(f"failed to parse target selector: {error}") from error
    if version == AUTOSCALING_V1:
        return ""
    try:
        return selector_from({"matchLabels": status.get("selector")}).text
    except InvalidSelector as error:
        raise InvalidSelector(f"invalid label selector: {error}") from error


def _to_wire(scale: Scale, group_version: str) -> dict[str, Any]:
    """The scale as the kind that the server wants (ConvertToVersion and Encode). Raises ScaleError."""
    status: dict[str, Any] = {"replicas": scale.status_replicas}
    if group_version == AUTOSCALING_V1:
        if scale.selector:
            status["selector"] = scale.selector
    elif group_version not in _OLDER:
        raise ScaleError(f"could not convert scale update to external Scale: {_unsuitable(group_version)}")
    elif scale.selector:
        selector = parse_to_label_selector(scale.selector)
        if "matchExpressions" not in selector:
            status["selector"] = selector["matchLabels"]
        status["targetSelector"] = scale.selector
    return {
        "kind": "Scale",
        "apiVersion": group_version,
        "metadata": scale.metadata,
        "spec": {"replicas": scale.spec_replicas} if scale.spec_replicas else {},
        "status": status,
    }


def _unsuitable(group_version: str) -> str:
    """A group that some kind of Scale is of, but not in this version, or another group."""
    group = group_version.rpartition("/")[0]
    if group in ("apps", "autoscaling", "extensions"):
        return f'no kind "Scale" is registered for version {quote(group_version)} in scheme {_SCHEME}'
    return f"scheme.Scale is not suitable for converting to {quote(group_version)} in scheme {_SCHEME}"
