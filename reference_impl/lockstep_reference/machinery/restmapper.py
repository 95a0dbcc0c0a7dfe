"""The RESTMapper: from kinds to resources, by what discovery says.

Upstream: client-go restmapper/discovery.go, apimachinery pkg/api/meta/{restmapper,multirestmapper,priority}.go. Only
what the HPA controller and its clients use is here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from lockstep.wire.gotext import quote
from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.discovery import Discovered, Group
from lockstep_reference.machinery.discovery_cache import MemCacheClient
from lockstep_reference.machinery.transport import Clock

#: How often kube-controller-manager has its RESTMapper forget everything, in nanoseconds (CreateControllerContext).
RESET_PERIOD = 30 * SECOND


class GroupVersionResource(NamedTuple):
    """A resource of one version of a group."""

    group: str
    version: str
    resource: str

    def __str__(self) -> str:
        return f"{self.group}/{self.version}, Resource={self.resource}"


class NoMatchError(Exception):
    """Discovery does not know the kind or resource, or more than one fits (NoKindMatchError and the like)."""


class DiscoveryRESTMapper:
    """Answers from one state of discovery (NewDiscoveryRESTMapper)."""

    def __init__(self, discovered: Discovered) -> None:
        self._versions = [
            _VersionMapper(group, version, discovered)
            for group in discovered.groups
            for version in group.versions
            if _key(group.name, version) in (discovered.resources or {})
        ]
        self._priorities = _priorities(discovered.groups, [(one.group, one.version) for one in self._versions])
        self._mappings: dict[tuple[str, str], tuple[GroupVersionResource, ...]] = {}
        self._resources: dict[tuple[str, str], GroupVersionResource] = {}

    def rest_mappings(self, group: str, kind: str) -> tuple[GroupVersionResource, ...]:
        """The resource of a kind in every version that has it, in the server's order. Raises NoMatchError."""
        found = self._mappings.get((group, kind))
        if found is None:
            versions = [one for one in self._versions if one.group == group and kind in one.kinds]
            if not versions:
                raise NoMatchError(f"no matches for kind {quote(kind)} in group {quote(group)}")
            found = tuple(GroupVersionResource(group, one.version, one.kinds[kind]) for one in versions)
            self._mappings[group, kind] = found
        return found

    def rest_mapping(self, group: str, kind: str) -> GroupVersionResource:
        """The resource of a kind in the version that the server prefers. Raises NoMatchError."""
        # Each version has at most one resource for a kind, so the priorities leave one.
        return self._prefer(self.rest_mappings(group, kind))[0]

    def resource_for(self, group: str, resource: str) -> GroupVersionResource:
        """A resource in its preferred version. Raises NoMatchError.

        The group may be a prefix of the real one, the resource singular; the core group stands for any.
        """
        found = self._resources.get((group, resource))
        if found is None:
            found = self._resources[group, resource] = self._find(group, resource)
        return found

    def _find(self, group: str, resource: str) -> GroupVersionResource:
        wanted = GroupVersionResource(group, "", resource)
        if not resource:
            raise NoMatchError(f"a resource must be present, got: {wanted}")
        matching = [found for one in self._versions for found in one.resources_for(group, resource.lower())]
        if not matching:
            raise NoMatchError(f"no matches for {wanted}")
        preferred = self._prefer(matching)
        if len(preferred) > 1:
            raise NoMatchError(f"{wanted} matches multiple resources [{' '.join(map(str, matching))}]")
        return preferred[0]

    def _prefer(self, candidates: Sequence[GroupVersionResource]) -> Sequence[GroupVersionResource]:
        """Narrow down, one priority after the other, until one is left (PriorityRESTMapper)."""
        for group, version in self._priorities:
            if len(candidates) == 1:
                break
            matching = [one for one in candidates if one.group == group and version in ("*", one.version)]
            candidates = matching or candidates
        return candidates


def _key(group: str, version: str) -> str:
    return f"{group}/{version}" if group else version


def _priorities(groups: Sequence[Group], known: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Group and version, "*" for any: v1 first, then group by group, the preferred version before the others."""
    priorities = [("", "v1")]
    for group in groups:
        others = [version for version in group.versions if version != group.preferred]
        priorities += [(group.name, each) for each in (group.preferred, *others) if (group.name, each) in known]
    return priorities + [(group.name, "*") for group in groups]


class _VersionMapper:
    """Kinds and resources of one group and version (DefaultRESTMapper)."""

    def __init__(self, group: Group, version: str, discovered: Discovered) -> None:
        self.group = group.name
        self.version = version
        #: The plural resource of a kind.
        self.kinds: dict[str, str] = {}
        self._singular: dict[str, str] = {}
        for resource in (discovered.resources or {})[_key(group.name, version)]:
            if "/" in resource.name:
                continue
            singular = resource.singular or resource.kind.lower()
            self._add(resource.kind.lower(), resource.name, singular)
            self._add(resource.kind, resource.name, singular)
            self._add(f"{resource.kind}List", *_guess_resource(f"{resource.kind}List"))
        self._add("List", *_guess_resource("List"))

    def _add(self, kind: str, plural: str, singular: str) -> None:
        self.kinds[kind] = plural
        self._singular[plural] = singular

    def resources_for(self, group: str, resource: str) -> list[GroupVersionResource]:
        """ResourcesFor, without a version."""
        if not self.group.startswith(group):
            return []
        matching = [plural for plural, singular in self._singular.items() if resource in (plural, singular)]
        return [GroupVersionResource(self.group, self.version, plural) for plural in sorted(matching)]


def _guess_resource(kind: str) -> tuple[str, str]:
    """Plural and singular of a kind that discovery does not list (UnsafeGuessKindToResource, for `...List`)."""
    return f"{kind.lower()}s", kind.lower()


class DeferredDiscoveryRESTMapper:
    """Asks discovery when it is first used, and again after each reset, which comes every `reset_period` nanoseconds.

    Upstream also resets it when nothing matches, unless the cache is fresh. It always is when there is something to
    look at, so that a new kind becomes known with the next periodic reset.
    """

    def __init__(self, cache: MemCacheClient, clock: Clock, reset_period: int = RESET_PERIOD) -> None:
        self._cache = cache
        self._clock = clock
        self._reset_period = reset_period
        self._lock = asyncio.Lock()
        self._delegate: DiscoveryRESTMapper | None = None
        self._next_reset = clock.now() + reset_period
        self._reset_waits: asyncio.Task[None] | None = None
        self._built: tuple[Discovered | None, DiscoveryRESTMapper | None] = (None, None)

    async def rest_mappings(self, group: str, kind: str) -> tuple[GroupVersionResource, ...]:
        """See DiscoveryRESTMapper. Raises NoMatchError and DiscoveryErrors."""
        return (await self._get_delegate()).rest_mappings(group, kind)

    async def rest_mapping(self, group: str, kind: str) -> GroupVersionResource:
        """See DiscoveryRESTMapper. Raises NoMatchError and DiscoveryErrors."""
        return (await self._get_delegate()).rest_mapping(group, kind)

    async def resource_for(self, group: str, resource: str) -> GroupVersionResource:
        """See DiscoveryRESTMapper. Raises NoMatchError and DiscoveryErrors."""
        return (await self._get_delegate()).resource_for(group, resource)

    async def _get_delegate(self) -> DiscoveryRESTMapper:
        if self._lock.locked():
            self._let_reset_wait()
        else:
            if not self._reset_waits and self._clock.now() >= self._next_reset:
                self._reset()
            if self._delegate is not None:
                return self._delegate
        async with self._lock:
            if self._delegate is None:
                self._delegate = self._build(await self._cache.groups_and_resources())
            delegate = self._delegate
            self._let_reset_wait()
        return delegate

    def _build(self, discovered: Discovered) -> DiscoveryRESTMapper:
        """The mapper of this state of discovery; made once for as long as that stays the same."""
        last, mapper = self._built
        if mapper is None or discovered is not last:
            mapper = DiscoveryRESTMapper(discovered)
            self._built = (discovered, mapper)
        return mapper

    # Resets are done when somebody would notice them, instead of by a timer.

    def _reset(self) -> None:
        self._delegate = None
        self._cache.invalidate()
        periods = (self._clock.now() - self._next_reset) // self._reset_period + 1
        self._next_reset += periods * self._reset_period

    def _let_reset_wait(self) -> None:
        """A reset that fell due during a discovery waits its turn. Who is running, or waited before, goes first."""
        if not self._reset_waits and self._clock.now() >= self._next_reset:
            self._reset_waits = asyncio.ensure_future(self._reset_in_turn())

    async def _reset_in_turn(self) -> None:
        async with self._lock:
            self._reset()
            # The next period begins when the reset is done.
            self._next_reset = self._clock.now() + self._reset_period
            self._reset_waits = None
