"""custom.metrics.k8s.io: paths, documents of both versions, selectors."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.metrics import MetricsError, each, ramp, shared, steps
from lockstep.world import Lifecycle
from tests.metrics.kit import CUSTOM, Metered, play

V1BETA1 = CUSTOM.replace("v1beta2", "v1beta1")
PODS = "namespaces/default/pods/*/http"


def test_a_metric_of_pods_falls_to_them_as_a_load_does() -> None:
    async def body(town: Metered) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=(1, 1, 99))
        town.web(3)
        town.metrics.pods("http", "web", shared(21, idle="0.5"))
        town.metrics.pods("age", "web", each(ramp(0, 100, 0, 100)))
        await town.until(15)
        assert town.values("http") == ["10500m", "10500m", "500m"]
        await town.until(29)
        assert town.values("age") == ["15", "15", "15"]  # scraped in the same rhythm

    play(body)


def test_pods_need_no_time_of_their_own_to_have_a_metric() -> None:
    async def body(town: Metered) -> None:
        town.metrics.pods("http", "web", each(1))
        town.metrics.load("web", cpu=1)
        await town.until(14)
        town.web(1)
        await town.until(15)
        assert (town.values("http"), town.entries()) == (["1"], [])

    play(body)


def test_pods_that_do_not_run_any_more_are_gone_at_once() -> None:
    async def body(town: Metered) -> None:
        town.metrics.pods("http", "web", each(1))
        town.web(2)
        await town.until(15)
        town.kubelet.fail(town.pick(0))
        assert town.values("http") == ["1"]

    play(body)


def test_both_versions_as_adapters_show_them() -> None:
    async def body(town: Metered) -> None:
        town.web(1)
        town.metrics.pods("http", "web", each(10), labels={"verb": "GET", "code": "200"}, window=30)
        await town.until(15)
        name = town.pick(0)["metadata"]["name"]
        query = {"labelSelector": "app=web", "metricLabelSelector": "verb=GET,code in (200,201)"}
        selector = {
            "matchLabels": {"verb": "GET"},
            "matchExpressions": [{"key": "code", "operator": "In", "values": ["200", "201"]}],
        }
        described = {"kind": "Pod", "namespace": "default", "name": name, "apiVersion": "/v1"}
        common = {"describedObject": described, "timestamp": "2000-01-01T00:00:16Z", "value": "10"}
        new = {**common, "metric": {"name": "http", "selector": selector}, "windowSeconds": 30}
        old = {**common, "metricName": "http", "selector": selector, "window": 30}
        assert town.answer(f"{CUSTOM}/{PODS}", **query) == listed("v1beta2", new)
        assert town.answer(f"{V1BETA1}/{PODS}", **query) == listed("v1beta1", old)
        alone = town.answer(f"{CUSTOM}/namespaces/default/pods/{name}/http")["items"][0]
        assert alone == {**new, "metric": {"name": "http", "selector": None}}

    play(body)


def listed(version: str, *items: Any) -> dict[str, Any]:
    api_version = f"custom.metrics.k8s.io/{version}"
    return {"kind": "MetricValueList", "apiVersion": api_version, "metadata": {}, "items": list(items)}


def test_series_are_chosen_by_their_labels_and_count_together() -> None:
    async def body(town: Metered) -> None:
        town.web(2)
        town.metrics.pods("http", "web", shared(20), labels={"verb": "GET"})
        town.metrics.pods("http", "web", each(3), labels={"verb": "PUT"})
        await town.until(15)
        assert town.values("http") == ["13", "13"]
        assert town.values("http", metricLabelSelector="verb=GET") == ["10", "10"]
        assert town.values("http", metricLabelSelector="verb notin (GET)") == ["3", "3"]
        assert town.values("http", metricLabelSelector="verb=HEAD") == []
        assert town.values("http", selector="app=db") == []

    play(body)


def test_metrics_of_objects_are_of_the_moment() -> None:
    async def body(town: Metered) -> None:
        town.metrics.object("rate", "services", "web", steps((0, 1.5), (20, 2)))
        town.metrics.object("rate", "services", "web", "500m", labels={"code": "500"})
        town.metrics.object("rate", "deployments.apps", "web", "18446744073709551615")
        await town.until(19.5)
        service = f"{CUSTOM}/namespaces/default/services/web/rate"
        (item,) = town.answer(service)["items"]
        assert item["describedObject"] == {
            "kind": "Service",
            "namespace": "default",
            "name": "web",
            "apiVersion": "/v1",
        }
        assert (item["value"], item["timestamp"]) == ("2", "2000-01-01T00:00:20Z")
        await town.until(20)
        assert town.answer(service)["items"][0]["value"] == "2500m"
        assert town.answer(service, metricLabelSelector="code=500")["items"][0]["value"] == "500m"
        (item,) = town.answer(f"{CUSTOM}/namespaces/default/deployments.apps/web/rate")["items"]
        assert (item["describedObject"]["apiVersion"], item["value"]) == ("apps/v1", "18446744073709551615")

    play(body)


def test_metrics_of_namespaces_and_nodes() -> None:
    async def body(town: Metered) -> None:
        town.metrics.object("load", "namespaces", "default", 7)
        town.metrics.object("load", "nodes", "node-2", 8)
        town.metrics.object("load", "nodes", "node-3", 9)
        (item,) = town.answer(f"{CUSTOM}/namespaces/default/metrics/load")["items"]
        assert item["describedObject"] == {"kind": "Namespace", "name": "default", "apiVersion": "/v1"}
        assert [one["value"] for one in town.answer(f"{CUSTOM}/nodes/node-3/load")["items"]] == ["9"]
        assert [one["value"] for one in town.answer(f"{CUSTOM}/nodes/*/load")["items"]] == ["8", "9"]
        labelled = town.answer(f"{CUSTOM}/nodes/*/load", labelSelector="kubernetes.io/hostname=node-2")
        assert [one["value"] for one in labelled["items"]] == ["8"]

    play(body)


def test_what_there_is_none_of_is_not_found() -> None:
    async def body(town: Metered) -> None:
        town.web(1)
        series = town.metrics.pods("http", "web", each(1))
        town.metrics.object("rate", "services", "web", 1)
        await town.until(15)
        missing = "the server could not find the metric"
        place = f"{CUSTOM}/namespaces/default"
        assert town.refused(f"{place}/pods/*/other") == (404, f"{missing} other for pods")
        assert town.refused(f"{place}/pods/absent/http") == (404, f"{missing} http for pods absent")
        assert town.refused(f"{place}/services/db/rate") == (404, f"{missing} rate for services db")
        assert town.refused(f"{place}/services/web/http") == (404, f"{missing} http for services web")
        assert town.refused(f"{CUSTOM}/namespaces/kube-system/services/web/rate")[0] == 404
        assert town.refused(f"{place}/metrics/rate") == (404, f"{missing} rate for namespaces default")
        assert town.refused(f"{place}/services/web/rate", metricLabelSelector="a=b")[0] == 404
        assert town.refused(f"{place}/services")[0] == 404
        series.stop()
        assert town.refused(f"{place}/pods/*/http") == (404, f"{missing} http for pods")

    play(body)


@pytest.mark.parametrize(
    ("query", "code"),
    [({"labelSelector": "a=="}, 200), ({"labelSelector": "((("}, 400), ({"metricLabelSelector": "a in b"}, 400)],
)
def test_a_selector_must_be_one(query: dict[str, str], code: int) -> None:
    async def body(town: Metered) -> None:
        town.web(1)
        town.metrics.pods("http", "web", each(1))
        assert town.ask(f"{CUSTOM}/{PODS}", **query).status == code

    play(body)


def test_discovery_names_what_there_is() -> None:
    async def body(town: Metered) -> None:
        town.metrics.pods("http", "web", each(1))
        town.metrics.object("rate", "services", "web", 1)
        town.metrics.object("load", "nodes", "node-1", 1)
        found = town.answer(CUSTOM)
        assert found["groupVersion"] == "custom.metrics.k8s.io/v1beta2"
        names = [(one["name"], one["namespaced"], one["kind"], one["verbs"]) for one in found["resources"]]
        assert names == [
            ("nodes/load", False, "MetricValueList", ["get"]),
            ("pods/http", True, "MetricValueList", ["get"]),
            ("services/rate", True, "MetricValueList", ["get"]),
        ]

    play(body)


def test_what_makes_no_sense_is_refused() -> None:
    async def body(town: Metered) -> None:
        with pytest.raises(MetricsError, match="no resource 'gadgets'"):
            town.metrics.object("rate", "gadgets", "web", 1)
        with pytest.raises(MetricsError, match="must not contain a slash"):
            town.metrics.pods("a/b", "web", 1)

    play(body)
