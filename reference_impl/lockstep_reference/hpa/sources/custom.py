"""Custom metrics: of the pods, and of one object."""

from __future__ import annotations

from typing import Any

from lockstep.wire import gotext
from lockstep.wire.quantity import format_milli
from lockstep.wire.selectors import Selector
from lockstep_reference.hpa.metrics import MetricsError
from lockstep_reference.hpa.replica_calculator import ReplicaCalculator
from lockstep_reference.hpa.sources.base import MetricFailure, Proposal, Question, Wire, identifier, milli


class PodsSource:
    """A custom metric of the pods (computeStatusForPodsMetric)."""

    def __init__(self, source: Wire, metric_selector: Selector) -> None:
        self._metric: str = source["metric"]["name"]
        self._identifier = identifier(source["metric"])
        self._selector = metric_selector
        self._target = milli(source["target"], "averageValue") or 0

    async def compute(self, calculator: ReplicaCalculator, question: Question) -> Proposal:
        """Raises MetricFailure."""
        try:
            replicas, usage, _ = await calculator.get_metric_replicas(
                question.spec_replicas,
                self._target,
                self._metric,
                question.tolerances,
                question.namespace,
                question.selector,
                self._selector,
            )
        except MetricsError as error:
            raise MetricFailure(
                "FailedGetPodsMetric", str(error), f"failed to get pods metric value: {error}"
            ) from error
        status = {"metric": self._identifier, "current": {"averageValue": format_milli(usage)}}
        return Proposal(replicas, f"pods metric {self._metric}", {"type": "Pods", "pods": status})


class ObjectSource:
    """A custom metric of one object (computeStatusForObjectMetric)."""

    def __init__(self, source: Wire, metric_selector: Selector) -> None:
        target = source["target"]
        self._object = dict(source["describedObject"])
        self._metric: str = source["metric"]["name"]
        self._identifier = identifier(source["metric"])
        self._selector = metric_selector
        self._target = milli(target, "value") if target.get("type") == "Value" else None
        self._average = milli(target, "averageValue") if target.get("type") == "AverageValue" else None

    async def compute(self, calculator: ReplicaCalculator, question: Question) -> Proposal:
        """Raises MetricFailure."""
        if self._target is not None:
            return await self._by_value(calculator, question, self._target)
        if self._average is not None:
            return await self._by_average(calculator, question, self._average)
        error = "invalid object metric source: neither a value target nor an average value target was set"
        raise self._failure(error, error)

    async def _by_value(self, calculator: ReplicaCalculator, question: Question, target: int) -> Proposal:
        try:
            replicas, usage, _ = await calculator.get_object_metric_replicas(
                question.spec_replicas,
                target,
                self._metric,
                question.tolerances,
                question.namespace,
                self._object,
                question.selector,
                self._selector,
            )
        except MetricsError as error:
            raise self._failure(str(error), str(error)) from error
        name = f"{self._object.get('kind') or ''} metric {self._metric}"
        return Proposal(replicas, name, self._status({"value": format_milli(usage)}))

    async def _by_average(self, calculator: ReplicaCalculator, question: Question, target: int) -> Proposal:
        try:
            replicas, usage, _ = await calculator.get_object_per_pod_metric_replicas(
                question.status_replicas,
                target,
                self._metric,
                question.tolerances,
                question.namespace,
                self._object,
                self._selector,
            )
        except MetricsError as error:
            raise self._failure(str(error), f"failed to get {self._metric} object metric: {error}") from error
        name = f"external metric {self._metric}({gotext.label_selector(self._identifier.get('selector'))})"
        return Proposal(replicas, name, self._status({"averageValue": format_milli(usage)}))

    def _status(self, current: dict[str, Any]) -> dict[str, Any]:
        status = {"describedObject": self._object, "metric": self._identifier, "current": current}
        return {"type": "Object", "object": status}

    @staticmethod
    def _failure(event: str, error: str) -> MetricFailure:
        return MetricFailure("FailedGetObjectMetric", event, f"failed to get object metric value: {error}")
