"""Part of a collection, as something that a reflector can list and watch (client-go tools/cache/listwatch.go)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep_reference.machinery.client import Client, ResourceClient
from lockstep_reference.machinery.transport import WatchStream


class ListWatch(ResourceClient):
    """The objects of one kind in one namespace ("" for all) that a field selector selects ("" for all).

    Upstream: NewListWatchFromClient, and the factory options WithNamespace and WithTweakListOptions.
    """

    def __init__(
        self, client: Client, plural: str, group_version: str, namespace: str = "", field_selector: str = ""
    ) -> None:
        super().__init__(client, plural, group_version)
        self._namespace = namespace
        self._selectors = {"fieldSelector": field_selector} if field_selector else {}

    async def list(self, namespace: str = "", query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """See ResourceClient; here `namespace` is optional."""
        return await super().list(namespace or self._namespace, {**self._selectors, **(query or {})})

    async def watch(self, query: Mapping[str, str], namespace: str = "") -> WatchStream:
        """See ResourceClient; here `namespace` is optional."""
        return await super().watch({**self._selectors, **query}, namespace or self._namespace)
