"""The VerticalPodAutoscalers of a run and what affects them, replayed write by write from a history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lockstep.objects.definitions import VPAS
from lockstep.time.clock import SECOND, parse_rfc3339
from lockstep.wire.meta import controller_of, uid

if TYPE_CHECKING:
    from lockstep.trace.cluster_state import ClusterState
    from lockstep.trace.history import Write

Object = dict[str, Any]
Place = tuple[str, str]  # namespace and name

LEASES: Final = "leases.coordination.k8s.io"
#: Modes in which pods may be evicted.
EVICTING: Final = ("Auto", "Recreate", "InPlaceOrRecreate")


class Verticals:
    """The state after the writes applied so far. Objects are shared with the history: never change them."""

    def __init__(self) -> None:
        self.vpas: dict[Place, Object] = {}
        self.leases: dict[Place, Object] = {}
        #: Whether there has ever been a LimitRange.
        self.bounded = False
        #: The instant at which a VPA was last created or deleted, or its spec or recommendation last changed.
        self.changed: dict[Place, int] = {}

    def follow(self, write: Write) -> None:
        """Apply a successful write."""
        if write.failed or (write.before is None and write.after is None):
            return  # a review comes before the object is stored
        place = (write.namespace, write.name)
        if write.resource == VPAS:
            if _decisive(write.before) != _decisive(write.after):
                self.changed[place] = write.at
            _keep(self.vpas, place, write.after)
        elif write.resource == LEASES:
            _keep(self.leases, place, write.after)
        elif write.resource == "limitranges":
            self.bounded = True

    def of(self, pod: Object, state: ClusterState) -> list[Object]:
        """The VPAs whose target is the pod's controller or, if that is a ReplicaSet, its controller."""
        namespace = str(pod["metadata"].get("namespace", ""))
        names = {(str(one.get("kind")), str(one.get("name"))) for one in owners(pod, state)}
        return [vpa for (space, _), vpa in self.vpas.items() if space == namespace and _target(vpa) in names]


def owners(pod: Object, state: ClusterState) -> list[Object]:
    """References to the pod's controller and, if that is a ReplicaSet, to its controller."""
    found = []
    reference = controller_of(pod)
    if reference is not None:
        found.append(reference)
        above = controller_of(state.replica_sets.get(str(reference.get("uid", "")), {"metadata": {}}))
        found += [above] if above is not None else []
    return found


def mode(vpa: Object) -> str:
    """The update mode; Recreate if none is set (pkg/utils/vpa/api.go, GetUpdateMode)."""
    return str((vpa["spec"].get("updatePolicy") or {}).get("updateMode") or "Recreate")


def recommended(vpa: Object) -> list[Object]:
    """The recommendations for containers in the status."""
    found: list[Object] = ((vpa.get("status") or {}).get("recommendation") or {}).get("containerRecommendations") or []
    return found


def policy_of(vpa: Object, container: str) -> Object:
    """The policy for a container: the one with its name, else that for `*` (GetContainerResourcePolicy)."""
    by_name: dict[str, Object] = {}
    for one in (vpa["spec"].get("resourcePolicy") or {}).get("containerPolicies") or ():
        by_name.setdefault(str(one.get("containerName")), one)
    return by_name.get(container) or by_name.get("*") or {}


def boosts(vpa: Object) -> bool:
    """Whether containers get more CPU while they start."""
    policies = (vpa["spec"].get("resourcePolicy") or {}).get("containerPolicies") or ()
    return any(one.get("startupBoost") is not None for one in (vpa["spec"], *policies))


def lease_counts_until(lease: Object | None) -> int:
    """The instant until which the lease is valid: a minute after its creation or renewal
    (pkg/utils/status/status_object.go, isStatusValid); 0: there is no lease.
    """
    if lease is None:
        return 0
    times = (lease["metadata"].get("creationTimestamp"), (lease.get("spec") or {}).get("renewTime"))
    return max((parse_rfc3339(one) for one in times if one), default=0) + 60 * SECOND


def _target(vpa: Object) -> tuple[str, str]:
    reference = vpa["spec"].get("targetRef") or {}
    return str(reference.get("kind")), str(reference.get("name"))


def _decisive(vpa: Object | None) -> Any:
    return None if vpa is None else (uid(vpa), vpa["spec"], recommended(vpa))


def _keep(kept: dict[Place, Object], place: Place, after: Object | None) -> None:
    if after is None:
        kept.pop(place, None)
    else:
        kept[place] = after
