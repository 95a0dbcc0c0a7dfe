"""Requests that make no sense: a status as a kube-apiserver has it, no internal error, and the server lives on."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from random import Random
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lockstep.serving.background import KubeApi
from lockstep.serving.simulation import Setup
from tests.serving.typed_bodies import typed_body

_MAPS = b"/api/v1/namespaces/default/configmaps"
#: What this server itself says when it does not know what happened.
_OURS = (b"in the simulated API server", b"in the HTTP front")
_IN = "namespaces/default"
#: Types, and where their objects are.
_TYPED = {
    "Pod": ("core/v1", f"/api/v1/{_IN}/pods"),
    "ReplicaSet": ("apps/v1", f"/apis/apps/v1/{_IN}/replicasets"),
    "Deployment": ("apps/v1", f"/apis/apps/v1/{_IN}/deployments"),
    "Job": ("batch/v1", f"/apis/batch/v1/{_IN}/jobs"),
    "CronJob": ("batch/v1", f"/apis/batch/v1/{_IN}/cronjobs"),
    "HorizontalPodAutoscaler": ("autoscaling/v2", f"/apis/autoscaling/v2/{_IN}/horizontalpodautoscalers"),
    "PodDisruptionBudget": ("policy/v1", f"/apis/policy/v1/{_IN}/poddisruptionbudgets"),
    "ResourceQuota": ("core/v1", f"/api/v1/{_IN}/resourcequotas"),
    "LimitRange": ("core/v1", f"/api/v1/{_IN}/limitranges"),
    "Lease": ("coordination/v1", f"/apis/coordination.k8s.io/v1/{_IN}/leases"),
    "Event": ("core/v1", f"/api/v1/{_IN}/events"),
    "Service": ("core/v1", f"/api/v1/{_IN}/services"),
    "Node": ("core/v1", "/api/v1/nodes"),
    "Namespace": ("core/v1", "/api/v1/namespaces"),
    "CustomResourceDefinition": ("apiextensions/v1", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
    "MutatingWebhookConfiguration": (
        "admissionregistration/v1",
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    ),
}
_FUZZ = settings(derandomize=True, deadline=None, max_examples=200, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with KubeApi(tmp_path_factory.mktemp("malformed"), Setup(clock="manual", kubelet=False)) as served:
        sets = "/apis/apps/v1/namespaces/default/replicasets"
        template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "a", "image": "a"}]}}
        spec = {"replicas": 1, "selector": {"matchLabels": {"app": "a"}}, "template": template}
        served.request("POST", sets, {"metadata": {"name": "a"}, "spec": spec})
        served.request("POST", _MAPS.decode(), {"metadata": {"name": "a"}})
        served.request("POST", "/api/v1/namespaces/default/pods", {"metadata": {"name": "a"}, "spec": template["spec"]})
        yield served


def _exchange(api: KubeApi, raw: bytes, *, last: bool = False) -> tuple[int, bytes]:
    """The status and the body of the answer to what is sent; 0 if the server hangs up without one.

    `last`: the client says that nothing more will come.
    """
    parts = urlsplit(api.url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=20) as connection:
        try:
            connection.sendall(raw)
            if last:
                connection.shutdown(socket.SHUT_WR)
            file = connection.makefile("rb")
            status = file.readline()
            length = -1
            while (line := file.readline()).strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            body = file.read(length) if length > 0 and not raw.startswith(b"HEAD ") else b""
        except ConnectionError:
            return 0, b""
    return int(status.split()[1]) if status else 0, body


def _raw(method: bytes, target: bytes, headers: list[tuple[bytes, bytes]], body: bytes = b"") -> bytes:
    lines = [b"%s %s HTTP/1.1" % (method, target), b"Host: a", b"Connection: close"]
    lines += [b"%s: %s" % pair for pair in headers]
    lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([*lines, b"", body])


def _held_up(api: KubeApi, raw: bytes, caplog: pytest.LogCaptureFixture, *, last: bool = False) -> tuple[int, bytes]:
    caplog.clear()
    with caplog.at_level(logging.ERROR):
        status, body = _exchange(api, raw, last=last)
    assert not caplog.records, caplog.text
    assert b"Traceback" not in body
    assert not any(text in body for text in _OURS), body
    return status, body


_SEGMENTS = st.sampled_from(
    [
        *b"api v1 apis apps namespaces default pods configmaps replicasets a status scale log exec proxy".split(),
        *b"binding eviction finalize token . .. %2e%2e %2f %00 %ff%fe % %zz * ~ openapi v3 lockstep".split(),
        *(b"clock", b"version", b"authorization.k8s.io", b"selfsubjectaccessreviews", b"\xc3\xa9", b"a" * 5000, b""),
    ]
)
_DEFAULT = b"/api/v1/namespaces/default"
_GROUPS = b"apps/v1 batch/v1 policy/v1 autoscaling/v2 coordination.k8s.io/v1".split()
_PLURALS = b"replicasets jobs poddisruptionbudgets horizontalpodautoscalers leases".split()
_KNOWN = st.sampled_from(
    [
        *(
            _DEFAULT + tail
            for tail in b"/configmaps /configmaps/a /events /resourcequotas /limitranges /finalize".split()
        ),
        *(_DEFAULT + b"/pods/a" + tail for tail in (b"", b"/eviction", b"/binding", b"/resize", b"/status")),
        *(b"/apis/%s/namespaces/default/%s" % pair for pair in zip(_GROUPS, _PLURALS, strict=True)),
        *(b"/apis/apps/v1/namespaces/default/replicasets/a" + tail for tail in (b"", b"/scale", b"/status")),
        *b"/api/v1/nodes /api/v1/namespaces /api/v1/namespaces/default /lockstep/clock /lockstep/pods".split(),
        *(_DEFAULT, _DEFAULT + b"/serviceaccounts/a/token"),
        b"/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        b"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
        b"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        b"/apis/authentication.k8s.io/v1/tokenreviews",
    ]
)
_PATHS = st.one_of(_KNOWN, st.lists(_SEGMENTS, max_size=8).map(lambda parts: b"/" + b"/".join(parts)))
_METHODS = st.sampled_from(b"GET POST PUT PATCH DELETE OPTIONS HEAD TRACE BREW get".split())
_NAMES = st.sampled_from(
    [
        *b"watch limit continue resourceVersion resourceVersionMatch labelSelector fieldSelector".split(),
        *b"timeoutSeconds allowWatchBookmarks sendInitialEvents dryRun fieldManager fieldValidation".split(),
        *(
            b"force",
            b"gracePeriodSeconds",
            b"propagationPolicy",
            b"orphanDependents",
            b"includeObject",
            b"pretty",
            b"",
            b"%00",
        ),
    ]
)
_VALUES = st.sampled_from(
    [
        *b"true 1 0 -1 --5 +5 1e3 1.5 0x10 %C2%B2 %D9%A3 %00 %ff % %zz %0a a=b a==b,c!=d ! ,, = a=b=c".split(),
        *b"( nan inf metadata.name=a nothing=a All Strict Foreground Exact NotOlderThan None Object e30=".split(),
        *(b"", b"a in (b", b"a in ()", b"9" * 30, b"9" * 5000, b"x" * 3000),
        b"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0=",
    ]
)
_QUERIES = st.lists(st.tuples(_NAMES, _VALUES).map(b"=".join), max_size=4).map(b"&".join)
_TYPES = st.sampled_from(
    [
        *b"application/json application/yaml application/apply-patch+yaml application/merge-patch+json".split(),
        *b"application/strategic-merge-patch+json application/json-patch+json application/cbor application/ ;".split(),
        *b"application/vnd.kubernetes.protobuf text/plain multipart/form-data \xff".split(),
        *(b"application/json; charset=utf-8", b"application/x-www-form-urlencoded", b""),
    ]
)
_ACCEPTS = st.sampled_from(
    [
        *b"*/* ;q=1 application/json;q=x application/yaml a,,b application/json;=;= Bearer \xff".split(),
        *(b"", b"x" * 5000, b"application/json;as=Table;v=v1;g=meta.k8s.io"),
        b"application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        b"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    ]
)
_OTHER_HEADERS = st.sampled_from(b"Accept If-None-Match Authorization User-Agent Expect Range X".split())
_HEADERS = st.lists(
    st.one_of(st.tuples(st.just(b"Content-Type"), _TYPES), st.tuples(_OTHER_HEADERS, _ACCEPTS)), max_size=3
)
_FIELDS = st.sampled_from(
    [
        *[
            "metadata",
            "spec",
            "status",
            "kind",
            "apiVersion",
            "name",
            "namespace",
            "labels",
            "annotations",
            "finalizers",
            "ownerReferences",
            "uid",
        ],
        *[
            "resourceVersion",
            "deletionTimestamp",
            "creationTimestamp",
            "generateName",
            "replicas",
            "selector",
            "matchLabels",
            "data",
        ],
        *[
            "matchExpressions",
            "template",
            "containers",
            "op",
            "path",
            "value",
            "$patch",
            "$retainKeys",
            "managedFields",
            "token",
            "advance",
        ],
        *[
            "loads",
            "pods",
            "cpu",
            "versions",
            "names",
            "group",
            "scope",
            "webhooks",
            "rules",
            "target",
            "deleteOptions",
            "preconditions",
            "metrics",
        ],
        *[
            "behavior",
            "scaleTargetRef",
            "hard",
            "resourceAttributes",
            "propagationPolicy",
            "conditions",
            "limits",
            "openAPIV3Schema",
        ],
        "",
    ]
)
_TEXTS = ["", "a", "v1", "apps/v1", "ReplicaSet", "1Gi", "-1", "replace", "/spec/replicas", "\x00", "é", "a" * 300]
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(_TEXTS),
)
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_FIELDS, inner, max_size=5)),
    max_leaves=25,
)
_OBJECTS = st.fixed_dictionaries(
    {}, optional={"metadata": st.one_of(_JSON, st.just({"name": "a"})), "spec": _JSON, "status": _JSON}
)
_BODIES = st.one_of(
    st.binary(max_size=60),
    _JSON.map(lambda value: json.dumps(value).encode()),
    _OBJECTS.map(lambda value: json.dumps(value).encode()),
    st.binary(max_size=60).map(lambda tail: b"k8s\x00" + tail),
    st.just(b""),
)


@_FUZZ
@given(method=_METHODS, path=_PATHS, query=_QUERIES, headers=_HEADERS, body=_BODIES)
def test_whatever_is_sent_the_server_knows_what_to_say(
    api: KubeApi,
    caplog: pytest.LogCaptureFixture,
    method: bytes,
    path: bytes,
    query: bytes,
    headers: list[tuple[bytes, bytes]],
    body: bytes,
) -> None:
    target = path + b"?" + query if query else path
    status, _ = _held_up(api, _raw(method, target, headers, body), caplog)
    assert status != 0


@_FUZZ
@given(path=_KNOWN, media=_TYPES, body=_OBJECTS, method=st.sampled_from([b"POST", b"PUT", b"PATCH", b"DELETE"]))
def test_objects_of_any_shape_are_taken_or_refused(
    api: KubeApi, caplog: pytest.LogCaptureFixture, path: bytes, media: bytes, body: object, method: bytes
) -> None:
    query = b"?fieldManager=me&dryRun=All" if b"lockstep" not in path else b""
    raw = _raw(method, path + query, [(b"Content-Type", media)], json.dumps(body).encode())
    status, _ = _held_up(api, raw, caplog)
    assert status != 0


@_FUZZ
@given(seed=st.integers(0, 2**32), kind=st.sampled_from(sorted(_TYPED)), applied=st.booleans())
def test_objects_of_the_right_types_with_odd_values(
    api: KubeApi, caplog: pytest.LogCaptureFixture, seed: int, kind: str, applied: bool
) -> None:
    version, path = _TYPED[kind]
    body = typed_body(f"{version}.{kind}", Random(seed))
    method, target, media = b"POST", f"{path}?dryRun=All", b"application/json"
    if applied:
        name = body["metadata"]["name"]
        method, target = b"PATCH", f"{path}/{name}?dryRun=All&fieldManager=me&force=true"
        media = b"application/apply-patch+yaml"
    raw = _raw(method, target.encode(), [(b"Content-Type", media)], json.dumps(body).encode())
    status, _ = _held_up(api, raw, caplog)
    assert status != 0


@_FUZZ
@given(raw=st.binary(max_size=200))
def test_bytes_that_are_no_http(api: KubeApi, caplog: pytest.LogCaptureFixture, raw: bytes) -> None:
    status, _ = _held_up(api, raw + b"\r\n\r\n", caplog, last=True)
    assert status in (0, 400, 404, 405)
