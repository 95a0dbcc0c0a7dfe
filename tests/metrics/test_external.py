"""external.metrics.k8s.io: series, selectors, times."""

from __future__ import annotations

from lockstep.metrics import per_ready, steps
from lockstep.world import Lifecycle
from tests.metrics.kit import EXTERNAL, Metered, play

QUEUE = f"{EXTERNAL}/namespaces/default/queue_depth"


def test_series_are_chosen_by_their_labels() -> None:
    async def body(town: Metered) -> None:
        town.metrics.external("queue_depth", steps((0, 1.5), (10, 30)), labels={"queue": "a"})
        town.metrics.external("queue_depth", "7", labels={"queue": "b"}, window=60)
        town.metrics.external("queue_depth", 9, namespace="kube-system")
        await town.until(10)
        taken = "2000-01-01T00:00:11Z"
        one = {"metricName": "queue_depth", "metricLabels": {"queue": "a"}, "timestamp": taken, "value": "30"}
        two = {
            "metricName": "queue_depth",
            "metricLabels": {"queue": "b"},
            "timestamp": taken,
            "value": "7",
            "window": 60,
        }
        assert town.answer(QUEUE) == {
            "kind": "ExternalMetricValueList",
            "apiVersion": "external.metrics.k8s.io/v1beta1",
            "metadata": {},
            "items": [one, two],
        }
        assert town.answer(QUEUE, labelSelector="queue in (b,c)")["items"] == [two]
        assert town.answer(QUEUE, labelSelector="queue=c")["items"] == []
        assert [item["value"] for item in town.answer(QUEUE.replace("default", "kube-system"))["items"]] == ["9"]

    play(body)


def test_an_unknown_metric_is_not_found() -> None:
    async def body(town: Metered) -> None:
        series = town.metrics.external("queue_depth", 1)
        gone = "the server could not find the metric {} for namespaces"
        assert town.refused(f"{EXTERNAL}/namespaces/default/other") == (404, gone.format("other"))
        assert town.refused(f"{EXTERNAL}/queue_depth")[0] == 404
        assert town.refused(QUEUE, labelSelector="a in b")[0] == 400
        series.stop()
        assert town.refused(QUEUE) == (404, gone.format("queue_depth"))

    play(body)


def test_a_value_can_depend_on_the_pods() -> None:
    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=(1, 20))
        town.metrics.external("queue_depth", per_ready("web", lambda time, ready: 100 - time - 10 * ready))
        town.web(2)
        found = []
        for time in (0.5, 10, 30):
            await town.until(time)
            found.append(town.answer(QUEUE)["items"][0]["value"])
        assert found == ["99500m", "80", "50"]

    play(body)


def test_discovery_names_each_metric_once() -> None:
    async def body(town: Metered) -> None:
        town.metrics.external("queue_depth", 1, labels={"queue": "a"})
        town.metrics.external("queue_depth", 1, labels={"queue": "b"})
        town.metrics.external("age", 1)
        names = [(one["name"], one["kind"], one["namespaced"]) for one in town.answer(EXTERNAL)["resources"]]
        assert names == [("age", "ExternalMetricValueList", True), ("queue_depth", "ExternalMetricValueList", True)]

    play(body)
