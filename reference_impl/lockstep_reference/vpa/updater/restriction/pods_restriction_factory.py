"""The groups of pods, their desired sizes, and the restrictions for evictions and resizes.

Upstream: pkg/updater/restriction/pods_restriction_factory.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.informer import SharedInformer, SharedInformerFactory
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import UPDATE_MODE_IN_PLACE, UPDATE_MODE_IN_PLACE_OR_RECREATE, Object
from lockstep_reference.vpa.updater.inplace.calculator import PatchCalculator
from lockstep_reference.vpa.updater.restriction.group_stats import (
    CreatorMaps,
    PodReplicaCreator,
    SingleGroupStats,
    pod_id,
    pod_replica_creator,
)
from lockstep_reference.vpa.updater.restriction.pods_eviction_restriction import PodsEvictionRestriction
from lockstep_reference.vpa.updater.restriction.pods_inplace_restriction import (
    InPlaceRules,
    PodsInPlaceRestriction,
)
from lockstep_reference.vpa.utils.vpa.policies import get_update_mode, update_policy_of
from lockstep_reference.vpa.utils.vpa.startup_boost import pod_has_cpu_boost_in_progress_annotation

_JOB = "Job"
#: Names in messages of the kinds with spec.replicas.
_REPLICATED = {
    "ReplicationController": "replication controller",
    "ReplicaSet": "replica set",
    "StatefulSet": "stateful set",
}
_DAEMON_SET = "DaemonSet"


class ReplicationInfoError(Exception):
    """The desired size of a group is unknown; the message is upstream's."""


class PodsRestrictionFactory:
    """Makes the restrictions of each loop, and remembers between loops when resizes of pods began."""

    def __init__(
        self,
        client: Client,
        informers: SharedInformerFactory,
        clock: Clock,
        rules: InPlaceRules,
        patch_calculators: Sequence[PatchCalculator],
        *,
        min_replicas: int,
        eviction_tolerance_fraction: float,
        on_error: Callable[[str], None],
    ) -> None:
        self._pods = client.resource("pods")
        self._informers: Mapping[str, SharedInformer] = {
            "ReplicationController": informers.for_resource("replicationcontrollers"),
            "ReplicaSet": informers.for_resource("replicasets", "apps/v1"),
            "StatefulSet": informers.for_resource("statefulsets", "apps/v1"),
            _DAEMON_SET: informers.for_resource("daemonsets", "apps/v1"),
        }
        self._clock = clock
        self._rules = rules
        self._patch_calculators = patch_calculators
        self._min_replicas = min_replicas
        self._fraction = eviction_tolerance_fraction
        self._on_error = on_error
        self._resizing_since: dict[str, int] = {}

    def get_creator_maps(self, pods: Sequence[Object], vpa: Object) -> CreatorMaps:
        """The groups of a VPA's pods, without those that must not be disrupted (GetCreatorMaps). Raises Panic."""
        groups: dict[PodReplicaCreator, list[Object]] = {}
        for pod in pods:
            groups.setdefault(pod_replica_creator(pod), []).append(pod)
        maps = CreatorMaps()
        for creator, members in groups.items():
            stats = self._stats_of(creator, members, vpa)
            if stats is not None:
                maps.stats[creator] = stats
                maps.creators.update((pod_id(pod), creator) for pod in members)
        return maps

    def _stats_of(self, creator: PodReplicaCreator, pods: Sequence[Object], vpa: Object) -> SingleGroupStats | None:
        """None if the group is too small, or its desired size is unknown."""
        per_vpa = update_policy_of(vpa).get("minReplicas")
        required = self._min_replicas if per_vpa is None else per_vpa
        below_min_replicas = False
        if len(pods) < required:
            skips_check = self._rules.skip_disruption_budget and get_update_mode(vpa) in (
                UPDATE_MODE_IN_PLACE_OR_RECREATE,
                UPDATE_MODE_IN_PLACE,
            )
            # A boost must end even if the group is small.
            if not skips_check and not any(map(pod_has_cpu_boost_in_progress_annotation, pods)):
                return None
            below_min_replicas = skips_check
        try:
            configured = len(pods) if creator.kind == _JOB else self._replica_count(creator)
        except ReplicationInfoError as error:
            self._on_error(f"Failed to obtain replication info: {error}")
            return None
        pending = sum((pod.get("status") or {}).get("phase") == "Pending" for pod in pods)
        tolerance = int(configured * self._fraction)
        return SingleGroupStats(configured, pending, len(pods) - pending, tolerance, below_min_replicas)

    def _replica_count(self, creator: PodReplicaCreator) -> int:
        """The desired size of the group; 0 for unknown kinds (getReplicaCount).

        Raises ReplicationInfoError.
        """
        informer = self._informers.get(creator.kind)
        if informer is None:
            return 0
        called = f"{_REPLICATED.get(creator.kind, 'daemon set')} {creator.namespace}/{creator.name}"
        obj = informer.indexer.get_by_key(f"{creator.namespace}/{creator.name}")
        if obj is None:
            raise ReplicationInfoError(f"{called} does not exist")
        if creator.kind == _DAEMON_SET:
            count, missing = (obj.get("status") or {}).get("desiredNumberScheduled"), "no desired scheduled pods"
        else:
            count, missing = (obj.get("spec") or {}).get("replicas"), "no replicas config"
        if not count:
            raise ReplicationInfoError(f"{called} has {missing}")
        return int(count)

    def new_pods_eviction_restriction(self, maps: CreatorMaps) -> PodsEvictionRestriction:
        """The eviction restriction of this loop (NewPodsEvictionRestriction)."""
        return PodsEvictionRestriction(self._pods, maps, self._clock, self._resizing_since)

    def new_pods_in_place_restriction(self, maps: CreatorMaps) -> PodsInPlaceRestriction:
        """The resize restriction of this loop (NewPodsInPlaceRestriction)."""
        return PodsInPlaceRestriction(
            self._pods, maps, self._patch_calculators, self._clock, self._resizing_since, self._rules
        )
