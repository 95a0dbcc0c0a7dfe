"""How fast an HPA may scale: scale events, and the limits that policies draw from them.

Source: pkg/controller/podautoscaler/horizontal.go. Rules are HPAScalingRules in wire form, defaulted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lockstep.wire.gomath import MAX_INT32, MIN_INT32, ceil_to_int32, float_to_int32, int32
from lockstep.wire.gotime import SECOND

Rules = Mapping[str, Any]


class ScaleEvent:
    """A rescale: by how many replicas, and when (timestampedScaleEvent). Its place is reused once it is outdated."""

    __slots__ = ("outdated", "replica_change", "timestamp")

    def __init__(self, replica_change: int, timestamp: int) -> None:
        self.replica_change = replica_change
        self.timestamp = timestamp
        self.outdated = False


class ScaleEvents:
    """The rescales of one HPA in one direction, as far as its policies look back."""

    def __init__(self) -> None:
        self.events: list[ScaleEvent] = []

    def store(self, rules: Rules, replica_change: int, now: int) -> None:
        """Add one, or put it in the place of the last outdated one (storeScaleEvent, markScaleEventsOutdated).

        An outdated event stays outdated, also if the policies look back further one day.
        """
        cutoff = now - SECOND * get_longest_policy_period(rules)
        reusable = None
        for index, event in enumerate(self.events):
            if event.timestamp < cutoff:
                event.outdated = True
            if event.outdated:
                reusable = index
        new = ScaleEvent(int32(replica_change), now)
        if reusable is None:
            self.events.append(new)
        else:
            self.events[reusable] = new

    def change_per_period(self, period_seconds: int, now: int) -> int:
        """The replicas that the events of the last seconds have changed (getReplicasChangePerPeriod)."""
        cutoff = now - SECOND * period_seconds
        return int32(sum([event.replica_change for event in self.events if event.timestamp > cutoff]))


def get_longest_policy_period(rules: Rules) -> int:
    """In seconds; 0 without policies (getLongestPolicyPeriod)."""
    return max((policy["periodSeconds"] for policy in rules.get("policies") or ()), default=0)


def calculate_scale_up_limit(current_replicas: int) -> int:
    """Without behavior: twice as many, and at least 4 (calculateScaleUpLimit)."""
    return float_to_int32(max(2.0 * current_replicas, 4.0))


def calculate_scale_up_limit_with_scaling_rules(
    current_replicas: int, up: ScaleEvents, down: ScaleEvents, rules: Rules, now: int
) -> int:
    """The most replicas that the rules allow (calculateScaleUpLimitWithScalingRules)."""
    select = rules["selectPolicy"]
    if select == "Disabled":
        return current_replicas
    least = select == "Min"
    result = MAX_INT32 if least else MIN_INT32
    for policy, start in _period_starts(current_replicas, up, down, rules, now):
        if policy["type"] == "Pods":
            proposed = int32(start + policy["value"])
        else:
            # Rounded up, or a small percentage of few replicas would never add one.
            proposed = ceil_to_int32(float(start) * (1 + float(policy["value"]) / 100))
        result = min(result, proposed) if least else max(result, proposed)
    return result


def calculate_scale_down_limit_with_behaviors(
    current_replicas: int, up: ScaleEvents, down: ScaleEvents, rules: Rules, now: int
) -> int:
    """The fewest replicas that the rules allow (calculateScaleDownLimitWithBehaviors)."""
    select = rules["selectPolicy"]
    if select == "Disabled":
        return current_replicas
    least = select == "Min"  # the smallest change leaves the most replicas
    result = MIN_INT32 if least else MAX_INT32
    for policy, start in _period_starts(current_replicas, up, down, rules, now):
        if policy["type"] == "Pods":
            proposed = int32(start - policy["value"])
        else:
            proposed = float_to_int32(float(start) * (1 - float(policy["value"]) / 100))
        result = max(result, proposed) if least else min(result, proposed)
    return result


def _period_starts(
    current_replicas: int, up: ScaleEvents, down: ScaleEvents, rules: Rules, now: int
) -> Iterable[tuple[Mapping[str, Any], int]]:
    """Each policy, with the replicas that there were when its period began."""
    for policy in rules.get("policies") or ():
        period = policy["periodSeconds"]
        added, deleted = up.change_per_period(period, now), down.change_per_period(period, now)
        yield policy, int32(current_replicas - added + deleted)
