"""Metric specs: horizontal.go, the computeStatusFor... functions. What the calculator answers is given."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lockstep_reference.hpa.metrics import MetricsError
from lockstep_reference.hpa.sources import MetricFailure, Proposal, metric_source
from tests.reference_hpa.kit import (
    FakeCalculator,
    container,
    external,
    object_metric,
    pods_metric,
    question,
    resource,
)

SELECTOR = {"matchLabels": {"queue": "a"}}
SELECTOR_TEXT = (
    "&LabelSelector{MatchLabels:map[string]string{queue: a,},MatchExpressions:[]LabelSelectorRequirement{},}"
)
FRONT = {"kind": "Service", "name": "front", "apiVersion": "v1"}


def compute(spec: dict[str, Any], calculator: FakeCalculator) -> Proposal:
    async def main() -> Proposal:
        return await metric_source(spec).compute(calculator, question())  # type: ignore[arg-type]

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("spec", "answer", "name", "status"),
    [
        (
            resource(averageUtilization=50),
            (4, 75, 750),
            "cpu resource utilization (percentage of request)",
            {"resource": {"name": "cpu", "current": {"averageUtilization": 75, "averageValue": "750m"}}},
        ),
        (
            resource("memory", averageUtilization=50),
            (4, 75, 2 * 1024 * 1000),
            "memory resource utilization (percentage of request)",
            {"resource": {"name": "memory", "current": {"averageUtilization": 75, "averageValue": "2Ki"}}},
        ),
        (
            resource(averageValue="1"),
            (4, 1500),
            "cpu resource",
            {"resource": {"name": "cpu", "current": {"averageValue": "1500m"}}},
        ),
        (
            container(averageUtilization=50),
            (4, 75, 750),
            "cpu container resource utilization (percentage of request)",
            {
                "containerResource": {
                    "name": "cpu",
                    "container": "app",
                    "current": {"averageUtilization": 75, "averageValue": "750m"},
                }
            },
        ),
        (
            container("memory", averageValue="1Mi"),
            (4, 1024 * 1000),
            "memory resource",
            {"containerResource": {"name": "memory", "container": "app", "current": {"averageValue": "1Ki"}}},
        ),
        (
            pods_metric(selector=SELECTOR),
            (4, 12000),
            "pods metric hits",
            {"pods": {"metric": {"name": "hits", "selector": SELECTOR}, "current": {"averageValue": "12"}}},
        ),
        (
            object_metric(value="10"),
            (4, 12000),
            "Service metric hits",
            {"object": {"describedObject": FRONT, "metric": {"name": "hits"}, "current": {"value": "12"}}},
        ),
        (
            object_metric(selector=SELECTOR, averageValue="10"),
            (4, 12000),
            f"external metric hits({SELECTOR_TEXT})",
            {
                "object": {
                    "describedObject": FRONT,
                    "metric": {"name": "hits", "selector": SELECTOR},
                    "current": {"averageValue": "12"},
                }
            },
        ),
        (
            external(value="10"),
            (4, 12000),
            "external metric queue(nil)",
            {"external": {"metric": {"name": "queue"}, "current": {"value": "12"}}},
        ),
        (
            external(selector=SELECTOR, averageValue="10", value="1"),
            (4, 12000),
            f"external metric queue({SELECTOR_TEXT})",
            {"external": {"metric": {"name": "queue", "selector": SELECTOR}, "current": {"averageValue": "12"}}},
        ),
    ],
)
def test_what_a_metric_proposes(spec: Any, answer: tuple[int, ...], name: str, status: Any) -> None:
    calculator = FakeCalculator(cpu=answer, memory=answer, hits=answer, queue=answer)
    assert compute(spec, calculator) == Proposal(4, name, {"type": spec["type"], **status})


@pytest.mark.parametrize(
    ("spec", "reason", "event", "error"),
    [
        (
            resource(averageUtilization=50),
            "FailedGetResourceMetric",
            "failed to get cpu utilization: boom",
            "failed to get cpu resource metric value: failed to get cpu utilization: boom",
        ),
        (
            resource(averageValue="1"),
            "FailedGetResourceMetric",
            "failed to get cpu usage: boom",
            "failed to get cpu resource metric value: failed to get cpu usage: boom",
        ),
        (
            container(averageUtilization=50),
            "FailedGetContainerResourceMetric",
            "failed to get cpu utilization: boom",
            "failed to get app container metric value: failed to get cpu utilization: boom",
        ),
        (pods_metric(), "FailedGetPodsMetric", "boom", "failed to get pods metric value: boom"),
        (object_metric(value="1"), "FailedGetObjectMetric", "boom", "failed to get object metric value: boom"),
        (
            object_metric(averageValue="1"),
            "FailedGetObjectMetric",
            "boom",
            "failed to get object metric value: failed to get hits object metric: boom",
        ),
        (
            external(averageValue="1"),
            "FailedGetExternalMetric",
            "boom",
            "failed to get queue external metric value: failed to get queue external metric: boom",
        ),
        (
            external(value="1"),
            "FailedGetExternalMetric",
            "boom",
            "failed to get queue external metric value: failed to get external metric queue: boom",
        ),
    ],
)
def test_failures(spec: Any, reason: str, event: str, error: str) -> None:
    boom = MetricsError("boom")
    with pytest.raises(MetricFailure) as caught:
        compute(spec, FakeCalculator(cpu=boom, hits=boom, queue=boom))
    assert (caught.value.reason, caught.value.event, str(caught.value)) == (reason, event, error)


NEITHER = "neither a value target nor an average value target was set"
NO_RESOURCE_TARGET = (
    "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set"
)
BAD_SELECTOR = {"matchExpressions": [{"key": "a", "operator": "Like"}]}


@pytest.mark.parametrize(
    ("spec", "reason", "event", "error"),
    [
        (resource(), "FailedGetResourceMetric", NO_RESOURCE_TARGET, f"cpu resource metric value: {NO_RESOURCE_TARGET}"),
        (
            object_metric(),
            "FailedGetObjectMetric",
            f"invalid object metric source: {NEITHER}",
            f"object metric value: invalid object metric source: {NEITHER}",
        ),
        (
            external(),
            "FailedGetExternalMetric",
            f"invalid external metric source: {NEITHER}",
            f"queue external metric value: invalid external metric source: {NEITHER}",
        ),
        (
            pods_metric(selector=BAD_SELECTOR),
            "FailedGetPodsMetric",
            '"Like" is not a valid label selector operator',
            'pods metric value: "Like" is not a valid label selector operator',
        ),
        (
            object_metric(value="1", selector=BAD_SELECTOR),
            "FailedGetObjectMetric",
            '"Like" is not a valid label selector operator',
            'object metric value: "Like" is not a valid label selector operator',
        ),
    ],
)
def test_specs_that_make_no_sense(spec: Any, reason: str, event: str, error: str) -> None:
    calculator = FakeCalculator()
    with pytest.raises(MetricFailure) as caught:
        compute(spec, calculator)
    assert (caught.value.reason, caught.value.event, str(caught.value)) == (reason, event, f"failed to get {error}")
    assert calculator.asked == []


def test_a_kind_of_metric_that_does_not_exist() -> None:
    with pytest.raises(MetricFailure) as caught:
        compute({"type": "Astral"}, FakeCalculator())
    assert caught.value.reason == "InvalidMetricSourceType"
    assert caught.value.event == str(caught.value) == 'unknown metric source type "Astral"'


def test_averages_are_over_the_pods_that_there_are() -> None:
    async def main(spec: dict[str, Any]) -> tuple[Any, ...]:
        calculator = FakeCalculator(hits=(1, 1), queue=(1, 1))
        await metric_source(spec).compute(calculator, question(5, 2))  # type: ignore[arg-type]
        return calculator.asked[0][1][:2]

    assert asyncio.run(main(object_metric(averageValue="3"))) == (2, 3000)
    assert asyncio.run(main(external(averageValue="3"))) == (2, 3000)
    assert asyncio.run(main(object_metric(value="3"))) == (5, 3000)
    assert asyncio.run(main(external(value="3"))) == (5, 3000)
