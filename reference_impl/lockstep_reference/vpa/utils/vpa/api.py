"""Which VPA controls a pod (pkg/utils/vpa/api.go)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lockstep.wire.gotime import parse_rfc3339
from lockstep.wire.selectors import Selector
from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.target.controller_fetcher import (
    ControllerFetcher,
    ControllerKeyWithApiVersion,
    NodeInvalidOwner,
)


@dataclass(frozen=True, slots=True)
class VpaWithSelector:
    """A VPA, and the selector of its target's pods."""

    vpa: Object
    selector: Selector


def pod_matches_vpa(pod: Object, vpa_with_selector: VpaWithSelector) -> bool:
    """Whether they share a namespace and the selector selects the pod (PodMatchesVPA)."""
    metadata, vpa_metadata = pod["metadata"], vpa_with_selector.vpa["metadata"]
    return bool(metadata.get("namespace") == vpa_metadata.get("namespace")) and vpa_with_selector.selector.matches(
        metadata.get("labels")
    )


def stronger(first: Object, second: Object) -> bool:
    """Whether the first VPA comes before the second: the older one, of two twins that with the smaller name (Stronger).

    Names compare as bytes.
    """
    return _age_and_name(first) < _age_and_name(second)


def _age_and_name(vpa: Object) -> tuple[int, bytes]:
    metadata = vpa["metadata"]
    return parse_rfc3339(metadata["creationTimestamp"]), metadata["name"].encode()


async def get_controlling_vpa_for_pod(
    pod: Object, vpas: Iterable[VpaWithSelector], fetcher: ControllerFetcher
) -> VpaWithSelector | None:
    """The strongest VPA whose target is the pod's topmost controller and whose selector selects it, if there is one.

    The API group of the target is not looked at. Raises TargetError and what reading a scale may raise; upstream then
    takes the pod for one without VPA (GetControllingVPAForPod).
    """
    parent = await find_parent_controller_for_pod(pod, fetcher)
    if parent is None:
        return None
    return controlling_vpa(pod, [one for one in vpas if _is_target(one.vpa, parent)])


def controlling_vpa(pod: Object, vpas: Iterable[VpaWithSelector]) -> VpaWithSelector | None:
    """The same among VPAs whose target is the pod's topmost controller."""
    controlling: VpaWithSelector | None = None
    for one in vpas:
        if pod_matches_vpa(pod, one) and (controlling is None or stronger(one.vpa, controlling.vpa)):
            controlling = one
    return controlling


def _is_target(vpa: Object, controller: ControllerKeyWithApiVersion) -> bool:
    target = vpa["spec"].get("targetRef")
    return (
        target is not None
        and target.get("name") == controller.name
        and target.get("kind") == controller.kind
        and vpa["metadata"].get("namespace") == controller.namespace
    )


async def find_parent_controller_for_pod(pod: Object, fetcher: ControllerFetcher) -> ControllerKeyWithApiVersion | None:
    """The topmost controller above the pod; None if there is none, or a node owns it (FindParentControllerForPod).

    Raises as `get_controlling_vpa_for_pod`.
    """
    owner = controller_key_of(pod)
    return None if owner is None else await find_topmost_controller(owner, fetcher)


def controller_key_of(pod: Object) -> ControllerKeyWithApiVersion | None:
    """The pod's controller, if it has one. Of several the last one counts."""
    metadata = pod["metadata"]
    owner = None
    for reference in metadata.get("ownerReferences") or ():
        if reference.get("controller"):
            owner = reference
    if owner is None:
        return None
    namespace = metadata.get("namespace") or ""
    return ControllerKeyWithApiVersion(namespace, owner["kind"], owner["name"], owner["apiVersion"])


async def find_topmost_controller(
    owner: ControllerKeyWithApiVersion, fetcher: ControllerFetcher
) -> ControllerKeyWithApiVersion | None:
    """The topmost controller from a pod's own one on. Raises as `get_controlling_vpa_for_pod`."""
    try:
        return await fetcher.find_top_most_well_known_or_scalable(owner)
    except NodeInvalidOwner:
        return None
