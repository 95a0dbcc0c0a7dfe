"""Which pods a VPA is about: the selector of the controller that its targetRef names (pkg/target/fetcher.go)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lockstep.wire.selector_parser import parse
from lockstep.wire.selectors import NOTHING, InvalidSelector, Selector, selector_from
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.discovery import DiscoveryClient
from lockstep_reference.machinery.discovery_cache import MemCacheClient
from lockstep_reference.machinery.informer import SharedInformerFactory
from lockstep_reference.machinery.restmapper import DeferredDiscoveryRESTMapper
from lockstep_reference.machinery.scale import DiscoveryScaleKindResolver, ScaleClient
from lockstep_reference.machinery.store import Object
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.target.well_known import (
    DISCOVERY_RESET_PERIOD,
    Informers,
    ScaleErrors,
    TargetError,
    group_of,
)


def scale_client(
    client: Client, clock: Clock, on_error: Callable[[str], None]
) -> tuple[DeferredDiscoveryRESTMapper, ScaleClient]:
    """A RESTMapper with a cache of its own that forgets periodically, and the client of scales on top of it.

    Discovery has a client of its own.
    """
    discovery = DiscoveryClient(client.sibling())
    cache = MemCacheClient(discovery, on_error)
    mapper = DeferredDiscoveryRESTMapper(cache, clock, DISCOVERY_RESET_PERIOD)
    return mapper, ScaleClient(client, mapper, DiscoveryScaleKindResolver(discovery))


class VpaTargetSelectorFetcher:
    """Finds selectors: of well-known kinds in caches, of all others through the scale subresource, every time anew.

    The `factory` has to be started by the caller. `on_error` is told what goes wrong with discovery.
    """

    def __init__(
        self, client: Client, factory: SharedInformerFactory, clock: Clock, on_error: Callable[[str], None]
    ) -> None:
        self._informers = Informers(factory)
        self._mapper, self._scales = scale_client(client, clock, on_error)

    async def fetch(self, vpa: Object) -> Selector:
        """The selector of the pods of this VPA's target (Fetch). Raises TargetError."""
        target = vpa["spec"].get("targetRef")
        if target is None:
            raise TargetError("targetRef not defined. If this is a v1beta1 object, switch to v1")
        api_version, kind, name = (target.get(key) or "" for key in ("apiVersion", "kind", "name"))
        namespace = vpa["metadata"]["namespace"]
        if kind in self._informers:
            return _label_selector(kind, self._informers.get(kind, namespace, name))
        group = group_of(api_version)
        try:
            return await self._from_scale(group, kind, namespace, name)
        except (*ScaleErrors, TargetError, InvalidSelector) as error:
            raise TargetError(f"unhandled targetRef {api_version} / {kind} / {name}, last error {error}") from error

    async def _from_scale(self, group: str, kind: str, namespace: str, name: str) -> Selector:
        """The selector in the scale of the first resource that has one (getLabelSelectorFromResource)."""
        last_error: Exception | None = None
        for mapping in await self._mapper.rest_mappings(group, kind):
            try:
                scale = await self._scales.get(mapping.group, mapping.resource, namespace, name)
            except ScaleErrors as error:
                last_error = error
                continue
            if not scale.selector:
                raise TargetError(f"resource {namespace}/{name} has an empty selector for scale sub-resource")
            return parse(scale.selector)
        assert last_error is not None  # a kind that is known has at least one resource
        raise last_error


def _label_selector(kind: str, obj: Object) -> Selector:
    """The selector of a controller (getLabelSelector). Raises TargetError."""
    spec = obj.get("spec") or {}
    try:
        if kind == "ReplicationController":
            return _selector_of_set(spec.get("selector"))
        if kind == "CronJob":
            template = ((spec.get("jobTemplate") or {}).get("spec") or {}).get("template") or {}
            return _selector_of_set((template.get("metadata") or {}).get("labels"))
        return selector_from(spec.get("selector"))
    except InvalidSelector as error:
        raise TargetError(str(error)) from error


def _selector_of_set(labels: Mapping[str, Any] | None) -> Selector:
    """All of these labels (SetAsLabelSelector): without any labels nothing, with none in them everything."""
    return NOTHING if labels is None else selector_from({"matchLabels": labels})
