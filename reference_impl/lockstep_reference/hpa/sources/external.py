"""External metrics."""

from __future__ import annotations

from typing import Any

from lockstep.wire import gotext
from lockstep.wire.quantity import format_milli
from lockstep_reference.hpa.metrics import MetricsError
from lockstep_reference.hpa.replica_calculator import ReplicaCalculator
from lockstep_reference.hpa.sources.base import MetricFailure, Proposal, Question, Wire, identifier, milli


class ExternalSource:
    """A metric from outside of the cluster (computeStatusForExternalMetric)."""

    def __init__(self, source: Wire) -> None:
        target = source["target"]
        self._metric: str = source["metric"]["name"]
        self._identifier = identifier(source["metric"])
        self._selector: dict[str, Any] | None = source["metric"].get("selector")
        self._average = milli(target, "averageValue")
        self._target = milli(target, "value")
        self._name = f"external metric {self._metric}({gotext.label_selector(self._selector)})"

    async def compute(self, calculator: ReplicaCalculator, question: Question) -> Proposal:
        """Raises MetricFailure."""
        if self._average is not None:
            return await self._by_average(calculator, question, self._average)
        if self._target is not None:
            return await self._by_value(calculator, question, self._target)
        error = "invalid external metric source: neither a value target nor an average value target was set"
        raise self._failure(error, error)

    async def _by_average(self, calculator: ReplicaCalculator, question: Question, target: int) -> Proposal:
        try:
            replicas, usage, _ = await calculator.get_external_per_pod_metric_replicas(
                question.status_replicas,
                target,
                self._metric,
                question.tolerances,
                question.namespace,
                self._selector,
            )
        except MetricsError as error:
            raise self._failure(str(error), f"failed to get {self._metric} external metric: {error}") from error
        return self._proposal(replicas, {"averageValue": format_milli(usage)})

    async def _by_value(self, calculator: ReplicaCalculator, question: Question, target: int) -> Proposal:
        try:
            replicas, usage, _ = await calculator.get_external_metric_replicas(
                question.spec_replicas,
                target,
                self._metric,
                question.tolerances,
                question.namespace,
                self._selector,
                question.selector,
            )
        except MetricsError as error:
            raise self._failure(str(error), f"failed to get external metric {self._metric}: {error}") from error
        return self._proposal(replicas, {"value": format_milli(usage)})

    def _proposal(self, replicas: int, current: dict[str, Any]) -> Proposal:
        status = {"metric": self._identifier, "current": current}
        return Proposal(replicas, self._name, {"type": "External", "external": status})

    def _failure(self, event: str, error: str) -> MetricFailure:
        text = f"failed to get {self._metric} external metric value: {error}"
        return MetricFailure("FailedGetExternalMetric", event, text)
