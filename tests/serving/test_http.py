"""HTTP as clients of Kubernetes speak it, without any client library."""

from __future__ import annotations

import base64
import http.client
import json
import re
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest
import yaml

from lockstep import objects
from lockstep.serving.background import ApiRefusal, KubeApi

pytestmark = pytest.mark.kube_api(clock="manual", kubelet=False)
_SETS = "/apis/apps/v1/namespaces/default/replicasets"
_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def _get(
    api: KubeApi, path: str, accept: str = "", method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[int, Any, str]:
    """Status, content and media type of an answer."""
    parts = urlsplit(api.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, {"Accept": accept, **sent} if accept else sent)
    answer = connection.getresponse()
    text = answer.read().decode()
    media = answer.headers.get("Content-Type", "")
    connection.close()
    return answer.status, json.loads(text) if media == "application/json" else text, media


def test_an_object_is_created_read_changed_and_deleted(kube_api: KubeApi) -> None:
    kube_api.request("POST", _SETS, objects.replica_set("web", 2))
    patched = kube_api.request("PATCH", f"{_SETS}/web", {"spec": {"replicas": 5}}, "application/merge-patch+json")
    assert patched["spec"]["replicas"] == 5
    assert kube_api.request("DELETE", f"{_SETS}/web")["status"] == "Success"
    with pytest.raises(ApiRefusal) as refused:
        kube_api.request("GET", f"{_SETS}/web")
    assert refused.value.code == 404


def test_a_table_has_kubectls_columns(kube_api: KubeApi) -> None:
    kube_api.request("POST", _SETS, objects.replica_set("web", 2))
    kube_api.advance(90)
    _, table, _ = _get(kube_api, _SETS, f"{_TABLE},application/json")
    names = [column["name"] for column in table["columnDefinitions"] if not column["priority"]]
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert names == ["Name", "Desired", "Current", "Ready", "Age"]
    assert table["rows"][0]["cells"][:5] == ["web", 2, 0, 0, "90s"]
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
    assert "spec" not in table["rows"][0]["object"]


def test_metadata_alone_can_be_asked_for(kube_api: KubeApi) -> None:
    kube_api.request("POST", _SETS, objects.replica_set("web", 2))
    _, one, _ = _get(kube_api, f"{_SETS}/web", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")
    _, several, _ = _get(kube_api, _SETS, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
    assert (one["kind"], sorted(one)) == ("PartialObjectMetadata", ["apiVersion", "kind", "metadata"])
    assert several["kind"] == "PartialObjectMetadataList"
    assert [item["metadata"]["name"] for item in several["items"]] == ["web"]


@pytest.mark.parametrize(
    ("accept", "status", "media"),
    [
        ("application/vnd.kubernetes.protobuf,application/json", 200, "application/json"),
        ("application/vnd.kubernetes.protobuf", 406, "application/json"),
        ("application/yaml", 200, "application/yaml"),
        ("text/html", 406, "application/json"),
        ("*/*", 200, "application/json"),
        ("", 200, "application/json"),
        ("application/json;as=Nonsense;v=v1;g=meta.k8s.io,application/json", 200, "application/json"),
    ],
)
def test_the_accept_header_decides(kube_api: KubeApi, accept: str, status: int, media: str) -> None:
    code, content, found = _get(kube_api, "/api/v1/namespaces/default", accept)
    assert (code, found) == (status, media)
    name = (
        yaml.safe_load(content)["metadata"].get("name") if media.endswith("yaml") else content["metadata"].get("name")
    )
    assert name == ("default" if status == 200 else None)


def test_a_body_may_be_yaml(kube_api: KubeApi) -> None:
    text = yaml.safe_dump(objects.replica_set("web", 2)).encode()
    code, made, _ = _get(kube_api, _SETS, method="POST", body=text, Content_Type="application/yaml")
    assert (code, made["metadata"]["name"]) == (201, "web")


@pytest.mark.parametrize(
    ("body", "media", "status"),
    [
        (b"{", "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"a: [", "application/yaml", 400),
        (b"[" * 150_000, "application/json", 400),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "application/json", 400),
        (b"k8s\x00", "application/x-unheard-of", 415),
        (b" " * (3 * 1024 * 1024 + 1), "application/json", 413),
        (b'{"metadata":{"name":"a/b"}}', "application/json", 422),
    ],
)
def test_a_bad_body_is_refused_as_a_kube_apiserver_does(
    kube_api: KubeApi, body: bytes, media: str, status: int
) -> None:
    path = "/api/v1/namespaces/default/configmaps"
    code, answer, _ = _get(kube_api, path, method="POST", body=body, Content_Type=media)
    assert (code, answer["kind"], answer["code"]) == (status, "Status", status)
    assert _get(kube_api, "/livez")[0] == 200


@pytest.mark.parametrize("path", ["/nowhere", "/api/v1/namespaces/default/pods/../../x", "/apis/apps/v1/rockets", "//"])
def test_paths_that_lead_nowhere_are_not_found(kube_api: KubeApi, path: str) -> None:
    assert _get(kube_api, path)[0] == 404


def test_what_needs_a_container_is_answered_as_unsupported(kube_api: KubeApi) -> None:
    code, answer, _ = _get(kube_api, "/api/v1/namespaces/default/pods/web/log")
    assert (code, answer["message"]) == (501, "there are no logs: no container runs in the simulated cluster")


def test_everything_is_allowed(kube_api: KubeApi) -> None:
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    review = kube_api.request("POST", path, {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}})
    assert review["status"] == {"allowed": True}


def test_a_dry_run_changes_nothing(kube_api: KubeApi) -> None:
    kube_api.request(
        "POST", f"{_SETS}?dryRun=All&fieldManager=me&fieldValidation=Strict", objects.replica_set("web", 2)
    )
    assert kube_api.request("GET", _SETS)["items"] == []


def test_delete_options_may_stand_in_the_query(kube_api: KubeApi) -> None:
    kube_api.request("POST", _SETS, objects.replica_set("web", 2))
    marked = kube_api.request("DELETE", f"{_SETS}/web?propagationPolicy=Foreground")
    assert marked["metadata"]["finalizers"] == ["foregroundDeletion"]


def test_openapi_names_fields_and_what_a_write_may_ask_for(kube_api: KubeApi) -> None:
    places = kube_api.request("GET", "/openapi/v3")["paths"]
    document = kube_api.request("GET", places["apis/apps/v1"]["serverRelativeURL"])
    spec = document["components"]["schemas"]["io.k8s.api.apps.v1.ReplicaSetSpec"]["properties"]
    patch = document["paths"]["/apis/apps/v1/namespaces/{namespace}/replicasets/{name}"]["patch"]
    assert (spec["replicas"]["type"], "number of desired pods" in spec["replicas"]["description"]) == ("integer", True)
    assert [one["name"] for one in patch["parameters"]] == ["dryRun", "fieldManager", "fieldValidation", "force"]
    assert "application/strategic-merge-patch+json" in patch["requestBody"]["content"]


def test_openapi_names_list_types_and_merge_keys(kube_api: KubeApi) -> None:
    schemas = kube_api.request("GET", "/openapi/v3/apis/apps/v1")["components"]["schemas"]
    volumes = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["volumes"]
    assert {key: value for key, value in volumes.items() if key != "description"} == {
        "type": "array",
        "items": {"allOf": [{"$ref": "#/components/schemas/io.k8s.api.core.v1.Volume"}], "default": {}},
        "x-kubernetes-list-map-keys": ["name"],
        "x-kubernetes-list-type": "map",
        "x-kubernetes-patch-merge-key": "name",
        "x-kubernetes-patch-strategy": "merge,retainKeys",
    }
    assert schemas["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"]["x-kubernetes-map-type"] == "atomic"
    assert schemas["io.k8s.api.apps.v1.ReplicaSetSpec"]["required"] == ["selector"]
    assert "io.k8s.api.apps.v1.ReplicaSetList" in schemas


def test_whatever_a_schema_refers_to_is_there(kube_api: KubeApi) -> None:
    for place in kube_api.request("GET", "/openapi/v3")["paths"]:
        document = kube_api.request("GET", f"/openapi/v3/{place}")
        named = set(re.findall(r'"#/components/schemas/([^"]+)"', orjson.dumps(document).decode()))
        assert named <= set(document["components"]["schemas"])


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["spec.group", "spec.names.plural", "spec.names.kind", "spec.versions"]),
        (
            {"spec": {"group": "a.example", "names": {"plural": "things", "kind": "Thing"}, "versions": [{}]}},
            ["metadata.name", "spec.versions[0].name"],
        ),
    ],
)
def test_a_definition_without_names_is_refused(kube_api: KubeApi, body: dict[str, Any], fields: list[str]) -> None:
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    with pytest.raises(ApiRefusal) as refused:
        kube_api.request("POST", path, {"metadata": {"name": "wrong"}, **body})
    assert refused.value.code == 422
    assert [cause["field"] for cause in json.loads(refused.value.text)["details"]["causes"]] == fields


def test_the_clock_is_moved_by_hand(kube_api: KubeApi) -> None:
    before = kube_api.request("GET", "/lockstep/clock")
    assert (before["clock"], before["now"]) == ("manual", "2000-01-01T00:00:01Z")
    assert kube_api.advance(3600) == 3601.0
    for wrong in ({}, {"advance": -1}, {"advance": "1"}, {"advance": True}, [1]):
        with pytest.raises(ApiRefusal) as refused:
            kube_api.request("POST", "/lockstep/clock", wrong)
        assert refused.value.code == 400


@pytest.mark.kube_api(clock="real", kubelet=False)
def test_a_clock_that_moves_by_itself_is_not_moved_by_hand(kube_api: KubeApi) -> None:
    with pytest.raises(ApiRefusal) as refused:
        kube_api.advance(1)
    assert refused.value.code == 409


@pytest.mark.kube_api(clock="manual", controllers=("replicaset",))
def test_the_reference_controllers_and_the_world_act_when_time_passes(kube_api: KubeApi) -> None:
    kube_api.request("POST", _SETS, objects.replica_set("web", 3))
    kube_api.advance(30)
    assert kube_api.request("GET", f"{_SETS}/web/status")["status"]["readyReplicas"] == 3
    assert len(kube_api.request("GET", "/api/v1/nodes")["items"]) == 3


@pytest.mark.kube_api(clock="virtual", controllers=("replicaset",))
def test_a_virtual_clock_reaches_rest_by_itself(kube_api: KubeApi) -> None:
    kube_api.request("POST", _SETS, objects.replica_set("web", 3))
    path = f"{_SETS}?watch=1&fieldSelector=metadata.name=web&timeoutSeconds=60&resourceVersion=0"
    parts = urlsplit(kube_api.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    ready = next(n for n in (json.loads(line)["object"]["status"].get("readyReplicas") for line in answer) if n == 3)
    connection.close()
    assert ready == 3


@pytest.mark.kube_api(clock="manual", kubelet=False)
def test_webhooks_outside_are_not_called(kube_api: KubeApi) -> None:
    hook = {
        "name": "a.example.com",
        "clientConfig": {"url": "https://example.com/hook"},
        "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    root = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
    kube_api.request("POST", root, {"metadata": {"name": "hook"}, "webhooks": [hook]})
    with pytest.raises(ApiRefusal) as refused:
        kube_api.request("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "one"}})
    assert refused.value.code == 500
    assert "calls to URLs outside the simulated cluster are not made" in refused.value.text


@pytest.mark.parametrize("path", ["/api", "/apis", "/openapi/v3", "/openapi/v3/apis/apps/v1"])
def test_documents_that_clients_keep_are_not_sent_twice(kube_api: KubeApi, path: str) -> None:
    aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
    parts = urlsplit(kube_api.url)

    def ask(tag: str) -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
        connection.request("GET", path, headers={"Accept": aggregated, "If-None-Match": tag})
        answer = connection.getresponse()
        found = answer.status, answer.headers["ETag"], answer.read()
        connection.close()
        return found

    status, tag, body = ask("")
    assert (status, tag.strip('"') != tag, len(body) > 100) == (200, True, True)
    assert ask(tag) == (304, tag, b"")
    definition = {
        "metadata": {"name": "things.apps"},
        "spec": {
            "group": "apps",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": True, "storage": True}],
        },
    }
    kube_api.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
    assert (ask(tag)[0] == 200) == (path != "/api")


def test_a_kind_that_answers_questions_keeps_nothing(kube_api: KubeApi) -> None:
    path = "/apis/authentication.k8s.io/v1/tokenreviews"
    assert kube_api.request("POST", path, {"spec": {"token": "a"}})["status"]["authenticated"] is True
    assert kube_api.request("POST", path, {"spec": {}})["status"] == {"authenticated": False}
    with pytest.raises(ApiRefusal) as refused:
        kube_api.request("GET", path)
    assert refused.value.code == 405


def test_a_token_says_whose_it_is(kube_api: KubeApi) -> None:
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    kube_api.request("POST", accounts, {"metadata": {"name": "robot"}})
    granted = kube_api.request("POST", f"{accounts}/robot/token", {"spec": {"expirationSeconds": 600}})["status"]
    claims = granted["token"].split(".")[1]
    assert json.loads(base64.urlsafe_b64decode(f"{claims}=="))["sub"] == "system:serviceaccount:default:robot"
    assert granted["expirationTimestamp"] == "2000-01-01T00:10:01Z"
    for wrong, code in (({"spec": {"expirationSeconds": 5}}, 422), ({"spec": {"expirationSeconds": "x"}}, 400)):
        with pytest.raises(ApiRefusal) as refused:
            kube_api.request("POST", f"{accounts}/robot/token", wrong)
        assert refused.value.code == code
    with pytest.raises(ApiRefusal) as refused:
        kube_api.request("POST", f"{accounts}/nobody/token", {})
    assert refused.value.code == 404


@pytest.mark.parametrize(
    ("path", "body", "headers", "cells"),
    [
        (
            "/api/v1/namespaces/default/services",
            {"spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080, "protocol": "TCP"}]}},
            ["Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age"],
            ["one", "NodePort", "<none>", "<none>", "80:30080/TCP", "0s"],
        ),
        (
            "/api/v1/namespaces/default/secrets",
            {"type": "Opaque", "data": {"a": "YQ=="}},
            ["Name", "Type", "Data", "Age"],
            ["one", "Opaque", "1", "0s"],
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
            {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}},
            ["Name", "Role", "Age"],
            ["one", "Role/reader", "0s"],
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            {"rules": []},
            ["Name", "Created At"],
            ["one", "2000-01-01T00:00:01Z"],
        ),
        (
            "/api/v1/namespaces/default/persistentvolumeclaims",
            {"spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast"}},
            ["Name", "Status", "Volume", "Capacity", "Access Modes", "StorageClass", "VolumeAttributesClass", "Age"],
            ["one", "Pending", "", "", "", "fast", "<unset>", "0s"],
        ),
    ],
)
def test_kinds_that_are_only_stored_have_kubectls_columns(
    kube_api: KubeApi, path: str, body: dict[str, Any], headers: list[str], cells: list[Any]
) -> None:
    kube_api.request("POST", path, {"metadata": {"name": "one"}, **body})
    _, table, _ = _get(kube_api, path, f"{_TABLE},application/json")
    shown = [at for at, column in enumerate(table["columnDefinitions"]) if not column["priority"]]
    (row,) = [row for row in table["rows"] if row["cells"][0] == "one"]
    assert [table["columnDefinitions"][at]["name"] for at in shown] == headers
    assert [row["cells"][at] for at in shown] == cells
