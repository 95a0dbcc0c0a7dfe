"""The invariants of the VPA's recommender and of its admission controller."""
# ruff: noqa: D102 - what the hooks mean is said once, in Invariant

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lockstep.objects.definitions import CHECKPOINTS, VPAS
from lockstep.trace.invariants.base import FRESH_CACHES, PROMPT_ANSWERS, Invariant
from lockstep.trace.invariants.vpa_updater import UPDATER_INVARIANTS
from lockstep.trace.vertical import Object, policy_of, recommended
from lockstep.wire.quantity import read_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lockstep.controllers.options import RecommenderOptions
    from lockstep.trace.cluster_state import ClusterState
    from lockstep.trace.history import Write

_CAPPED = ("lowerBound", "target", "upperBound")


class RecommenderInvariant(Invariant):
    """About the actor `vpa-recommender`."""

    actor = "vpa-recommender"

    def reported(self, write: Write) -> list[Object]:
        """The recommendations that the recommender has written with this write."""
        if write.actor != self.actor or write.resource != VPAS or write.after is None:
            return []
        return recommended(write.after)


class RecommenderKnowsItsPlace(RecommenderInvariant):
    """Leaves the rest of the world alone."""

    name = "vpa-recommender-knows-its-place"
    must = "The recommender MUST NOT write anything but the status of VPAs, and checkpoints."
    source = "pkg/recommender/routines/recommender.go RunOnce"

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if write.resource != CHECKPOINTS and (write.resource, write.subresource) != (VPAS, "status"):
            yield f"it did {write.verb} {write.resource} {write.name}"


class OrderedBounds(RecommenderInvariant):
    """Bounds bound."""

    name = "vpa-ordered-bounds"
    must = "A recommendation MUST have a target between its lower and its upper bound."
    source = "pkg/recommender/logic/recommender.go GetRecommendedPodResources"

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if self.options is None or not _has_ordered_percentiles(self.options.vpa.recommender):
            return
        for one in self.reported(write):
            for resource, target in (one.get("target") or {}).items():
                lower, upper = (one[bound].get(resource, target) for bound in ("lowerBound", "upperBound"))
                if _compared(lower, target) > 0 or _compared(target, upper) > 0:
                    where = f"{write.name}, container {one['containerName']}, {resource}"
                    yield f"{where}: the bounds are {lower} and {upper}, the target is {target}"


def _has_ordered_percentiles(flags: RecommenderOptions) -> bool:
    lower, target, upper = (
        "recommendation_lower_bound_{}_percentile",
        "target_{}_percentile",
        ("recommendation_upper_bound_{}_percentile"),
    )
    return all(
        getattr(flags, lower.format(resource))
        <= getattr(flags, target.format(resource))
        <= getattr(flags, upper.format(resource))
        for resource in ("cpu", "memory")
    )


class WithinAllowed(RecommenderInvariant):
    """Recommends what the user allows."""

    name = "vpa-within-allowed"
    must = "A recommendation MUST lie between minAllowed and maxAllowed of the container's policy."
    source = "pkg/utils/vpa/capping.go ApplyVPAPolicy"
    needs = (FRESH_CACHES, PROMPT_ANSWERS)

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        for one in self.reported(write):
            policy = policy_of(write.after or {}, str(one["containerName"]))
            for bound in _CAPPED:
                for resource, value in (one.get(bound) or {}).items():
                    least, most = ((policy.get(end) or {}).get(resource) for end in ("minAllowed", "maxAllowed"))
                    if not _allowed(value, least, most):
                        where = f"{write.name}, container {one['containerName']}, {bound} of {resource}"
                        yield f"{where}: {value}, where {least} to {most} is allowed"


def _compared(first: Any, second: Any) -> int:
    """The sign of their difference. Raises ValueError if one is no quantity: what is stored has passed validation."""
    return read_quantity(first).compare(read_quantity(second))


def _allowed(value: Any, least: Any, most: Any) -> bool:
    """Whether a value lies in the range; any value lies in an empty range."""
    if least is not None and most is not None and _compared(least, most) > 0:
        return True
    above = least is None or _compared(value, least) >= 0
    return above and (most is None or _compared(value, most) <= 0)


class LimitsHold(Invariant):
    """Admits only pods that can run."""

    name = "vpa-requests-within-limits"
    must = "A pod that the admission controller has changed MUST NOT request more than its limits."
    source = "pkg/admission-controller/resource/pod/patch/resource_updates.go"
    actor = "vpa-admission"
    sees_world = True

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if write.verb != "create" or write.resource != "pods" or write.subresource or write.after is None:
            return
        if "vpaUpdates" not in (write.after["metadata"].get("annotations") or {}):
            return
        for container in write.after["spec"].get("containers") or ():
            resources = container.get("resources") or {}
            limits = resources.get("limits") or {}
            for resource, request in (resources.get("requests") or {}).items():
                if resource in limits and _compared(request, limits[resource]) > 0:
                    where = f"pod {write.name}, container {container['name']}, {resource}"
                    yield f"{where}: requests {request}, limit {limits[resource]}"


VPA_INVARIANTS: tuple[type[Invariant], ...] = (
    RecommenderKnowsItsPlace,
    OrderedBounds,
    WithinAllowed,
    LimitsHold,
    *UPDATER_INVARIANTS,
)
