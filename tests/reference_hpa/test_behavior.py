"""From wanted replicas to allowed ones: horizontal.go, normalizeDesiredReplicas and what it calls."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep_reference.hpa.behavior import Normalized, Normalizer, convert_desired_replicas_with_rules
from tests.reference_hpa.kit import FakeClock
from tests.reference_hpa.metrics_kit import seconds

Wire = dict[str, Any]
KEY = "ns/web"
READY = ("ReadyForNewScale", "recommended size matches current size")
UP_STABILIZED = (
    "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
)
DOWN_STABILIZED = (
    "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent recommendation",
)
WITHIN_RANGE = (False, "DesiredWithinRange", "the desired count is within the acceptable range")
TOO_MANY = (True, "TooManyReplicas", "the desired replica count is more than the maximum replica count")
TOO_FEW = (True, "TooFewReplicas", "the desired replica count is less than the minimum replica count")
UP_LIMIT = (True, "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
DOWN_LIMIT = (True, "ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")


def normalized(replicas: int, able: tuple[str, str], limited: tuple[bool, str, str]) -> Normalized:
    return Normalized(replicas, able[0], able[1], *limited)


def policy(kind: str, value: int, period: int = 60) -> Wire:
    return {"type": kind, "value": value, "periodSeconds": period}


def rules(*policies: Wire, select: str = "Max", window: int | None = 0) -> Wire:
    found: Wire = {"selectPolicy": select, "policies": list(policies or [policy("Percent", 1000, 15)])}
    return found if window is None else {**found, "stabilizationWindowSeconds": window}


def behavior(up: Wire | None = None, down: Wire | None = None) -> Wire:
    return {"scaleUp": up or rules(), "scaleDown": down or rules(policy("Percent", 100, 15))}


class Scaled:
    """An HPA whose target has as many replicas as it was last allowed."""

    def __init__(self, current: int, max_replicas: int = 100, min_replicas: int = 1, **spec: Any) -> None:
        self.clock = FakeClock()
        self.normalizer = Normalizer(self.clock, seconds(300))
        self.current = current
        self._spec = {"maxReplicas": max_replicas, **spec}
        self._min = min_replicas
        self.normalizer.record_initial_recommendation(current, KEY)

    def ask(self, desired: int) -> Normalized:
        return self.normalizer.normalize_desired_replicas(self._spec, KEY, self.current, desired, self._min)

    def sync(self, desired: int, after: float = 15) -> int:
        """Some seconds later metrics ask for `desired`; what comes of it, and is carried out."""
        self.clock.seconds += after
        replicas = self.ask(desired).replicas
        if replicas != self.current:
            self.normalizer.store_scale_event(self._spec.get("behavior"), KEY, self.current, replicas)
            self.current = replicas
        return replicas


# -- without behavior --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("current", "desired", "low", "high", "replicas", "why"),
    [
        (3, 3, 1, 10, 3, WITHIN_RANGE),
        (3, 6, 1, 10, 6, WITHIN_RANGE),
        (3, 7, 1, 10, 6, UP_LIMIT),
        (1, 9, 1, 10, 4, UP_LIMIT),
        (0, 9, 0, 10, 4, UP_LIMIT),
        (3, 9, 1, 5, 5, TOO_MANY),
        (3, 9, 1, 6, 6, TOO_MANY),
        (3, 1, 2, 10, 2, TOO_FEW),
        (3, 0, 0, 10, 0, WITHIN_RANGE),
        (2**31 - 1, 2**31 - 1, 1, 10, -(2**31), UP_LIMIT),
    ],
)
def test_legacy_limits(
    current: int, desired: int, low: int, high: int, replicas: int, why: tuple[bool, str, str]
) -> None:
    limited = convert_desired_replicas_with_rules(current, desired, low, high)
    assert limited == (replicas, *why[1:])


def test_without_behavior_the_most_of_five_minutes_holds() -> None:
    hpa = Scaled(8)
    assert [hpa.sync(2) for _ in range(20)] == [8] * 20
    assert hpa.ask(2)[:4] == (8, *DOWN_STABILIZED, False)
    assert hpa.sync(2, after=1) == 2  # the first recommendation is more than five minutes old


def test_a_recommendation_at_the_edge_of_the_window_still_holds_without_behavior() -> None:
    hpa = Scaled(8)
    assert hpa.sync(2, after=300) == 8
    assert hpa.sync(2, after=0.001) == 2


def test_what_is_stabilized_is_limited_and_both_are_reported() -> None:
    hpa = Scaled(8, max_replicas=5)
    assert hpa.ask(2) == normalized(5, DOWN_STABILIZED, TOO_MANY)
    assert hpa.ask(8) == normalized(5, READY, TOO_MANY)


def test_without_behavior_no_scale_events_are_kept() -> None:
    hpa = Scaled(2)
    hpa.normalizer.store_scale_event(None, KEY, 2, 4)
    assert hpa.normalizer._scale_up_events == {}


# -- with behavior: history --------------------------------------------------------------------------------------------


def test_the_way_up_takes_the_least_of_its_window() -> None:
    hpa = Scaled(2, behavior=behavior(up=rules(window=60)))
    assert [hpa.sync(6) for _ in range(3)] == [2, 2, 2]
    assert hpa.ask(6)[:3] == (2, *UP_STABILIZED)
    assert hpa.sync(6) == 6  # what was there at first is 60 s old, and does not count any more


def test_the_way_down_takes_the_most_of_its_window() -> None:
    hpa = Scaled(6, behavior=behavior(down=rules(policy("Percent", 100), window=60)))
    assert [hpa.sync(2) for _ in range(3)] == [6, 6, 6]
    assert hpa.ask(2)[:3] == (6, *DOWN_STABILIZED)
    assert hpa.sync(2) == 2


def test_between_both_limits_nothing_changes() -> None:
    hpa = Scaled(5, behavior=behavior(up=rules(window=60), down=rules(policy("Percent", 100), window=60)))
    assert [hpa.sync(desired) for desired in (9, 1, 9)] == [5, 5, 5]


def test_a_window_for_scaling_down_that_is_not_set_is_that_of_the_controller() -> None:
    hpa = Scaled(6, behavior=behavior(down=rules(policy("Percent", 100), window=None)))
    assert hpa.sync(2, after=299) == 6
    assert hpa.sync(2, after=1) == 2


def test_no_more_is_remembered_than_the_longer_window_needs() -> None:
    hpa = Scaled(5, behavior=behavior(up=rules(window=30), down=rules(policy("Percent", 100), window=60)))
    for _ in range(100):
        hpa.sync(5)
    assert len(hpa.normalizer._recommendations[KEY].items) == 5


# -- with behavior: policies -------------------------------------------------------------------------------------------


def test_pods_per_period() -> None:
    hpa = Scaled(2, behavior=behavior(up=rules(policy("Pods", 4, 60))))
    assert [hpa.sync(100) for _ in range(6)] == [6, 6, 6, 6, 10, 10]
    assert hpa.ask(100) == normalized(10, READY, UP_LIMIT)


def test_percent_per_period_is_rounded_up_on_the_way_up() -> None:
    hpa = Scaled(3, behavior=behavior(up=rules(policy("Percent", 10, 15))))
    assert [hpa.sync(100) for _ in range(3)] == [4, 5, 6]


def test_percent_per_period_is_cut_off_on_the_way_down() -> None:
    hpa = Scaled(10, behavior=behavior(down=rules(policy("Percent", 25, 15))))
    assert [hpa.sync(1) for _ in range(4)] == [7, 5, 3, 2]
    assert hpa.ask(1)[3:] == DOWN_LIMIT


def test_pods_per_period_on_the_way_down() -> None:
    hpa = Scaled(10, behavior=behavior(down=rules(policy("Pods", 3, 30))))
    assert [hpa.sync(1) for _ in range(5)] == [7, 7, 4, 4, 1]
    assert hpa.ask(1)[3:] == WITHIN_RANGE


@pytest.mark.parametrize(("select", "up", "down"), [("Max", 15, 5), ("Min", 12, 8), ("Disabled", 10, 10)])
def test_which_of_two_policies(select: str, up: int, down: int) -> None:
    two = (policy("Pods", 2), policy("Percent", 50))
    spec = behavior(rules(*two, select=select), rules(*two, select=select))
    assert Scaled(10, behavior=spec).sync(100) == up
    assert Scaled(10, behavior=spec).sync(1) == down


def test_what_was_done_in_the_other_direction_counts_as_well() -> None:
    spec = behavior(rules(policy("Pods", 2, 60)), rules(policy("Pods", 3, 60)))
    hpa = Scaled(10, behavior=spec)
    assert hpa.sync(1) == 7  # down by 3
    assert hpa.sync(100) == 12  # the period began with 10, and 2 may be added to that


def test_policies_stop_a_change_and_never_turn_it_round() -> None:
    hpa = Scaled(10, behavior=behavior(rules(policy("Pods", 1, 60))))
    hpa.normalizer.store_scale_event(behavior(), KEY, 4, 10)
    assert hpa.ask(11) == normalized(10, READY, UP_LIMIT)  # the period began with 4: 5 would be the limit
    hpa = Scaled(4, behavior=behavior(down=rules(policy("Pods", 1, 60))))
    hpa.normalizer.store_scale_event(behavior(), KEY, 10, 4)
    assert hpa.ask(3) == normalized(4, READY, DOWN_LIMIT)


def test_minimum_and_maximum() -> None:
    assert Scaled(4, max_replicas=6, behavior=behavior()).ask(9) == normalized(6, READY, TOO_MANY)
    assert Scaled(4, min_replicas=2, behavior=behavior()).ask(1) == normalized(2, READY, TOO_FEW)
    assert Scaled(4, behavior=behavior()).ask(4) == normalized(4, READY, WITHIN_RANGE)


def test_absurd_numbers_wrap() -> None:
    spec = behavior(rules(policy("Pods", 2**31 - 1)))
    assert Scaled(10, max_replicas=2**31 - 1, behavior=spec).ask(100) == normalized(10, READY, UP_LIMIT)
    spec = behavior(rules(policy("Percent", 2**31 - 1)))
    assert Scaled(1000, max_replicas=2**31 - 1, behavior=spec).ask(2000)[:1] == (1000,)


# -- the memory of events ----------------------------------------------------------------------------------------------


def events_of(hpa: Scaled) -> list[tuple[int, float, bool]]:
    return [
        (event.replica_change, event.timestamp / seconds(1), event.outdated)
        for event in hpa.normalizer._scale_up_events[KEY].events
    ]


def test_events_older_than_the_longest_period_give_their_place_to_new_ones() -> None:
    hpa = Scaled(1, behavior=behavior(rules(policy("Pods", 1, 15), policy("Pods", 1, 30))))
    for _ in range(3):
        hpa.sync(100)
    assert events_of(hpa) == [(1, 15, False), (1, 30, False), (1, 45, False)]
    hpa.sync(100)  # at 60 s: the event of 15 s is older than 30 s
    assert events_of(hpa) == [(1, 60, False), (1, 30, False), (1, 45, False)]
    hpa.sync(100, after=60)  # all are: the last one goes
    assert events_of(hpa) == [(1, 60, True), (1, 30, True), (1, 120, False)]


def test_an_outdated_event_counts_again_when_policies_look_back_further() -> None:
    hpa = Scaled(1, behavior=behavior(rules(policy("Pods", 1, 15))))
    hpa.sync(100, after=1)
    hpa.sync(100, after=15)
    hpa.sync(100, after=60)
    assert events_of(hpa) == [(1, 1, True), (1, 76, False)]
    hpa._spec["behavior"] = behavior(rules(policy("Pods", 4, 600)))
    assert hpa.ask(100).replicas == 6  # there are 4, of which two are known to be new


def test_who_is_forgotten_begins_anew() -> None:
    hpa = Scaled(8)
    hpa.normalizer.forget(KEY)
    hpa.normalizer.forget("ns/other")
    assert hpa.ask(2).replicas == 2
    hpa.normalizer.record_initial_recommendation(8, KEY)  # there is one already
    assert hpa.ask(2).replicas == 2


def test_each_hpa_has_its_own_memory() -> None:
    hpa = Scaled(8)
    assert hpa.normalizer.normalize_desired_replicas({"maxReplicas": 10}, "ns/other", 8, 2, 1).replicas == 2
