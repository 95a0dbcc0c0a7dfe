"""The four kinds of patches."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.apiserver.patching.strategic import apply_strategic
from tests.apiserver.kit import APPLY, JSON_PATCH, MERGE, PODS, SETS, STRATEGIC, Client, pod, replica_set

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


@pytest.mark.parametrize(
    ("original", "patch", "expected"),
    [
        ({"a": 1, "b": 2}, {"a": None, "c": {"d": None, "e": 1}}, {"b": 2, "c": {"e": 1}}),
        (
            {"containers": [{"name": "a", "image": "1"}, {"name": "b"}]},
            {"containers": [{"name": "b", "image": "2"}]},
            {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "2"}]},
        ),
        (
            {"containers": [{"name": "a"}]},
            {"containers": [{"name": "b"}]},
            {"containers": [{"name": "b"}, {"name": "a"}]},
        ),
        (
            {"containers": [{"name": "a"}, {"name": "b"}]},
            {"containers": [{"name": "a", "$patch": "delete"}]},
            {"containers": [{"name": "b"}]},
        ),
        (
            {"containers": [{"name": "a"}]},
            {"containers": [{"$patch": "replace"}, {"name": "z"}]},
            {"containers": [{"name": "z"}]},
        ),
        (
            {"ownerReferences": [{"uid": "1"}, {"uid": "2"}]},
            {"ownerReferences": [{"uid": "1", "$patch": "delete"}]},
            {"ownerReferences": [{"uid": "2"}]},
        ),
        ({}, {"ownerReferences": [{"uid": "1", "$patch": "delete"}]}, {"ownerReferences": []}),
        ({"m": {"a": 1}}, {"m": {"$patch": "replace", "b": 2}}, {"m": {"b": 2}}),
        ({"m": {"a": 1}}, {"m": {"$patch": "delete"}}, {"m": {}}),
        ({"finalizers": ["a", "b"]}, {"finalizers": ["b", "c"]}, {"finalizers": ["a", "b", "c"]}),
        ({"finalizers": ["a", "b"]}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {"finalizers": ["b"]}),
        ({"args": ["a", "b"]}, {"args": ["c"]}, {"args": ["c"]}),
        (
            {"strategy": {"type": "R", "rollingUpdate": {"x": 1}}},
            {"strategy": {"type": "Re", "$retainKeys": ["type"]}},
            {"strategy": {"type": "Re"}},
        ),
        (
            {"env": [{"name": "a"}, {"name": "b"}, {"name": "c"}]},
            {"$setElementOrder/env": [{"name": "c"}, {"name": "a"}], "env": [{"name": "c", "value": "1"}]},
            {"env": [{"name": "b"}, {"name": "c", "value": "1"}, {"name": "a"}]},
        ),
        (
            {"ports": [{"containerPort": 80}]},
            {"ports": [{"containerPort": 80, "name": "h"}]},
            {"ports": [{"containerPort": 80, "name": "h"}]},
        ),
    ],
)
def test_strategic_merge(original: dict[str, Any], patch: dict[str, Any], expected: dict[str, Any]) -> None:
    assert apply_strategic(original, patch) == expected


def test_adopting_and_releasing_a_pod(client: Client) -> None:
    created = client.ok("POST", PODS, pod("a"))
    uid = created["metadata"]["uid"]
    reference = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "web",
        "uid": "u",
        "controller": True,
        "blockOwnerDeletion": True,
    }
    body = {"metadata": {"uid": uid, "ownerReferences": [reference]}}
    adopted = client.ok("PATCH", f"{PODS}/a", body, STRATEGIC)
    assert adopted["metadata"]["ownerReferences"] == [reference]
    second = {"metadata": {"uid": uid, "ownerReferences": [{**reference, "name": "rival", "uid": "v"}]}}
    reply = client.call("PATCH", f"{PODS}/a", second, STRATEGIC)
    assert (reply.status, "Only one reference can have Controller" in reply.body["message"]) == (422, True)
    release = {"metadata": {"uid": uid, "ownerReferences": [{"$patch": "delete", "uid": "u"}]}}
    assert "ownerReferences" not in client.ok("PATCH", f"{PODS}/a", release, STRATEGIC)["metadata"]
    reply = client.call("PATCH", f"{PODS}/gone", release, STRATEGIC)
    assert (reply.status, reply.body["reason"]) == (404, "NotFound")


def test_json_patch(client: Client) -> None:
    client.ok("POST", SETS, replica_set())
    after = client.ok("PATCH", f"{SETS}/web", [{"op": "replace", "path": "/spec/replicas", "value": 5}], JSON_PATCH)
    assert after["spec"]["replicas"] == 5
    failed = client.call("PATCH", f"{SETS}/web", [{"op": "test", "path": "/spec/replicas", "value": 1}], JSON_PATCH)
    assert (failed.status, failed.body["reason"]) == (422, "Invalid")
    assert client.call("PATCH", f"{SETS}/web", [{"op": "remove", "path": "/spec/none"}], JSON_PATCH).status == 422
    assert client.call("PATCH", f"{SETS}/web", {"op": "x"}, JSON_PATCH).status == 400
    assert client.call("PATCH", f"{SETS}/web", [{"op": "x", "path": "/a"}], JSON_PATCH).status == 422


def test_a_patch_of_the_wrong_media_type_is_refused(client: Client) -> None:
    client.ok("POST", SETS, replica_set())
    reply = client.call("PATCH", f"{SETS}/web", {}, "application/json")
    assert (reply.status, reply.body["reason"]) == (415, "UnsupportedMediaType")
    assert reply.body["message"] == "415: Unsupported Media Type"


def test_immutable_fields(client: Client) -> None:
    client.ok("POST", SETS, replica_set())
    body = {"spec": {"selector": {"matchLabels": {"app": "x"}}, "template": {"metadata": {"labels": {"app": "x"}}}}}
    reply = client.call("PATCH", f"{SETS}/web", body, MERGE)
    complaint = 'spec.selector: Invalid value: {"matchLabels":{"app":"x"}}: field is immutable'
    assert reply.body["message"] == f'ReplicaSet.apps "web" is invalid: {complaint}'
    client.ok("POST", PODS, pod("a"))
    reply = client.call("PATCH", f"{PODS}/a", {"spec": {"nodeName": "n"}}, MERGE)
    assert (reply.status, "spec: Forbidden: pod updates may not change fields other than" in reply.body["message"]) == (
        422,
        True,
    )
    image = {"spec": {"containers": [{"name": "web", "image": "nginx:2"}]}}
    assert client.ok("PATCH", f"{PODS}/a", image, STRATEGIC)["spec"]["containers"][0]["image"] == "nginx:2"
    renamed = client.call("PATCH", f"{PODS}/a", {"metadata": {"name": "b"}}, MERGE)
    assert renamed.body["message"] == "the name of the object (b) does not match the name on the URL (a)"


def applied(client: Client, manager: str, spec: dict[str, Any], **query: str) -> Any:
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}
    return client.call("PATCH", f"{DEPLOYMENTS}/d", body, APPLY, None, fieldManager=manager, **query)


def test_apply_creates_owns_and_gives_up_fields(client: Client) -> None:
    base = replica_set()["spec"]
    created = applied(client, "one", {**base, "minReadySeconds": 5})
    assert (created.status, created.body["spec"]["replicas"]) == (201, 2)
    version = client.server.resource_version
    assert applied(client, "one", {**base, "minReadySeconds": 5}).status == 200
    assert client.server.resource_version == version
    without = applied(client, "one", base)
    assert "minReadySeconds" not in without.body["spec"]
    conflict = applied(client, "two", {"replicas": 9})
    assert (conflict.status, conflict.body["reason"]) == (409, "Conflict")
    assert conflict.body["message"] == 'Apply failed with 1 conflict: conflict with "one": .spec.replicas'
    assert conflict.body["details"]["causes"] == [
        {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".spec.replicas"}
    ]
    forced = applied(client, "two", {"replicas": 9}, force="true")
    assert forced.body["spec"]["replicas"] == 9
    assert [entry["manager"] for entry in forced.body["metadata"]["managedFields"]] == ["one", "two"]
    smaller = {key: value for key, value in base.items() if key != "replicas"}
    assert applied(client, "one", smaller).body["spec"]["replicas"] == 9
    assert applied(client, "", base).status == 422
