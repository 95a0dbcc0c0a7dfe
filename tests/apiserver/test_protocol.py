"""Paths, methods, discovery, speed."""

from __future__ import annotations

import pytest

from lockstep.apiserver.limits import LIMITS
from lockstep.quality.bench.stores import measure
from tests.apiserver.kit import PODS, Client


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/v2/pods",
        "/api/v1/nothing",
        "/apis/apps/v1beta1/replicasets",
        "/api/v1/namespaces/default/nodes",
        f"{PODS}/a/nothing",
        "/apis/apps",
        "/api/v1/pods/a",
        f"{PODS}//",
        f"{PODS}/a/status/more",
        "/apis/none/v1",
        "",
    ],
)
def test_unknown_paths(client: Client, path: str) -> None:
    reply = client.call("GET", path)
    if path == "/apis/apps":
        assert reply.status == 200
    elif path == f"{PODS}//":
        assert reply.body["kind"] == "PodList"
    elif path == "/apis/none/v1":
        assert (reply.status, reply.raw()) == (404, b"404 page not found\n")
    else:
        assert reply.body == {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "reason": "NotFound",
            "message": "the server could not find the requested resource",
            "details": {},
            "code": 404,
        }


def test_methods_and_media_types(client: Client) -> None:
    reply = client.call("PATCH", PODS, {}, "application/merge-patch+json")
    assert (reply.status, reply.body["reason"]) == (405, "MethodNotAllowed")
    assert client.call("POST", "/version").status == 405
    assert client.call("POST", "/api/v1/pods", {}).status == 405
    assert client.call("DELETE", "/api/v1/pods").status == 405
    assert client.call("POST", PODS, {}, "application/vnd.kubernetes.protobuf").status == 415


def test_discovery(client: Client) -> None:
    assert client.ok("GET", "/api")["versions"] == ["v1"]
    assert "apps" in [group["name"] for group in client.ok("GET", "/apis")["groups"]]
    resources = {item["name"]: item for item in client.ok("GET", "/api/v1")["resources"]}
    assert resources["pods/eviction"]["kind"] == "Eviction"
    assert (resources["pods"]["shortNames"], resources["nodes"]["namespaced"]) == (["po"], False)
    assert client.ok("GET", "/version")["gitVersion"].startswith("v1.")
    assert client.call("GET", "/readyz").content == "ok"


def test_the_namespaces_of_a_fresh_cluster_exist(client: Client) -> None:
    items = client.ok("GET", "/api/v1/namespaces")["items"]
    assert [item["metadata"]["name"] for item in items] == ["default", "kube-system"]
    assert items[0]["metadata"]["labels"] == {"kubernetes.io/metadata.name": "default"}


def test_the_bench_serves_every_request() -> None:
    figures = measure(200)
    assert figures.pods == 200
    assert figures.creates_per_second > 0


def test_limits_are_stated_once_each() -> None:
    assert len({limit.topic for limit in LIMITS}) == len(LIMITS) > 10
