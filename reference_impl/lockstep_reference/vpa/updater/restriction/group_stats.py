"""A group: the pods of one controller, and how many of them may be disrupted (pods_restriction_factory.go)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.utils.panic import NIL_DEREFERENCE, Panic


class PodReplicaCreator(NamedTuple):
    """The controller that creates the pods; its API group is ignored."""

    namespace: str
    name: str
    kind: str


@dataclass(slots=True)
class SingleGroupStats:
    """Numbers of pods; the last three change during a loop."""

    configured: int
    pending: int
    running: int
    eviction_tolerance: int
    #: The group is too small for evictions; it is included because resizes are still allowed.
    below_min_replicas: bool
    evicted: int = 0
    #: Pods that this loop has resized.
    in_place_update_initiated: int = 0

    def is_pod_disruptable(self) -> bool:
        """Whether one more pod may be disrupted (isPodDisruptable).

        More pods must be alive than the tolerance requires; if it allows none and all are alive, one at a time.
        """
        should_be_alive = self.configured - self.eviction_tolerance
        actually_alive = self.running - (self.evicted + self.in_place_update_initiated)
        return actually_alive > should_be_alive or (
            self.configured == self.running
            and self.eviction_tolerance == 0
            and self.evicted == 0
            and self.in_place_update_initiated == 0
        )


@dataclass(frozen=True, slots=True)
class CreatorMaps:
    """The groups of one VPA's pods in one loop (GetCreatorMaps)."""

    stats: dict[PodReplicaCreator, SingleGroupStats] = field(default_factory=dict)
    #: By `pod_id`. Pods of groups that must not be disrupted are missing.
    creators: dict[str, PodReplicaCreator] = field(default_factory=dict)

    def stats_of(self, pod: Object) -> SingleGroupStats | None:
        """The numbers of the pod's group; None if it must not be disrupted."""
        creator = self.creators.get(pod_id(pod))
        return None if creator is None else self.stats[creator]


def pod_id(pod: Object) -> str:
    """`namespace/name` (getPodID)."""
    metadata = pod["metadata"]
    return f"{metadata.get('namespace') or ''}/{metadata['name']}"


def pod_replica_creator(pod: Object) -> PodReplicaCreator:
    """The first owner that is a controller; one without name and kind if there is none (getPodReplicaCreator).

    Raises Panic, as upstream does, for an owner before it without the field `controller`.
    """
    metadata = pod["metadata"]
    namespace = metadata.get("namespace") or ""
    for reference in metadata.get("ownerReferences") or ():
        controller = reference.get("controller")
        if controller is None:
            raise Panic(NIL_DEREFERENCE)
        if controller:
            return PodReplicaCreator(namespace, reference["name"], reference["kind"])
    return PodReplicaCreator(namespace, "", "")
