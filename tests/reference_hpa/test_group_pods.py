"""Which pods count: replica_calculator.go, groupPods."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep_reference.hpa.group_pods import Grouping, Initialization, group_pods
from lockstep_reference.hpa.metrics import PodMetricsInfo
from lockstep_reference.hpa.pod_facts import PodFacts, PodGroup
from tests.reference_hpa.metrics_kit import NOW, metric, metrics, pod, pods, seconds

#: CPU initialization period and initial readiness delay, as kube-controller-manager has them.
USUAL = Initialization(seconds(300), seconds(30))


def group(found: list[dict[str, Any]], info: PodMetricsInfo, resource: str = "cpu") -> Grouping:
    return group_pods(map(PodFacts, found), info, resource, USUAL, seconds(NOW))


def test_ready_pods_with_metrics_count() -> None:
    assert group(pods(3), metrics(1, 2, 3)) == Grouping(3, [], [], [])


@pytest.mark.parametrize("facts", [{"deleted": True}, {"phase": "Failed"}, {"phase": "Pending", "deleted": True}])
def test_pods_that_end_are_ignored(facts: dict[str, Any]) -> None:
    assert group([pod("p0", **facts)], metrics(1)) == Grouping(0, [], [], ["p0"])


def test_pending_pods_are_unready_whether_they_have_metrics_or_not() -> None:
    assert group(pods(2, phase="Pending"), metrics(1), "memory") == Grouping(0, ["p0", "p1"], [], [])


def test_pods_without_metrics_are_missing_ready_or_not() -> None:
    found = [pod("p0", ready="False"), pod("p1"), pod("p2", phase="Succeeded")]
    assert group(found, {}) == Grouping(0, [], ["p0", "p1", "p2"], [])


def test_pods_that_have_succeeded_count_as_long_as_they_have_metrics() -> None:
    assert group([pod("p0", phase="Succeeded")], metrics(1)) == Grouping(1, [], [], [])


@pytest.mark.parametrize("facts", [{"ready": None}, {"started": None}, {"ready": "False", "since": 10}])
def test_readiness_matters_for_cpu_only(facts: dict[str, Any]) -> None:
    assert group([pod("p0", **facts)], metrics(1)).unready == ["p0"]
    assert group([pod("p0", **facts)], metrics(1), "memory").ready == 1
    assert group([pod("p0", **facts)], metrics(1), "").ready == 1


@pytest.mark.parametrize(
    ("started", "since", "sampled", "ready", "unready"),
    [
        # Started within five minutes: a whole window must have passed since the change of readiness.
        (NOW - 299, NOW - 100, NOW - 40, "True", False),
        (NOW - 299, NOW - 100, NOW - 41, "True", True),
        (NOW - 299, NOW - 100, NOW - 40, "Unknown", False),
        (NOW - 299, NOW - 100, NOW, "False", True),
        # Started five minutes ago: it was ready once if it changed 30 s after its start, or later.
        (NOW - 300, NOW - 271, NOW - 200, "False", True),
        (NOW - 300, NOW - 270, NOW - 200, "False", False),
        (NOW - 300, NOW - 300, NOW - 300, "True", False),
        (NOW - 300, NOW - 300, NOW - 300, "Unknown", False),
    ],
)
def test_cpu_of_pods_that_start(started: float, since: float, sampled: float, ready: str, unready: bool) -> None:
    found = [pod("p0", started=started, since=since, ready=ready)]
    assert (group(found, {"p0": metric(1, sampled, 60)}).unready == ["p0"]) is unready


def test_the_first_ready_condition_counts_and_a_missing_time_is_long_ago() -> None:
    one = pod("p0", started=NOW - 1)
    one["status"]["conditions"] = [{"type": "Ready", "status": "True"}, {"type": "Ready", "status": "False"}]
    assert group([one], {"p0": metric(1, -(10**6))}).ready == 1


def test_pods_are_read_once_per_version() -> None:
    old = pods(2)
    before = PodGroup(old, None)
    after = PodGroup([old[0], pod("p1", phase="Failed")], before)
    assert after.pods[0] is before.pods[0]
    assert after.pods[1].ignored
