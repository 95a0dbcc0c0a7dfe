"""The verbs of kubectl, one by one, as people use them. These tests need kubectl and fail without it."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from lockstep import objects
from lockstep.serving.background import KubeApi
from tests.serving.programs import Kubectl

_LOADS = {"loads": [{"pods": "web", "cpu": {"shared": 1}, "memory": "64Mi"}]}
pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.kube_api(controllers=("replicaset", "hpa"), owners=("deployments", "jobs"), pods=_LOADS),
]
_APPLY = ("apply", "-f", "-")


def _map(name: str = "settings", **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def _deployed(kubectl: Kubectl, replicas: int = 2) -> None:
    requests = objects.container(resources={"requests": {"cpu": "1"}})
    template = objects.pod_template({"app": "web"}, containers=[requests])
    kubectl(*_APPLY, stdin=objects.deployment("web", replicas, template=template))
    kubectl("rollout", "status", "deployment/web", "--timeout=60s")


def _rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_get_in_every_form(kubectl: Kubectl) -> None:
    _deployed(kubectl)
    everything = [row[0] for row in _rows(kubectl("get", "all")) if row and "/" in row[0]]
    assert [name.partition("/")[0] for name in everything] == ["pod", "pod", "deployment.apps", "replicaset.apps"]
    assert _rows(kubectl("get", "pods", "-o", "custom-columns=PHASE:.status.phase")) == [
        ["PHASE"],
        ["Running"],
        ["Running"],
    ]
    assert kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}") == "2"
    assert kubectl("get", "deployment", "web", "-o", "yaml").startswith("apiVersion: apps/v1\n")
    assert json.loads(kubectl("get", "deploy,rs", "-o", "json"))["kind"] == "List"
    assert kubectl("get", "deployments", "-o", "name") == "deployment.apps/web\n"
    assert len(_rows(kubectl("get", "pods", "-A", "--field-selector=status.phase=Running", "--no-headers"))) == 2
    assert kubectl("get", "pods", "-l", "app notin (web)") == "No resources found in default namespace.\n"
    assert kubectl("get", "--raw", "/readyz") == "ok"


def test_get_watches(kubectl: Kubectl, kube_api: KubeApi) -> None:
    command = ["kubectl", "--kubeconfig", str(kube_api.kubeconfig), "get", "configmaps", "-w", "-o", "name"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        try:
            kubectl(*_APPLY, stdin=_map())
            assert watching.stdout is not None
            assert watching.stdout.readline() == "configmap/settings\n"
        finally:
            watching.kill()


def test_describe_says_what_there_is(kubectl: Kubectl) -> None:
    _deployed(kubectl)
    kubectl("create", "quota", "small", "--hard=pods=10")
    kubectl("autoscale", "deployment", "web", "--min=2", "--max=4", "--cpu-percent=50")
    assert "SuccessfulCreate" in kubectl("describe", "rs")
    pods = kubectl("describe", "pods", "-l", "app=web")
    assert ["Status:", "Running"] in _rows(pods)
    assert "Controlled By:  ReplicaSet/web-" in pods
    node = kubectl("describe", "node", "node-1")
    assert "Kubelet Version:            v1.36.3" in node
    assert "HolderIdentity:  node-1" in node
    assert "Resource Quotas" in kubectl("describe", "namespace", "default")
    assert "Min replicas:" in kubectl("describe", "hpa", "web")


def test_apply_changes_and_shows_beforehand(kubectl: Kubectl) -> None:
    assert kubectl(*_APPLY, "--dry-run=server", stdin=_map(a="1")) == "configmap/settings created (server dry run)\n"
    assert kubectl("get", "configmaps") == "No resources found in default namespace.\n"
    assert kubectl(*_APPLY, stdin=_map(a="1")) == "configmap/settings created\n"
    assert kubectl(*_APPLY, stdin=_map(a="1")) == "configmap/settings unchanged\n"
    assert '+  a: "2"' in kubectl("diff", "-f", "-", stdin=_map(a="2"), fails=True)
    assert kubectl(*_APPLY, stdin=_map(a="2")) == "configmap/settings configured\n"
    assert kubectl("replace", "-f", "-", stdin=_map(b="3")) == "configmap/settings replaced\n"
    assert (
        kubectl(*_APPLY, "--server-side", "--force-conflicts", stdin=_map(b="4"))
        == "configmap/settings serverside-applied\n"
    )
    assert json.loads(kubectl("get", "configmap", "settings", "-o", "json"))["data"] == {"b": "4"}


def test_apply_names_unknown_fields(kubectl: Kubectl) -> None:
    wrong = {**_map(), "dato": {}}
    refused = kubectl(*_APPLY, stdin=wrong, fails=True)
    assert (
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dato"'
        in refused
    )
    warned = kubectl(*_APPLY, "--validate=warn", stdin=wrong)
    assert 'Warning: unknown field "dato"' in warned
    assert "configmap/settings" in kubectl(*_APPLY, "--validate=ignore", stdin=wrong)
    assert ".dato: field not declared in schema" in kubectl(*_APPLY, "--server-side", stdin=wrong, fails=True)


@pytest.mark.parametrize(
    ("kind", "patch"),
    [
        ("strategic", '{"spec":{"replicas":3}}'),
        ("merge", '{"spec":{"replicas":3}}'),
        ("json", '[{"op":"replace","path":"/spec/replicas","value":3}]'),
    ],
)
def test_patches_of_three_types(kubectl: Kubectl, kind: str, patch: str) -> None:
    _deployed(kubectl)
    assert kubectl("patch", "deployment", "web", f"--type={kind}", "-p", patch) == "deployment.apps/web patched\n"
    assert kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}") == "3"


def test_rollouts(kubectl: Kubectl) -> None:
    _deployed(kubectl)
    before = set(kubectl("get", "pods", "-o", "name").split())
    kubectl("set", "image", "deployment/web", "main=web:2")
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    kubectl("wait", "--for=delete", *before, "--timeout=60s")
    assert kubectl("rollout", "restart", "deployment/web") == "deployment.apps/web restarted\n"
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    assert kubectl("rollout", "history", "deployment/web").startswith("deployment.apps/web \nREVISION")
    assert kubectl("rollout", "pause", "deployment/web") == "deployment.apps/web paused\n"
    assert kubectl("rollout", "resume", "deployment/web") == "deployment.apps/web resumed\n"


def test_labels_annotations_and_expressions(kubectl: Kubectl) -> None:
    kubectl(*_APPLY, stdin=_map())
    assert kubectl("label", "configmap", "settings", "tier=front") == "configmap/settings labeled\n"
    assert kubectl("annotate", "configmap", "settings", "note=x") == "configmap/settings annotated\n"
    assert kubectl("get", "cm", "-l", "tier in (front)", "-o", "name") == "configmap/settings\n"
    assert kubectl("label", "configmap", "settings", "tier-") == "configmap/settings unlabeled\n"
    patch = '{"metadata":{"labels":{"tier":"a b"}}}'
    assert 'metadata.labels: Invalid value: "a b"' in kubectl("patch", "cm", "settings", "-p", patch, fails=True)


def test_nodes_are_tainted_cordoned_and_drained(kubectl: Kubectl) -> None:
    _deployed(kubectl, 3)
    assert kubectl("taint", "node", "node-3", "a=b:NoSchedule") == "node/node-3 tainted\n"
    assert kubectl("taint", "node", "node-3", "a-") == "node/node-3 untainted\n"
    assert kubectl("cordon", "node-1") == "node/node-1 cordoned\n"
    assert _rows(kubectl("get", "node", "node-1"))[1][1] == "Ready,SchedulingDisabled"
    drained = kubectl("drain", "node-1", "--timeout=60s")
    assert "node/node-1 drained" in drained
    assert (
        kubectl("get", "pods", "--field-selector=spec.nodeName=node-1") == "No resources found in default namespace.\n"
    )
    assert kubectl("uncordon", "node-1") == "node/node-1 uncordoned\n"


def test_waiting(kubectl: Kubectl) -> None:
    kubectl("create", "job", "sum", "--image=busybox")
    assert kubectl("wait", "--for=condition=complete", "job/sum", "--timeout=60s") == "job.batch/sum condition met\n"
    kubectl(*_APPLY, stdin=_map())
    assert (
        kubectl("wait", "--for=create", "configmap/settings", "--timeout=30s") == "configmap/settings condition met\n"
    )
    assert "timed out" in kubectl("wait", "--for=jsonpath={.data.a}=1", "cm/settings", "--timeout=1s", fails=True)


def test_a_namespace_goes_with_its_content(kubectl: Kubectl) -> None:
    kubectl("create", "namespace", "mine")
    kubectl(*_APPLY, "-n", "mine", stdin=_map())
    assert kubectl("delete", "namespace", "mine", "--timeout=60s") == 'namespace "mine" deleted\n'
    assert "NotFound" in kubectl("get", "cm", "settings", "-n", "mine", fails=True)


def test_usage_is_shown_and_scaled_by(kubectl: Kubectl) -> None:
    _deployed(kubectl, 1)
    kubectl("autoscale", "deployment", "web", "--min=1", "--max=5", "--cpu-percent=50")
    kubectl("wait", "--for=jsonpath={.status.desiredReplicas}=2", "hpa/web", "--timeout=110s")
    assert _rows(kubectl("top", "pods"))[0] == ["NAME", "CPU(cores)", "MEMORY(bytes)"]
    assert _rows(kubectl("top", "nodes"))[1][0] == "node-1"


@pytest.mark.kube_api(kubelet=False)
def test_without_loads_there_are_no_metrics(kubectl: Kubectl) -> None:
    assert kubectl("top", "pods", fails=True) == "error: Metrics API not available\n"


def test_who_and_where_one_is(kubectl: Kubectl) -> None:
    assert kubectl("auth", "can-i", "delete", "pods") == "yes\n"
    assert kubectl("auth", "can-i", "--list").startswith("Resources")
    assert "lockstep" in kubectl("auth", "whoami")
    assert "control plane" in kubectl("cluster-info")
    kubectl("create", "serviceaccount", "robot")
    assert kubectl("create", "token", "robot").count(".") == 2


def test_every_kind_has_its_place(kubectl: Kubectl) -> None:
    words = ("create", "--dry-run=server", "-o", "name")
    assert (
        kubectl(*words[:1], "role", "reader", "--verb=get", "--resource=pods", *words[1:])
        == "role.rbac.authorization.k8s.io/reader\n"
    )
    kubectl("create", "secret", "generic", "key", "--from-literal=a=b")
    kubectl("create", "ingress", "front", "--rule=example.com/=web:80")
    kubectl("create", "pdb", "front", "--selector=app=web", "--min-available=1")
    kubectl("create", "priorityclass", "high", "--value=10")
    kubectl("create", "cronjob", "nightly", "--image=busybox", "--schedule=0 0 * * *")
    kubectl("create", "clusterrolebinding", "all:mine", "--clusterrole=cluster-admin", "--user=me")
    kubectl("run", "alone", "--image=busybox", "--restart=Never")
    kubectl("expose", "pod", "alone", "--port=80")
    found = kubectl(
        "get", "secret,ingress,pdb,priorityclass,cronjob,clusterrolebinding,pod,service", "-o", "name"
    ).split()
    assert len(found) == 8


def test_explain_reaches_into_fields(kubectl: Kubectl) -> None:
    assert "FIELD: resources <ResourceRequirements>" in kubectl("explain", "pods.spec.containers.resources")
    recursive = kubectl("explain", "deployments", "--recursive")
    assert "maxSurge\t<IntOrString>" in recursive or "maxSurge\t<" in recursive
    resources = kubectl("api-resources", "--categories=all", "-o", "name").split()
    assert {"pods", "deployments.apps", "jobs.batch", "services"} <= set(resources)
    assert "rbac.authorization.k8s.io/v1\n" in kubectl("api-versions")


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (("logs", "alone"), "there are no logs"),
        (("exec", "alone", "--", "ls"), "nothing can be executed"),
        (("attach", "alone"), "there is nothing to attach to"),
        (("port-forward", "alone", "8080:80"), "there are no ports to forward"),
    ],
)
def test_what_needs_a_container_says_so(kubectl: Kubectl, words: tuple[str, ...], reported: str) -> None:
    kubectl("run", "alone", "--image=busybox")
    kubectl("wait", "--for=condition=Ready", "pod/alone", "--timeout=60s")
    assert f"{reported}: no container runs in the simulated cluster" in kubectl(*words, fails=True)


def test_openapi_v2_is_not_asked_for(kubectl: Kubectl) -> None:
    kubectl(*_APPLY, stdin=_map())
    told = kubectl(*_APPLY, "-v=6", stdin=_map(a="1"))
    assert "/openapi/v3" in told
    assert "/openapi/v2" not in told
    assert "configmap/settings configured" in told
    for words in ((*_APPLY, "--server-side", "--force-conflicts"), ("explain", "pods"), ("get", "pods")):
        assert "/openapi/v2" not in kubectl(*words, "-v=6", stdin=_map(a="1"))
