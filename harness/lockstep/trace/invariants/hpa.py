"""The invariants of the HPA controller: what it may write, and what a single scale write can break."""
# ruff: noqa: D102 - what the hooks mean is said once, in Invariant

from __future__ import annotations

from typing import TYPE_CHECKING

from lockstep.trace.autoscalers import AUTOSCALERS, Object, bounds_of, replicas_of
from lockstep.trace.invariants.base import FRESH_CACHES, PROMPT_ANSWERS, Invariant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lockstep.trace.cluster_state import ClusterState
    from lockstep.trace.history import Write

ACTOR = "horizontal-pod-autoscaler"
_EVENTS = ("events", "events.events.k8s.io")


class HpaInvariant(Invariant):
    """About the actor `horizontal-pod-autoscaler`."""

    actor = ACTOR

    def scaled(self, write: Write) -> tuple[Object, int, int] | None:
        """The target that the controller has scaled with this write, and its replicas before and after.

        None: it scaled nothing, or a custom resource whose replicas are in another field.
        """
        if write.actor != ACTOR or write.subresource != "scale" or write.before is None or write.after is None:
            return None
        old, new = replicas_of(write.before), replicas_of(write.after)
        return (write.after, old, new) if new == replicas_of(write.body or {}) else None

    def reported(self, write: Write) -> tuple[Object, Object] | None:
        """The HPA before and after the controller has written its status; None: it is another kind of write, or it
        failed.
        """
        if write.actor != ACTOR or write.resource != AUTOSCALERS or write.before is None or write.after is None:
            return None
        return write.before, write.after


class KnowsItsPlace(HpaInvariant):
    """Leaves the rest of the world alone."""

    name = "hpa-knows-its-place"
    must = "The controller MUST NOT write anything but scales, the status of HPAs and events."
    source = "pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler, updateStatus"

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        status = write.resource == AUTOSCALERS and write.subresource == "status"
        if not status and write.subresource != "scale" and write.resource not in _EVENTS:
            yield f"it did {write.verb} {write.resource} {write.name}"


class OwnTarget(HpaInvariant):
    """Scales only the targets of HPAs."""

    name = "hpa-own-target"
    must = "The controller MUST scale only what some HPA names as its target."
    source = "pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler; kubernetes/kubernetes#24979"
    needs = (FRESH_CACHES, PROMPT_ANSWERS)

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        scaled = self.scaled(write)
        if scaled is not None and not state.autoscalers.of(scaled[0]):
            yield f"it scaled {write.resource} {write.name}, which no HPA names"


class Purpose(HpaInvariant):
    """Writes only to change."""

    name = "hpa-purpose"
    must = "A scale write MUST change the number of replicas."
    source = "pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler (rescale)"
    needs = (PROMPT_ANSWERS,)

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        scaled = self.scaled(write)
        if scaled is not None and scaled[1] == scaled[2]:
            yield f"it scaled {write.resource} {write.name} from {scaled[1]} to {scaled[2]} replicas"


class Bounds(HpaInvariant):
    """Stays where the user wants it."""

    name = "hpa-bounds"
    must = "A scale write MUST ask for at least minReplicas and at most maxReplicas."
    source = "pkg/controller/podautoscaler/horizontal.go convertDesiredReplicasWithRules, normalizeDesiredReplicas"
    needs = (FRESH_CACHES, PROMPT_ANSWERS)

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        scaled = self.scaled(write)
        if scaled is None:
            return
        target, _, wanted = scaled
        bounds = [bounds_of(one) for one in state.autoscalers.of(target)]
        if bounds and not any(lowest <= wanted <= highest for lowest, highest in bounds):
            lowest, highest = bounds[0]
            yield f"it scaled {write.resource} {write.name} to {wanted}, and may from {lowest} to {highest}"


class Asleep(HpaInvariant):
    """Lets sleep what its user has put to sleep."""

    name = "hpa-asleep"
    must = (
        "What was scaled to zero MUST stay there, unless minReplicas is 0 or the HPA says that it did so itself (its "
        "condition ScaledToZero)."
    )
    source = "pkg/controller/podautoscaler/horizontal.go shouldComputeMetricsForZeroReplicas"
    needs = (FRESH_CACHES, PROMPT_ANSWERS)

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        scaled = self.scaled(write)
        if scaled is None or scaled[1] != 0:
            return
        autoscalers = state.autoscalers.of(scaled[0])
        if autoscalers and not any(_may_wake(one) for one in autoscalers):
            yield f"it scaled {write.resource} {write.name} from 0 to {scaled[2]} replicas"


def _may_wake(autoscaler: Object) -> bool:
    conditions = (autoscaler.get("status") or {}).get("conditions") or ()
    asleep = any(one.get("type") == "ScaledToZero" and one.get("status") == "True" for one in conditions)
    return asleep or bounds_of(autoscaler)[0] == 0
