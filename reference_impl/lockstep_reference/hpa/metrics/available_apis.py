"""Which version of the custom metrics API to use (k8s.io/metrics pkg/client/custom_metrics/discovery.go)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from lockstep_reference.machinery.discovery import Group
from lockstep_reference.machinery.transport import Clock

GROUP = "custom.metrics.k8s.io"
#: The versions that upstream's client knows (MetricVersions).
METRIC_VERSIONS = ("v1beta2", "v1beta1")


class Discovery(Protocol):
    """The part of discovery that is needed: see `lockstep_reference.machinery.discovery.DiscoveryClient`."""

    async def server_groups(self) -> Sequence[Group]:
        """Every group. Raises DiscoveryErrors."""


class NoKnownVersion(Exception):
    """The API is not served, or only in unknown versions."""


class AvailableApis:
    """Remembers the preferred version until the next tick of a period (apiVersionsFromDiscovery).

    The ticks are those of upstream's PeriodicallyInvalidate, counted from the start, `period` nanoseconds apart. Ticks
    that are due take effect at the next call. A tick during a request to the server takes effect after the answer: all
    callers that wait for this answer still get it, but it is not remembered.
    """

    def __init__(self, discovery: Discovery, clock: Clock, period: int) -> None:
        self._discovery = discovery
        self._clock = clock
        self._period = period
        self._next_tick = clock.now() + period
        self._version = ""
        self._lock = asyncio.Lock()
        self._asking: asyncio.Future[str] | None = None

    async def preferred_version(self) -> str:
        """The version, "v1beta2" or "v1beta1" (PreferredVersion). Raises NoKnownVersion and DiscoveryErrors."""
        if self._asking is not None:
            version = await asyncio.shield(self._asking)
            if version:
                return version
        elif not self._lock.locked():
            self._tick()
            if self._version:
                return self._version
        async with self._lock:
            return self._version or await self._ask()

    async def _ask(self) -> str:
        asking = self._asking = asyncio.get_running_loop().create_future()
        version = ""
        try:
            version = self._version = _choose(await self._discovery.server_groups())
        finally:
            self._asking = None
            asking.set_result(version)
            self._tick()
        return version

    def _tick(self) -> None:
        """Forget the version if a tick is due (Invalidate)."""
        late = self._clock.now() - self._next_tick
        if late >= 0:
            self._version = ""
            self._next_tick += (late // self._period + 1) * self._period


def _choose(groups: Sequence[Group]) -> str:
    """The server's preferred version if it is known, else its first known one (fetchVersions, chooseVersion)."""
    for group in groups:
        if group.name == GROUP:
            for version in (group.preferred, *group.versions):
                if version in METRIC_VERSIONS:
                    return version
            raise NoKnownVersion("no known available metric versions found")
    raise NoKnownVersion(f"no custom metrics API ({GROUP}) registered")
