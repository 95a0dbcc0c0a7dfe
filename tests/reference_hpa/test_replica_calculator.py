"""From metrics to replicas: replica_calculator.go. Worked examples; upstream was asked the same by the ten thousand."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.wire.gotime import ZERO_TIME
from lockstep.wire.selector_parser import parse
from lockstep_reference.hpa.metrics import MetricsError, PodMetricsInfo
from lockstep_reference.hpa.replica_calculator import ResourceReplicas, Tolerances, UsageReplicas
from tests.reference_hpa.metrics_kit import (
    NOW,
    TOLERANCES,
    GivenMetrics,
    calculator,
    container,
    indexer,
    metric,
    metrics,
    pod,
    pods,
    run,
    seconds,
)

Wire = dict[str, Any]
WEB = parse("app=web")
AT = seconds(NOW)
SERVICE = {"kind": "Service", "name": "front", "apiVersion": "v1"}
MIN_INT32, MAX_INT32, MAX_INT64 = -(2**31), 2**31 - 1, 2**63 - 1


def by_utilization(
    found: list[Wire], info: PodMetricsInfo, target: int = 50, current: int | None = None, **changes: Any
) -> ResourceReplicas:
    asked = {
        "resource": "cpu",
        "tolerances": TOLERANCES,
        "namespace": "ns",
        "selector": WEB,
        "container": "",
        **changes,
    }
    current = len(found) if current is None else current
    return run(calculator(GivenMetrics(info), found).get_resource_replicas(current, target, **asked))


def by_usage(
    found: list[Wire], info: PodMetricsInfo, target: int = 500, current: int | None = None, resource: str = "cpu"
) -> UsageReplicas:
    asked = calculator(GivenMetrics(info), found)
    current = len(found) if current is None else current
    return run(asked.get_raw_resource_replicas(current, target, resource, TOLERANCES, "ns", WEB, ""))


# -- all pods known ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "replicas", "utilization", "average"),
    [
        ((500, 500, 500), 3, 50, 500),
        ((545, 545, 545), 3, 54, 545),
        ((550, 550, 550), 3, 55, 550),
        ((559, 559, 559), 3, 55, 559),
        ((560, 560, 560), 4, 56, 560),
        ((450, 450, 450), 3, 45, 450),
        ((449, 449, 449), 3, 44, 449),
        ((300, 300, 300), 2, 30, 300),
        ((1000, 0, 500), 3, 50, 500),
        ((0, 0, 0), 0, 0, 0),
        ((5000, 5000, 5000), 30, 500, 5000),
    ],
)
def test_by_utilization(values: tuple[int, ...], replicas: int, utilization: int, average: int) -> None:
    answer = by_utilization(pods(3), metrics(*values))
    assert answer == ResourceReplicas(replicas, utilization, average, AT)


def test_utilization_is_that_of_all_requests_together() -> None:
    found = [pod("p0", container(cpu="3")), pod("p1", container(cpu="1"))]
    assert by_utilization(found, metrics(1000, 1000))[:3] == (2, 50, 1000)


def test_metrics_of_pods_that_the_selector_does_not_select_count_as_replicas_only() -> None:
    info = {**metrics(900, None), "stranger": metric(10**6)}
    # Known: p0. Two entries and one missing pod make three, of which two have requests.
    assert by_utilization(pods(2), info)[:3] == (2, 90, 900)
    assert by_usage(pods(2), info).replicas == 2002


def test_pods_of_the_whole_namespace_if_nothing_is_required() -> None:
    found = [pod("p0"), pod("p1", labels={})]
    assert by_utilization(found, metrics(800, 800), selector=parse("")).replicas == 4
    assert by_utilization(found, metrics(800), current=1).replicas == 2


@pytest.mark.parametrize(("down", "up", "replicas"), [(0.1, 0.1, 4), (0.1, 0.2, 3), (0.0, 0.0, 4)])
def test_tolerance_on_the_way_up(down: float, up: float, replicas: int) -> None:
    assert by_utilization(pods(3), metrics(600, 600, 600), tolerances=Tolerances(down, up)).replicas == replicas


@pytest.mark.parametrize(("down", "up", "replicas"), [(0.1, 0.1, 3), (0.1, 0.9, 3), (0.2, 0.0, 5)])
def test_tolerance_on_the_way_down(down: float, up: float, replicas: int) -> None:
    info = metrics(*[400] * 5) if replicas == 5 else metrics(*[300] * 5)
    assert by_utilization(pods(5), info, tolerances=Tolerances(down, up)).replicas == replicas


@pytest.mark.parametrize(
    ("values", "target", "replicas", "usage"),
    [((500, 500), 500, 2, 500), ((800, 801), 500, 4, 800), ((100, 101), 500, 1, 100), ((-5, 0), 500, 0, -2)],
)
def test_by_average_usage(values: tuple[int, ...], target: int, replicas: int, usage: int) -> None:
    assert by_usage(pods(2), metrics(*values), target) == UsageReplicas(replicas, usage, AT)


def test_by_a_metric_of_pods_readiness_does_not_matter() -> None:
    client = GivenMetrics(metrics(20_000, 20_000))
    found = [pod("p0", ready="False"), pod("p1", started=None)]
    asked = calculator(client, found).get_metric_replicas(2, 10_000, "hits", TOLERANCES, "ns", WEB, parse("a=b"))
    assert run(asked) == UsageReplicas(4, 20_000, AT)
    assert client.asked == [("hits", "ns", WEB, parse("a=b"))]


# -- pods of which something is not known ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "target", "replicas", "why"),
    [
        ((900, 900, None), 50, 4, "up: the missing pod counts as idle, 600 on average"),
        ((700, 700, None), 50, 3, "up: with an idle one it is within tolerance"),
        ((600, None, None), 50, 3, "up, but with idle ones it would be down: stays"),
        ((100, 100, None), 50, 3, "down: the missing pod counts as using its whole request, 400 on average"),
        ((100, 0, None), 50, 3, "down: 367 on average"),
        ((10, 10, None, None, 10), 200, 2, "down: with a target above 100 % it counts as using that"),
        ((400, None, None), 50, 3, "down, but with busy ones it would be up: stays"),
        ((500, 500, None), 50, 3, "neither: stays"),
    ],
)
def test_missing_metrics_hold_against_the_change(
    values: tuple[int | None, ...], target: int, replicas: int, why: str
) -> None:
    assert by_utilization(pods(len(values)), metrics(*values), target).replicas == replicas, why


@pytest.mark.parametrize(
    ("values", "replicas"),
    [((900, 900, None), 4), ((600, None, None), 3), ((10, 10, None), 2), ((400, None, None), 3)],
)
def test_missing_usage_counts_as_the_target_on_the_way_down(values: tuple[int | None, ...], replicas: int) -> None:
    assert by_usage(pods(3), metrics(*values)).replicas == replicas


def test_unready_pods_hold_against_more_and_do_not_matter_for_less() -> None:
    found = [*pods(2), pod("p2", phase="Pending"), pod("p3", ready="False", since=10)]
    assert by_utilization(found, metrics(900, 900, 5000, 5000)).replicas == 4  # 450 on average: stays
    assert by_utilization(found, metrics(1500, 1500)).replicas == 6
    assert by_utilization(found, metrics(250, 250, 5000, 5000)).replicas == 1  # of the two that are ready
    assert by_usage(found, metrics(1500, 1500)).replicas == 6


def test_a_change_of_the_number_of_metrics_does_not_turn_the_direction() -> None:
    # More metrics than current replicas: a lower ratio must not mean more replicas.
    found = [*pods(4), pod("p4", phase="Failed"), pod("p5", deleted=True)]
    assert by_utilization(found, metrics(100, 100, 300, None, 9999, 9999), current=1).replicas == 1
    # Fewer: a higher ratio must not mean fewer.
    assert by_utilization(pods(3), metrics(900, 900, None), current=10).replicas == 10


def test_ignored_pods_lose_their_metrics() -> None:
    found = [*pods(2), pod("p2", deleted=True), pod("p3", phase="Failed")]
    assert by_utilization(found, metrics(500, 500, 9999, 9999)) == ResourceReplicas(4, 50, 500, AT)


# -- nothing to calculate with -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "info", "message"),
    [
        ([], metrics(1), "no pods returned by selector while calculating replica count"),
        (pods(2), {}, "did not receive metrics for targeted pods (pods might be unready)"),
        (
            pods(2, phase="Pending"),
            metrics(1, 1),
            "did not receive metrics for targeted pods (pods might be unready)",
        ),
        (pods(1, container()), metrics(1), "missing request for cpu in container app of Pod p0"),
        (pods(1), {"stranger": metric(1)}, "no metrics returned matched known pods"),
        (pods(1, container(cpu="0")), metrics(1), "no metrics returned matched known pods"),
    ],
)
def test_no_utilization(found: list[Wire], info: PodMetricsInfo, message: str) -> None:
    with pytest.raises(MetricsError) as caught:
        by_utilization(found, info)
    assert str(caught.value) == message


SCOPE = (TOLERANCES, "ns", WEB)
IN_NS = (TOLERANCES, "ns")
LABELS = {"matchLabels": {"a": "b"}}
BAD = {"matchExpressions": [{"key": "k", "operator": "Foo"}]}
LABELS_TEXT = "&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}"


@pytest.mark.parametrize(
    ("method", "asked", "message"),
    [
        ("get_resource_replicas", ("cpu", *SCOPE, ""), "unable to get metrics for resource cpu: boom"),
        ("get_raw_resource_replicas", ("cpu", *SCOPE, ""), "unable to get metrics for resource cpu: boom"),
        ("get_metric_replicas", ("hits", *SCOPE, WEB), "unable to get metric hits: boom"),
        (
            "get_object_metric_replicas",
            ("hits", *IN_NS, SERVICE, WEB, WEB),
            "unable to get metric hits: Service on ns front/boom",
        ),
        (
            "get_object_per_pod_metric_replicas",
            ("hits", *IN_NS, SERVICE, WEB),
            "unable to get metric hits: Service on ns front/boom",
        ),
        (
            "get_external_metric_replicas",
            ("queue", *IN_NS, None, WEB),
            "unable to get external metric ns/queue/nil: boom",
        ),
        (
            "get_external_per_pod_metric_replicas",
            ("queue", *IN_NS, LABELS),
            f"unable to get external metric ns/queue/{LABELS_TEXT}: boom",
        ),
        (
            "get_external_metric_replicas",
            ("queue", *IN_NS, BAD, WEB),
            '"Foo" is not a valid label selector operator',
        ),
    ],
)
def test_errors_name_what_was_requested(method: str, asked: tuple[Any, ...], message: str) -> None:
    broken = calculator(GivenMetrics(error="boom"), pods(1))
    with pytest.raises(MetricsError) as caught:
        run(getattr(broken, method)(1, 50, *asked))
    assert str(caught.value) == message


# -- one number for all pods -------------------------------------------------------------------------------------------


def by_object(value: int, target: int, current: int, found: list[Wire]) -> UsageReplicas:
    asked = calculator(GivenMetrics(value=value), found)
    return run(asked.get_object_metric_replicas(current, target, "hits", TOLERANCES, "ns", SERVICE, WEB, WEB))


def by_external(values: list[int], target: int, current: int, found: list[Wire]) -> UsageReplicas:
    asked = calculator(GivenMetrics(values=values), found)
    return run(asked.get_external_metric_replicas(current, target, "queue", TOLERANCES, "ns", None, WEB))


@pytest.mark.parametrize(
    ("value", "target", "current", "replicas"),
    [
        (1000, 1000, 3, 3),
        (1100, 1000, 3, 3),
        (2000, 1000, 3, 4),  # the two ready ones, doubled
        (500, 1000, 3, 1),
        (2000, 1000, 0, 2),  # from zero the ratio itself, without tolerance
        (1, 1000, 0, 1),
        (0, 1000, 0, 0),
        (MAX_INT64, 1, 3, MAX_INT32),
        (MAX_INT64, 1, 0, MIN_INT32),  # as Go on amd64 converts it
        (1000, 0, 3, MAX_INT32),  # a target too large for 64 bits may have become 0
        (-5000, 1000, 3, -10),
    ],
)
def test_by_the_value_of_one_metric(value: int, target: int, current: int, replicas: int) -> None:
    found = [*pods(2), pod("p2", ready="False"), pod("p3", phase="Succeeded")]
    assert by_object(value, target, current, found) == UsageReplicas(replicas, value, ZERO_TIME)
    assert by_external([value], target, current, found) == UsageReplicas(replicas, value, ZERO_TIME)


def test_ready_pods_that_there_are_not() -> None:
    with pytest.raises(MetricsError) as caught:
        by_object(5000, 1000, 3, [])
    assert str(caught.value) == (
        "unable to calculate ready pods: no pods returned by selector while calculating replica count"
    )
    assert by_object(1000, 1000, 3, []).replicas == 3  # within the tolerance pods are not looked at
    assert by_object(5000, 1000, 3, pods(3, ready="False")).replicas == 0


@pytest.mark.parametrize(
    ("values", "usage"),
    [([1, 2, 3], 6), ([MAX_INT64, 1], MAX_INT64), ([-5, 3], -2), ([MAX_INT64, -1], MAX_INT64 - 1)],
)
def test_external_series_add_up(values: list[int], usage: int) -> None:
    assert by_external(values, 1000, 3, pods(3)).usage == usage


@pytest.mark.parametrize(
    ("value", "target", "current", "replicas", "average"),
    [
        (3000, 1000, 3, 3, 1000),
        (3299, 1000, 3, 3, 1100),
        (3301, 1000, 3, 4, 1101),
        (1000, 1000, 3, 1, 334),
        (0, 1000, 3, 0, 0),
        (5000, 1000, 0, 5, -(2**63)),  # an average over no replicas, as Go on amd64 has it
    ],
)
def test_by_the_average_of_one_metric(value: int, target: int, current: int, replicas: int, average: int) -> None:
    asked = calculator(GivenMetrics(value=value, values=[value]), [])
    expected = UsageReplicas(replicas, average, AT)
    by_object = asked.get_object_per_pod_metric_replicas(current, target, "hits", TOLERANCES, "ns", SERVICE, WEB)
    by_external = asked.get_external_per_pod_metric_replicas(current, target, "queue", TOLERANCES, "ns", None)
    assert run(by_object) == expected
    assert run(by_external) == expected


@pytest.mark.parametrize(
    ("values", "replicas", "average"),
    [
        ([MAX_INT64, MAX_INT64], MAX_INT32, MAX_INT64),
        ([-1], MAX_INT32, MAX_INT64),  # upstream takes a sum below zero for an overflow
        ([10**12], 10**9, 333333333334),
        ([10**13], MAX_INT32, 3333333333334),
    ],
)
def test_external_averages_that_are_large(values: list[int], replicas: int, average: int) -> None:
    asked = calculator(GivenMetrics(values=values), [])
    call = asked.get_external_per_pod_metric_replicas(3, 1000, "queue", TOLERANCES, "ns", None)
    assert run(call)[:2] == (replicas, average)


def test_object_averages_that_are_large_do_not_fit() -> None:
    asked = calculator(GivenMetrics(value=10**13), [])
    call = asked.get_object_per_pod_metric_replicas(3, 1000, "hits", TOLERANCES, "ns", SERVICE, WEB)
    assert run(call).replicas == MIN_INT32


# -- absurd values -----------------------------------------------------------------------------------------------------


def test_sums_wrap_and_conversions_end_at_the_smallest_number() -> None:
    assert by_usage(pods(2), metrics(MAX_INT64, MAX_INT64))[:2] == (0, -1)
    assert by_utilization(pods(1), metrics(2**62))[1:3] == (0, 2**62)
    assert by_usage(pods(1), metrics(2**62), 1).replicas == MIN_INT32


# -- the cache ---------------------------------------------------------------------------------------------------------


def test_pods_and_requests_follow_the_cache() -> None:
    cache = indexer(pods(2))
    asked = calculator(GivenMetrics(metrics(800, 800, 800)), cache)

    def ask() -> ResourceReplicas:
        return run(asked.get_resource_replicas(2, 50, "cpu", TOLERANCES, "ns", WEB, ""))

    assert ask()[:2] == (4, 80)
    bigger = pod("p1", container(cpu="3"))
    bigger["metadata"]["resourceVersion"] = "10"
    cache.update(bigger)
    assert ask()[:2] == (2, 40)
    third = pod("p2", container(cpu="4"))
    third["metadata"]["resourceVersion"] = "11"
    cache.update(third)
    assert ask()[:2] == (2, 30)
