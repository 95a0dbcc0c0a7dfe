"""The official Python client against the served cluster: typed, dynamic, watch, leader election."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, dynamic, watch
from kubernetes.client.exceptions import ApiException

from lockstep import objects
from lockstep.serving.background import KubeApi

pytestmark = pytest.mark.kube_api(controllers=("replicaset",))


@pytest.fixture
def api(kube_api: KubeApi) -> Any:
    """The client."""
    with kube_api.api_client() as made:
        yield made


def test_the_typed_client_creates_scales_and_deletes(api: Any) -> None:
    apps, core = client.AppsV1Api(api), client.CoreV1Api(api)
    made = apps.create_namespaced_replica_set("default", objects.replica_set("web", 2))
    assert (made.spec.replicas, made.metadata.generation) == (2, 1)
    scaled = apps.patch_namespaced_replica_set_scale("web", "default", {"spec": {"replicas": 3}})
    assert scaled.spec.replicas == 3
    for event in watch.Watch().stream(apps.list_namespaced_replica_set, "default", timeout_seconds=60):
        if event["object"].status.ready_replicas == 3:
            break
    assert len(core.list_namespaced_pod("default", label_selector="app=web").items) == 3
    apps.delete_namespaced_replica_set("web", "default", propagation_policy="Background")
    with pytest.raises(ApiException) as refused:
        apps.read_namespaced_replica_set("web", "default")
    assert (refused.value.status, refused.value.reason) == (404, "Not Found")


def test_the_dynamic_client_finds_kinds_by_discovery(api: Any, tmp_path: Path) -> None:
    dyn = dynamic.DynamicClient(api, cache_file=str(tmp_path / "discovery"))
    maps = dyn.resources.get(api_version="v1", kind="ConfigMap")
    maps.create(body={"metadata": {"name": "one"}, "data": {"a": "1"}}, namespace="default")
    maps.patch(name="one", namespace="default", body={"data": {"b": "2"}}, content_type="application/merge-patch+json")
    assert maps.get(name="one", namespace="default").data.to_dict() == {"a": "1", "b": "2"}
    seen = [event["type"] for event in maps.watch(namespace="default", timeout=1)]
    assert seen == ["ADDED"]


def test_a_typed_watch_goes_on_from_a_version(api: Any) -> None:
    core = client.CoreV1Api(api)
    version = core.list_namespaced_config_map("default").metadata.resource_version
    for name in ("one", "two"):
        core.create_namespaced_config_map("default", {"metadata": {"name": name}})
    core.delete_namespaced_config_map("one", "default")
    stream = watch.Watch().stream(
        core.list_namespaced_config_map, "default", resource_version=version, timeout_seconds=1
    )
    assert [(event["type"], event["object"].metadata.name) for event in stream] == [
        ("ADDED", "one"),
        ("ADDED", "two"),
        ("DELETED", "one"),
    ]


_CANDIDATE = """
import sys, time
from kubernetes import config
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

config.load_kube_config(sys.argv[1])
name = sys.argv[2]

def lead():
    print(name, flush=True)
    time.sleep(60)

leaderelection.LeaderElection(electionconfig.Config(
    LeaseLock("lock", "default", name), lease_duration=4, renew_deadline=3, retry_period=1,
    onstarted_leading=lead, onstopped_leading=lambda: None,
)).run()
"""


def _candidate(api: KubeApi, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _CANDIDATE, str(api.kubeconfig), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def test_leader_election_has_one_leader_and_a_successor(kube_api: KubeApi) -> None:
    one = _candidate(kube_api, "one")
    other: subprocess.Popen[str] | None = None
    lock = "/apis/coordination.k8s.io/v1/namespaces/default/leases/lock"
    try:
        assert one.stdout is not None
        assert one.stdout.readline() == "one\n"
        other = _candidate(kube_api, "other")
        first = kube_api.request("GET", lock)["spec"]
        time.sleep(6)  # longer than a lease lasts: only a leader that renews keeps it
        later = kube_api.request("GET", lock)["spec"]
        one.kill()
        assert other.stdout is not None
        assert other.stdout.readline() == "other\n"
        last = kube_api.request("GET", lock)["spec"]
    finally:
        for process in (one, other):
            if process is not None:
                process.kill()
                process.communicate()
    assert [spec["holderIdentity"] for spec in (first, later, last)] == ["one", "one", "other"]
    assert later["renewTime"] > first["renewTime"]
