"""The scale subresource of workloads and of custom resources."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.kit import JSON_PATCH, MERGE, SETS, STRATEGIC, Client, replica_set

APPS = "/apis/apps/v1/namespaces/default"
CONTROLLERS = "/api/v1/namespaces/default/replicationcontrollers"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SHIRTS = "/apis/stable.example.com/v1/namespaces/default/shirts"
PATHS = {
    "specReplicasPath": ".spec.wanted",
    "statusReplicasPath": ".status.sewn",
    "labelSelectorPath": ".status.selector",
}


def workload(kind: str, api_version: str = "apps/v1") -> dict[str, Any]:
    body = {**replica_set(), "kind": kind, "apiVersion": api_version}
    if kind == "ReplicationController":
        body["spec"] = {**body["spec"], "selector": {"app": "web"}}
    return body


def shirts(client: Client, **scale: Any) -> None:
    """Serve shirts with a scale subresource; None takes a path out."""
    paths = {key: path for key, path in {**PATHS, **scale}.items() if path is not None}
    names = {"plural": "shirts", "kind": "Shirt"}
    version = {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}, "scale": paths}}
    spec = {"group": "stable.example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    client.ok("POST", DEFINITIONS, {"metadata": {"name": "shirts.stable.example.com"}, "spec": spec})


def shirt(spec: Any = None, name: str = "web") -> dict[str, Any]:
    body: dict[str, Any] = {"apiVersion": "stable.example.com/v1", "kind": "Shirt", "metadata": {"name": name}}
    return body if spec is None else {**body, "spec": spec}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (SETS, workload("ReplicaSet")),
        (f"{APPS}/deployments", workload("Deployment")),
        (f"{APPS}/statefulsets", workload("StatefulSet")),
        (CONTROLLERS, workload("ReplicationController", "v1")),
    ],
)
def test_the_scale_of_a_workload(client: Client, path: str, body: dict[str, Any]) -> None:
    created = client.ok("POST", path, body)
    metadata = {key: created["metadata"][key] for key in ("name", "namespace", "uid", "resourceVersion")}
    metadata["creationTimestamp"] = "2000-01-01T00:00:00Z"
    scale = client.ok("GET", f"{path}/web/scale")
    assert scale == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": 2},
        "status": {"replicas": 0, "selector": "app=web"},
    }
    client.advance(5)
    after = client.ok("PUT", f"{path}/web/scale", {**scale, "spec": {"replicas": 7}, "status": {"replicas": 99}})
    assert (after["spec"], after["status"]["replicas"]) == ({"replicas": 7}, 0)
    assert after["metadata"]["resourceVersion"] != metadata["resourceVersion"]
    current = client.ok("GET", f"{path}/web")
    assert (current["spec"]["replicas"], current["metadata"]["generation"]) == (7, 2)
    assert client.ok("PUT", f"{path}/web/scale", {**after, "spec": {}})["spec"] == {}
    assert client.ok("GET", f"{path}/web")["spec"]["replicas"] == 0


def test_a_write_without_effect_is_none(client: Client) -> None:
    client.ok("POST", SETS, replica_set())
    scale = client.ok("GET", f"{SETS}/web/scale")
    assert client.ok("PUT", f"{SETS}/web/scale", scale) == scale


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        (
            {"spec": {"replicas": -1}},
            422,
            'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        ),
        (
            {"spec": {"replicas": "3"}},
            400,
            (
                'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct '
                "field ScaleSpec.spec.replicas of type int32"
            ),
        ),
        (
            {"metadata": {}},
            400,
            "the name of the object (web based on URL) was undeterminable: name must be provided",
        ),
        (
            {"metadata": {"name": "other"}},
            400,
            "the name of the object (other) does not match the name on the URL (web)",
        ),
        (
            {"metadata": {"name": "web", "namespace": "other"}},
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            {"metadata": {"name": "web", "resourceVersion": "1"}},
            409,
            (
                'Operation cannot be fulfilled on replicasets.apps "web": the object has been modified; please apply '
                "your changes to the latest version and try again"
            ),
        ),
        (
            {"metadata": {"name": "web", "uid": "other"}},
            409,
            (
                'Operation cannot be fulfilled on replicasets.apps "web": StorageError: invalid object, Code: 4, Key: '
                "/registry/replicasets/default/web, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID "
                "in precondition: other, UID in object meta: 00000000-0000-4000-8000-000000000003"
            ),
        ),
    ],
)
def test_scales_that_are_refused(client: Client, changes: dict[str, Any], code: int, message: str) -> None:
    client.ok("POST", SETS, replica_set())
    body = {"metadata": {"name": "web"}, "spec": {"replicas": 3}, **changes}
    reply = client.call("PUT", f"{SETS}/web/scale", body)
    assert (reply.status, reply.body["message"]) == (code, message)
    assert client.ok("GET", f"{SETS}/web")["spec"]["replicas"] == 2


def test_the_scale_of_nothing(client: Client) -> None:
    body = {"metadata": {"name": "web"}, "spec": {"replicas": 3}}
    for method, sent in (("GET", None), ("PUT", body)):
        reply = client.call(method, f"{SETS}/web/scale", sent)
        assert (reply.status, reply.body["message"]) == (404, 'replicasets.apps "web" not found')
    assert client.call("PUT", f"{SETS}/web/scale", {"metadata": {}}).status == 400
    assert client.call("GET", "/apis/apps/v1/namespaces/default/daemonsets/web/scale").status == 404


@pytest.mark.parametrize("media", [MERGE, STRATEGIC])
def test_a_patched_scale(client: Client, media: str) -> None:
    client.ok("POST", SETS, replica_set())
    after = client.ok("PATCH", f"{SETS}/web/scale", {"spec": {"replicas": 4}}, media)
    assert after["spec"] == {"replicas": 4}
    operations = [{"op": "replace", "path": "/spec/replicas", "value": 6}]
    assert client.ok("PATCH", f"{SETS}/web/scale", operations, JSON_PATCH)["spec"] == {"replicas": 6}
    reply = client.call("PATCH", f"{SETS}/web/scale", {"metadata": {"uid": "other"}}, media)
    assert (reply.status, reply.body["details"]["kind"]) == (409, "replicasets/scale")
    assert reply.body["message"].startswith(
        'Operation cannot be fulfilled on replicasets/scale.apps "web": Precondition failed: UID in precondition: other'
    )


# -- custom resources -------------------------------------------------------------------------------------------------


def test_the_scale_of_a_custom_resource(client: Client) -> None:
    shirts(client)
    client.ok("POST", SHIRTS, shirt({"wanted": 3}))
    scale = client.ok("GET", f"{SHIRTS}/web/scale")
    assert (scale["spec"], scale["status"]) == ({"replicas": 3}, {"replicas": 0})
    current = client.ok("GET", f"{SHIRTS}/web")
    client.ok("PUT", f"{SHIRTS}/web/status", {**current, "status": {"sewn": 2, "selector": "app=web,tier in (a,b)"}})
    scale = client.ok("GET", f"{SHIRTS}/web/scale")
    assert scale["status"] == {"replicas": 2, "selector": "app=web,tier in (a,b)"}
    after = client.ok("PUT", f"{SHIRTS}/web/scale", {**scale, "spec": {"replicas": 5}})
    assert after["spec"] == {"replicas": 5}
    current = client.ok("GET", f"{SHIRTS}/web")
    assert (current["spec"], current["metadata"]["generation"]) == ({"wanted": 5}, 2)
    assert client.call("PUT", f"{SHIRTS}/web/scale", {**scale, "spec": {"replicas": 6}}).status == 409


def test_a_custom_resource_without_selector_path_has_no_selector(client: Client) -> None:
    shirts(client, labelSelectorPath=None)
    client.ok("POST", SHIRTS, shirt({"wanted": 1}))
    assert client.ok("GET", f"{SHIRTS}/web/scale")["status"] == {"replicas": 0}


def test_a_custom_resource_that_wants_no_number(client: Client) -> None:
    shirts(client)
    client.ok("POST", SHIRTS, shirt())
    reply = client.call("GET", f"{SHIRTS}/web/scale")
    assert (reply.status, reply.body["reason"], reply.body["message"]) == (
        500,
        "InternalError",
        'Internal error occurred: the spec replicas field ".spec.wanted" does not exist',
    )
    assert reply.body["details"]["causes"] == [{"message": 'the spec replicas field ".spec.wanted" does not exist'}]
    reply = client.call("PATCH", f"{SHIRTS}/web/scale", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    assert (reply.status, reply.body["message"]) == (400, 'the spec replicas field ".spec.wanted" cannot be empty')
    body = {"metadata": {"name": "web"}, "spec": {"replicas": 4}}
    assert client.ok("PUT", f"{SHIRTS}/web/scale", body)["spec"] == {"replicas": 4}
    assert client.ok("GET", f"{SHIRTS}/web")["spec"] == {"wanted": 4}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"wanted": -1}, ".spec.wanted: Invalid value: -1: should be a non-negative integer"),
        ({"wanted": 2**31}, ".spec.wanted: Invalid value: 2147483648: should be less than or equal to 2147483647"),
        (
            {"wanted": "many"},
            ".spec.wanted: Invalid value: 0: .spec.wanted accessor error: many is of the type string, expected int64",
        ),
        (
            {"wanted": 1.5},
            ".spec.wanted: Invalid value: 0: .spec.wanted accessor error: 1.5 is of the type float64, expected int64",
        ),
        (
            [1],
            (
                ".spec.wanted: Invalid value: 0: .spec.wanted accessor error: [1] is of the type []interface {}, "
                "expected map[string]interface{}"
            ),
        ),
    ],
)
def test_numbers_that_a_custom_resource_cannot_want(client: Client, spec: Any, message: str) -> None:
    shirts(client)
    reply = client.call("POST", SHIRTS, shirt(spec))
    assert (reply.status, reply.body["message"]) == (
        422,
        f'Shirt.stable.example.com "web" is invalid: {message}',
    )


def test_a_custom_resource_is_not_scaled_below_zero(client: Client) -> None:
    shirts(client)
    client.ok("POST", SHIRTS, shirt({"wanted": 1}))
    reply = client.call("PUT", f"{SHIRTS}/web/scale", {"metadata": {"name": "web"}, "spec": {"replicas": -2}})
    assert (reply.status, reply.body["message"]) == (
        422,
        'Shirt.stable.example.com "web" is invalid: .spec.wanted: Invalid value: -2: should be a non-negative integer',
    )
    reply = client.call("PUT", f"{SHIRTS}/web/scale", {"metadata": {"name": "web", "uid": "x"}})
    assert "Key: /registry/stable.example.com/shirts/default/web," in reply.body["message"]
    assert client.call("PATCH", f"{SHIRTS}/web/scale", {}, STRATEGIC).status == 415


def test_a_path_that_was_filled_with_something_else_before(client: Client) -> None:
    """The definition may change under objects that are there."""
    shirts(client, specReplicasPath=".spec.size")
    client.ok("POST", SHIRTS, shirt({"size": 1, "wanted": "many"}))
    definition = client.ok("GET", f"{DEFINITIONS}/shirts.stable.example.com")
    version = definition["spec"]["versions"][0]
    version = {**version, "subresources": {"status": {}, "scale": PATHS}}
    client.ok("PUT", f"{DEFINITIONS}/{definition['metadata']['name']}", {
        **definition, "spec": {**definition["spec"], "versions": [version]},
    })  # fmt: skip
    reply = client.call("GET", f"{SHIRTS}/web/scale")
    assert (reply.status, reply.body["message"]) == (
        500,
        ".spec.wanted accessor error: many is of the type string, expected int64",
    )
