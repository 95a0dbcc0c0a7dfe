"""The four kinds of patches."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.apiserver.patching.strategic import apply_strategic
from tests.apiserver.kit import APPLY, JSON_PATCH, MERGE, PODS, SETS, STRATEGIC, Client, pod, replica_set

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


_META, _POD, _CONTAINER = "meta/v1.ObjectMeta", "core/v1.PodSpec", "core/v1.Container"


@pytest.mark.parametrize(
    ("kind", "original", "patch", "expected"),
    [
        ("", {"a": 1, "b": 2}, {"a": None, "c": {"d": None, "e": 1}}, {"b": 2, "c": {"e": 1}}),
        (
            _POD,
            {"containers": [{"name": "a", "image": "1"}, {"name": "b"}]},
            {"containers": [{"name": "b", "image": "2"}]},
            {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "2"}]},
        ),
        (
            _POD,
            {"containers": [{"name": "a"}]},
            {"containers": [{"name": "b"}]},
            {"containers": [{"name": "b"}, {"name": "a"}]},
        ),
        (
            _POD,
            {"containers": [{"name": "a"}, {"name": "b"}]},
            {"containers": [{"name": "a", "$patch": "delete"}]},
            {"containers": [{"name": "b"}]},
        ),
        (
            _POD,
            {"containers": [{"name": "a"}]},
            {"containers": [{"$patch": "replace"}, {"name": "z"}]},
            {"containers": [{"name": "z"}]},
        ),
        (
            _META,
            {"ownerReferences": [{"uid": "1"}, {"uid": "2"}]},
            {"ownerReferences": [{"uid": "1", "$patch": "delete"}]},
            {"ownerReferences": [{"uid": "2"}]},
        ),
        (_META, {}, {"ownerReferences": [{"uid": "1", "$patch": "delete"}]}, {"ownerReferences": []}),
        ("", {"m": {"a": 1}}, {"m": {"$patch": "replace", "b": 2}}, {"m": {"b": 2}}),
        ("", {"m": {"a": 1}}, {"m": {"$patch": "delete"}}, {"m": {}}),
        (_META, {"finalizers": ["a", "b"]}, {"finalizers": ["b", "c"]}, {"finalizers": ["a", "b", "c"]}),
        (_META, {"finalizers": ["a", "b"]}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {"finalizers": ["b"]}),
        (_CONTAINER, {"args": ["a", "b"]}, {"args": ["c"]}, {"args": ["c"]}),
        (
            "apps/v1.DeploymentSpec",
            {"strategy": {"type": "R", "rollingUpdate": {"x": 1}}},
            {"strategy": {"type": "Re", "$retainKeys": ["type"]}},
            {"strategy": {"type": "Re"}},
        ),
        (
            _CONTAINER,
            {"env": [{"name": "a"}, {"name": "b"}, {"name": "c"}]},
            {"$setElementOrder/env": [{"name": "c"}, {"name": "a"}], "env": [{"name": "c", "value": "1"}]},
            {"env": [{"name": "b"}, {"name": "c", "value": "1"}, {"name": "a"}]},
        ),
        (
            _CONTAINER,
            {"ports": [{"containerPort": 80}]},
            {"ports": [{"containerPort": 80, "name": "h"}]},
            {"ports": [{"containerPort": 80, "name": "h"}]},
        ),
        (
            "core/v1.ServiceSpec",
            {"ports": [{"port": 80}]},
            {"ports": [{"port": 80, "name": "h"}]},
            {"ports": [{"port": 80, "name": "h"}]},
        ),
        # a field's name alone does not say how it is merged
        (
            "networking/v1.NetworkPolicyIngressRule",
            {"ports": [{"port": 80}]},
            {"ports": [{"port": 81}]},
            {"ports": [{"port": 81}]},
        ),
        (
            "core/v1.ResourceRequirements",
            {"claims": [{"name": "a"}]},
            {"claims": [{"name": "b"}]},
            {"claims": [{"name": "b"}]},
        ),
        (
            "core/v1.ServiceAccount",
            {"secrets": [{"name": "a"}]},
            {"secrets": [{"name": "b"}]},
            {"secrets": [{"name": "b"}, {"name": "a"}]},
        ),
        (
            "core/v1.ProjectedVolumeSource",
            {"sources": [{"secret": {"name": "a"}}]},
            {"sources": []},
            {"sources": []},
        ),
        (
            "policy/v1.PodDisruptionBudgetSpec",
            {"selector": {"matchLabels": {"a": "1"}}},
            {"selector": {"matchLabels": {"b": "1"}}},
            {"selector": {"matchLabels": {"b": "1"}}},
        ),
        (
            "apps/v1.ReplicaSet",
            {"spec": {"template": {"spec": {"tolerations": [{"key": "a"}], "volumes": [{"name": "v"}]}}}},
            {"spec": {"template": {"spec": {"tolerations": [{"key": "b"}], "volumes": [{"name": "w"}]}}}},
            {
                "spec": {
                    "template": {"spec": {"tolerations": [{"key": "b"}], "volumes": [{"name": "w"}, {"name": "v"}]}}
                }
            },
        ),
    ],
)
def test_strategic_merge(kind: str, original: dict[str, Any], patch: dict[str, Any], expected: dict[str, Any]) -> None:
    assert apply_strategic(original, patch, kind) == expected


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


def test_lists_are_owned_as_their_types_say(client: Client) -> None:
    container = {"name": "a", "image": "a", "ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}]}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}}
    template["spec"]["containers"][0]["command"] = ["a", "b"]
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    made = applied(client, "one", spec).body
    owned = made["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]
    assert owned["f:selector"] == {}  # LabelSelectors are atomic
    parts = owned["f:template"]["f:spec"]["f:containers"]['k:{"name":"a"}']
    assert sorted(parts) == [".", "f:command", "f:image", "f:name", "f:ports"]
    assert parts["f:command"] == {}
    assert sorted(parts["f:ports"]) == [
        'k:{"containerPort":80,"protocol":"TCP"}',
        'k:{"containerPort":80,"protocol":"UDP"}',
    ]
    container["ports"] = [{"containerPort": 80, "protocol": "UDP", "name": "u"}]
    [left] = applied(client, "one", spec).body["spec"]["template"]["spec"]["containers"]
    assert left["ports"] == [{"containerPort": 80, "protocol": "UDP", "name": "u"}]


def test_two_managers_may_own_owner_references_each_as_a_whole(client: Client) -> None:
    def apply(manager: str, uid: str, name: str) -> Any:
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid}
        body = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "m", "finalizers": [f"a.b/{manager}"], "ownerReferences": [owner]},
        }
        path = "/api/v1/namespaces/default/configmaps/m"
        return client.call("PATCH", path, body, APPLY, fieldManager=manager)

    apply("one", "1", "a")
    both = apply("two", "2", "b").body["metadata"]
    assert [one["name"] for one in both["ownerReferences"]] == ["a", "b"]
    assert both["finalizers"] == ["a.b/one", "a.b/two"]
    assert both["managedFields"][1]["fieldsV1"]["f:metadata"]["f:ownerReferences"] == {'k:{"uid":"2"}': {}}
    conflict = apply("two", "1", "c")
    assert conflict.body["details"]["causes"][0]["field"] == '.metadata.ownerReferences[uid="1"]'
    renamed = apply("one", "1", "c").body["metadata"]
    assert [one["name"] for one in renamed["ownerReferences"]] == ["c", "b"]


def test_lists_of_custom_resources_are_owned_as_their_schema_says(client: Client) -> None:
    def array(items: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"type": "array", "items": items, **{f"x-kubernetes-{key.replace('_', '-')}": more[key] for key in more}}

    text = {"type": "string"}
    named = {"type": "object", "properties": {"id": text, "value": text}, "required": ["id"]}
    properties = {
        "parts": array(named, list_type="map", list_map_keys=["id"]),
        "tags": array(text, list_type="set"),
        "conditions": array({"type": "object", "properties": {"type": text, "value": text}}),
    }
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    names = {"plural": "things", "kind": "Thing"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    definition = {
        "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]},
    }
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert client.call("POST", crds, definition).status == 201

    def apply(manager: str, spec: dict[str, Any]) -> Any:
        body = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": spec}
        path = "/apis/example.com/v1/namespaces/default/things/t"
        return client.call("PATCH", path, body, APPLY, fieldManager=manager)

    apply("one", {"parts": [{"id": "a", "value": "1"}], "tags": ["x"], "conditions": [{"type": "a"}]})
    both = apply("two", {"parts": [{"id": "b"}], "tags": ["y"]}).body["spec"]
    assert both["parts"] == [{"id": "a", "value": "1"}, {"id": "b"}]
    assert both["tags"] == ["x", "y"]
    whole = apply("two", {"conditions": [{"type": "b"}]})
    assert whole.body["message"] == 'Apply failed with 1 conflict: conflict with "one": .spec.conditions'
