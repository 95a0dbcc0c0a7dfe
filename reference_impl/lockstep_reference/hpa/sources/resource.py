"""Resource metrics: what the pods, or one container of each, use of CPU, memory or another resource."""

from __future__ import annotations

from typing import Any

from lockstep.wire.quantity import format_milli
from lockstep_reference.hpa.metrics import MetricsError
from lockstep_reference.hpa.replica_calculator import ReplicaCalculator
from lockstep_reference.hpa.sources.base import MetricFailure, Proposal, Question, Wire, milli


class _UsageSource:
    """Usage in percent of what the pods request, or as an average (computeStatusForResourceMetricGeneric).

    `container` "" stands for all containers.
    """

    def __init__(self, source: Wire, container: str, utilization_name: str) -> None:
        self._resource: str = source["name"]
        self._container = container
        target = source["target"]
        self._target_usage = milli(target, "averageValue")
        self._target_utilization: int | None = target.get("averageUtilization")
        self._described = {key: value for key, value in source.items() if key != "target"}
        self._binary = self._resource == "memory"  # as metrics-server shows it (buildQuantity)
        self._name = f"{self._resource} resource" if self._target_usage is not None else utilization_name

    async def _ask(self, calculator: ReplicaCalculator, question: Question) -> tuple[int, dict[str, Any]]:
        """The replicas, and the name with its MetricValueStatus. Raises MetricsError."""
        scope = (self._resource, question.tolerances, question.namespace, question.selector, self._container)
        if self._target_usage is not None:
            try:
                usage = await calculator.get_raw_resource_replicas(question.spec_replicas, self._target_usage, *scope)
            except MetricsError as error:
                raise MetricsError(f"failed to get {self._resource} usage: {error}") from error
            return self._answer(usage.replicas, {"averageValue": format_milli(usage.usage, binary=self._binary)})
        if self._target_utilization is None:
            raise MetricsError(
                "invalid resource metric source: neither an average utilization target nor an average value (usage) "
                "target was set"
            )
        try:
            answer = await calculator.get_resource_replicas(question.spec_replicas, self._target_utilization, *scope)
        except MetricsError as error:
            raise MetricsError(f"failed to get {self._resource} utilization: {error}") from error
        average = format_milli(answer.raw_utilization, binary=self._binary)
        return self._answer(answer.replicas, {"averageUtilization": answer.utilization, "averageValue": average})

    def _answer(self, replicas: int, current: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return replicas, {**self._described, "current": current}


class ResourceSource(_UsageSource):
    """Usage of whole pods (computeStatusForResourceMetric)."""

    def __init__(self, source: Wire) -> None:
        super().__init__(source, "", f"{source['name']} resource utilization (percentage of request)")

    async def compute(self, calculator: ReplicaCalculator, question: Question) -> Proposal:
        """Raises MetricFailure."""
        try:
            replicas, status = await self._ask(calculator, question)
        except MetricsError as error:
            text = f"failed to get {self._resource} resource metric value: {error}"
            raise MetricFailure("FailedGetResourceMetric", str(error), text) from error
        return Proposal(replicas, self._name, {"type": "Resource", "resource": status})


class ContainerResourceSource(_UsageSource):
    """Usage of one container of each pod (computeStatusForContainerResourceMetric)."""

    def __init__(self, source: Wire) -> None:
        name = f"{source['name']} container resource utilization (percentage of request)"
        super().__init__(source, source["container"], name)

    async def compute(self, calculator: ReplicaCalculator, question: Question) -> Proposal:
        """Raises MetricFailure."""
        try:
            replicas, status = await self._ask(calculator, question)
        except MetricsError as error:
            text = f"failed to get {self._container} container metric value: {error}"
            raise MetricFailure("FailedGetContainerResourceMetric", str(error), text) from error
        return Proposal(replicas, self._name, {"type": "ContainerResource", "containerResource": status})
