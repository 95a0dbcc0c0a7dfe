"""What pods use and how they run, set by a document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lockstep import objects
from lockstep.serving import ServeError
from lockstep.serving.background import ApiRefusal, KubeApi
from lockstep.serving.pods import read_document

_PODS = "/api/v1/namespaces/default/pods"
_USAGE = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods"
_HPAS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
_LOADS: dict[str, Any] = {
    "loads": [{"pods": "web", "cpu": {"shared": {"steps": [[0, 1], [600, "3"]]}}, "memory": "64Mi"}],
    "custom": [
        {"metric": "requests", "pods": {"app": "web"}, "value": 10},
        {"metric": "requests", "resource": "services", "name": "web", "value": {"ramp": [0, 10, 0, 100]}},
    ],
    "external": [{"metric": "queue", "value": "30", "labels": {"queue": "a"}}],
}
pytestmark = pytest.mark.kube_api(clock="manual", controllers=("replicaset", "hpa"), pods=_LOADS)


def _web(api: KubeApi, replicas: int) -> None:
    requests = objects.container(resources={"requests": {"cpu": "1"}})
    template = objects.pod_template({"app": "web"}, containers=[requests])
    path = "/apis/apps/v1/namespaces/default/replicasets"
    api.request("POST", path, objects.replica_set("web", replicas, template=template))


def test_usage_is_reported_and_scaled_by(kube_api: KubeApi) -> None:
    _web(kube_api, 1)
    metric = objects.resource_metric("cpu", utilization=50)
    kube_api.request("POST", _HPAS, objects.hpa("web", max_replicas=10, metrics=[metric]))
    kube_api.advance(300)
    usage = kube_api.request("GET", _USAGE)["items"]
    assert [one["containers"][0]["usage"] for one in usage] == [{"cpu": "500m", "memory": "64Mi"}] * 2
    kube_api.advance(600)
    assert len(kube_api.request("GET", _PODS)["items"]) == 6


def test_custom_and_external_metrics_are_reported(kube_api: KubeApi) -> None:
    custom, external = "/apis/custom.metrics.k8s.io/v1beta2", "/apis/external.metrics.k8s.io/v1beta1"
    kube_api.advance(20)
    (reported,) = kube_api.request("GET", f"{custom}/namespaces/default/services/web/requests")["items"]
    assert reported["value"] == "100"
    (queue,) = kube_api.request("GET", f"{external}/namespaces/default/queue")["items"]
    assert (queue["value"], queue["metricLabels"]) == ("30", {"queue": "a"})


def test_another_document_replaces_the_first(kube_api: KubeApi) -> None:
    _web(kube_api, 1)
    kube_api.advance(60)
    fresh = {"loads": [{"pods": "web", "cpu": "250m"}], "lifecycles": [{"pods": "late", "ready_after": 60}]}
    assert kube_api.request("PUT", "/lockstep/pods", fresh) == fresh
    kube_api.advance(60)
    (one,) = kube_api.request("GET", _USAGE)["items"]
    assert one["containers"][0]["usage"]["cpu"] == "250m"
    assert kube_api.request("GET", "/lockstep/pods") == fresh
    late = {"metadata": {"name": "late", "labels": {"app": "late"}}, "spec": {"containers": [objects.container()]}}
    kube_api.request("POST", _PODS, late)
    ready = []
    for _ in range(2):
        kube_api.advance(40)
        status = kube_api.request("GET", f"{_PODS}/late")["status"]
        ready.append(next(item["status"] for item in status["conditions"] if item["type"] == "Ready"))
    assert ready == ["False", "True"]


@pytest.mark.parametrize(
    ("document", "reported"),
    [
        ([], "write a mapping with some of the sections loads, custom, external, lifecycles"),
        ({"load": []}, "write a mapping with some of the sections"),
        ({"loads": {}}, "loads: write a list of mappings"),
        ({"loads": [{"cpu": 1}]}, "loads[0]: 'pods' is missing"),
        ({"loads": [{"pods": "web"}, {"pods": "web", "cpu": "much"}]}, "loads[1]: 'much' is not a quantity"),
        ({"loads": [{"pods": "web", "cqu": 1}]}, "loads[0]: there is no field 'cqu'"),
        ({"loads": [{"pods": "web", "cpu": {"sine": [1]}}]}, "loads[0]: {'sine': [1]} is no amount"),
        ({"lifecycles": [{"pods": "web", "ready_after": -1}]}, "use 0 or more"),
        ({"external": [{"metric": "queue"}]}, "external[0]: 'value' is missing"),
    ],
)
def test_a_document_that_makes_no_sense_changes_nothing(kube_api: KubeApi, document: Any, reported: str) -> None:
    with pytest.raises(ApiRefusal) as refused:
        kube_api.request("PUT", "/lockstep/pods", document)
    assert (refused.value.code, reported in refused.value.text) == (400, True)
    assert kube_api.request("GET", "/lockstep/pods") == _LOADS


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "pods.yaml"
    file.write_text("loads: [")
    with pytest.raises(ServeError, match=r"pods.yaml is neither YAML nor JSON"):
        read_document(file)
    file.write_text("sums: []")
    with pytest.raises(ServeError, match=r"pods.yaml: write a mapping"):
        read_document(file)


@pytest.mark.kube_api(clock="manual", kubelet=False)
def test_without_kubelets_there_is_nothing_to_run(kube_api: KubeApi) -> None:
    with pytest.raises(ApiRefusal, match="there is no kubelet that could run pods"):
        kube_api.request("PUT", "/lockstep/pods", {"lifecycles": [{"pods": "web", "ready_after": 1}]})


@pytest.mark.kube_api(clock="manual", owners=("jobs",))
def test_pods_of_jobs_come_to_an_end(kube_api: KubeApi) -> None:
    path = "/apis/batch/v1/namespaces/default/jobs"
    template = {"spec": {"restartPolicy": "Never", "containers": [objects.container()]}}
    kube_api.request("POST", path, {"metadata": {"name": "sum"}, "spec": {"template": template}})
    kube_api.advance(10)
    assert kube_api.request("GET", f"{path}/sum")["status"]["succeeded"] == 1


@pytest.mark.kube_api(clock="manual", without=("garbage-collector", "namespaces", "disruption"))
def test_parts_of_the_world_can_be_left_out(kube_api: KubeApi) -> None:
    maps = "/api/v1/namespaces/mine/configmaps"
    kube_api.request("POST", "/api/v1/namespaces", {"metadata": {"name": "mine"}})
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "nobody", "uid": "none"}
    kube_api.request("POST", maps, {"metadata": {"name": "one", "ownerReferences": [owner]}})
    kube_api.request("DELETE", "/api/v1/namespaces/mine")
    kube_api.advance(60)
    assert kube_api.request("GET", "/api/v1/namespaces/mine")["status"]["phase"] == "Terminating"
    assert len(kube_api.request("GET", maps)["items"]) == 1


@pytest.mark.kube_api(clock="real")
def test_kubelets_show_signs_of_life(kube_api: KubeApi) -> None:
    node = kube_api.request("GET", "/api/v1/nodes/node-1")
    lease = kube_api.request("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1")
    assert node["status"]["nodeInfo"]["kubeletVersion"] == "v1.36.3"
    assert (lease["spec"]["holderIdentity"], lease["spec"]["leaseDurationSeconds"]) == ("node-1", 40)
    assert lease["metadata"]["ownerReferences"][0]["uid"] == node["metadata"]["uid"]
