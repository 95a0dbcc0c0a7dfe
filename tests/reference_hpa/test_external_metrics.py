"""External metrics: metrics/client.go, externalMetricsClient."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.wire.gotime import SECOND, ZERO_TIME
from lockstep.wire.selectors import NOTHING, Selector, selector_from
from lockstep_reference.hpa.metrics import MetricsError
from lockstep_reference.hpa.metrics.external_metrics import ExternalMetricsClient
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.transport import Response
from tests.reference_hpa.metrics_kit import GivenReplies, run

Wire = dict[str, Any]
PATH = "/apis/external.metrics.k8s.io/v1beta1/namespaces/ns/queue"
FAILED = "unable to fetch metrics from external metrics API: "


def series(value: Any, **changes: Any) -> Wire:
    return {
        "metricName": "queue",
        "metricLabels": {"a": "b"},
        "timestamp": "2000-01-01T00:00:30Z",
        "value": value,
        **changes,
    }


def answer(*items: Any, **changes: Any) -> Wire:
    api = "external.metrics.k8s.io/v1beta1"
    return {"kind": "ExternalMetricValueList", "apiVersion": api, "metadata": {}, "items": list(items), **changes}


def ask(reply: Any, selector: Selector = NOTHING) -> tuple[list[int], int]:
    client = ExternalMetricsClient(Client(GivenReplies({PATH: reply})))
    return run(client.get_external_metric("queue", "ns", selector))


def test_all_series_in_order() -> None:
    assert ask(answer(series("5"), series("1500m", timestamp=None), series(3))) == ([5000, 1500, 3000], 30 * SECOND)


def test_what_is_missing_is_empty() -> None:
    assert ask(answer(None, series("1"))) == ([0, 1000], ZERO_TIME)


def test_whatever_it_says_it_is() -> None:
    assert ask(answer(series("1"), kind="Foo", apiVersion="bar"))[0] == [1000]


def test_the_selector_is_asked_for_and_none_means_everything() -> None:
    transport = GivenReplies({PATH: answer(series("1"))})
    client = ExternalMetricsClient(Client(transport))
    for selector in (selector_from({"matchLabels": {"b": "2", "a": "1"}}), selector_from({}), selector_from(None)):
        run(client.get_external_metric("queue", "ns", selector))
    assert transport.asked == [(PATH, {"labelSelector": "a=1,b=2"}), (PATH, {}), (PATH, {})]


@pytest.mark.parametrize("reply", [answer(), None, {}, {"kind": "Status", "apiVersion": "v1", "status": "Failure"}])
def test_no_metrics(reply: Any) -> None:
    with pytest.raises(MetricsError) as caught:
        ask(reply)
    assert str(caught.value) == "no metrics returned from external metrics API"


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (
            answer(series("1", window="x")),
            "json: cannot unmarshal string into Go struct field ExternalMetricValue.items.window of type int64",
        ),
        (
            answer(series("1", metricLabels={"a": 5})),
            "json: cannot unmarshal number into Go struct field ExternalMetricValue.items.metricLabels of type string",
        ),
        (answer(apiVersion="a/b/c"), "unexpected GroupVersion string: a/b/c"),
        (
            Response(404, "404 page not found\n", {"Content-Type": "text/plain"}),
            "the server could not find the requested resource (get queue.external.metrics.k8s.io)",
        ),
        ("", "0-length response with status code: 200 and content type: application/json"),
    ],
)
def test_answers_that_cannot_be_used(reply: Any, complaint: str) -> None:
    with pytest.raises(MetricsError) as caught:
        ask(reply)
    assert str(caught.value) == FAILED + complaint
