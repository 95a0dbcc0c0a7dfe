"""Several metrics: horizontal.go, computeReplicasForMetrics."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lockstep_reference.hpa.conditions import Conditions
from lockstep_reference.hpa.metrics import MetricsError
from lockstep_reference.hpa.metrics_computation import NO_REPLICAS, Computed, MetricsComputation
from lockstep_reference.hpa.plan import Planner
from lockstep_reference.hpa.pod_lister import PodLister
from lockstep_reference.hpa.target_pods import TargetPods
from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer, namespace_index
from tests.reference_hpa.kit import START, FakeCalculator, FakeClock, FakeRecorder, external, hpa, pods_metric, scale

BOOM = MetricsError("boom")


class Computation:
    """One computation, and what it leaves behind."""

    def __init__(self, obj: dict[str, Any], replicas: int = 3, selector: str = "app=web", **answers: Any) -> None:
        self.recorder = FakeRecorder()
        self.conditions = Conditions([], FakeClock())
        target_pods = TargetPods(PodLister(Indexer({NAMESPACE_INDEX: namespace_index})))
        calculator: Any = FakeCalculator(**answers)
        recorder: Any = self.recorder
        computation = MetricsComputation(target_pods, calculator, recorder)
        plan = Planner(0.1, configurable_tolerance=True).plan("default/web", "default", obj["spec"])
        self.result: Computed = asyncio.run(
            computation.compute(obj, "default/web", plan, scale(replicas, selector=selector), self.conditions)
        )

    @property
    def active(self) -> tuple[str, ...]:
        ((kind, status, at, reason, message),) = [tuple(one.values()) for one in self.conditions.items]
        assert (kind, at) == ("ScalingActive", START)
        return status, reason, message


def test_the_highest_proposal_wins() -> None:
    computation = Computation(
        hpa(pods_metric("a"), pods_metric("b"), pods_metric("c")), a=(2, 1000), b=(5, 1000), c=(5, 2000)
    )
    assert (computation.result.replicas, computation.result.metric, computation.result.error) == (
        5,
        "pods metric b",
        "",
    )
    assert [one["pods"]["metric"]["name"] for one in computation.result.statuses or ()] == ["a", "b", "c"]
    message = "the HPA was able to successfully calculate a replica count from pods metric b"
    assert computation.active == ("True", "ValidMetricFound", message)


def test_a_proposal_of_nothing_counts_if_it_is_the_only_one() -> None:
    computation = Computation(hpa(external("a", value="1")), a=(0, 0))
    assert (computation.result.replicas, computation.result.metric) == (0, "external metric a(nil)")


FIRST_ERROR = "first error is: failed to get pods metric value: boom"


@pytest.mark.parametrize(
    ("answers", "replicas", "error"),
    [
        ({"a": BOOM, "b": (5, 1)}, 5, f"invalid metrics (1 invalid out of 2), {FIRST_ERROR}"),
        ({"a": BOOM, "b": (3, 1)}, 3, f"invalid metrics (1 invalid out of 2), {FIRST_ERROR}"),
        ({"a": BOOM, "b": (2, 1)}, NO_REPLICAS, f"invalid metrics (1 invalid out of 2), {FIRST_ERROR}"),
        ({"a": BOOM, "b": BOOM}, NO_REPLICAS, f"invalid metrics (2 invalid out of 2), {FIRST_ERROR}"),
    ],
)
def test_with_a_metric_missing_there_is_no_scaling_down(answers: Any, replicas: int, error: str) -> None:
    computation = Computation(hpa(pods_metric("a"), pods_metric("b")), **answers)
    assert (computation.result.replicas, computation.result.error) == (replicas, error)
    failures = sum(answer is BOOM for answer in answers.values())
    assert computation.recorder.events == [("Warning", "FailedGetPodsMetric", "boom")] * failures
    if replicas == NO_REPLICAS:
        message = "the HPA was unable to compute the replica count: boom"
        assert computation.active == ("False", "FailedGetPodsMetric", message)
    else:
        assert computation.active[:2] == ("True", "ValidMetricFound")


def test_a_metric_that_failed_leaves_an_empty_place() -> None:
    computation = Computation(hpa(pods_metric("a"), pods_metric("b")), a=BOOM, b=(5, 1000))
    status = {"type": "Pods", "pods": {"metric": {"name": "b"}, "current": {"averageValue": "1"}}}
    assert computation.result.statuses == [{"type": ""}, status]


def test_without_a_selector_nothing_is_asked() -> None:
    computation = Computation(hpa(pods_metric("a")), selector="")
    assert computation.result == Computed(NO_REPLICAS, "", None, "selector is required")
    assert computation.recorder.events == [("Warning", "SelectorRequired", "selector is required")]
    assert computation.active == ("False", "InvalidSelector", "the HPA target's scale is missing a selector")


def test_without_any_metric() -> None:
    obj = hpa()
    obj["spec"]["metrics"] = []
    computation = Computation(obj)
    assert computation.result == Computed(NO_REPLICAS, "", [], "")
    assert computation.conditions.items == [
        {"type": "", "status": "", "lastTransitionTime": None, "reason": "", "message": ""}
    ]
