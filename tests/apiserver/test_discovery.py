"""Discovery: group and version order, scale entries, the aggregated documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from lockstep.apiserver import Reply, Request
from lockstep.apiserver.routing import Place
from tests.apiserver.kit import Client
from tests.apiserver.test_scale import DEFINITIONS, shirts

FORMAT = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
BETA = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
#: What client-go sends.
ACCEPT = f"application/json;{FORMAT},{BETA},application/json"
SCALE = {"group": "autoscaling", "version": "v1", "kind": "Scale"}


def aggregated(client: Client, path: str = "/apis", accept: str = ACCEPT) -> Reply:
    return client.server.handle(Request("GET", path, accept=accept))


def entry(client: Client, path: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in client.ok("GET", path)["resources"] if one["name"] == name)
    return found


def test_groups_come_by_priority_and_versions_by_preference(client: Client) -> None:
    shirts(client)
    groups = client.ok("GET", "/apis")["groups"]
    names = [group["name"] for group in groups]
    assert names[:3] == ["apps", "events.k8s.io", "autoscaling"]
    assert names[-1] == "stable.example.com"
    autoscaling = client.ok("GET", "/apis/autoscaling")
    assert [one["version"] for one in autoscaling["versions"]] == ["v2", "v1"]
    assert autoscaling["preferredVersion"] == {"groupVersion": "autoscaling/v2", "version": "v2"}


def test_versions_of_custom_groups_are_ordered_as_kubernetes_orders_them(client: Client) -> None:
    names = {"plural": "hats", "kind": "Hat"}
    order = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"]
    versions = [{"name": name, "served": True, "storage": name == "v1"} for name in sorted(order)]
    spec = {"group": "a.example.com", "names": names, "versions": versions}
    client.ok("POST", DEFINITIONS, {"metadata": {"name": "hats.a.example.com"}, "spec": spec})
    group = client.ok("GET", "/apis/a.example.com")
    assert [one["version"] for one in group["versions"]] == order
    assert group["preferredVersion"]["version"] == "v10"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/apis/apps/v1", "replicasets/scale"),
        ("/apis/apps/v1", "deployments/scale"),
        ("/apis/apps/v1", "statefulsets/scale"),
        ("/api/v1", "replicationcontrollers/scale"),
        ("/apis/stable.example.com/v1", "shirts/scale"),
    ],
)
def test_the_kind_of_a_scale_is_reported(client: Client, path: str, name: str) -> None:
    shirts(client)
    found = entry(client, path, name)
    assert found == {"name": name, "singularName": "", "namespaced": True, "verbs": ["get", "patch", "update"], **SCALE}


def test_both_versions_of_autoscaling_list_the_same(client: Client) -> None:
    v1, v2 = (client.ok("GET", f"/apis/autoscaling/{version}")["resources"] for version in ("v1", "v2"))
    assert v1 == v2
    assert [one["name"] for one in v1] == ["horizontalpodautoscalers", "horizontalpodautoscalers/status"]
    assert (v1[0]["singularName"], v1[0]["shortNames"]) == ("horizontalpodautoscaler", ["hpa"])


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (ACCEPT, "APIGroupDiscoveryList"),
        (f"application/json; {FORMAT.replace(';', '; ')}", "APIGroupDiscoveryList"),
        (f"application/json;{FORMAT};profile=nopeer,application/json", "APIGroupDiscoveryList"),
        ("", "APIGroupList"),
        ("application/json", "APIGroupList"),
        ("application/json, */*", "APIGroupList"),
        (f"application/json,application/json;{FORMAT}", "APIGroupList"),
        (f"{BETA},application/json", "APIGroupList"),
    ],
)
def test_the_first_format_that_the_server_has_is_answered(client: Client, accept: str, kind: str) -> None:
    reply = aggregated(client, accept=accept)
    assert reply.body is not None
    assert reply.body["kind"] == kind
    assert reply.headers["Content-Type"] == f"application/json{f';{FORMAT}' if 'Discovery' in kind else ''}"


def test_the_aggregated_documents_agree_with_the_others(client: Client) -> None:
    shirts(client)
    reported: dict[str, Any] = {}
    for path in ("/api", "/apis"):
        body = aggregated(client, path).body
        assert body is not None
        for group in body["items"]:
            name = group["metadata"].get("name", "")
            reported[name] = {version["version"]: version for version in group["versions"]}
            assert all(version["freshness"] == "Current" for version in group["versions"])
    groups = client.ok("GET", "/apis")["groups"]
    assert list(reported) == ["", *(group["name"] for group in groups)]
    for group in groups:
        assert list(reported[group["name"]]) == [one["version"] for one in group["versions"]]
    sets = next(one for one in reported["apps"]["v1"]["resources"] if one["resource"] == "replicasets")
    assert (sets["scope"], sets["responseKind"]) == ("Namespaced", {"group": "", "version": "", "kind": "ReplicaSet"})
    assert [(one["subresource"], one["responseKind"]) for one in sets["subresources"]] == [
        ("scale", SCALE),
        ("status", {"group": "", "version": "", "kind": "ReplicaSet"}),
    ]
    nodes = next(one for one in reported[""]["v1"]["resources"] if one["resource"] == "nodes")
    assert nodes["scope"] == "Cluster"
    shirt = reported["stable.example.com"]["v1"]["resources"][0]
    assert shirt["responseKind"] == {"group": "stable.example.com", "version": "v1", "kind": "Shirt"}
    assert [one["subresource"] for one in shirt["subresources"]] == ["status", "scale"]


def test_the_document_stays_the_same_until_something_changes(client: Client) -> None:
    first = aggregated(client)
    assert aggregated(client) is first
    shirts(client)
    assert aggregated(client) is not first


class Foreign:
    """A group of another server."""

    def __init__(self) -> None:
        self.versions: Sequence[str] = ["v2", "v1"]
        self.available = True

    def resources(self, version: str) -> list[dict[str, Any]] | None:
        if version == "v1":
            return None
        named = {"name": "pods/qps", "singularName": "", "namespaced": True}
        return [{**named, "kind": "MetricValueList", "verbs": ["get"]}]

    def serve(self, request: Request, place: Place) -> Reply:
        raise AssertionError("nobody asks")


def test_groups_of_other_servers_come_last_and_stale_when_they_are_down(client: Client) -> None:
    foreign = client.server.state.aggregated["a.metrics.example.com"] = Foreign()
    body = aggregated(client).body
    assert body is not None
    group = body["items"][-1]
    nothing = {"group": "", "version": "", "kind": ""}
    made_up: dict[str, Any] = {
        "resource": "pods",
        "scope": "Namespaced",
        "responseKind": nothing,
        "singularResource": "",
        "verbs": None,
    }
    kind = {"group": "", "version": "", "kind": "MetricValueList"}
    made_up["subresources"] = [{"subresource": "qps", "responseKind": kind, "verbs": ["get"]}]
    assert group == {
        "metadata": {"name": "a.metrics.example.com"},
        "versions": [
            {"version": "v2", "resources": [made_up], "freshness": "Current"},
            {"version": "v1", "freshness": "Stale"},
        ],
    }
    foreign.available = False
    body = aggregated(client).body
    assert body is not None
    assert [version["freshness"] for version in body["items"][-1]["versions"]] == ["Stale", "Stale"]
