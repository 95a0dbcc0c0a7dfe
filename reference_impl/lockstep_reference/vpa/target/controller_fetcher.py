"""The topmost controller above a pod or a controller (pkg/target/controller_fetcher/controller_fetcher.go).

One climbs along the controller owner references, as long as there are any. The answer is the last one on the way that
is of a well-known kind or has a scale.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.errors import is_not_found
from lockstep_reference.machinery.informer import SharedInformerFactory
from lockstep_reference.machinery.scale import Scale
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.target.controller_cache_storage import ControllerCacheStorage, ScaleKey
from lockstep_reference.vpa.target.fetcher import scale_client
from lockstep_reference.vpa.target.well_known import Informers, ScaleErrors, TargetError, group_of

#: As all three programs have them: pkg/recommender/routines/recommender_controller.go, pkg/updater/main.go,
#: pkg/admission-controller/main.go (scaleCacheEntryFreshnessTime and so on).
_VALIDITY_TIME = 600 * SECOND
_LIFE_TIME = 3600 * SECOND
_JITTER_FACTOR = 1.0
_LOOP_PERIOD = 7 * SECOND
_NODE = "Node"


class ControllerKeyWithApiVersion(NamedTuple):
    """A controller, and the API that it is of (ControllerKeyWithAPIVersion)."""

    namespace: str
    kind: str
    name: str
    api_version: str


class NodeInvalidOwner(TargetError):
    """The way up ends at a node, which owns static pods and is no controller (ErrNodeInvalidOwner, wrapped)."""


class ControllerFetcher(Protocol):
    """Finds topmost controllers; tests may have one of their own."""

    async def find_top_most_well_known_or_scalable(
        self, controller: ControllerKeyWithApiVersion | None
    ) -> ControllerKeyWithApiVersion | None:
        """The topmost controller from `controller` on, itself included; None if there is none that counts.

        Raises TargetError (NodeInvalidOwner if the way ends at a node), and what reading a scale may raise
        (`well_known.ScaleErrors`).
        """


class ScaleCachingControllerFetcher:
    """The real one: well-known kinds from caches, scales through a cache of answers (controllerFetcher).

    The caller starts the `factory`. Only the recommender calls `keep_fresh`, so elsewhere an answer is never asked for
    again. `rng` feeds jitter; `on_error` is told what goes wrong with discovery.
    """

    def __init__(
        self,
        client: Client,
        factory: SharedInformerFactory,
        clock: Clock,
        rng: random.Random,
        on_error: Callable[[str], None],
    ) -> None:
        self._informers = Informers(factory)
        self._mapper, self._scales = scale_client(client, clock, on_error)
        self._cache = ControllerCacheStorage(clock, rng, _VALIDITY_TIME, _LIFE_TIME, _JITTER_FACTOR)

    async def keep_fresh(self) -> None:
        """Ask again for what is old, and forget what nobody reads, for ever (Start).

        Upstream looks every 7 s; here those looks are left out that cannot find anything.
        """
        while True:
            await asyncio.sleep((self._cache.quiet_for() // _LOOP_PERIOD + 1) * _LOOP_PERIOD / SECOND)
            for key in self._cache.keys_to_refresh():
                self._cache.refresh(key, await self._read_scale(key))
            self._cache.remove_expired()

    async def find_top_most_well_known_or_scalable(
        self, controller: ControllerKeyWithApiVersion | None
    ) -> ControllerKeyWithApiVersion | None:
        """See the protocol (FindTopMostWellKnownOrScalable)."""
        if controller is None:
            return None
        key, visited = controller, {controller}
        topmost = key if await self._is_well_known_or_scalable(key) else None
        while True:
            owner = await self._parent_of(key)
            if owner is None:
                return topmost
            if await self._is_well_known_or_scalable(owner):
                topmost = owner
            if owner in visited:
                raise TargetError("cycle detected in ownership chain")
            visited.add(key)
            key = owner

    async def _is_well_known_or_scalable(self, key: ControllerKeyWithApiVersion) -> bool:
        """isWellKnownOrScalable; what goes wrong on the way counts as no."""
        if key.kind in self._informers:
            return True
        try:
            group = group_of(key.api_version)
            if key.kind == _NODE:
                return False
            mappings = await self._mapper.rest_mappings(group, key.kind)
        except (TargetError, *ScaleErrors):
            return False
        for mapping in mappings:
            answer = await self._scale_of(ScaleKey(key.namespace, mapping.group, mapping.resource, key.name))
            if isinstance(answer, Scale):
                return True
        return False

    async def _parent_of(self, key: ControllerKeyWithApiVersion) -> ControllerKeyWithApiVersion | None:
        """The controller that owns this one (getParentOfController). Raises TargetError."""
        if key.kind in self._informers:
            obj = self._informers.get(key.kind, key.namespace, key.name)
            return owner_controller(obj["metadata"].get("ownerReferences"), key.namespace)
        group = group_of(key.api_version)
        if key.kind == _NODE:
            raise NodeInvalidOwner(_unhandled(key, "node is not a valid owner"))
        try:
            return await self._owner_of_scale(group, key)
        except ScaleErrors as error:
            if is_not_found(error):
                return None
            raise TargetError(_unhandled(key, str(error))) from error

    async def _owner_of_scale(self, group: str, key: ControllerKeyWithApiVersion) -> ControllerKeyWithApiVersion | None:
        """The owner that a scale names (getOwnerForScaleResource). Raises ScaleErrors."""
        last_error: Exception | None = None
        for mapping in await self._mapper.rest_mappings(group, key.kind):
            answer = await self._scale_of(ScaleKey(key.namespace, mapping.group, mapping.resource, key.name))
            if isinstance(answer, Scale):
                return owner_controller(answer.metadata.get("ownerReferences"), key.namespace)
            last_error = answer
        assert last_error is not None  # a kind that is known has at least one resource
        raise last_error

    async def _scale_of(self, key: ScaleKey) -> Scale | Exception:
        """The scale, from the cache if it has one (getScaleForResource)."""
        known = self._cache.get(key)
        if known is None:
            known = await self._read_scale(key)
            self._cache.insert(key, known)
        return known

    async def _read_scale(self, key: ScaleKey) -> Scale | Exception:
        try:
            return await self._scales.get(key.group, key.resource, key.namespace, key.name)
        except ScaleErrors as error:
            return error


def _unhandled(key: ControllerKeyWithApiVersion, error: str) -> str:
    return f"unhandled targetRef {key.api_version} / {key.kind} / {key.name}, last error {error}"


def owner_controller(owners: Iterable[Mapping[str, Any]] | None, namespace: str) -> ControllerKeyWithApiVersion | None:
    """The first owner that is a controller (getOwnerController)."""
    for owner in owners or ():
        if owner.get("controller"):
            return ControllerKeyWithApiVersion(namespace, owner["kind"], owner["name"], owner["apiVersion"])
    return None
