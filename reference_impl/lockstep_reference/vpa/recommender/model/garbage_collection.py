"""Which aggregations are of no use any more (pkg/recommender/model/cluster.go)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.pod import AggregateStateKey, PodState
from lockstep_reference.vpa.recommender.model.vpa import Vpa
from lockstep_reference.vpa.target.controller_fetcher import ControllerFetcher, ControllerKeyWithApiVersion
from lockstep_reference.vpa.target.well_known import ScaleErrors, TargetError


def is_useless(state: AggregateContainerState, contributive: bool, now: int) -> bool:
    """Whether it has no samples and will get none, or none for as long as memory is remembered.

    Source: garbageCollectAggregateCollectionStates.
    """
    return (not contributive and state.is_empty()) or state.is_expired(now)


async def contributive_aggregate_state_keys(
    pods: Iterable[PodState],
    controlling_vpa: Callable[[PodState], Vpa | None],
    controller_fetcher: ControllerFetcher,
) -> set[AggregateStateKey]:
    """Keys of containers whose pods have not finished, or may come again: their controllers exist.

    Upstream asks for the controller in any case (getContributiveAggregateStateKeys).
    """
    keys: set[AggregateStateKey] = set()
    for pod in pods:
        if await _controller_of(controlling_vpa(pod), controller_fetcher) is not None or pod.active():
            keys.update(map(pod.aggregate_state_key, pod.containers))
    return keys


async def _controller_of(vpa: Vpa | None, controller_fetcher: ControllerFetcher) -> ControllerKeyWithApiVersion | None:
    """The topmost controller that a pod's VPA targets, if it exists (GetControllerForPodUnderVPA)."""
    if vpa is None:
        return None
    target = vpa.target_ref or {}
    key = ControllerKeyWithApiVersion(
        vpa.id.namespace, target.get("kind") or "", target.get("name") or "", target.get("apiVersion") or ""
    )
    try:
        return await controller_fetcher.find_top_most_well_known_or_scalable(key)
    except (TargetError, *ScaleErrors):
        return None
