"""The real thing: our node image, kind, and clusters of it. Takes minutes, and ten more the first time."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lockstep.clusters.kind import KindFailed, owner
from lockstep.clusters.kind.cluster import Cluster, kind_cluster
from lockstep.environments.options import KindOptions
from tests.processes import until
from tools.node_image.build import NodeImage, kind_image

pytestmark = pytest.mark.kind

_OFF = ("replicaset-controller", "horizontal-pod-autoscaler-controller")


@pytest.fixture(scope="module")
def image() -> NodeImage:
    return kind_image()


def _options(image: NodeImage, name: str) -> KindOptions:
    return KindOptions(name=name, image=image.tag, kind_bin=image.kind, kubectl_bin=image.kubectl)


@pytest.fixture(scope="module")
def cluster(image: NodeImage) -> Iterator[Cluster]:
    with kind_cluster(_options(image, "lockstep-tests")) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def bare(image: NodeImage) -> Iterator[Cluster]:
    """A cluster without the controllers under test, and without a scheduler."""
    flags = {"node-monitor-grace-period": "24h"}
    with kind_cluster(_options(image, "lockstep-tests-bare"), controllers_off=_OFF, flags=flags) as bare:
        bare.stop_scheduler()
        yield bare


def _apply(cluster: Cluster, folder: Path, *objects: dict[str, Any]) -> None:
    file = folder / "objects.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
    cluster.kubectl("apply", "-f", str(file))


def _template(cluster: Cluster) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": cluster.pause_image, "imagePullPolicy": "IfNotPresent"}]}


def _replica_set(cluster: Cluster, name: str, replicas: int) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": name}}, "spec": _template(cluster)}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": spec}


def _pod(cluster: Cluster, name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": _template(cluster)}


def _bind(cluster: Cluster, folder: Path, pod: str, node: str) -> None:
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    file = folder / "binding.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": target}))
    cluster.kubectl("create", "--raw", f"/api/v1/namespaces/default/pods/{pod}/binding", "-f", str(file))


def test_the_image_is_there_at_once_the_second_time(image: NodeImage) -> None:
    began = time.monotonic()
    assert kind_image(progress=pytest.fail).how == "was there"
    assert time.monotonic() - began < 5


def test_pods_of_a_replica_set_run(cluster: Cluster, tmp_path: Path) -> None:
    _apply(cluster, tmp_path, _replica_set(cluster, "web", 3))
    cluster.kubectl("wait", "--for=jsonpath={.status.readyReplicas}=3", "rs/web", "--timeout=120s")
    nodes = cluster.kubectl("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].spec.nodeName}")
    assert nodes.split() == [cluster.node] * 3
    cluster.kubectl("delete", "rs/web", "--wait=false")
    cluster.kubectl("wait", "--for=delete", "pod", "-l", "app=web", "--timeout=60s")


def test_the_name_server_answers(cluster: Cluster) -> None:
    cluster.kubectl("rollout", "status", "deployment/coredns", "--namespace=kube-system", "--timeout=120s")
    proxy = "/api/v1/namespaces/kube-system/services/kube-dns:metrics/proxy/metrics"
    assert "coredns_build_info" in cluster.kubectl("get", "--raw", proxy)


def test_the_version_is_the_one_that_was_asked_for(cluster: Cluster) -> None:
    assert cluster.version == "v1.36.3"
    assert json.loads(cluster.kubectl("get", "--raw", "/version"))["gitVersion"] == "v1.36.3"


def test_a_cluster_in_use_is_not_touched(cluster: Cluster, image: NodeImage) -> None:
    with pytest.raises(KindFailed, match=r"'lockstep-tests' is in use by process \d+"):
        kind_cluster(_options(image, "lockstep-tests")).__enter__()
    assert cluster.kubectl("get", "--raw", "/readyz") == "ok"


def test_the_cluster_reaches_a_server_of_ours(cluster: Cluster) -> None:
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"here we are")

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.HTTPServer((cluster.host_address, 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        opened = f"exec 3<>/dev/tcp/{cluster.host_address}/{server.server_port}"
        ask = f"{opened}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3"
        command = ["docker", "exec", cluster.node, "bash", "-c", ask]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
        server.shutdown()
    assert "here we are" in answer.stdout


def test_a_replica_set_whose_controller_is_off_stays_as_it_is(bare: Cluster, tmp_path: Path) -> None:
    """The deployment controller acts on a Deployment that was made later, and its ReplicaSet stays empty."""
    deployment = {**_replica_set(bare, "later", 2), "kind": "Deployment"}
    _apply(bare, tmp_path, _replica_set(bare, "alone", 2), deployment)
    bare.kubectl("wait", "--for=create", "rs", "-l", "app=later", "--timeout=60s")
    assert bare.kubectl("get", "pods", "-o", "name") == ""
    assert bare.kubectl("get", "rs", "-o", "jsonpath={.items[*].status.observedGeneration}") == ""


def test_a_pod_runs_where_we_bind_it(bare: Cluster, tmp_path: Path) -> None:
    _apply(bare, tmp_path, _pod(bare, "bound"))
    assert bare.kubectl("get", "pod/bound", "-o", "jsonpath={.spec.nodeName}") == ""
    _bind(bare, tmp_path, "bound", bare.node)
    bare.kubectl("wait", "--for=condition=Ready", "pod/bound", "--timeout=120s")
    bare.kubectl("delete", "pod/bound", "--timeout=60s")


def test_a_node_of_ours_holds_pods_that_we_report_on(bare: Cluster, tmp_path: Path) -> None:
    _apply(
        bare, tmp_path, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "simulated"}}, _pod(bare, "reported")
    )
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    for status, kind, name in ((ready, "node", "simulated"), ({**ready, "phase": "Running"}, "pod", "reported")):
        if kind == "pod":
            _bind(bare, tmp_path, name, "simulated")
        bare.kubectl("patch", kind, name, "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))
    bare.kubectl("wait", "--for=condition=Ready", "node/simulated", "pod/reported", "--timeout=60s")
    until(lambda: bare.kubectl("get", "node/simulated", "-o", "jsonpath={.spec.taints}") == "", "a node without taints")


_OWNER = """
import sys
from lockstep.clusters.kind.cluster import kind_cluster
from lockstep.environments.options import KindOptions
with kind_cluster(KindOptions(name=sys.argv[1], image=sys.argv[2])) as cluster:
    print(cluster.node, flush=True)
    sys.stdin.read()
"""


def test_a_run_that_is_killed_leaves_no_cluster(image: NodeImage) -> None:
    name = "lockstep-tests-killed"
    command = [sys.executable, "-c", _OWNER, name, image.tag]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.readline().decode().strip() == f"{name}-control-plane"
        assert owner.nodes(name)
        run.kill()
    until(lambda: not owner.nodes(name), "a cluster that is gone", seconds=60)
