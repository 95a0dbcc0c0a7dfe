"""What all metric sources have in common: the question, the answer, the failure.

Source: pkg/controller/podautoscaler/horizontal.go, computeReplicasForMetric and getUnableComputeReplicaCountCondition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from lockstep.wire.quantity import parse_milli_value
from lockstep.wire.selectors import Selector
from lockstep_reference.hpa.replica_calculator import ReplicaCalculator, Tolerances

Wire = Mapping[str, Any]


class Question(NamedTuple):
    """What a sync knows when it asks for replicas: `selector` is that of the pods."""

    spec_replicas: int
    status_replicas: int
    tolerances: Tolerances
    namespace: str
    selector: Selector


class Proposal(NamedTuple):
    """The replicas that a metric asks for, how messages name the metric, and its place in the HPA's status."""

    replicas: int
    name: str
    status: dict[str, Any]


class MetricFailure(Exception):
    """A metric that tells nothing. `reason` and `event` go into an event and a condition, `str()` into the error."""

    def __init__(self, reason: str, event: str, error: str) -> None:
        super().__init__(error)
        self.reason = reason
        self.event = event


class MetricSource(Protocol):
    """One metric of the spec."""

    async def compute(self, calculator: ReplicaCalculator, question: Question) -> Proposal:
        """Raises MetricFailure."""


@dataclass(frozen=True, slots=True)
class FailingSource:
    """A source that can never be asked, and fails in the same way each time."""

    reason: str
    event: str
    error: str

    async def compute(self, calculator: ReplicaCalculator, question: Question) -> Proposal:
        """Raises MetricFailure."""
        raise MetricFailure(self.reason, self.event, self.error)


def milli(target: Wire, field: str) -> int | None:
    """A quantity of a MetricTarget, in thousandths; None if it is not set."""
    text = target.get(field)
    return None if text is None else parse_milli_value(text)


def identifier(metric: Wire) -> dict[str, Any]:
    """A MetricIdentifier as it goes into the status, without an empty selector."""
    return {key: value for key, value in metric.items() if value is not None}
