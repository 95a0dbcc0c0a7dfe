"""kubectl, unmodified, against the served cluster. These tests need kubectl and fail without it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from lockstep import objects
from tests.serving.programs import Kubectl

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.kube_api(controllers=("replicaset", "hpa"), owners=("deployments", "statefulsets", "jobs")),
]


def _deployment(replicas: int) -> dict[str, Any]:
    return objects.deployment("web", replicas, template=objects.pod_template({"app": "web"}))


def test_apply_rollout_get_and_wait(kubectl: Kubectl) -> None:
    assert kubectl("apply", "-f", "-", stdin=_deployment(3)) == "deployment.apps/web created\n"
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    lines = kubectl("get", "deployments").splitlines()
    assert lines[0].split() == ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"]
    assert lines[1].split()[:4] == ["web", "3/3", "3", "3"]
    pods = kubectl("get", "pods", "-o", "wide").splitlines()
    assert len(pods) == 4
    assert all(line.split()[1:3] == ["1/1", "Running"] for line in pods[1:])
    kubectl("wait", "--for=condition=Ready", "pod", "-l", "app=web", "--timeout=60s")
    assert kubectl("apply", "-f", "-", stdin=_deployment(2)) == "deployment.apps/web configured\n"
    kubectl("wait", "--for=jsonpath={.status.readyReplicas}=2", "deployment/web", "--timeout=60s")


def test_server_side_apply_reports_its_field_manager(kubectl: Kubectl) -> None:
    kubectl("apply", "--server-side", "--field-manager=me", "-f", "-", stdin=yaml.safe_dump(_deployment(1)))
    shown = json.loads(kubectl("get", "deployment", "web", "-o", "json", "--show-managed-fields"))
    assert [entry["manager"] for entry in shown["metadata"]["managedFields"]] == ["me"]


def test_scale_and_edit(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=objects.replica_set("web", 1))
    assert kubectl("scale", "replicaset/web", "--replicas=2") == "replicaset.apps/web scaled\n"
    edited = kubectl("edit", "replicaset/web", KUBE_EDITOR="sed -i s/replicas:.2/replicas:\\ 4/")
    assert edited == "replicaset.apps/web edited\n"
    kubectl("wait", "--for=jsonpath={.status.readyReplicas}=4", "replicaset/web", "--timeout=60s")


@pytest.mark.parametrize(("policy", "left"), [("background", 0), ("foreground", 0), ("orphan", 2)])
def test_delete_with_each_propagation_policy(kubectl: Kubectl, policy: str, left: int) -> None:
    kubectl("create", "-f", "-", stdin=objects.replica_set("web", 2))
    kubectl("wait", "--for=jsonpath={.status.readyReplicas}=2", "replicaset/web", "--timeout=60s")
    assert "deleted" in kubectl("delete", "replicaset", "web", f"--cascade={policy}")
    if not left:
        kubectl("wait", "--for=delete", "pod", "--all", "--timeout=60s")
    assert len(json.loads(kubectl("get", "pods", "-o", "json"))["items"]) == left


def test_describe_and_events(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=objects.replica_set("web", 1))
    kubectl("wait", "--for=jsonpath={.status.readyReplicas}=1", "replicaset/web", "--timeout=60s")
    described = kubectl("describe", "replicaset", "web")
    assert "Pods Status:  1 Running / 0 Waiting / 0 Succeeded / 0 Failed" in described
    assert "SuccessfulCreate" in described
    assert "Controlled By:  ReplicaSet/web" in kubectl("describe", "pods")
    assert "SuccessfulCreate" in kubectl("events")
    assert kubectl("get", "events").split()[:4] == ["LAST", "SEEN", "TYPE", "REASON"]
    assert "Ready" in kubectl("describe", "node", "node-1")


def test_api_resources_versions_and_explain(kubectl: Kubectl) -> None:
    assert "replicasets " in kubectl("api-resources")
    assert "autoscaling/v2" in kubectl("api-versions")
    assert "v1.36.3" in kubectl("version")
    assert "FIELD: replicas <integer>" in kubectl("explain", "deployment.spec.replicas")


def test_typed_commands_of_kubectl_send_protobuf(kubectl: Kubectl) -> None:
    kubectl("create", "namespace", "mine")
    kubectl("create", "deployment", "api", "--image=nginx", "--replicas=2", "-n", "mine")
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/api", "-n", "mine", "--timeout=60s")
    kubectl("autoscale", "deployment", "api", "-n", "mine", "--min=2", "--max=5", "--cpu-percent=50")
    row = kubectl("get", "hpa", "-n", "mine").splitlines()[1].split()
    assert row[:6] == ["api", "Deployment/api", "cpu:", "<unknown>/50%", "2", "5"]


def test_what_cannot_be_is_said(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=objects.replica_set("web", 1))
    kubectl("wait", "--for=jsonpath={.status.readyReplicas}=1", "replicaset/web", "--timeout=60s")
    assert "no container runs in the simulated cluster" in kubectl("logs", "replicaset/web", fails=True)
    assert "not found" in kubectl("get", "pod", "nobody", fails=True)
