"""fieldValidation: fields that a kind does not have, and fields that are named twice."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from lockstep import objects
from lockstep.serving.background import KubeApi
from lockstep.serving.duplicates import duplicate_fields

pytestmark = pytest.mark.kube_api(clock="manual", kubelet=False)
_SETS = "/apis/apps/v1/namespaces/default/replicasets"
_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_MERGE = "application/merge-patch+json"


def _send(
    api: KubeApi, method: str, path: str, body: Any, content_type: str = "application/json"
) -> tuple[int, dict[str, Any], str]:
    """Status, answer and warnings."""
    parts = urlsplit(api.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, path, raw, {"Content-Type": content_type})
    answer = connection.getresponse()
    content, warnings = json.loads(answer.read()), answer.headers.get("Warning", "")
    connection.close()
    return answer.status, content, warnings


def _wrong() -> dict[str, Any]:
    one = objects.replica_set("web", 2)
    one["spec"]["template"]["spec"]["containers"][0]["imagePolicy"] = "Always"
    return {**one, "specs": {}}


_COMPLAINTS = ['unknown field "spec.template.spec.containers[0].imagePolicy"', 'unknown field "specs"']


def test_strict_refuses_unknown_fields(kube_api: KubeApi) -> None:
    code, answer, _ = _send(kube_api, "POST", f"{_SETS}?fieldValidation=Strict", _wrong())
    assert (code, answer["reason"]) == (400, "BadRequest")
    assert answer["message"] == (
        'ReplicaSet in version "v1" cannot be handled as a ReplicaSet: strict decoding error: ' + ", ".join(_COMPLAINTS)
    )


@pytest.mark.parametrize(
    ("query", "warned"), [("", True), ("?fieldValidation=Warn", True), ("?fieldValidation=Ignore", False)]
)
def test_otherwise_they_are_dropped_with_or_without_warnings(kube_api: KubeApi, query: str, warned: bool) -> None:
    code, made, warnings = _send(kube_api, "POST", f"{_SETS}{query}", _wrong())
    assert code == 201
    assert "specs" not in made
    assert "imagePolicy" not in made["spec"]["template"]["spec"]["containers"][0]
    reported = ", ".join(f"299 - {json.dumps(one)}" for one in _COMPLAINTS)
    assert warnings == (reported if warned else "")


def test_what_is_named_twice_is_reported(kube_api: KubeApi) -> None:
    text = json.dumps(objects.replica_set("web", 2)).encode().replace(b'"replicas": 2', b'"replicas": 1, "replicas": 2')
    code, answer, _ = _send(kube_api, "POST", f"{_SETS}?fieldValidation=Strict", text)
    assert (code, answer["message"].partition("error: ")[2]) == (400, 'duplicate field "spec.replicas"')
    code, made, warnings = _send(kube_api, "POST", _SETS, text)
    assert (code, made["spec"]["replicas"]) == (201, 2)
    assert warnings == '299 - "duplicate field \\"spec.replicas\\""'


def test_duplicates_are_found_at_any_depth() -> None:
    assert duplicate_fields(b'{"a":[{"b":1,"b":2,"b":3}],"c":{"d":{"e":1,"e":1}},"c":{"d":{"f":1,"f":2}}}') == [
        'duplicate field "c"',
        'duplicate field "a[0].b"',
        'duplicate field "c.d.f"',
    ]


def test_a_patch_is_held_to_the_same(kube_api: KubeApi) -> None:
    _send(kube_api, "POST", _SETS, objects.replica_set("web", 2))
    code, answer, _ = _send(kube_api, "PATCH", f"{_SETS}/web?fieldValidation=Strict", {"spec": {"size": 3}}, _MERGE)
    assert (code, answer["reason"]) == (422, "Invalid")
    assert answer["message"].startswith(' "" is invalid: patch: Invalid value: "{')
    assert answer["message"].endswith('strict decoding error: unknown field "spec.size"')
    code, patched, warnings = _send(kube_api, "PATCH", f"{_SETS}/web", {"spec": {"size": 3, "replicas": 5}}, _MERGE)
    assert (code, patched["spec"]["replicas"], "size" in patched["spec"]) == (200, 5, False)
    assert warnings == '299 - "unknown field \\"spec.size\\""'


def test_an_apply_names_declared_fields_only(kube_api: KubeApi) -> None:
    apply = "application/apply-patch+yaml"
    code, answer, _ = _send(kube_api, "PATCH", f"{_SETS}/web?fieldManager=me", _wrong(), apply)
    assert code == 500
    name = objects.replica_set("web", 2)["spec"]["template"]["spec"]["containers"][0]["name"]
    assert answer["message"] == (
        "failed to create typed patch object (default/web; apps/v1, Kind=ReplicaSet): errors:\n"
        f'  .spec.template.spec.containers[name="{name}"].imagePolicy: field not declared in schema\n'
        "  .specs: field not declared in schema"
    )


def test_the_schema_says_what_a_custom_resource_has(kube_api: KubeApi) -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
    definition = {
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing", "categories": ["all"]},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    assert _send(kube_api, "POST", _CRDS, definition)[0] == 201
    path = "/apis/example.com/v1/namespaces/default/things"
    body = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"size": 1, "sise": 2}}
    code, answer, _ = _send(kube_api, "POST", f"{path}?fieldValidation=Strict", body)
    assert (code, answer["message"]) == (
        400,
        'Thing in version "v1" cannot be handled as a Thing: strict decoding error: unknown field "spec.sise"',
    )
    code, made, warnings = _send(kube_api, "POST", path, body)
    assert (code, made["spec"], warnings) == (201, {"size": 1}, '299 - "unknown field \\"spec.sise\\""')


def test_types_have_the_names_that_go_gives_them(kube_api: KubeApi) -> None:
    def refused(**container: Any) -> str:
        one = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "a", **container}]}}
        code, answer, _ = _send(kube_api, "POST", "/api/v1/namespaces/default/pods", one)
        assert code == 400
        return str(answer["message"]).partition("Go struct field ")[2]

    here, adding = "spec.containers", {"capabilities": {"add": [5]}}
    assert refused(imagePullPolicy=5) == f"Container.{here}.imagePullPolicy of type v1.PullPolicy"
    assert refused(workingDir=5) == f"Container.{here}.workingDir of type string"
    assert refused(ports=[{"protocol": 5}]) == f"ContainerPort.{here}.ports.protocol of type v1.Protocol"
    assert refused(resources={"limits": []}) == f"ResourceRequirements.{here}.resources.limits of type v1.ResourceList"
    where = f"Capabilities.{here}.securityContext.capabilities.add"
    assert refused(securityContext=adding) == f"{where} of type v1.Capability"


@pytest.mark.parametrize("directive", ["strict", "Nonsense"])
def test_there_are_three_directives(kube_api: KubeApi, directive: str) -> None:
    code, answer, _ = _send(kube_api, "POST", f"{_SETS}?fieldValidation={directive}", objects.replica_set("web", 2))
    assert code == 422
    assert answer["message"] == (
        f'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "{directive}": '
        'supported values: "", "Ignore", "Strict", "Warn"'
    )
