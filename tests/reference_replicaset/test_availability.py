"""When a ready pod counts as available, and when to look again."""

from __future__ import annotations

import pytest

from lockstep_reference.replicaset.availability import (
    find_min_next_pod_availability_check,
    is_pod_available,
    next_pod_availability_check,
)
from lockstep_reference.replicaset.pod import Pod
from tests.reference_replicaset.objects import FixedClock, make_pod

SECOND = 10**9


@pytest.mark.parametrize(
    ("ready", "min_ready_seconds", "now", "available", "next_check"),
    [
        (None, 0, 100 * SECOND, False, None),
        (None, 10, 100 * SECOND, False, None),
        (5, 0, 5 * SECOND, True, None),
        (5, 10, 15 * SECOND - 1, False, 1),
        (5, 10, 15 * SECOND, True, None),
        (5, 10, 15 * SECOND + 1, True, None),
        (5, 10, 5 * SECOND, False, 10 * SECOND),
    ],
)
def test_table(ready: int | None, min_ready_seconds: int, now: int, available: bool, next_check: int | None) -> None:
    pod = Pod(make_pod(ready=ready))
    assert is_pod_available(pod, min_ready_seconds, now) is available
    assert next_pod_availability_check(pod, min_ready_seconds, now) == next_check


def test_a_ready_pod_without_a_transition_time_is_available_only_at_once() -> None:
    obj = make_pod(ready=5)
    del obj["status"]["conditions"][0]["lastTransitionTime"]
    pod = Pod(obj)
    assert is_pod_available(pod, 0, 0)
    assert not is_pod_available(pod, 1, 3600 * SECOND)
    assert next_pod_availability_check(pod, 1, 0) is None


@pytest.mark.parametrize(
    ("evaluated", "now", "expected"),
    [
        (12, 12, 3 * SECOND),  # the pod of second 5 is next
        (12, 13, 2 * SECOND),  # the way from the evaluation to now is taken off
        (12, 16, 0),  # overdue: at once, although the later pod would have been next
        (15, 15, 5 * SECOND),
        (20, 20, None),
    ],
)
def test_find_min_next_pod_availability_check(evaluated: int, now: int, expected: int | None) -> None:
    pods = [Pod(make_pod("late", ready=10)), Pod(make_pod("early", ready=5)), Pod(make_pod("not-ready"))]
    found = find_min_next_pod_availability_check(pods, 10, evaluated * SECOND, FixedClock(now * SECOND))
    assert found == expected
