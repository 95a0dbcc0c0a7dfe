"""The recommendation for the containers of a VPA (pkg/recommender/logic/recommender.go)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lockstep.wire.gotime import SECOND
from lockstep_reference.vpa.apis import CPU, MEMORY, RecommendedContainerResources, RecommendedPodResources
from lockstep_reference.vpa.recommender.logic.estimator import (
    Estimator,
    percentile_cpu_estimator,
    percentile_memory_estimator,
    with_confidence_multiplier,
    with_margin,
)
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.types import (
    Resources,
    cpu_amount_from_cores,
    memory_amount_from_bytes,
    resources_as_resource_list,
    scale_resource,
)
from lockstep_reference.vpa.recommender.model.vpa import ContainerNameToAggregateStateMap

_DAY = 24 * 3600 * SECOND
#: Multiplier and exponent that widen the bounds while little is known: half a day of history makes the upper bound
#: three times as large; the lower bound has all but reached its height after an hour.
_UPPER_BOUND_CONFIDENCE = (1.0, 1)
_LOWER_BOUND_CONFIDENCE = (0.001, -2)


@dataclass(frozen=True, slots=True)
class RecommendationConfig:
    """Percentiles from 0 to 1, intervals in nanoseconds, memory in MiB. The minimum is for all containers together."""

    safety_margin_fraction: float = 0.15
    pod_min_cpu_millicores: float = 25.0
    pod_min_memory_mb: float = 250.0
    target_cpu_percentile: float = 0.9
    lower_bound_cpu_percentile: float = 0.5
    upper_bound_cpu_percentile: float = 0.95
    confidence_interval_cpu: int = _DAY
    target_memory_percentile: float = 0.9
    lower_bound_memory_percentile: float = 0.5
    upper_bound_memory_percentile: float = 0.95
    confidence_interval_memory: int = _DAY


@dataclass(frozen=True, slots=True)
class RecommendationFormat:
    """How amounts are rounded up, in millicores and bytes, and whether memory is printed with two decimals."""

    humanize_memory: bool = False
    round_cpu_millicores: int = 1
    round_memory_bytes: int = 1


@dataclass(frozen=True, slots=True)
class ContainerEstimate:
    """Amounts for one container (RecommendedContainerResources)."""

    target: Resources
    lower_bound: Resources
    upper_bound: Resources


class PodResourceRecommender:
    """Estimates what containers need (CreatePodResourceRecommender)."""

    def __init__(self, config: RecommendationConfig) -> None:
        self._config = config
        margin = config.safety_margin_fraction
        self._target = (
            with_margin(margin, percentile_cpu_estimator(config.target_cpu_percentile)),
            with_margin(margin, percentile_memory_estimator(config.target_memory_percentile)),
        )
        self._lower_bound = self._with_confidence(
            _LOWER_BOUND_CONFIDENCE,
            with_margin(margin, percentile_cpu_estimator(config.lower_bound_cpu_percentile)),
            with_margin(margin, percentile_memory_estimator(config.lower_bound_memory_percentile)),
        )
        self._upper_bound = self._with_confidence(
            _UPPER_BOUND_CONFIDENCE,
            with_margin(margin, percentile_cpu_estimator(config.upper_bound_cpu_percentile)),
            with_margin(margin, percentile_memory_estimator(config.upper_bound_memory_percentile)),
        )

    def _with_confidence(
        self, confidence: tuple[float, int], cpu: Estimator, memory: Estimator
    ) -> tuple[Estimator, Estimator]:
        multiplier, exponent = confidence
        return (
            with_confidence_multiplier(multiplier, exponent, cpu, self._config.confidence_interval_cpu),
            with_confidence_multiplier(multiplier, exponent, memory, self._config.confidence_interval_memory),
        )

    def get_recommended_pod_resources(self, states: ContainerNameToAggregateStateMap) -> dict[str, ContainerEstimate]:
        """Estimates by the name of the container; the minimum is shared equally (GetRecommendedPodResources)."""
        if not states:
            return {}
        fraction = 1.0 / float(len(states))
        minimum = (
            scale_resource(cpu_amount_from_cores(self._config.pod_min_cpu_millicores * 0.001), fraction),
            scale_resource(memory_amount_from_bytes(self._config.pod_min_memory_mb * 1024 * 1024), fraction),
        )
        return {name: self._estimate(state, minimum) for name, state in states.items()}

    def _estimate(self, state: AggregateContainerState, minimum: tuple[int, int]) -> ContainerEstimate:
        """Only of what is controlled (estimateContainerResources)."""
        controlled = state.controlled_resources
        return ContainerEstimate(
            _at_least(minimum, self._target, state, controlled),
            _at_least(minimum, self._lower_bound, state, controlled),
            _at_least(minimum, self._upper_bound, state, controlled),
        )


def _at_least(
    minimum: tuple[int, int],
    estimators: tuple[Estimator, Estimator],
    state: AggregateContainerState,
    controlled: Iterable[str],
) -> Resources:
    """Estimates not below the minimum (WithCPUMinResource, WithMemoryMinResource, FilterControlledResources)."""
    amounts = {}
    if CPU in controlled:
        amounts[CPU] = max(estimators[0](state), minimum[0])
    if MEMORY in controlled:
        amounts[MEMORY] = max(estimators[1](state), minimum[1])
    return amounts


def map_to_list_of_recommended_container_resources(
    estimates: dict[str, ContainerEstimate], format_: RecommendationFormat
) -> RecommendedPodResources:
    """As the status lists them, by name (MapToListOfRecommendedContainerResources)."""
    rounding = format_.humanize_memory, format_.round_cpu_millicores, format_.round_memory_bytes
    return [
        RecommendedContainerResources(
            name,
            resources_as_resource_list(estimate.target, *rounding),
            resources_as_resource_list(estimate.lower_bound, *rounding),
            resources_as_resource_list(estimate.upper_bound, *rounding),
            resources_as_resource_list(estimate.target, *rounding),
        )
        for name, estimate in sorted(estimates.items())
    ]
