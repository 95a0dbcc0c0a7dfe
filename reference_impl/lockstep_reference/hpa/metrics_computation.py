"""From all metrics of an HPA to one number of replicas (horizontal.go, computeReplicasForMetrics)."""

from __future__ import annotations

from typing import Any, NamedTuple

from lockstep_reference.hpa.conditions import FALSE, SCALING_ACTIVE, TRUE, Conditions
from lockstep_reference.hpa.plan import Plan
from lockstep_reference.hpa.replica_calculator import ReplicaCalculator
from lockstep_reference.hpa.sources import MetricFailure, Question
from lockstep_reference.hpa.target_pods import BadSelector, TargetPods
from lockstep_reference.machinery.events import Recorder
from lockstep_reference.machinery.scale import Scale

#: Stands for an unknown number of replicas.
NO_REPLICAS = -1


class Computed(NamedTuple):
    """The replicas that the metrics recommend.

    `statuses` goes into the HPA's status. `error` reports failed metrics, and may be set along with `replicas`.
    """

    replicas: int
    metric: str
    statuses: list[dict[str, Any]] | None
    error: str


class MetricsComputation:
    """Evaluates one metric after the other; the highest number of replicas wins."""

    def __init__(self, target_pods: TargetPods, calculator: ReplicaCalculator, recorder: Recorder) -> None:
        self._target_pods = target_pods
        self._calculator = calculator
        self._recorder = recorder

    async def compute(
        self, hpa: dict[str, Any], key: str, plan: Plan, scale: Scale, conditions: Conditions
    ) -> Computed:
        """Sets the condition ScalingActive, and records an event for each failure."""
        try:
            selector = self._target_pods.validate_and_parse_selector(key, scale.selector)
        except BadSelector as error:
            self._recorder.event(hpa, "Warning", error.event, str(error))
            conditions.set(SCALING_ACTIVE, FALSE, error.reason, error.message)
            return Computed(NO_REPLICAS, "", None, str(error))
        namespace = hpa["metadata"]["namespace"]
        question = Question(scale.spec_replicas, scale.status_replicas, plan.tolerances, namespace, selector)
        replicas, metric = 0, ""
        statuses: list[dict[str, Any]] = []
        failures: list[MetricFailure] = []
        for source in plan.sources:
            try:
                proposal = await source.compute(self._calculator, question)
            except MetricFailure as failure:
                self._recorder.event(hpa, "Warning", failure.reason, failure.event)
                failures.append(failure)
                statuses.append({"type": ""})
                continue
            statuses.append(proposal.status)
            if replicas == 0 or proposal.replicas > replicas:
                replicas, metric = proposal.replicas, proposal.name
        return _conclude(replicas, metric, statuses, failures, scale.spec_replicas, conditions)


def _conclude(
    replicas: int,
    metric: str,
    statuses: list[dict[str, Any]],
    failures: list[MetricFailure],
    spec_replicas: int,
    conditions: Conditions,
) -> Computed:
    """If a metric is missing, the others may scale up but not down."""
    error = ""
    if failures:
        counts = f"{len(failures)} invalid out of {len(statuses)}"
        error = f"invalid metrics ({counts}), first error is: {failures[0]}"
    if len(failures) >= len(statuses) or (failures and replicas < spec_replicas):
        # An HPA without any metric gets here too, with an empty condition.
        kind, status, reason, message = "", "", "", ""
        if failures:
            kind, status, reason = SCALING_ACTIVE, FALSE, failures[0].reason
            message = f"the HPA was unable to compute the replica count: {failures[0].event}"
        conditions.set(kind, status, reason, message)
        return Computed(NO_REPLICAS, "", statuses, error)
    message = f"the HPA was able to successfully calculate a replica count from {metric}"
    conditions.set(SCALING_ACTIVE, TRUE, "ValidMetricFound", message)
    return Computed(replicas, metric, statuses, error)
