"""The API groups: there or not, reachable or not, in which versions; as discovery and clients find them."""

from __future__ import annotations

import pytest

from lockstep.apiserver import Request
from lockstep.apiserver.discovery.aggregated import CONTENT_TYPE
from lockstep.metrics import MetricsError, each
from tests.metrics.kit import CUSTOM, EXTERNAL, RESOURCE, Metered, play

NOT_FOUND = (404, "404 page not found\n")
UNAVAILABLE = (503, "service unavailable\n")


def groups(town: Metered) -> dict[str, list[str]]:
    listed = town.answer("/apis")["groups"]
    for group in listed:
        assert group["preferredVersion"] == group["versions"][0]
    return {group["name"]: [version["version"] for version in group["versions"]] for group in listed}


def test_nothing_is_served_until_the_scenario_speaks_of_it() -> None:
    async def body(town: Metered) -> None:
        before = groups(town)
        assert not [name for name in before if "metrics" in name]
        assert town.refused(f"{RESOURCE}/namespaces/default/pods") == NOT_FOUND
        town.metrics.external("queue_depth", 1)
        town.metrics.load("web", cpu=each(1))
        town.metrics.pods("http", "web", each(1))
        served = {
            "custom.metrics.k8s.io": ["v1beta2", "v1beta1"],
            "external.metrics.k8s.io": ["v1beta1"],
            "metrics.k8s.io": ["v1beta1"],
        }
        assert list(groups(town).items()) == [*before.items(), *served.items()]  # they have the lowest priority
        assert town.answer("/apis/metrics.k8s.io")["preferredVersion"]["groupVersion"] == "metrics.k8s.io/v1beta1"

    play(body)


def test_a_group_can_go_and_come_back() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1))
        town.metrics.remove("metrics.k8s.io")
        assert "metrics.k8s.io" not in groups(town)
        assert town.refused(f"{RESOURCE}/nodes") == NOT_FOUND
        town.metrics.load("db", cpu=each(1))
        assert "metrics.k8s.io" not in groups(town)
        town.metrics.serve("metrics.k8s.io")
        assert town.answer(f"{RESOURCE}/nodes")["items"]

    play(body)


def test_an_unavailable_group_is_listed_but_answers_nothing() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1))
        town.metrics.unavailable("metrics.k8s.io", during=60)
        assert groups(town)["metrics.k8s.io"] == ["v1beta1"]
        assert town.answer("/apis/metrics.k8s.io")["name"] == "metrics.k8s.io"
        assert town.refused(RESOURCE) == UNAVAILABLE
        assert town.refused(f"{RESOURCE}/namespaces/default/pods") == UNAVAILABLE
        await town.until(59.9)
        assert town.refused(RESOURCE) == UNAVAILABLE
        await town.until(60)
        assert [one["name"] for one in town.answer(RESOURCE)["resources"]] == ["nodes", "pods"]
        outage = town.metrics.unavailable("metrics.k8s.io")
        await town.until(9999)
        assert town.refused(RESOURCE) == UNAVAILABLE
        outage.stop()
        assert town.ask(RESOURCE).status == 200

    play(body)


def test_the_preferred_version_can_change() -> None:
    async def body(town: Metered) -> None:
        town.metrics.object("rate", "services", "web", 1)
        path = "namespaces/default/services/web/rate"
        old = CUSTOM.replace("v1beta2", "v1beta1")
        town.metrics.serve("custom.metrics.k8s.io", "v1beta1", "v1beta2")
        assert groups(town)["custom.metrics.k8s.io"] == ["v1beta1", "v1beta2"]
        town.metrics.serve("custom.metrics.k8s.io", "v1beta1")
        assert town.refused(f"{CUSTOM}/{path}") == NOT_FOUND
        assert town.refused(CUSTOM) == NOT_FOUND
        assert town.answer(f"{old}/{path}")["apiVersion"] == "custom.metrics.k8s.io/v1beta1"
        town.metrics.serve("custom.metrics.k8s.io", "v2", "v1beta2")  # one that no client knows
        assert groups(town)["custom.metrics.k8s.io"] == ["v2", "v1beta2"]
        assert town.refused(CUSTOM.replace("v1beta2", "v2"))[0] == 404
        assert town.refused(f"{CUSTOM.replace('v1beta2', 'v2')}/{path}")[0] == 404
        town.metrics.serve("custom.metrics.k8s.io")
        assert groups(town)["custom.metrics.k8s.io"] == ["v1beta2", "v1beta1"]

    play(body)


def test_a_server_may_be_newer_than_its_clients() -> None:
    async def body(town: Metered) -> None:
        town.metrics.object("rate", "services", "web", 1)
        town.metrics.serve("custom.metrics.k8s.io", "v1", "v1beta1")
        path = "/apis/custom.metrics.k8s.io"
        reported = [
            [one["name"] for one in town.answer(f"{path}/{version}")["resources"]] for version in ("v1", "v1beta1")
        ]
        assert reported == [["services/rate"], ["services/rate"]]
        document = town.server.handle(Request("GET", "/apis", accept=CONTENT_TYPE)).body or {}
        assert [one["freshness"] for one in document["items"][-1]["versions"]] == ["Current", "Current"]
        assert town.refused(f"{path}/v1/namespaces/default/services/web/rate")[0] == 404

    play(body)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_metrics_can_only_be_read(method: str) -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1))
        town.metrics.external("queue_depth", 1)
        for path in (f"{RESOURCE}/namespaces/default/pods", f"{EXTERNAL}/namespaces/default/queue_depth"):
            reply = town.server.handle(Request(method, path, {}, {}))
            assert (reply.status, (reply.body or {})["reason"]) == (405, "MethodNotAllowed")
        assert town.refused(f"{RESOURCE}/pods", watch="true")[0] == 405

    play(body)


def test_paths_that_mean_nothing() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1))
        for path in ("gadgets", "namespaces/default/nodes", "pods/web", "namespaces/default/pods/web/status"):
            assert town.refused(f"{RESOURCE}/{path}") == (404, "the server could not find the requested resource"), path
        assert town.refused(RESOURCE.replace("v1beta1", "v1") + "/pods") == NOT_FOUND

    play(body)


def test_the_world_lives_with_an_api_that_is_down() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", cpu=each(1))
        town.metrics.unavailable("metrics.k8s.io")
        names = {"plural": "gadgets", "kind": "Gadget"}
        spec = {
            "group": "shop.io",
            "names": names,
            "scope": "Namespaced",
            "versions": [{"name": "v1", "storage": True}],
        }
        definition = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "gadgets.shop.io"},
            "spec": spec,
        }
        town.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
        await town.rest()
        assert "shop.io" in groups(town)

    play(body)


def test_what_makes_no_sense_is_refused() -> None:
    async def body(town: Metered) -> None:
        with pytest.raises(MetricsError, match=r"'metrics' is no metrics API; there are metrics\.k8s\.io, custom"):
            town.metrics.remove("metrics")
        with pytest.raises(MetricsError, match="named twice in v1beta1, v1beta1"):
            town.metrics.serve("custom.metrics.k8s.io", "v1beta1", "v1beta1")

    play(body)
