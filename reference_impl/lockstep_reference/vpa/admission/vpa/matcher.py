"""Which VPA a new pod belongs to (pkg/admission-controller/resource/vpa/matcher.go)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer
from lockstep_reference.vpa.apis import UPDATE_MODE_OFF, Object
from lockstep_reference.vpa.target.controller_fetcher import ControllerFetcher, ControllerKeyWithApiVersion
from lockstep_reference.vpa.target.fetcher import VpaTargetSelectorFetcher
from lockstep_reference.vpa.target.well_known import ScaleErrors, TargetError
from lockstep_reference.vpa.utils.vpa.api import (
    VpaWithSelector,
    find_parent_controller_for_pod,
    pod_matches_vpa,
    stronger,
)
from lockstep_reference.vpa.utils.vpa.policies import get_update_mode, has_startup_boost


class Matcher(Protocol):
    """Finds the VPA of a pod."""

    async def get_matching_vpa(self, pod: Object) -> Object | None:
        """The VPA, or None."""


class VpaMatcher:
    """The strongest VPA whose target is the pod's topmost controller and whose selector selects the pod."""

    def __init__(
        self,
        vpas: Indexer,
        selectors: VpaTargetSelectorFetcher,
        controllers: ControllerFetcher,
        on_error: Callable[[str], None],
    ) -> None:
        self._vpas = vpas
        self._selectors = selectors
        self._controllers = controllers
        self._on_error = on_error

    async def get_matching_vpa(self, pod: Object) -> Object | None:
        """See Matcher (GetMatchingVPA). A pod whose controller cannot be found belongs to none."""
        try:
            parent = await find_parent_controller_for_pod(pod, self._controllers)
        except (TargetError, *ScaleErrors) as error:
            self._on_error(f"Failed to get parent controller for pod: {error}")
            return None
        if parent is None:
            return None
        controlling: Object | None = None
        for vpa in self._vpas.by_index(NAMESPACE_INDEX, pod["metadata"].get("namespace") or ""):
            if not _applies(vpa, parent):
                continue
            try:
                selector = await self._selectors.fetch(vpa)
            except (TargetError, *ScaleErrors):
                continue
            matches = pod_matches_vpa(pod, VpaWithSelector(vpa, selector))
            if matches and (controlling is None or stronger(vpa, controlling)):
                controlling = vpa
        return controlling


def _applies(vpa: Object, parent: ControllerKeyWithApiVersion) -> bool:
    """Whether a VPA changes new pods at all, and its target is that controller."""
    if get_update_mode(vpa) == UPDATE_MODE_OFF and not has_startup_boost(vpa):
        return False
    target = vpa["spec"].get("targetRef")
    if target is None:
        return False
    wanted = (target.get("kind"), vpa["metadata"]["namespace"], target.get("name"))
    return wanted == (parent.kind, parent.namespace, parent.name)
