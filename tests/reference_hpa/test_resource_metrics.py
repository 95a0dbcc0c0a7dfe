"""Resource metrics: metrics/client.go, resourceMetricsClient. Malformed answers get what upstream says about them."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.wire.gotime import SECOND, ZERO_TIME
from lockstep.wire.selector_parser import parse
from lockstep_reference.hpa.metrics import MetricsError, PodMetric, fast_path
from lockstep_reference.hpa.metrics.resource_metrics import ResourceMetricsClient
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.transport import Response
from tests.reference_hpa.metrics_kit import JSON, GivenReplies, run

Wire = dict[str, Any]
PATH = "/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods"
FAILED = "unable to fetch metrics from resource metrics API: "
FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
LAYOUT = '"2006-01-02T15:04:05Z07:00"'


def mismatch(what: str, field: str, kind: str) -> str:
    return f"json: cannot unmarshal {what} into Go struct field {field} of type {kind}"


def item(name: str = "p0", *containers: Wire, **changes: Any) -> Wire:
    return {
        "metadata": {"name": name, "namespace": "ns", "creationTimestamp": "2000-01-01T00:01:00Z"},
        "timestamp": "2000-01-01T00:00:30Z",
        "window": "15s",
        "containers": list(containers or [used("app")]),
        **changes,
    }


def used(container: str, **usage: Any) -> Wire:
    return {"name": container, "usage": usage or {"cpu": "250m", "memory": "4Ki"}}


def answer(*items: Any, **changes: Any) -> Wire:
    return {
        "kind": "PodMetricsList",
        "apiVersion": "metrics.k8s.io/v1beta1",
        "metadata": {},
        "items": list(items),
        **changes,
    }


def ask(reply: Any, resource: str = "cpu", container: str = "") -> tuple[dict[str, PodMetric], int]:
    client = ResourceMetricsClient(Client(GivenReplies({PATH: reply})))
    return run(client.get_resource_metric(resource, "ns", parse("app=web"), container))


def values(reply: Any, resource: str = "cpu", container: str = "") -> dict[str, int]:
    return {name: metric.value for name, metric in ask(reply, resource, container)[0].items()}


def test_usage_by_pod_with_its_moment_and_window() -> None:
    found, moment = ask(
        answer(item("p0"), item("p1", used("app", cpu="1"), timestamp="2000-01-01T00:00:45Z", window="1m"))
    )
    assert found == {
        "p0": PodMetric(30 * SECOND, 15 * SECOND, 250),
        "p1": PodMetric(45 * SECOND, 60 * SECOND, 1000),
    }
    assert moment == 30 * SECOND


def test_the_selector_is_asked_for() -> None:
    transport = GivenReplies({PATH: answer(item())})
    client = ResourceMetricsClient(Client(transport))
    run(client.get_resource_metric("cpu", "ns", parse("app=web,tier in (b,a)"), ""))
    run(client.get_resource_metric("cpu", "ns", parse(""), ""))
    assert transport.asked == [(PATH, {"labelSelector": "app=web,tier in (a,b)"}), (PATH, {})]


@pytest.mark.parametrize(
    ("containers", "container", "resource", "value"),
    [
        ([used("app", cpu="1u"), used("log", cpu="1u")], "", "cpu", 2),
        ([used("app"), used("log", memory="1")], "", "cpu", None),
        ([used("app"), used("log", memory="1")], "", "memory", 4 * 1024 * 1000 + 1000),
        ([used("app"), used("log", cpu="7m")], "log", "cpu", 7),
        ([used("app"), used("app", cpu="7m")], "app", "cpu", 250),
        ([used("app", memory="1"), used("app")], "app", "cpu", None),
        ([used("app")], "log", "cpu", None),
        ([used("app")], "", "gpu", None),
        ([{"name": "app", "usage": {}}], "", "cpu", None),
        ([used("app", cpu="9223372036854775"), used("log", cpu="9223372036854775")], "", "cpu", -1616),
    ],
)
@pytest.mark.parametrize("usual", [True, False])
def test_containers(containers: list[Wire], container: str, resource: str, value: int | None, usual: bool) -> None:
    listed = answer(item("p0", *containers), metadata={} if usual else {"resourceVersion": "1"})
    assert values(listed, resource, container) == ({} if value is None else {"p0": value})


def test_pods_without_containers_have_no_usage() -> None:
    without: tuple[list[Any] | None, ...] = ([], None)
    for nothing in without:
        assert values(answer(item(containers=nothing))) == {}
        assert values(answer(item(containers=nothing)), container="app") == {}


def test_what_is_missing_is_empty() -> None:
    found, moment = ask(answer({"containers": [{"usage": {"cpu": None}}]}))
    assert found == {"": PodMetric(ZERO_TIME, 0, 0)}
    assert moment == ZERO_TIME
    assert ask(answer(None, item("p1"))) == ({"p1": PodMetric(30 * SECOND, 15 * SECOND, 250)}, ZERO_TIME)
    assert values(answer(item(metadata=None))) == {"": 250}


@pytest.mark.parametrize("usage", [5, 1.5, " 250m ", "-5m", "18446744073709551615"])
def test_numbers_that_are_unusual(usage: Any) -> None:
    expected = {5: 5000, 1.5: 1500, " 250m ": 250, "-5m": -5, "18446744073709551615": -1000}[usage]
    assert values(answer(item("p0", used("app", cpu=usage)))) == {"p0": expected}


@pytest.mark.parametrize(
    "reply",
    [
        answer(),
        answer(items=None),
        None,
        {},
        "null",
        {"kind": "Status", "apiVersion": "v1", "status": "Success"},
        {"kind": "PodMetrics", "apiVersion": "metrics.k8s.io/v1beta1"},
    ],
)
def test_no_metrics(reply: Any) -> None:
    with pytest.raises(MetricsError) as caught:
        ask(reply)
    assert str(caught.value) == "no metrics returned from resource metrics API"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"timestamp": ""}, f'parsing time "" as {LAYOUT}: cannot parse "" as "2006"'),
        (
            {"timestamp": 5},
            mismatch("number", "PodMetrics.items.timestamp", "string"),
        ),
        ({"window": None}, 'time: invalid duration ""'),
        ({"window": "15"}, 'time: missing unit in duration "15"'),
        ({"window": []}, mismatch("array", "PodMetrics.items.window", "string")),
        (
            {"containers": {}},
            mismatch("object", "PodMetrics.items.containers", "[]v1beta1.ContainerMetrics"),
        ),
        (
            {"containers": [5]},
            mismatch("number", "PodMetrics.items.containers", "v1beta1.ContainerMetrics"),
        ),
        (
            {"containers": [{"name": "app", "usage": []}]},
            mismatch("array", "ContainerMetrics.items.containers.usage", "v1.ResourceList"),
        ),
        (
            {"containers": [{"name": 5, "usage": {}}]},
            mismatch("number", "ContainerMetrics.items.containers.name", "string"),
        ),
        ({"containers": [used("app", cpu="x")]}, FORMAT),
        ({"containers": [used("app", cpu="1", memory=True)]}, FORMAT),
        (
            {"metadata": 5},
            mismatch("number", "PodMetrics.items.metadata", "v1.ObjectMeta"),
        ),
        (
            {"metadata": {"name": "p0", "namespace": "ns", "creationTimestamp": None, "labels": {"a": 5}}},
            mismatch("number", "ObjectMeta.items.metadata.labels", "string"),
        ),
        (
            {"metadata": {"name": "p0", "namespace": 5, "creationTimestamp": "2000-01-01T00:00:00Z"}},
            mismatch("number", "ObjectMeta.items.metadata.namespace", "string"),
        ),
        (
            {"metadata": {"name": "p0", "ownerReferences": [{"controller": 5}]}},
            mismatch("number", "OwnerReference.items.metadata.ownerReferences.controller", "bool"),
        ),
        (
            {"kind": 5},
            mismatch("number", "PodMetrics.items.TypeMeta.kind", "string"),
        ),
    ],
)
def test_one_malformed_entry_spoils_all(change: Wire, complaint: str) -> None:
    with pytest.raises(MetricsError) as caught:
        ask(answer(item("p0"), item("p1", **change)), container="app")
    assert str(caught.value) == FAILED + complaint


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (
            answer(items={}),
            mismatch("object", "PodMetricsList.items", "[]v1beta1.PodMetrics"),
        ),
        (
            answer(item(), metadata={"resourceVersion": 5}),
            mismatch("number", "ListMeta.metadata.resourceVersion", "string"),
        ),
        (
            answer(item(), kind="Foo"),
            'no kind "Foo" is registered for version "metrics.k8s.io/v1beta1" in scheme "pkg/runtime/scheme.go:111"',
        ),
        ({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "boom"}, "boom"),
        ("hello", "couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value"),
        (
            Response(404, "404 page not found\n", {"Content-Type": "text/plain"}),
            "the server could not find the requested resource (get pods.metrics.k8s.io)",
        ),
        (
            Response(503, "service unavailable\n", {"Content-Type": "text/plain"}),
            "the server is currently unable to handle the request (get pods.metrics.k8s.io)",
        ),
        (
            Response(403, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "no"}, JSON),
            "no",
        ),
        (ConnectionRefusedError("Get x: connection refused"), "Get x: connection refused"),
    ],
)
def test_answers_that_cannot_be_used(reply: Any, complaint: str) -> None:
    with pytest.raises(MetricsError) as caught:
        ask(reply)
    assert str(caught.value) == FAILED + complaint


def test_usual_answers_are_read_the_short_way() -> None:
    labelled = item("p1")
    labelled["metadata"]["labels"] = {"app": "web"}
    assert fast_path.read(answer(item("p0"), labelled), "metrics.k8s.io/v1beta1", "cpu", "") is not None
    assert fast_path.read(answer(item("p0", kind="PodMetrics")), "metrics.k8s.io/v1beta1", "cpu", "") is None
