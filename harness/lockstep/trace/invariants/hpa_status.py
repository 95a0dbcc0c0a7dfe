"""The invariants of the HPA controller about its status: each sync reports what it acted on."""
# ruff: noqa: D102 - what the hooks mean is said once, in Invariant

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lockstep.trace.autoscalers import Object, replicas_of
from lockstep.trace.invariants.base import FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS, Invariant
from lockstep.trace.invariants.hpa import Asleep, Bounds, HpaInvariant, KnowsItsPlace, OwnTarget, Purpose
from lockstep.trace.invariants.hpa_rates import Rates
from lockstep.wire.meta import uid
from lockstep.wire.pods import is_active

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lockstep.trace.cluster_state import ClusterState
    from lockstep.trace.history import Write


class _Rescale(NamedTuple):
    """The last scale write for an HPA that has not reported it yet.

    `shared`: another HPA has the same target and may have written it. `steady`: all wanted pods existed.
    """

    old: int
    new: int
    shared: bool
    steady: bool


class _Report(NamedTuple):
    """A status write: the HPA before and after it, and the scale write of the same sync, if there is one."""

    before: Object
    after: Object
    rescale: _Rescale | None


class Reporting(HpaInvariant):
    """Pairs status writes with the scale writes of the same sync."""

    def __init__(self) -> None:
        self._rescaled: dict[str, _Rescale] = {}  # uid of the HPA

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        scaled = self.scaled(write)
        if scaled is not None:
            target, old, new = scaled
            autoscalers = [uid(one) for one in state.autoscalers.of(target)]
            rescale = _Rescale(old, new, len(autoscalers) > 1, _is_steady(write.before or {}, state))
            self._rescaled |= dict.fromkeys(autoscalers, rescale)
        elif write.failed and write.subresource == "status":
            self._rescaled = {}  # what it should have reported is never reported
        reported = self.reported(write)
        if reported is not None:
            yield from self.judge(_Report(*reported, self._rescaled.pop(uid(reported[1]), None)))

    def judge(self, report: _Report) -> Iterator[str]:
        """A status write."""
        raise NotImplementedError


class LastScaleTime(Reporting):
    """Dates what it did."""

    name = "hpa-last-scale-time"
    must = "status.lastScaleTime MUST change with a scale write, and only then."
    source = "pkg/controller/podautoscaler/horizontal.go setStatus; kubernetes/kubernetes#101151"
    needs = (FRESH_CACHES, PROMPT_ANSWERS)

    def judge(self, report: _Report) -> Iterator[str]:
        old, new = (_status(one).get("lastScaleTime") for one in (report.before, report.after))
        if old != new and report.rescale is None:
            yield f"HPA {_name(report.after)} has lastScaleTime {new} instead of {old}, but nothing was scaled"


class Numbers(Reporting):
    """Reports the sync that took place."""

    name = "hpa-numbers"
    must = (
        "After a scale write the status MUST say from how many replicas (currentReplicas) and to how many "
        "(desiredReplicas)."
    )
    source = "pkg/controller/podautoscaler/horizontal.go setStatus"
    needs = (FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS)

    def judge(self, report: _Report) -> Iterator[str]:
        status, rescale = _status(report.after), report.rescale
        found = status.get("currentReplicas", 0), status.get("desiredReplicas", 0)
        if rescale is not None and not rescale.shared and found != (rescale.old, rescale.new):
            yield (
                f"HPA {_name(report.after)} was scaled from {rescale.old} to {rescale.new}, and its status says "
                f"from {found[0]} to {found[1]}"
            )


class BlindSpot(Reporting):
    """Never scales down without the metrics."""

    name = "hpa-blind-spot"
    must = "The controller MUST NOT scale down in a sync in which one of the metrics could not be read."
    source = "pkg/controller/podautoscaler/horizontal.go computeReplicasForMetrics; kubernetes/kubernetes#79365"
    needs = (FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS)

    def judge(self, report: _Report) -> Iterator[str]:
        rescale, metrics = report.rescale, _status(report.after).get("currentMetrics") or ()
        unread = sum(1 for metric in metrics if not metric.get("type"))
        if rescale is not None and not rescale.shared and rescale.new < rescale.old and unread:
            yield (
                f"HPA {_name(report.after)} scaled down from {rescale.old} to {rescale.new} with {unread} of "
                f"{len(metrics)} metrics unread"
            )


class Direction(Reporting):
    """Never scales against what it measures.

    What the controller assumes about pods without metrics, or about pods that are not ready, must not reverse the
    direction. It is only checked while there are exactly as many pods as wanted: the controller counts pods, so more or
    fewer of them shift all numbers. An HPA without a behavior may rise to an earlier recommendation, so only its
    scaling down is checked.
    """

    name = "hpa-direction"
    must = (
        "The controller MUST NOT scale down while a utilization is above its target, nor, with a behavior, up while "
        "all are below."
    )
    source = (
        "pkg/controller/podautoscaler/replica_calculator.go GetResourceReplicas; pkg/controller/podautoscaler/"
        "horizontal.go stabilizeRecommendationWithBehaviors"
    )
    needs = (FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS)

    def judge(self, report: _Report) -> Iterator[str]:
        rescale = report.rescale
        if rescale is None or rescale.shared or not rescale.steady:
            return
        spec = report.after.get("spec") or {}
        pairs = list(_utilizations(spec.get("metrics") or (), _status(report.after).get("currentMetrics") or ()))
        found = [pair for pair in pairs if pair is not None]
        if rescale.new < rescale.old and any(current > target for current, target in found):
            yield f"HPA {_name(report.after)} scaled down from {rescale.old} to {rescale.new} with {_words(found)}"
        below = len(found) == len(pairs) > 0 and all(current < target for current, target in found)
        if rescale.new > rescale.old and below and spec.get("behavior"):
            yield f"HPA {_name(report.after)} scaled up from {rescale.old} to {rescale.new} with {_words(found)}"


def _utilizations(specs: Any, statuses: Any) -> Iterator[tuple[int, int] | None]:
    """For each metric that was read, its utilization and its target in percent; None for other kinds of targets."""
    for spec, status in zip(specs, statuses, strict=False):  # none are read while replicas are out of bounds
        kind = "containerResource" if spec.get("type") == "ContainerResource" else "resource"
        target = ((spec.get(kind) or {}).get("target") or {}).get("averageUtilization")
        current = ((status.get(kind) or {}).get("current") or {}).get("averageUtilization")
        yield None if target is None or current is None else (int(current), int(target))


def _words(utilizations: list[tuple[int, int]]) -> str:
    return ", ".join(f"a utilization of {current} % where {target} % is wanted" for current, target in utilizations)


def _is_steady(target: Object, state: ClusterState) -> bool:
    """Whether a ReplicaSet has as many pods as it wants, counted in every way in which the controller counts them."""
    if target.get("kind") != "ReplicaSet":
        return False
    selected = state.selected_pods(target)
    counts = (_status(target).get("replicas"), len(selected), sum(1 for pod in selected if is_active(pod)))
    return all(count == replicas_of(target) for count in counts)


def _status(obj: Object) -> Object:
    return obj.get("status") or {}


def _name(obj: Object) -> str:
    return str(obj["metadata"]["name"])


HPA_INVARIANTS: tuple[type[Invariant], ...] = (
    KnowsItsPlace,
    OwnTarget,
    Purpose,
    Bounds,
    Asleep,
    Rates,
    LastScaleTime,
    Numbers,
    BlindSpot,
    Direction,
)
