"""One sync of one HPA: read the target's scale, ask the metrics, decide, write the scale and the status.

Source: pkg/controller/podautoscaler/horizontal.go, reconcileAutoscaler.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lockstep.wire.gotime import rfc3339
from lockstep_reference.hpa.behavior import Normalizer
from lockstep_reference.hpa.conditions import (
    ABLE_TO_SCALE,
    FALSE,
    SCALED_TO_ZERO,
    SCALING_ACTIVE,
    SCALING_LIMITED,
    TRUE,
    Conditions,
)
from lockstep_reference.hpa.metrics_computation import NO_REPLICAS, MetricsComputation
from lockstep_reference.hpa.plan import Plan, Planner
from lockstep_reference.hpa.rescale import SCALE_ERRORS, Rescaler
from lockstep_reference.hpa.status import Status, new_status, same_status
from lockstep_reference.hpa.target import Target, TargetError, TargetFinder
from lockstep_reference.machinery.client import ApiError, ResourceClient
from lockstep_reference.machinery.events import Recorder
from lockstep_reference.machinery.scale import Scale
from lockstep_reference.machinery.transport import Clock

API_VERSION = "autoscaling/v2"
KIND = "HorizontalPodAutoscaler"
_BELOW_MIN = "Current number of replicas below Spec.MinReplicas"


class ReconcileError(Exception):
    """A sync that failed, wholly or in part; the text is upstream's. The next one comes when it would come anyway."""


@dataclass(frozen=True, slots=True)
class Reconciler:
    """Everything that a sync needs. Must not be called for one key twice at the same time; the queue sees to that."""

    hpa_client: ResourceClient
    targets: TargetFinder
    planner: Planner
    metrics: MetricsComputation
    normalizer: Normalizer
    rescaler: Rescaler
    recorder: Recorder
    clock: Clock
    #: Told, in upstream's words, of what goes wrong beside the sync's own error.
    on_error: Callable[[str], None]
    #: Feature gate HPAScaleToZero.
    scale_to_zero: bool

    def forget(self, key: str) -> None:
        """The HPA is gone: a new one of the same name starts without memories."""
        self.normalizer.forget(key)
        self.planner.forget(key)

    async def reconcile_autoscaler(self, hpa: dict[str, Any], key: str) -> None:
        """Sync `hpa`, as the informer's cache has it. Raises ReconcileError."""
        await _Sync(self, hpa, key).run()


@dataclass(frozen=True, slots=True)
class _Decision:
    """How many replicas, whether to write them, and why; `metrics` for the status, `error` of some of the metrics."""

    replicas: int
    rescale: bool = True
    reason: str = ""
    metrics: list[Status] | None = None
    error: str = ""


class _Sync:
    """One call of reconcileAutoscaler."""

    def __init__(self, reconciler: Reconciler, hpa: dict[str, Any], key: str) -> None:
        self._do = reconciler
        self._hpa = hpa
        self._key = key
        self._namespace: str = hpa["metadata"]["namespace"]
        self._plan: Plan = reconciler.planner.plan(key, self._namespace, hpa["spec"])
        self._old: Status = hpa.get("status") or {}
        self._conditions = Conditions(self._old.get("conditions") or (), reconciler.clock)

    async def run(self) -> None:
        do = self._do
        target = await self._find_target()
        message = "the HPA controller was able to get the target's current scale"
        self._conditions.set(ABLE_TO_SCALE, TRUE, "SucceededGetScale", message)
        current = target.scale.spec_replicas
        do.normalizer.record_initial_recommendation(current, self._key)
        decision = await self._decide(target.scale)
        last_scale_time = self._old.get("lastScaleTime")
        if decision.rescale:
            await self._rescale(target, decision)
            last_scale_time = rfc3339(do.clock.now())
        replicas = decision.replicas if decision.rescale else current
        error = await self._update_status_if_needed(
            new_status(current, replicas, last_scale_time, decision.metrics, self._conditions.items)
        )
        if error or decision.error:
            raise ReconcileError(error or decision.error)

    async def _find_target(self) -> Target:
        try:
            return await self._do.targets.find(self._plan, self._namespace)
        except TargetError as error:
            self._warn("FailedGetScale", error.cause)
            message = f"the HPA controller was unable to get the target's current scale: {error.cause}"
            self._conditions.set(ABLE_TO_SCALE, FALSE, "FailedGetScale", message)
            await self._try_to_update_status({**self._old, "conditions": self._conditions.items})
            raise ReconcileError(str(error)) from error

    # -- the decision --------------------------------------------------------------------------------------------------

    async def _decide(self, scale: Scale) -> _Decision:
        plan, conditions, gate = self._plan, self._conditions, self._do.scale_to_zero
        current = scale.spec_replicas
        scaled_to_zero = gate and conditions.is_true(SCALED_TO_ZERO)
        if current == 0:
            # What an HPA has scaled to zero it may wake up again; what somebody else has, it leaves alone.
            if not scaled_to_zero or (plan.min_replicas == 0 and not plan.has_object_or_external_metrics):
                message = "scaling is disabled since the replica count of the target is zero"
                conditions.set(SCALING_ACTIVE, FALSE, "ScalingDisabled", message)
                if not gate:
                    conditions.remove(SCALED_TO_ZERO)
                return _Decision(0, rescale=False)
        elif current > plan.max_replicas:
            return _Decision(plan.max_replicas, reason="Current number of replicas above Spec.MaxReplicas")
        elif current < plan.min_replicas:
            return _Decision(plan.min_replicas, reason=_BELOW_MIN)
        return await self._decide_by_metrics(scale, wake_up=current == 0 and scaled_to_zero)

    async def _decide_by_metrics(self, scale: Scale, *, wake_up: bool) -> _Decision:
        plan, current = self._plan, scale.spec_replicas
        computed = await self._do.metrics.compute(self._object(), self._key, plan, scale, self._conditions)
        if computed.error and computed.replicas == NO_REPLICAS:
            await self._try_to_update_status(self._without_decision(current, computed.statuses))
            self._warn("FailedComputeMetricsReplicas", computed.error)
            raise ReconcileError(
                f"failed to compute desired number of replicas based on listed metrics for {plan.reference}: "
                f"{computed.error}"
            )
        desired = max(computed.replicas, 0)
        reason = ""
        if desired > current:
            reason = f"{computed.metric} above target"
        elif desired < current:
            reason = "All metrics below target"
        desired = self._normalize(current, desired)
        if wake_up and desired < plan.min_replicas:
            desired, reason = plan.min_replicas, reason or _BELOW_MIN
        return _Decision(desired, desired != current, reason, computed.statuses, computed.error)

    def _normalize(self, current: int, desired: int) -> int:
        plan, conditions = self._plan, self._conditions
        result = self._do.normalizer.normalize_desired_replicas(
            plan.spec, self._key, current, desired, plan.min_replicas
        )
        conditions.set(ABLE_TO_SCALE, TRUE, result.able_reason, result.able_message)
        limited = TRUE if result.limited else FALSE
        conditions.set(SCALING_LIMITED, limited, result.limited_reason, result.limited_message)
        return result.replicas

    # -- what becomes of it --------------------------------------------------------------------------------------------

    async def _rescale(self, target: Target, decision: _Decision) -> None:
        plan, replicas, scale = self._plan, decision.replicas, target.scale
        current = scale.spec_replicas
        try:
            await self._do.rescaler.update(
                target.group, target.resource, self._namespace, plan.name, scale, replicas, plan.reference
            )
        except SCALE_ERRORS as error:
            self._warn("FailedRescale", f"New size: {replicas}; reason: {decision.reason}; error: {error}")
            message = f"the HPA controller was unable to update the target scale: {error}"
            self._conditions.set(ABLE_TO_SCALE, FALSE, "FailedUpdateScale", message)
            await self._try_to_update_status(self._without_decision(current, decision.metrics))
            raise ReconcileError(f"failed to rescale {plan.reference}: {error}") from error
        message = f"the HPA controller was able to update the target scale to {replicas}"
        self._conditions.set(ABLE_TO_SCALE, TRUE, "SucceededRescale", message)
        text = f"New size: {replicas}; reason: {decision.reason}"
        self._do.recorder.event(self._object(), "Normal", "SuccessfulRescale", text)
        self._do.normalizer.store_scale_event(plan.behavior, self._key, current, replicas)
        self._note_scaled_to_zero(current, replicas)

    def _note_scaled_to_zero(self, current: int, replicas: int) -> None:
        """With every rescale, so that the condition is never out of date."""
        plan, conditions = self._plan, self._conditions
        if not self._do.scale_to_zero:
            conditions.remove(SCALED_TO_ZERO)
        elif current > 0 and replicas == 0 and plan.min_replicas == 0 and plan.has_object_or_external_metrics:
            message = "the HPA controller scaled the workload to zero"
            conditions.set(SCALED_TO_ZERO, TRUE, "ScaledToZero", message)
        else:
            message = "the HPA controller did not scale the workload to zero"
            conditions.set(SCALED_TO_ZERO, FALSE, "NotScaledToZero", message)

    # -- status and events ---------------------------------------------------------------------------------------------

    def _without_decision(self, current: int, metrics: list[Status] | None) -> Status:
        """The status after a failure: what is desired stays as it was (setCurrentReplicasAndMetricsInStatus)."""
        old = self._old
        desired, last_scale_time = old.get("desiredReplicas") or 0, old.get("lastScaleTime")
        return new_status(current, desired, last_scale_time, metrics, self._conditions.items)

    async def _try_to_update_status(self, status: Status) -> None:
        """For a sync that has failed already."""
        error = await self._update_status_if_needed(status)
        if error:
            self._do.on_error(error)

    async def _update_status_if_needed(self, status: Status) -> str:
        """Write the status if it says anything new; the error, or "" (updateStatusIfNeeded, updateStatus)."""
        if same_status(self._old, status):
            return ""
        try:
            await self._do.hpa_client.update_status(self._namespace, {**self._object(), "status": status})
        except (ApiError, OSError) as error:
            self._warn("FailedUpdateStatus", str(error))
            return f"failed to update status for {self._hpa['metadata']['name']}: {error}"
        return ""

    def _warn(self, reason: str, message: str) -> None:
        self._do.recorder.event(self._object(), "Warning", reason, message)

    def _object(self) -> dict[str, Any]:
        """The HPA with its type, which a cache may leave out."""
        return {**self._hpa, "kind": KIND, "apiVersion": API_VERSION}
