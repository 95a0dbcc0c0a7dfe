"""The selector of a VPA, and what its targetRef is worth (pkg/recommender/input/cluster_feeder.go, getSelector)."""

from __future__ import annotations

from typing import NamedTuple

from lockstep.wire.selectors import NOTHING, Selector
from lockstep_reference.machinery.store import Object
from lockstep_reference.vpa.recommender.model.conditions import CONFIG_DEPRECATED, CONFIG_UNSUPPORTED
from lockstep_reference.vpa.target.controller_fetcher import ControllerFetcher, ControllerKeyWithApiVersion
from lockstep_reference.vpa.target.fetcher import VpaTargetSelectorFetcher
from lockstep_reference.vpa.target.well_known import ScaleErrors, TargetError

_TOPMOST = "a topmost well-known or scalable controller"


class ConditionChange(NamedTuple):
    """A condition to be set to true with this message; None: to be deleted."""

    type: str
    message: str | None


class TargetRefs:
    """Looks up what VPAs point to."""

    def __init__(self, selectors: VpaTargetSelectorFetcher, controllers: ControllerFetcher) -> None:
        self._selectors = selectors
        self._controllers = controllers

    async def get_selector(self, vpa: Object) -> tuple[Selector, list[ConditionChange]]:
        """The selector, which selects nothing if the target will not do, and what the conditions say of that."""
        try:
            selector = await self._selectors.fetch(vpa)
        except TargetError as error:
            return _unsupported(f"Cannot read targetRef. Reason: {error}")
        objection = await self._objection(vpa)
        if objection is not None:
            return _unsupported(objection)
        return selector, [ConditionChange(CONFIG_UNSUPPORTED, None), ConditionChange(CONFIG_DEPRECATED, None)]

    async def _objection(self, vpa: Object) -> str | None:
        """What is wrong with the target, None if nothing is (validateTargetRef)."""
        reference = vpa["spec"]["targetRef"]
        api_version, kind, name = (reference.get(key) or "" for key in ("apiVersion", "kind", "name"))
        target = f"{api_version}.{kind}/{name}"
        key = ControllerKeyWithApiVersion(vpa["metadata"]["namespace"], kind, name, api_version)
        try:
            topmost = await self._controllers.find_top_most_well_known_or_scalable(key)
        except (TargetError, *ScaleErrors) as error:
            return f"Error checking if target {target} is {_TOPMOST}: {error}"
        if topmost is None:
            return f"Unknown error during checking if target {target} is {_TOPMOST}"
        if topmost != key:
            return f"The target {target} has a parent controller but it should point to {_TOPMOST}"
        return None


def _unsupported(message: str) -> tuple[Selector, list[ConditionChange]]:
    return NOTHING, [ConditionChange(CONFIG_UNSUPPORTED, message), ConditionChange(CONFIG_DEPRECATED, None)]
