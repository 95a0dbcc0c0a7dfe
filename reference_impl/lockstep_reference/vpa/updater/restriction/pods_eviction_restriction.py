"""Evicting pods, never too many of one group at once (pkg/updater/restriction/pods_eviction_restriction.go)."""

from __future__ import annotations

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.client import ResourceClient
from lockstep_reference.machinery.events import Recorder
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.updater.restriction.group_stats import CreatorMaps, SingleGroupStats, pod_id
from lockstep_reference.vpa.updater.restriction.resize_status import ResizeStatus, get_resize_status

#: How long a resize may be deferred, or in progress, before the pod may be evicted instead; nanoseconds.
DEFERRED_RESIZE_UPDATE_TIMEOUT = 300 * SECOND
IN_PROGRESS_RESIZE_UPDATE_TIMEOUT = 3600 * SECOND
_TIMEOUTS = {
    ResizeStatus.DEFERRED: DEFERRED_RESIZE_UPDATE_TIMEOUT,
    ResizeStatus.IN_PROGRESS: IN_PROGRESS_RESIZE_UPDATE_TIMEOUT,
}


class EvictionError(Exception):
    """A pod may not be evicted; the text is upstream's."""


def is_pending(pod: Object) -> bool:
    """Whether the pod does not run yet."""
    return bool((pod.get("status") or {}).get("phase") == "Pending")


def can_evict_in_placing_pod(
    pod: Object, stats: SingleGroupStats, resizing_since: dict[str, int], clock: Clock
) -> bool:
    """Whether a pod may be evicted since its resize fails or takes too long (CanEvictInPlacingPod).

    `resizing_since` says when pods were first seen to be resized, by their id. It never forgets, so a later resize of a
    pod of the same name has always taken too long.
    """
    status = get_resize_status(pod)
    if status is ResizeStatus.NONE:
        return False
    since = resizing_since.setdefault(pod_id(pod), clock.now())
    if not stats.is_pod_disruptable():
        return False
    timeout = _TIMEOUTS.get(status)
    return timeout is None or clock.now() - since > timeout


class PodsEvictionRestriction:
    """Evicts for one VPA in one loop; `pods` is the client of pods."""

    def __init__(self, pods: ResourceClient, maps: CreatorMaps, clock: Clock, resizing_since: dict[str, int]) -> None:
        self._pods = pods
        self._maps = maps
        self._clock = clock
        self._resizing_since = resizing_since

    def can_evict(self, pod: Object) -> bool:
        """Whether the pod may be evicted now (CanEvict). One that does not run yet always may."""
        stats = self._maps.stats_of(pod)
        if stats is None:
            return False
        if is_pending(pod):
            return True
        if stats.below_min_replicas:
            return False
        if get_resize_status(pod) is not ResizeStatus.NONE:
            return can_evict_in_placing_pod(pod, stats, self._resizing_since, self._clock)
        return stats.is_pod_disruptable()

    async def evict(self, pod: Object, vpa: Object, recorder: Recorder) -> None:
        """Evict the pod, and say so (Evict). Raises EvictionError, and ApiError or ConnectionError of the request."""
        stats = self._maps.stats_of(pod)
        if stats is None:
            raise EvictionError(f"pod not suitable for eviction {pod_id(pod)}: not in replicated pods map")
        if not self.can_evict(pod):
            raise EvictionError(f"cannot evict pod {pod_id(pod)}: eviction budget exceeded")
        await self._request(pod)
        name = pod["metadata"]["name"]
        recorder.event(
            pod, "Normal", "EvictedByVPA", "Pod was evicted by VPA Updater to apply resource recommendation."
        )
        recorder.event(vpa, "Normal", "EvictedPod", f"VPA Updater evicted Pod {name} to apply resource recommendation.")
        if not is_pending(pod):
            stats.evicted += 1

    async def _request(self, pod: Object) -> None:
        metadata = pod["metadata"]
        named = {"name": metadata["name"], "namespace": metadata.get("namespace") or ""}
        eviction = {"kind": "Eviction", "apiVersion": "policy/v1", "metadata": named}
        await self._pods.create_subresource(named["namespace"], named["name"], "eviction", eviction)
