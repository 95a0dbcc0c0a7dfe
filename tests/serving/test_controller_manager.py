"""An unmodified kube-controller-manager 1.36.3, with all its controllers, against the served cluster.

Nobody else acts here but the simulated kubelets and the scheduler.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lockstep import objects
from lockstep.serving.background import ApiRefusal, KubeApi
from lockstep.serving.simulation import ACTORS_OF_THE_WORLD, Setup
from tests.serving.programs import controller_manager, running

pytestmark = pytest.mark.kcm
_APPS = "/apis/apps/v1/namespaces/default"
_PODS = "/api/v1/namespaces/default/pods"
_MERGE = "application/merge-patch+json"
_PATIENCE = 120.0


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    folder = tmp_path_factory.mktemp("kcm")
    pods = {"loads": [{"pods": "busy", "cpu": {"shared": 1}}]}
    with KubeApi(folder, Setup(without=ACTORS_OF_THE_WORLD, pods=pods)) as served:
        options = ["--secure-port=0", "--leader-elect=true", "--horizontal-pod-autoscaler-sync-period=2s"]
        command = [str(controller_manager()), "--kubeconfig", str(served.kubeconfig), *options]
        with running(command, folder / "kcm.log") as process:
            yield served
            assert process.poll() is None, (folder / "kcm.log").read_text()[-2000:]


def _eventually(what: Callable[[], Any]) -> Any:
    """What becomes true in the end."""
    deadline = time.monotonic() + _PATIENCE
    while not (found := what()):
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.2)
    return found


def _there(api: KubeApi, path: str) -> Any:
    try:
        return api.request("GET", path)
    except ApiRefusal as refused:
        if refused.code == 404:
            return None
        raise


def _pods(api: KubeApi, app: str) -> list[dict[str, Any]]:
    return api.request("GET", f"{_PODS}?labelSelector=app%3D{app}")["items"]  # type: ignore[no-any-return]


def _deployed(api: KubeApi, name: str, replicas: int) -> Callable[[], bool]:
    def look() -> bool:
        one = api.request("GET", f"{_APPS}/deployments/{name}")
        status = one.get("status") or {}
        counts = [status.get(count, 0) for count in ("replicas", "updatedReplicas", "availableReplicas")]
        return status.get("observedGeneration") == one["metadata"]["generation"] and counts == [replicas] * 3

    return look


def _deployment(name: str, replicas: int) -> dict[str, Any]:
    requests = objects.container(resources={"requests": {"cpu": "1"}})
    template = objects.pod_template({"app": name}, containers=[requests])
    return objects.deployment(name, replicas, template=template)


def test_it_leads(api: KubeApi) -> None:
    path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"
    assert _eventually(lambda: (_there(api, path) or {}).get("spec", {}).get("holderIdentity"))


def test_a_deployment_rolls_out_scales_changes_and_goes(api: KubeApi) -> None:
    path = f"{_APPS}/deployments/web"
    api.request("POST", f"{_APPS}/deployments", _deployment("web", 3))
    _eventually(_deployed(api, "web", 3))
    api.request("PATCH", f"{path}/scale", {"spec": {"replicas": 5}}, _MERGE)
    _eventually(_deployed(api, "web", 5))
    before = {pod["metadata"]["name"] for pod in _pods(api, "web")}
    fresh = {"containers": [{"name": "main", "image": "web:2"}]}
    api.request("PATCH", path, {"spec": {"template": {"spec": fresh}}}, "application/strategic-merge-patch+json")
    _eventually(_deployed(api, "web", 5))
    after = [pod for pod in _pods(api, "web") if "deletionTimestamp" not in pod["metadata"]]
    assert len(after) == 5
    assert not before & {pod["metadata"]["name"] for pod in after}
    sets = api.request("GET", f"{_APPS}/replicasets?labelSelector=app%3Dweb")["items"]
    revisions = {one["metadata"]["annotations"]["deployment.kubernetes.io/revision"] for one in sets}
    assert revisions == {"1", "2"}
    api.request("DELETE", path, {"propagationPolicy": "Foreground"})
    _eventually(lambda: _there(api, path) is None)
    assert _pods(api, "web") == []
    assert api.request("GET", f"{_APPS}/replicasets?labelSelector=app%3Dweb")["items"] == []


def test_a_job_completes(api: KubeApi) -> None:
    path = "/apis/batch/v1/namespaces/default/jobs"
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "app", "image": "job"}]}}
    api.request("POST", path, {"metadata": {"name": "sum"}, "spec": {"completions": 2, "template": template}})

    def complete() -> bool:
        status = api.request("GET", f"{path}/sum").get("status") or {}
        return any(one["type"] == "Complete" and one["status"] == "True" for one in status.get("conditions") or ())

    _eventually(complete)
    assert api.request("GET", f"{path}/sum")["status"]["succeeded"] == 2


def test_a_namespace_is_emptied_and_goes(api: KubeApi) -> None:
    api.request("POST", "/api/v1/namespaces", {"metadata": {"name": "short-lived"}})
    _eventually(lambda: _there(api, "/api/v1/namespaces/short-lived/serviceaccounts/default"))
    api.request(
        "POST",
        "/apis/apps/v1/namespaces/short-lived/deployments",
        {**_deployment("web", 2), "metadata": {"name": "web"}},
    )
    api.request(
        "POST", "/api/v1/namespaces/short-lived/persistentvolumeclaims", {"metadata": {"name": "disk"}, "spec": {}}
    )
    _eventually(lambda: len(api.request("GET", "/api/v1/namespaces/short-lived/pods")["items"]) == 2)
    api.request("DELETE", "/api/v1/namespaces/short-lived")
    _eventually(lambda: _there(api, "/api/v1/namespaces/short-lived") is None)
    assert api.request("GET", "/api/v1/namespaces/short-lived/pods")["items"] == []
    assert api.request("GET", "/api/v1/namespaces/short-lived/persistentvolumeclaims")["items"] == []


def test_the_autoscaler_follows_the_load(api: KubeApi) -> None:
    hpas = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
    api.request("POST", f"{_APPS}/deployments", _deployment("busy", 1))
    target = objects.reference("Deployment", "busy")
    metric = objects.resource_metric("cpu", utilization=50)
    api.request("POST", hpas, objects.hpa("busy", max_replicas=5, target=target, metrics=[metric]))
    _eventually(_deployed(api, "busy", 2))  # one core in all, at half a core for each
    status = api.request("GET", f"{hpas}/busy")["status"]
    assert (status["currentReplicas"], status["desiredReplicas"]) == (2, 2)
