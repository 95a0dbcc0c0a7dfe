"""The invariants of the VPA's updater: which pods it may evict, how many at once, and when.

One loop of the updater takes no time unless its requests wait or its rate is limited. So all that it does in one
instant belongs to one loop.
"""
# ruff: noqa: D102 - what the hooks mean is said once, in Invariant

from __future__ import annotations

from typing import TYPE_CHECKING

from lockstep.objects.definitions import VPAS
from lockstep.time.clock import parse_rfc3339
from lockstep.trace.invariants.base import FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS, Invariant
from lockstep.trace.symbols import milliseconds
from lockstep.trace.vertical import EVICTING, Object, Verticals, boosts, lease_counts_until, mode, owners
from lockstep.wire.meta import is_terminating
from lockstep.wire.pods import is_active

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lockstep.controllers.options import UpdaterOptions
    from lockstep.trace.cluster_state import ClusterState
    from lockstep.trace.history import Write

ACTOR = "vpa-updater"
_LEASE = "vpa-admission-controller"


class UpdaterInvariant(Invariant):
    """About the actor `vpa-updater`."""

    actor = ACTOR
    sees_world = True

    def __init__(self) -> None:
        self.verticals = Verticals()

    @property
    def flags(self) -> UpdaterOptions | None:
        """The updater's flags; None if they are unknown, or if a loop may take time."""
        if self.options is None or self.options.vpa.updater.eviction_rate_limit > 0:
            return None
        return self.options.vpa.updater

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        evicts = write.subresource == "eviction" and write.actor == ACTOR and not write.failed
        if evicts and write.before is not None and self.flags is not None:
            yield from self.evicted(write, write.before, self.flags, state)
        self.verticals.follow(write)

    def evicted(self, write: Write, pod: Object, flags: UpdaterOptions, state: ClusterState) -> Iterator[str]:
        """The updater has evicted this pod."""
        yield from ()


class UpdaterKnowsItsPlace(Invariant):
    """Leaves the rest of the world alone."""

    name = "vpa-updater-knows-its-place"
    must = "The updater MUST NOT write anything but evictions, resizes and annotations of pods, and events."
    source = "pkg/updater/logic/updater.go RunOnce"
    actor = ACTOR

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        done = (write.verb, write.resource, write.subresource)
        allowed = (("create", "pods", "eviction"), ("patch", "pods", "resize"), ("patch", "pods", ""))
        if done not in allowed and not write.resource.startswith("events"):
            yield f"it did {write.verb} {write.resource} {write.name} {write.subresource}".rstrip()


class WhomToEvict(UpdaterInvariant):
    """Evicts only where a VPA allows it."""

    name = "vpa-evicts-where-asked"
    must = "Only pods of a VPA whose mode lets pods be evicted MUST be evicted, and none that is being deleted."
    source = "pkg/updater/logic/updater.go RunOnce"
    needs = (FRESH_CACHES, PROMPT_ANSWERS)

    def evicted(self, write: Write, pod: Object, flags: UpdaterOptions, state: ClusterState) -> Iterator[str]:
        if is_terminating(pod):
            yield f"it evicted pod {write.name}, which is being deleted"
        chain = owners(pod, state)
        if not chain or chain[-1].get("kind") not in ("ReplicaSet", "Deployment"):
            return  # controllers further up are not followed
        modes = [mode(vpa) for vpa in self.verticals.of(pod, state)]
        if not any(one in EVICTING for one in modes):
            yield f"it evicted pod {write.name}, whose VPAs have the modes {modes}"


class LeaseCounts(UpdaterInvariant):
    """Evicts only while new pods will be admitted."""

    name = "vpa-fresh-lease"
    must = "Pods MUST NOT be evicted unless the admission controller renewed its lease within a minute."
    source = "pkg/updater/logic/updater.go RunOnce; pkg/utils/status/status_object.go IsStatusValid"
    needs = (PROMPT_ANSWERS,)

    def evicted(self, write: Write, pod: Object, flags: UpdaterOptions, state: ClusterState) -> Iterator[str]:
        lease = self.verticals.leases.get((flags.namespace, _LEASE))
        if flags.use_admission_controller_status and lease_counts_until(lease) <= write.at:
            yield f"it evicted pod {write.name}, and the lease is out of date: {(lease or {}).get('spec')}"


class HowMany(UpdaterInvariant):
    """Leaves enough of each group alive."""

    name = "vpa-eviction-tolerance"
    must = (
        "One loop MUST leave as many pods of a group alive as its replicas less the tolerance, or evict one if there "
        "is no tolerance and all are alive; and it MUST NOT touch groups smaller than the minimum."
    )
    source = "pkg/updater/restriction/pods_restriction_factory.go GetCreatorMaps, isPodDisruptable"
    needs = (FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS)

    def __init__(self) -> None:
        super().__init__()
        self._at = -1
        self._members: dict[str, list[Object]] = {}  # by uid of the ReplicaSet: its pods when the loop began
        self._evicted: dict[str, int] = {}

    def evicted(self, write: Write, pod: Object, flags: UpdaterOptions, state: ClusterState) -> Iterator[str]:
        reference = owners(pod, state)[0]
        group = str(reference.get("uid", ""))
        if group not in state.replica_sets:
            return
        if milliseconds(write.at) != self._at:
            self._at, self._members, self._evicted = milliseconds(write.at), {}, {}
        if group not in self._members:  # the eviction is in the state already
            others = [one for one in state.pods_of(group) if one["metadata"]["name"] != write.name]
            self._members[group] = [one for one in (*others, pod) if _counts(one)]
        if (pod.get("status") or {}).get("phase") != "Pending":
            self._evicted[group] = self._evicted.get(group, 0) + 1
        yield from self._judge(write, group, flags, state)

    def _judge(self, write: Write, group: str, flags: UpdaterOptions, state: ClusterState) -> Iterator[str]:
        members = self._members[group]
        replicas = state.wanted(group)
        tolerance = int(replicas * flags.eviction_tolerance)
        running = sum((one.get("status") or {}).get("phase") != "Pending" for one in members)
        most = max(running - (replicas - tolerance), int(tolerance == 0 and running >= replicas))
        if self._evicted.get(group, 0) > most:
            text = f"of {running} running pods and {replicas} replicas it evicted {self._evicted[group]} at once"
            yield f"{text}, {write.name} last, where {most} would do"
        policies = [vpa["spec"].get("updatePolicy") or {} for vpa in self.verticals.of(members[-1], state)]
        least = min((policy.get("minReplicas", flags.min_replicas) for policy in policies), default=0)
        if len(members) < least:
            yield f"it evicted pod {write.name} of a group of {len(members)}, where {least} is the least"


def _counts(pod: Object) -> bool:
    """Whether the updater counts a pod: it has a node, and may still run."""
    return is_active(pod) and bool(pod["spec"].get("nodeName"))


class LeftAlone(UpdaterInvariant):
    """Does not evict again what it has brought to the target."""

    name = "vpa-fresh-pods-are-left-alone"
    must = (
        "A pod that the admission controller gave the target MUST NOT be evicted while the recommendation is the same "
        "and its containers do not end."
    )
    source = "pkg/updater/priority/update_priority_calculator.go AddPod; kubernetes/autoscaler#8776 for LimitRanges"
    needs = (FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS)

    def evicted(self, write: Write, pod: Object, flags: UpdaterOptions, state: ClusterState) -> Iterator[str]:
        vpas = self.verticals.of(pod, state)
        if self.verticals.bounded or len(vpas) != 1 or boosts(vpas[0]) or _has_ended_once(pod):
            return
        metadata = vpas[0]["metadata"]
        changed = self.verticals.changed.get((str(metadata["namespace"]), str(metadata["name"])), 0)
        created = parse_rfc3339(str(pod["metadata"]["creationTimestamp"]))
        admitted = "vpaUpdates" in (pod["metadata"].get("annotations") or {})
        if admitted and changed < created:
            yield f"it evicted pod {write.name}, which VPA {metadata['name']} of {VPAS} has told what to request"


def _has_ended_once(pod: Object) -> bool:
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return any(one.get("restartCount") or one.get("lastState") for one in statuses)


UPDATER_INVARIANTS: tuple[type[Invariant], ...] = (
    UpdaterKnowsItsPlace,
    WhomToEvict,
    LeaseCounts,
    HowMany,
    LeftAlone,
)
