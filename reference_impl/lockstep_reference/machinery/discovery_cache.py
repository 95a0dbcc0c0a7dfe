"""Discovery, cached until it is invalidated (client-go discovery/cached/memory/memcache.go)."""

from __future__ import annotations

from collections.abc import Callable

from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.concurrent import concurrently
from lockstep_reference.machinery.discovery import Discovered, DiscoveryClient, DiscoveryErrors, Resource
from lockstep_reference.machinery.errors import is_too_many_requests

_SERVER_ERROR = 500


_Entry = tuple[Resource, ...] | Exception


class MemCacheClient:
    """The last answers of discovery (memCacheClient). Used by one task at a time: its owner holds a lock."""

    def __init__(self, delegate: DiscoveryClient, on_error: Callable[[str], None]) -> None:
        self._delegate = delegate
        self._on_error = on_error
        self._discovered: Discovered | None = None
        self._entries: dict[str, _Entry] = {}

    def invalidate(self) -> None:
        """Ask the server again next time (Invalidate)."""
        self._discovered = None
        self._entries = {}

    async def groups_and_resources(self) -> Discovered:
        """Groups with all their resources; those that cannot be fetched are left out. Raises DiscoveryErrors.

        Upstream's ServerGroupsAndResources, as restmapper.GetAPIGroupResources uses it.
        """
        if self._discovered is None:
            await self._refresh()
        assert self._discovered is not None
        if self._discovered.resources is not None:
            return self._discovered
        await self._fetch([key for key, entry in self._entries.items() if _is_transient(entry)])
        resources = {key: entry for key, entry in self._entries.items() if not isinstance(entry, Exception)}
        return Discovered(self._discovered.groups, resources)

    async def _refresh(self) -> None:
        """Ask for everything (refreshLocked)."""
        try:
            discovered = await self._delegate.groups_and_maybe_resources()
        except DiscoveryErrors as error:
            self._on_error(f"couldn't get current server API group list: {error}")
            raise
        if discovered.resources is None:
            groups = discovered.groups
            await self._fetch([f"{one.name}/{each}".lstrip("/") for one in groups for each in one.versions])
        self._discovered = discovered

    async def _fetch(self, group_versions: list[str]) -> None:
        async def fetch(group_version: str) -> None:
            try:
                self._entries[group_version] = await self._delegate.server_resources_for_group_version(group_version)
            except DiscoveryErrors as error:
                self._on_error(f"couldn't get resource list for {group_version}: {error}")
                self._entries[group_version] = error

        await concurrently([fetch(group_version) for group_version in group_versions])


def _is_transient(entry: _Entry) -> bool:
    """Whether to ask again before the cache is invalidated (isTransientError)."""
    if isinstance(entry, (ConnectionResetError, ConnectionRefusedError)):
        return True
    return isinstance(entry, ApiError) and (entry.status >= _SERVER_ERROR or is_too_many_requests(entry))
