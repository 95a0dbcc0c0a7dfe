"""A VerticalPodAutoscaler as the recommender sees it (pkg/recommender/model/vpa.go)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lockstep.wire.gotime import ZERO_TIME
from lockstep.wire.selectors import Selector
from lockstep_reference.vpa.apis import (
    Object,
    RecommendedPodResources,
    recommendation_from_wire,
    recommendation_to_wire,
)
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.aggregations_config import AggregationsConfig
from lockstep_reference.vpa.recommender.model.conditions import (
    NO_PODS_MATCHED,
    RECOMMENDATION_PROVIDED,
    Conditions,
)
from lockstep_reference.vpa.recommender.model.pod import AggregateStateKey
from lockstep_reference.vpa.recommender.model.types import VpaID
from lockstep_reference.vpa.utils.vpa.policies import get_container_resource_policy

_NO_PODS_MATCHED_MESSAGE = "No pods match this VPA object"

#: Aggregations by the name of the container (ContainerNameToAggregateStateMap).
ContainerNameToAggregateStateMap = dict[str, AggregateContainerState]


class ModelSettings(NamedTuple):
    """What the whole model shares: the configuration, the clock, and the feature gate PerVPAConfig."""

    config: AggregationsConfig
    now: Callable[[], int]
    per_vpa_config: bool


class Vpa:
    """See the module docstring. What comes from the VPA object is in wire form, but for the recommendation.

    `containers_initial_aggregate_state` is what checkpoints or Prometheus told of the time before the start;
    `checkpoint_written` when the last checkpoint was; `pod_count` counts the pods that match, whatever their phase.
    """

    __slots__ = (
        "_api_object",
        "_settings",
        "aggregate_container_states",
        "annotations",
        "checkpoint_written",
        "conditions",
        "containers_initial_aggregate_state",
        "generation",
        "id",
        "pod_count",
        "pod_selector",
        "recommendation",
        "resource_policy",
        "target_ref",
    )

    def __init__(self, vpa_id: VpaID, selector: Selector, settings: ModelSettings) -> None:
        self.id = vpa_id
        self.pod_selector = selector
        self.aggregate_container_states: dict[AggregateStateKey, AggregateContainerState] = {}
        self.containers_initial_aggregate_state: ContainerNameToAggregateStateMap = {}
        self.annotations: Mapping[str, str] = {}
        self.conditions = Conditions()
        self.recommendation: RecommendedPodResources | None = None
        self.resource_policy: Object | None = None
        self.target_ref: Object | None = None
        self.checkpoint_written = ZERO_TIME
        self.pod_count = 0
        self.generation = 0
        self._settings = settings
        self._api_object: Object | None = None

    def update_from(self, api_object: Object) -> None:
        """Take over all that the VPA object says, conditions and recommendation included (AddOrUpdateVpa)."""
        metadata, spec, status = api_object["metadata"], api_object.get("spec") or {}, api_object.get("status") or {}
        self.target_ref = spec.get("targetRef")
        self.annotations = metadata.get("annotations") or {}
        self.generation = metadata.get("generation") or 0
        self.conditions = Conditions(status.get("conditions"))
        provided = self.conditions.active(RECOMMENDATION_PROVIDED)
        self.recommendation = recommendation_from_wire(status.get("recommendation")) if provided else None
        self._set_resource_policy(spec.get("resourcePolicy"), same_object=api_object is self._api_object)
        self._api_object = api_object

    def _set_resource_policy(self, resource_policy: Object | None, *, same_object: bool) -> None:
        """Upstream compares pointers, so any newer version of the VPA object counts as a change (SetResourcePolicy)."""
        if (resource_policy is None and self.resource_policy is None) or same_object:
            return
        self.resource_policy = resource_policy
        for key, state in self.aggregate_container_states.items():
            self._apply_policy(key, state)

    def _apply_policy(self, key: AggregateStateKey, state: AggregateContainerState) -> None:
        policy = get_container_resource_policy(key.container_name, self.resource_policy)
        state.update_from_policy(policy, per_vpa_config=self._settings.per_vpa_config)

    def matches(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Whether the VPA is for pods with these labels (PodLabelsMatchVPA)."""
        return namespace == self.id.namespace and self.pod_selector.matches(labels)

    def use_aggregation_if_matching(
        self, key: AggregateStateKey, labels: Mapping[str, str], aggregation: AggregateContainerState
    ) -> None:
        """Let an aggregation contribute if its pods match (UseAggregationIfMatching)."""
        if key not in self.aggregate_container_states and self.matches(key.namespace, labels):
            self.aggregate_container_states[key] = aggregation
            self._apply_policy(key, aggregation)

    def delete_aggregation(self, key: AggregateStateKey) -> None:
        """Let an aggregation contribute no longer (DeleteAggregation)."""
        self.aggregate_container_states.pop(key, None)

    def aggregate_state_by_container_name(self) -> ContainerNameToAggregateStateMap:
        """New aggregations, each with all that is known of containers of that name (AggregateStateByContainerName).

        Merging may move the reference times of the histograms that are merged.
        """
        merged: ContainerNameToAggregateStateMap = {}
        for key, aggregation in self.aggregate_container_states.items():
            self._merge_into(merged, key.container_name, aggregation)
        self.merge_checkpointed_state(merged)
        return merged

    def merge_checkpointed_state(self, merged: ContainerNameToAggregateStateMap) -> None:
        """Add what is known of the time before the start (MergeCheckpointedState)."""
        for name, aggregation in self.containers_initial_aggregate_state.items():
            self._merge_into(merged, name, aggregation)

    def _merge_into(
        self, merged: ContainerNameToAggregateStateMap, name: str, aggregation: AggregateContainerState
    ) -> None:
        state = merged.get(name)
        if state is None:
            state = merged[name] = AggregateContainerState(self._settings.config)
        state.merge_container_state(aggregation)

    def update_recommendation(self, recommendation: RecommendedPodResources) -> None:
        """Set the recommendation (UpdateRecommendation)."""
        self.recommendation = recommendation

    def has_recommendation(self) -> bool:
        """Whether there is a recommendation for any container (HasRecommendation)."""
        return bool(self.recommendation)

    def set_condition(self, type_: str, *, status: bool, reason: str, message: str) -> None:
        """Set a condition (SetCondition)."""
        self.conditions.set(type_, status=status, reason=reason, message=message, now=self._settings.now())

    def delete_condition(self, type_: str) -> None:
        """Remove a condition (DeleteCondition)."""
        self.conditions.delete(type_)

    def condition_active(self, type_: str) -> bool:
        """Whether a condition holds (ConditionActive)."""
        return self.conditions.active(type_)

    def update_conditions(self, *, pods_matched: bool) -> None:
        """Say whether pods match and whether there is a recommendation (UpdateConditions)."""
        reason = message = ""
        if pods_matched:
            self.delete_condition(NO_PODS_MATCHED)
        else:
            reason, message = NO_PODS_MATCHED, _NO_PODS_MATCHED_MESSAGE
            self.set_condition(NO_PODS_MATCHED, status=True, reason=reason, message=message)
        if self.has_recommendation():
            self.set_condition(RECOMMENDATION_PROVIDED, status=True, reason="", message="")
        else:
            self.set_condition(RECOMMENDATION_PROVIDED, status=False, reason=reason, message=message)

    def as_status(self) -> dict[str, Any]:
        """The status in wire form (AsStatus)."""
        status: dict[str, Any] = {}
        if self.recommendation is not None:
            status["recommendation"] = recommendation_to_wire(self.recommendation)
        if conditions := self.conditions.as_list():
            status["conditions"] = conditions
        status["observedGeneration"] = self.generation
        return status
