"""One loop of the updater (pkg/updater/logic/updater.go, RunOnce).

Where upstream goes through a map of VPAs, and so takes them in any order, they come here in the order of their pods in
the cache.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TypeVar

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.store import Indexer
from lockstep_reference.vpa.apis import (
    UPDATE_MODE_AUTO,
    UPDATE_MODE_IN_PLACE,
    UPDATE_MODE_IN_PLACE_OR_RECREATE,
    UPDATE_MODE_RECREATE,
    Object,
)
from lockstep_reference.vpa.target.controller_fetcher import ControllerFetcher, ControllerKeyWithApiVersion
from lockstep_reference.vpa.target.fetcher import VpaTargetSelectorFetcher
from lockstep_reference.vpa.target.well_known import ScaleErrors, TargetError
from lockstep_reference.vpa.updater.logic.pod_lister import PodLister
from lockstep_reference.vpa.updater.logic.rate_limiter import RateLimitError
from lockstep_reference.vpa.updater.logic.vpa_pass import Tools, VpaPass
from lockstep_reference.vpa.utils.status import (
    ADMISSION_CONTROLLER_STATUS_TIMEOUT,
    StatusClient,
    StatusErrors,
)
from lockstep_reference.vpa.utils.vpa.api import (
    VpaWithSelector,
    controller_key_of,
    controlling_vpa,
    find_topmost_controller,
)
from lockstep_reference.vpa.utils.vpa.policies import get_update_mode, has_startup_boost

T = TypeVar("T")

_UPDATING_MODES = (UPDATE_MODE_RECREATE, UPDATE_MODE_AUTO, UPDATE_MODE_IN_PLACE_OR_RECREATE, UPDATE_MODE_IN_PLACE)
#: Namespace, kind and name of a target.
_Target = tuple[str, str, str]
_Controlled = list[tuple[Object, list[Object]]]


class Updater:
    """Updates pods of which the VPA recommends something else. `status` is None to update whoever admits pods."""

    def __init__(
        self,
        tools: Tools,
        vpas: Indexer,
        pods: PodLister,
        status: StatusClient | None,
        selector_fetcher: VpaTargetSelectorFetcher,
        controller_fetcher: ControllerFetcher,
        ignored_namespaces: Sequence[str],
    ) -> None:
        self._tools = tools
        self._vpas = vpas
        self._pods = pods
        self._status = status
        self._selector_fetcher = selector_fetcher
        self._controller_fetcher = controller_fetcher
        self._ignored_namespaces = ignored_namespaces

    async def run_once(self, deadline: int) -> None:
        """One loop, which ends at that instant at the latest, but for requests that change something (RunOnce).

        Raises Panic where upstream does.
        """
        if self._status is not None and not await self._is_admission_controller_there(self._status, deadline):
            return
        vpas = await self._vpas_with_selectors(deadline)
        if not vpas:
            self._tools.eviction_admission.clean_up()
            return
        live = [pod for pod in self._pods.list() if pod["metadata"].get("deletionTimestamp") is None]
        controlled = await self._controlled_pods(live, vpas, deadline)
        self._forget_infeasible_attempts(live)
        self._tools.eviction_admission.loop_init(controlled)
        self._tools.assessor.loop_init()
        try:
            for vpa, pods in controlled:
                await VpaPass(self._tools, vpa, pods, deadline).run()
        except RateLimitError as error:
            self._tools.on_error(f"rate limiter wait failed: {error}")

    async def _is_admission_controller_there(self, status: StatusClient, deadline: int) -> bool:
        try:
            return await self._before(deadline, status.is_status_valid(ADMISSION_CONTROLLER_STATUS_TIMEOUT))
        except (*StatusErrors, TimeoutError) as error:
            self._tools.on_error(f"Error getting Admission Controller status. Skipping update loop: {error}")
            return False

    async def _vpas_with_selectors(self, deadline: int) -> list[VpaWithSelector]:
        """The VPAs whose mode is to update pods, or which boost them, and whose target can be found."""
        found = []
        for vpa in self._vpas.list():
            if vpa["metadata"].get("namespace") in self._ignored_namespaces:
                continue
            if get_update_mode(vpa) in _UPDATING_MODES or has_startup_boost(vpa):
                try:
                    selector = await self._before(deadline, self._selector_fetcher.fetch(vpa))
                except (TargetError, TimeoutError):
                    continue
                found.append(VpaWithSelector(vpa, selector))
        return found

    async def _controlled_pods(
        self, live: Sequence[Object], vpas: Sequence[VpaWithSelector], deadline: int
    ) -> _Controlled:
        """Pods with the VPA that controls them, grouped by VPA."""
        by_target: dict[_Target, list[VpaWithSelector]] = {}
        for one in vpas:
            target = one.vpa["spec"].get("targetRef") or {}
            key = (one.vpa["metadata"].get("namespace") or "", target.get("kind") or "", target.get("name") or "")
            by_target.setdefault(key, []).append(one)
        controlled: dict[int, tuple[Object, list[Object]]] = {}
        # What was found for one pod holds for its siblings. What was not found is looked for again, as upstream does.
        parents: dict[ControllerKeyWithApiVersion, ControllerKeyWithApiVersion] = {}
        for pod in live:
            owner = controller_key_of(pod)
            if owner is None:
                continue
            parent = parents.get(owner) or await self._topmost(owner, deadline)
            if parent is None:
                continue
            parents[owner] = parent
            candidates = by_target.get((parent.namespace, parent.kind, parent.name))
            found = controlling_vpa(pod, candidates) if candidates else None
            if found is not None:
                controlled.setdefault(id(found.vpa), (found.vpa, []))[1].append(pod)
        return list(controlled.values())

    async def _topmost(self, owner: ControllerKeyWithApiVersion, deadline: int) -> ControllerKeyWithApiVersion | None:
        """The topmost controller above a pod's owner; None also if it cannot be found."""
        try:
            return await self._before(deadline, find_topmost_controller(owner, self._controller_fetcher))
        except (TargetError, *ScaleErrors) as error:
            self._tools.on_error(f"Failed to get parent controller for pod: {error}")
            return None

    def _forget_infeasible_attempts(self, live: Sequence[Object]) -> None:
        """Those of pods that are no more (cleanupStaleInfeasibleAttempts)."""
        attempts = self._tools.infeasible_attempts
        if attempts:
            uids = {pod["metadata"].get("uid") for pod in live}
            for uid in [uid for uid in attempts if uid not in uids]:
                del attempts[uid]

    async def _before(self, deadline: int, result: Awaitable[T]) -> T:
        """The result, unless somebody has to wait for it until the deadline. Raises TimeoutError."""
        async with asyncio.timeout((deadline - self._tools.clock.now()) / SECOND):
            return await result
