"""Custom metrics: metrics/client.go, customMetricsClient, and k8s.io/metrics pkg/client/custom_metrics."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.wire.gotime import SECOND, ZERO_TIME
from lockstep.wire.selector_parser import parse
from lockstep.wire.selectors import NOTHING, selector_from
from lockstep_reference.hpa.metrics import MetricsError, PodMetric
from lockstep_reference.hpa.metrics.available_apis import AvailableApis
from lockstep_reference.hpa.metrics.custom_metrics import CustomMetricsClient
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.decoding import SCHEME
from lockstep_reference.machinery.discovery import Group
from lockstep_reference.machinery.restmapper import GroupVersionResource, NoMatchError
from lockstep_reference.machinery.transport import Response
from tests.reference_hpa.kit import FakeClock
from tests.reference_hpa.metrics_kit import GivenReplies, run, seconds

Wire = dict[str, Any]
API = "/apis/custom.metrics.k8s.io"
PODS = f"{API}/v1beta2/namespaces/ns/pods/*/hits"
FRONT = f"{API}/v1beta2/namespaces/ns/services/front/hits"
SERVICE = {"kind": "Service", "name": "front", "apiVersion": "v1"}
FAILED = "unable to fetch metrics from custom metrics API: "
BOTH = (Group("custom.metrics.k8s.io", ("v1beta2", "v1beta1"), "v1beta2"),)


class Groups:
    def __init__(self, *groups: Group) -> None:
        self._groups = groups

    async def server_groups(self) -> tuple[Group, ...]:
        return self._groups


class Kinds:
    """A RESTMapper for three kinds."""

    async def rest_mapping(self, group: str, kind: str) -> GroupVersionResource:
        known = {("", "Pod"): "pods", ("", "Service"): "services", ("apps", "Deployment"): "deployments"}
        if (group, kind) not in known:
            raise NoMatchError(f'no matches for kind "{kind}" in group "{group}"')
        return GroupVersionResource(group, "v1", known[group, kind])


def client_of(transport: GivenReplies, *groups: Group) -> CustomMetricsClient:
    available = AvailableApis(Groups(*(groups or BOTH)), FakeClock(), seconds(15))
    return CustomMetricsClient(Client(transport), Kinds(), available)


def value(number: Any = "500m", name: str = "p0", **changes: Any) -> Wire:
    described = {"kind": "Pod", "namespace": "ns", "name": name, "apiVersion": "/v1"}
    return {
        "describedObject": described,
        "metric": {"name": "hits", "selector": None},
        "timestamp": "2000-01-01T00:00:30Z",
        "windowSeconds": 30,
        "value": number,
        **changes,
    }


def old_value(number: str, name: str, window: int | None = None) -> Wire:
    described = {"kind": "Pod", "namespace": "ns", "name": name, "apiVersion": "/v1"}
    return {
        "describedObject": described,
        "metricName": "hits",
        "timestamp": "2000-01-01T00:00:30Z",
        "window": window,
        "value": number,
        "selector": None,
    }


def answer(*items: Any, version: str = "v1beta2", **changes: Any) -> Wire:
    api = f"custom.metrics.k8s.io/{version}"
    return {"kind": "MetricValueList", "apiVersion": api, "metadata": {}, "items": list(items), **changes}


def of_pods(reply: Any) -> tuple[dict[str, PodMetric], int]:
    return run(client_of(GivenReplies({PODS: reply})).get_raw_metric("hits", "ns", parse("app=web"), NOTHING))


def of_object(reply: Any, reference: Wire = SERVICE, path: str = FRONT) -> tuple[int, int]:
    return run(client_of(GivenReplies({path: reply})).get_object_metric("hits", "ns", reference, NOTHING))


def test_metrics_by_pod() -> None:
    found = of_pods(answer(value("500m", "p0"), value(2, "p1", windowSeconds=None), None))
    assert found == (
        {
            "p0": PodMetric(30 * SECOND, 30 * SECOND, 500),
            "p1": PodMetric(30 * SECOND, 60 * SECOND, 2000),
            "": PodMetric(ZERO_TIME, 60 * SECOND, 0),
        },
        30 * SECOND,
    )


def test_an_answer_of_the_older_version_is_understood_whatever_was_asked_for() -> None:
    found, _ = of_pods(answer(old_value("1", "p0", 15), old_value("2", "p1"), version="v1beta1"))
    assert found == {
        "p0": PodMetric(30 * SECOND, 15 * SECOND, 1000),
        "p1": PodMetric(30 * SECOND, 60 * SECOND, 2000),
    }


def test_selectors_and_version_are_asked_for() -> None:
    older = f"{API}/v1beta1/namespaces/ns/pods/*/hits"
    transport = GivenReplies({older: answer(value())})
    client = client_of(transport, Group("custom.metrics.k8s.io", ("v1beta2", "v1beta1"), "v1beta1"))
    run(client.get_raw_metric("hits", "ns", parse("app=web"), selector_from({"matchLabels": {"a": "b"}})))
    run(client.get_raw_metric("hits", "ns", parse(""), NOTHING))
    assert transport.asked == [(older, {"labelSelector": "app=web", "metricLabelSelector": "a=b"}), (older, {})]


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        (SERVICE, FRONT),
        ({"kind": "Service", "name": "front"}, FRONT),
        ({"kind": "Service", "name": "front", "apiVersion": "a/b/c"}, FRONT),
        (
            {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"},
            f"{API}/v1beta2/namespaces/ns/deployments.apps/web/hits",
        ),
        (
            {"kind": "Namespace", "name": "other", "apiVersion": "v1"},
            f"{API}/v1beta2/namespaces/ns/metrics/hits",
        ),
    ],
)
def test_metrics_of_an_object(reference: Wire, path: str) -> None:
    assert of_object(answer(value("7")), reference, path) == (7000, 30 * SECOND)


def test_an_object_is_asked_for_with_the_metric_s_selector_only() -> None:
    transport = GivenReplies({FRONT: answer(value())})
    selector = selector_from({"matchLabels": {"a": "b"}})
    run(client_of(transport).get_object_metric("hits", "ns", SERVICE, selector))
    assert transport.asked == [(FRONT, {"metricLabelSelector": "a=b"})]


@pytest.mark.parametrize(("items", "count"), [([], 0), ([value(), value()], 2)])
def test_an_object_has_one_value(items: list[Wire], count: int) -> None:
    with pytest.raises(MetricsError) as caught:
        of_object(answer(*items))
    assert str(caught.value) == (
        f"{FAILED}the custom metrics API server returned {count} results when we asked for exactly one"
    )


def test_no_metrics_of_pods() -> None:
    for nothing in (answer(), answer(items=None)):
        with pytest.raises(MetricsError) as caught:
            of_pods(nothing)
        assert str(caught.value) == "no metrics returned from custom metrics API"


def test_a_kind_without_a_resource() -> None:
    with pytest.raises(MetricsError) as caught:
        of_object(answer(value()), {"kind": "Foo", "name": "x", "apiVersion": "bar.io/v1"})
    assert str(caught.value) == (
        f'{FAILED}unable to map kind Foo.bar.io to resource: no matches for kind "Foo" in group "bar.io"'
    )


@pytest.mark.parametrize(
    ("groups", "complaint"),
    [
        ((Group("apps", ("v1",), "v1"),), "no custom metrics API (custom.metrics.k8s.io) registered"),
        ((Group("custom.metrics.k8s.io", ("v9",), "v9"),), "no known available metric versions found"),
    ],
)
def test_no_version_to_ask_for(groups: tuple[Group, ...], complaint: str) -> None:
    with pytest.raises(MetricsError) as caught:
        run(client_of(GivenReplies({}), *groups).get_raw_metric("hits", "ns", parse(""), NOTHING))
    assert str(caught.value) == FAILED + complaint


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (
            answer(value(windowSeconds=1.5)),
            "json: cannot unmarshal number 1.5 into Go struct field MetricValue.items.windowSeconds of type int64",
        ),
        (
            answer(value(metric={"name": 5})),
            "json: cannot unmarshal number into Go struct field MetricIdentifier.items.metric.name of type string",
        ),
        (
            answer({**old_value("1", "p0"), "metricName": 5}, version="v1beta1"),
            "json: cannot unmarshal number into Go struct field MetricValue.items.metricName of type string",
        ),
        (
            answer(kind="MetricValue"),
            "the custom metrics API server didn't return MetricValueList, the type is *v1beta2.MetricValue",
        ),
        (
            {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "boom"},
            "the custom metrics API server didn't return MetricValueList, the type is *v1.Status",
        ),
        (
            answer(version="v9"),
            f'no kind "MetricValueList" is registered for version "custom.metrics.k8s.io/v9" in scheme {SCHEME}',
        ),
        ({}, "Object 'Kind' is missing in '{}'"),
        (
            Response(404, "404 page not found\n", {"Content-Type": "text/plain"}),
            "the server could not find the requested resource (get pods.custom.metrics.k8s.io *)",
        ),
    ],
)
def test_answers_that_cannot_be_used(reply: Any, complaint: str) -> None:
    with pytest.raises(MetricsError) as caught:
        of_pods(reply)
    assert str(caught.value) == FAILED + complaint


def test_refusals_name_the_object() -> None:
    refused = Response(404, "404 page not found\n", {"Content-Type": "text/plain"})
    not_found = "the server could not find the requested resource"
    for reference, path, named in (
        (SERVICE, FRONT, "services.custom.metrics.k8s.io front"),
        (
            {"kind": "Namespace", "apiVersion": "v1"},
            f"{API}/v1beta2/namespaces/ns/metrics/hits",
            "metrics.custom.metrics.k8s.io hits",
        ),
    ):
        with pytest.raises(MetricsError) as caught:
            of_object(refused, reference, path)
        assert str(caught.value) == f"{FAILED}{not_found} (get {named})"
