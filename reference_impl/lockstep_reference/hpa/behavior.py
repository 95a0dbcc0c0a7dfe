"""From the replicas that metrics ask for to the replicas that limits, policies and history allow.

Source: pkg/controller/podautoscaler/horizontal.go, from normalizeDesiredReplicas to
calculateScaleDownLimitWithBehaviors. `behavior`, `spec` and rules are dicts in wire form (autoscaling/v2), defaulted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lockstep.wire.gotime import SECOND
from lockstep_reference.hpa.recommendations import Recommendation, Recommendations
from lockstep_reference.hpa.scaling_rules import (
    ScaleEvents,
    calculate_scale_down_limit_with_behaviors,
    calculate_scale_up_limit,
    calculate_scale_up_limit_with_scaling_rules,
)
from lockstep_reference.machinery.transport import Clock

_READY = ("ReadyForNewScale", "recommended size matches current size")
_UP_STABILIZED = (
    "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
)
_DOWN_STABILIZED = (
    "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent recommendation",
)
_UP_LIMIT = ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
_DOWN_LIMIT = ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")
_TOO_MANY = ("TooManyReplicas", "the desired replica count is more than the maximum replica count")
_TOO_FEW = ("TooFewReplicas", "the desired replica count is less than the minimum replica count")
_WITHIN_RANGE = ("DesiredWithinRange", "the desired count is within the acceptable range")
_NO_EVENTS = ScaleEvents()


class Normalized(NamedTuple):
    """The replicas to ask for, and the conditions that upstream sets on the way.

    AbleToScale is True with `able_reason` and `able_message`. ScalingLimited is `limited` with the other two.
    """

    replicas: int
    able_reason: str
    able_message: str
    limited: bool
    limited_reason: str
    limited_message: str


class Limited(NamedTuple):
    """Replicas within limits, and why they are what they are."""

    replicas: int
    reason: str
    message: str


class Normalizer:
    """Remembers recommendations and scale events of every HPA by key (`namespace/name`).

    `downscale_stabilisation_window` is in nanoseconds.
    """

    def __init__(self, clock: Clock, downscale_stabilisation_window: int) -> None:
        self._clock = clock
        self._window = downscale_stabilisation_window
        self._recommendations: dict[str, Recommendations] = {}
        self._scale_up_events: dict[str, ScaleEvents] = {}
        self._scale_down_events: dict[str, ScaleEvents] = {}

    def record_initial_recommendation(self, current_replicas: int, key: str) -> None:
        """The first recommendation of an HPA is what there is (recordInitialRecommendation)."""
        if key not in self._recommendations:
            first = Recommendation(current_replicas, self._clock.now())
            self._recommendations[key] = Recommendations(first)

    def forget(self, key: str) -> None:
        """The HPA is gone (reconcileKey)."""
        for memory in (self._recommendations, self._scale_up_events, self._scale_down_events):
            memory.pop(key, None)

    def normalize_desired_replicas(
        self, spec: Mapping[str, Any], key: str, current_replicas: int, desired_replicas: int, min_replicas: int
    ) -> Normalized:
        """By `spec.behavior`, or without it by the legacy rules.

        Upstream: normalizeDesiredReplicas, normalizeDesiredReplicasWithBehaviors, chosen as reconcileAutoscaler does.
        """
        behavior = spec.get("behavior")
        if behavior is None:
            return self._legacy(spec["maxReplicas"], key, current_replicas, desired_replicas, min_replicas)
        return self._with_behaviors(
            behavior, spec["maxReplicas"], key, current_replicas, desired_replicas, min_replicas
        )

    def store_scale_event(
        self, behavior: Mapping[str, Any] | None, key: str, prev_replicas: int, new_replicas: int
    ) -> None:
        """A rescale has happened (storeScaleEvent). Without behavior nobody will ask."""
        if behavior is None:
            return
        if new_replicas > prev_replicas:
            events, rules = self._scale_up_events, behavior["scaleUp"]
        else:
            events, rules = self._scale_down_events, behavior["scaleDown"]
        change = abs(new_replicas - prev_replicas)
        events.setdefault(key, ScaleEvents()).store(rules, change, self._clock.now())

    def _legacy(
        self, max_replicas: int, key: str, current_replicas: int, desired_replicas: int, min_replicas: int
    ) -> Normalized:
        """Without behavior (normalizeDesiredReplicas)."""
        recommendations = self._recommendations.setdefault(key, Recommendations())
        stabilized = recommendations.stabilize(desired_replicas, self._window, self._clock.now())
        able = _DOWN_STABILIZED if stabilized != desired_replicas else _READY
        limited = convert_desired_replicas_with_rules(current_replicas, stabilized, min_replicas, max_replicas)
        return _normalized(limited, stabilized, able)

    def _with_behaviors(
        self,
        behavior: Mapping[str, Any],
        max_replicas: int,
        key: str,
        current_replicas: int,
        desired_replicas: int,
        min_replicas: int,
    ) -> Normalized:
        """With behavior (normalizeDesiredReplicasWithBehaviors)."""
        up_rules, down_rules = behavior["scaleUp"], behavior["scaleDown"]
        recommendations = self._recommendations.setdefault(key, Recommendations())
        now = self._clock.now()
        stabilized = recommendations.stabilize_with_behaviors(
            current_replicas,
            desired_replicas,
            up_rules["stabilizationWindowSeconds"],
            self._scale_down_window_seconds(down_rules),
            now,
        )
        able = _READY
        if stabilized != desired_replicas:
            able = _UP_STABILIZED if desired_replicas >= current_replicas else _DOWN_STABILIZED
        up, down = self._scale_up_events.get(key, _NO_EVENTS), self._scale_down_events.get(key, _NO_EVENTS)
        limited = Limited(stabilized, *_WITHIN_RANGE)
        if stabilized > current_replicas:
            limit = calculate_scale_up_limit_with_scaling_rules(current_replicas, up, down, up_rules, now)
            limited = limit_scale_up(current_replicas, stabilized, max_replicas, limit)
        elif stabilized < current_replicas:
            limit = calculate_scale_down_limit_with_behaviors(current_replicas, up, down, down_rules, now)
            limited = limit_scale_down(current_replicas, stabilized, min_replicas, limit)
        return _normalized(limited, stabilized, able)

    def _scale_down_window_seconds(self, rules: Mapping[str, Any]) -> int:
        """The HPA's own, else the controller's in whole seconds (maybeInitScaleDownStabilizationWindow)."""
        seconds: int | None = rules.get("stabilizationWindowSeconds")
        return self._window // SECOND if seconds is None else seconds


def convert_desired_replicas_with_rules(
    current_replicas: int, desired_replicas: int, min_replicas: int, max_replicas: int
) -> Limited:
    """The limits without behavior (convertDesiredReplicasWithRules). The minimum is looked at first."""
    limit = calculate_scale_up_limit(current_replicas)
    if desired_replicas < min_replicas:
        return Limited(min_replicas, *_TOO_FEW)
    maximum, why = (limit, _UP_LIMIT) if max_replicas > limit else (max_replicas, _TOO_MANY)
    return Limited(maximum, *why) if desired_replicas > maximum else Limited(desired_replicas, *_WITHIN_RANGE)


def limit_scale_up(current_replicas: int, desired_replicas: int, max_replicas: int, limit: int) -> Limited:
    """More replicas, within what policies allow and the maximum (convertDesiredReplicasWithBehaviorRate)."""
    limit = max(limit, current_replicas)  # policies stop a change, but never turn it round
    maximum, why = (limit, _UP_LIMIT) if max_replicas > limit else (max_replicas, _TOO_MANY)
    return Limited(maximum, *why) if desired_replicas > maximum else Limited(desired_replicas, *_WITHIN_RANGE)


def limit_scale_down(current_replicas: int, desired_replicas: int, min_replicas: int, limit: int) -> Limited:
    """Fewer replicas, within what policies allow and the minimum (convertDesiredReplicasWithBehaviorRate)."""
    limit = min(limit, current_replicas)
    minimum, why = (limit, _DOWN_LIMIT) if min_replicas < limit else (min_replicas, _TOO_FEW)
    return Limited(minimum, *why) if desired_replicas < minimum else Limited(desired_replicas, *_WITHIN_RANGE)


def _normalized(limited: Limited, stabilized: int, able: tuple[str, str]) -> Normalized:
    return Normalized(limited.replicas, *able, limited.replicas != stabilized, limited.reason, limited.message)
