"""Real processes: what a control plane offers."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import kubernetes
import pytest

from lockstep import objects
from lockstep.clusters.control_plane import (
    ControlPlane,
    ControlPlaneFailed,
    Options,
    start_control_plane,
    starting,
)
from lockstep.objects.definitions import definitions_for

pytestmark = pytest.mark.control_plane


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with start_control_plane(progress=print) as plane:
        yield plane
        plane.check()


@pytest.fixture
def namespace(plane: ControlPlane, request: pytest.FixtureRequest) -> str:
    name = request.node.name.replace("_", "-")[:60].strip("-")
    _expect(plane, 201, "POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    return str(name)


def _expect(plane: ControlPlane, status: int, method: str, path: str, body: Any = None) -> Any:
    got, answer = plane.request(method, path, body)
    assert got == status, answer
    return answer


def _eventually(plane: ControlPlane, condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        plane.check()
        assert time.monotonic() < deadline, "not within 30 s"
        time.sleep(0.02)


def _pods(plane: ControlPlane, namespace: str) -> int:
    return len(_expect(plane, 200, "GET", f"/api/v1/namespaces/{namespace}/pods")["items"])


def _replica_set(plane: ControlPlane, namespace: str, replicas: int) -> None:
    body = objects.replica_set("web", replicas)
    body["metadata"].pop("namespace", None)
    _expect(plane, 201, "POST", f"/apis/apps/v1/namespaces/{namespace}/replicasets", body)


def test_it_reports_its_version_and_serves_the_official_client(plane: ControlPlane) -> None:
    assert _expect(plane, 200, "GET", "/version")["gitVersion"] == "v1.36.3"
    assert plane.version == "1.36.3"
    with kubernetes.config.new_client_from_config(str(plane.kubeconfig)) as client:
        names = [one.metadata.name for one in kubernetes.client.CoreV1Api(client).list_namespace().items]
    assert "default" in names


def test_a_pod_can_be_made_in_a_namespace_that_was_just_made(plane: ControlPlane, namespace: str) -> None:
    pod = {"metadata": {"name": "one"}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    _expect(plane, 201, "POST", f"/api/v1/namespaces/{namespace}/pods", pod)


def test_a_client_without_a_certificate_is_refused(plane: ControlPlane) -> None:
    context = ssl.create_default_context(cafile=str(plane.authority))
    with pytest.raises(OSError, match="403"):
        _get(f"{plane.url}/api/v1/namespaces", context)


def _get(url: str, context: ssl.SSLContext) -> None:
    from urllib.request import urlopen

    with urlopen(url, context=context, timeout=10):  # noqa: S310 - our own server
        pass


def test_a_controller_manager_with_one_controller(plane: ControlPlane, namespace: str) -> None:
    manager = plane.start_controller_manager(["replicaset-controller"])
    _replica_set(plane, namespace, 3)
    _eventually(plane, lambda: _pods(plane, namespace) == 3)
    manager.stop()
    assert plane.death() == ""
    _expect(plane, 200, "DELETE", f"/apis/apps/v1/namespaces/{namespace}/replicasets/web")


def test_a_controller_manager_speaks_json_through_a_proxy(plane: ControlPlane, namespace: str) -> None:
    """A proxy that only sees plain HTTP and JSON, as one that records would."""
    seen: list[tuple[str, str, str]] = []

    class Proxy(BaseHTTPRequestHandler):
        def _pass_on(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            seen.append((self.command, self.path.partition("?")[0], self.headers.get("Content-Type") or ""))
            kind = self.headers.get("Content-Type") or "application/json"
            answer: Any
            if "watch=" in self.path:
                status, answer = 503, {"kind": "Status", "code": 503}
            else:
                status, answer = plane.request(self.command, self.path, body, kind)
            text = json.dumps(answer).encode() if not isinstance(answer, str) else answer.encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _pass_on  # noqa: N815 - http.server's names

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        _replica_set(plane, namespace, 2)
        url = f"http://127.0.0.1:{server.server_port}"
        manager = plane.start_controller_manager(
            ["replicaset-controller"], server_url=url, flags=["--feature-gates=WatchListClient=false"]
        )
        _eventually(plane, lambda: _pods(plane, namespace) == 2)
        manager.stop()
    finally:
        server.shutdown()
        server.server_close()
    created = [kind for verb, path, kind in seen if (verb, path) == ("POST", f"/api/v1/namespaces/{namespace}/pods")]
    assert len(created) == 2
    assert set(created) == {"application/json"}
    _expect(plane, 200, "DELETE", f"/apis/apps/v1/namespaces/{namespace}/replicasets/web")


def test_definitions_can_be_used_when_apply_returns(plane: ControlPlane, namespace: str) -> None:
    definitions = definitions_for(["vpa-recommender"])
    for _ in range(2):
        plane.apply(definitions)
        vpas = f"/apis/autoscaling.k8s.io/v1/namespaces/{namespace}/verticalpodautoscalers"
        assert _expect(plane, 200, "GET", vpas)["items"] == []


def test_a_definition_that_is_refused_says_why(plane: ControlPlane) -> None:
    bad: dict[str, Any] = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.org"},
        "spec": {"group": "example.com", "names": {"plural": "things", "kind": "Thing"}, "scope": "Cluster"},
    }
    with pytest.raises(ControlPlaneFailed, match=r"refuses the definition of things\.example\.org: 422 .*must be"):
        plane.apply([bad | {"spec": bad["spec"] | {"versions": []}}])


def test_an_api_service_leads_to_a_server_of_ours(plane: ControlPlane, namespace: str) -> None:
    users: list[str | None] = []

    class Metrics(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            users.append(self.headers.get("X-Remote-User"))
            kind = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "metrics.k8s.io/v1beta1"}
            text = json.dumps(kind | {"resources": []}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            pass

    pair = plane.issue(f"metrics.{namespace}.svc")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(plane.authority))
    context.load_cert_chain(pair.certificate, pair.key)
    context.verify_mode = ssl.CERT_REQUIRED  # the proxy shows its own certificate
    server = ThreadingHTTPServer(("127.0.0.1", 0), Metrics)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        _lead_to(plane, namespace, server.server_port)
        target = "/apis/metrics.k8s.io/v1beta1/nodes"
        _eventually(plane, lambda: plane.request("GET", target)[0] == 200)
    finally:
        _expect(plane, 200, "DELETE", "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io")
        server.shutdown()
        server.server_close()
    assert "lockstep-admin" in users


def _lead_to(plane: ControlPlane, namespace: str, port: int) -> None:
    import base64

    service = {"metadata": {"name": "metrics"}, "spec": {"type": "ExternalName", "externalName": "localhost"}}
    _expect(plane, 201, "POST", f"/api/v1/namespaces/{namespace}/services", service)
    spec = {
        "group": "metrics.k8s.io",
        "version": "v1beta1",
        "groupPriorityMinimum": 100,
        "versionPriority": 100,
        "service": {"namespace": namespace, "name": "metrics", "port": port},
        "caBundle": base64.b64encode(plane.authority.read_bytes()).decode(),
    }
    body = {"metadata": {"name": "v1beta1.metrics.k8s.io"}, "spec": spec}
    _expect(plane, 201, "POST", "/apis/apiregistration.k8s.io/v1/apiservices", body)


def test_feature_gates_and_flags_reach_the_server_and_two_can_run_at_once(plane: ControlPlane) -> None:
    options = Options(feature_gates={"AllAlpha": True}, server_flags=["--runtime-config=api/alpha=true"])
    with start_control_plane(options=options) as other:
        assert other.url != plane.url
        groups = {one["name"] for one in _expect(other, 200, "GET", "/apis")["groups"]}
        assert groups - {one["name"] for one in _expect(plane, 200, "GET", "/apis")["groups"]}
        logs = other.logs
    assert not logs.exists()
    assert _expect(plane, 200, "GET", "/readyz") == "ok"


def test_an_unknown_flag_ends_the_start_with_one_line() -> None:
    said = r"kube-apiserver ended with code 1; .*unknown flag: --bogus"
    with pytest.raises(ControlPlaneFailed, match=said) as failed:
        start_control_plane(options=Options(server_flags=["--bogus=1"]))
    assert "\n" not in str(failed.value)


def test_a_port_that_was_taken_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    free = starting.free_ports
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        asked: list[int] = []

        def ports(count: int) -> list[int]:
            asked.append(count)
            return [port, *free(count - 1)] if len(asked) == 1 else free(count)

        monkeypatch.setattr(starting, "free_ports", ports)
        with start_control_plane() as plane:
            assert _expect(plane, 200, "GET", "/readyz") == "ok"
    assert len(asked) == 2
