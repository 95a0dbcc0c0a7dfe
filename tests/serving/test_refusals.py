"""What a real kube-apiserver 1.36.3 answered to bad requests, to the letter."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

import pytest

from lockstep.serving.background import KubeApi

pytestmark = pytest.mark.kube_api(clock="manual", kubelet=False)
_MAPS = "/api/v1/namespaces/default/configmaps"
_JSON, _APPLY = "application/json", "application/apply-patch+yaml"
_HEAD = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
_NO_MAP = "the object provided is unrecognized (must be of type ConfigMap): "
_NO_JSON = f"{_NO_MAP}couldn't get version/kind; json parse error: "
_WRONG = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: '
_BEGUN = '{"kind":1,"metadata":{"name":"'
_UNKNOWN_FORMAT = (
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json, application/yaml, application/vnd.kubernetes.protobuf"
)


def _ask(api: KubeApi, method: str, target: str, body: bytes = b"", media: str = _JSON) -> tuple[int, str]:
    """Status and message, or text, of the answer."""
    parts = urlsplit(api.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    connection.request(method, target, body or None, {"Content-Type": media} if body else {})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, json.loads(text)["message"] if text.startswith("{") else text


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, f"{_NO_JSON}unexpected end of JSON input ({{)"),
        (b"{'a':1}", 400, f"{_NO_JSON}invalid character '\\'' looking for beginning of object key string ({{'a':1}})"),
        (b"a: [", 400, f"{_NO_JSON}invalid character 'a' looking for beginning of value (613a205b)"),
        (b"[]", 400, f"{_NO_JSON}json: cannot unmarshal array into Go value of type {_HEAD} (5b5d)"),
        (
            b'{"kind":1,"metadata":{"name":"y"}}',
            400,
            f"{_NO_JSON}json: cannot unmarshal number into Go struct field .kind of type string ({_BEGUN} ...)",
        ),
        (
            b'{"metadata":{"name":"y","labels":{"a":1}}}',
            400,
            f"{_WRONG}json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
        ),
        (
            b'{"data":{"a":1},"metadata":{"name":"y"}}',
            400,
            f"{_WRONG}json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (b'{"metadata":{"name":"y"},"binaryData":{"a":"!!"}}', 400, f"{_WRONG}illegal base64 data at input byte 0"),
        (b"null", 422, 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'),
        (
            b'{"a":"\xff"}',
            422,
            'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
        ),
    ],
)
def test_bodies(kube_api: KubeApi, body: bytes, status: int, message: str) -> None:
    assert _ask(kube_api, "POST", _MAPS, body) == (status, message)


@pytest.mark.parametrize("media", ["text/plain", "text/yaml", "application/json;x", "application/cbor", ";"])
def test_media_types(kube_api: KubeApi, media: str) -> None:
    assert _ask(kube_api, "POST", _MAPS, b"{}", media) == (415, _UNKNOWN_FORMAT)


@pytest.mark.parametrize(
    ("target", "status", "message"),
    [
        ("//api/v1/pods", 404, "404 page not found\n"),
        ("/api/v1/namespaces/default/pods/..", 400, "Name parameter invalid: \"..\": may not be '..'"),
        ("/api/v1/namespaces/default/pods/%2e", 400, "Name parameter invalid: \".\": may not be '.'"),
        ("/api/v1/namespaces/default/pods/%25", 400, "Name parameter invalid: \"%\": may not contain '%'"),
        ("/api/v1/namespaces/default/pods/%zz", 400, "400 Bad Request"),
        (f"{_MAPS}?limit=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'),
        (f"{_MAPS}?limit={'9' * 30}", 400, f'strconv.ParseInt: parsing "{"9" * 30}": value out of range'),
        (f"{_MAPS}?timeoutSeconds=1.5", 400, 'strconv.ParseInt: parsing "1.5": invalid syntax'),
    ],
)
def test_paths_and_queries(kube_api: KubeApi, target: str, status: int, message: str) -> None:
    assert _ask(kube_api, "GET", target) == (status, message)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("dryRun=x", 'dryRun: Unsupported value: ["x"]: supported values: "All"'),
        (
            "fieldValidation=x",
            'fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"',
        ),
        ("force=true", "force: Forbidden: may not be specified for non-apply patch"),
    ],
)
def test_options_of_writes(kube_api: KubeApi, query: str, message: str) -> None:
    kube_api.request("POST", _MAPS, {"metadata": {"name": "a"}})
    status, reported = _ask(kube_api, "PATCH", f"{_MAPS}/a?{query}", b"{}", "application/merge-patch+json")
    assert (status, reported) == (422, f'PatchOptions.meta.k8s.io "" is invalid: {message}')


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{}", 400, "invalid object type: /, Kind="),
        (b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}', 400, "invalid object type: /v1, Kind=Pod"),
        (
            b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"x":1}',
            500,
            "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .x: field not declared in schema",
        ),
    ],
)
def test_applies(kube_api: KubeApi, body: bytes, status: int, message: str) -> None:
    assert _ask(kube_api, "PATCH", f"{_MAPS}/a?fieldManager=me", body, _APPLY) == (status, message)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            b"[]",
            f"couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type {_HEAD}",
        ),
        (
            b'{"gracePeriodSeconds":"x"}',
            "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
        ),
        (
            b'{"preconditions":1}',
            "json: cannot unmarshal number into Go struct field DeleteOptions.preconditions of type v1.Preconditions",
        ),
    ],
)
def test_options_of_deletions(kube_api: KubeApi, body: bytes, message: str) -> None:
    assert _ask(kube_api, "DELETE", f"{_MAPS}/a", body) == (400, message)
