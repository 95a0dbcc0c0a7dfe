"""The whole controller against the API server in memory, on virtual time."""

from __future__ import annotations

from typing import Any

from tests.reference_replicaset.cluster import PODS, REPLICA_SETS, Cluster
from tests.reference_replicaset.objects import Object


def replica_set(replicas: int, **spec: Any) -> Object:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "app"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template, **spec},
    }


def test_three_replicas_are_created_and_reported() -> None:
    async def scenario(cluster: Cluster) -> None:
        cluster.start()
        await cluster.after(1)
        cluster.do("POST", REPLICA_SETS, replica_set(3))
        await cluster.after(1)
        pods = cluster.pods()
        assert len(pods) == 3
        assert all(pod["metadata"]["name"].startswith("web-") for pod in pods)
        assert {pod["metadata"]["ownerReferences"][0]["name"] for pod in pods} == {"web"}
        status = cluster.status()
        assert (status["replicas"], status["fullyLabeledReplicas"], status["observedGeneration"]) == (3, 3, 1)
        assert cluster.written()[:3] == [(1.0, "create", "pods")] * 3
        assert cluster.events() == [("Normal", "SuccessfulCreate")] * 3

    Cluster().run(scenario)


def test_a_lost_pod_is_replaced_in_the_same_instant() -> None:
    async def scenario(cluster: Cluster) -> None:
        cluster.start()
        cluster.do("POST", REPLICA_SETS, replica_set(2))
        await cluster.after(10)
        cluster.writes.clear()
        cluster.remove(cluster.pods()[0]["metadata"]["name"])
        await cluster.after(0)
        assert len(cluster.pods()) == 2
        assert cluster.written()[0] == (10.0, "create", "pods")

    Cluster().run(scenario)


def test_scaling_down_keeps_the_ready_pod() -> None:
    async def scenario(cluster: Cluster) -> None:
        cluster.start()
        cluster.do("POST", REPLICA_SETS, replica_set(3))
        await cluster.after(5)
        kept = cluster.pods()[1]["metadata"]["name"]
        cluster.make_ready(kept, "2000-01-01T00:00:05Z")
        cluster.scale(1)
        await cluster.after(5)
        assert [pod["metadata"]["name"] for pod in cluster.pods()] == [kept]
        assert cluster.status()["readyReplicas"] == 1

    Cluster().run(scenario)


def test_availability_is_reported_when_it_is_reached() -> None:
    async def scenario(cluster: Cluster) -> None:
        cluster.start()
        cluster.do("POST", REPLICA_SETS, replica_set(1, minReadySeconds=30))
        await cluster.after(5)
        cluster.make_ready(cluster.pods()[0]["metadata"]["name"], "2000-01-01T00:00:05Z")
        await cluster.after(29.999)
        assert "availableReplicas" not in cluster.status()
        await cluster.after(0.002)
        assert cluster.status()["availableReplicas"] == 1

    Cluster().run(scenario)


def test_an_orphan_is_adopted_and_a_stray_released() -> None:
    async def scenario(cluster: Cluster) -> None:
        cluster.start()
        spec = {"containers": [{"name": "main", "image": "app"}]}
        metadata = {"name": "orphan", "namespace": "default", "labels": {"app": "web"}}
        cluster.do("POST", PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
        cluster.do("POST", REPLICA_SETS, replica_set(1))
        await cluster.after(1)
        (adopted,) = cluster.pods()
        assert adopted["metadata"]["ownerReferences"][0]["controller"] is True
        cluster.patch(f"{PODS}/orphan", {"metadata": {"labels": {"app": "other"}}})
        await cluster.after(1)
        owners = {pod["metadata"]["name"]: pod["metadata"].get("ownerReferences") for pod in cluster.pods()}
        assert len(owners) == 2
        assert not owners["orphan"]

    Cluster().run(scenario)


def test_a_crash_writes_nothing_and_a_restart_takes_over() -> None:
    async def scenario(cluster: Cluster) -> None:
        cluster.start()
        cluster.do("POST", REPLICA_SETS, replica_set(2))
        await cluster.after(1)
        await cluster.crash()
        cluster.writes.clear()
        cluster.scale(4)
        await cluster.after(60)
        assert cluster.written() == []
        cluster.start()
        await cluster.after(1)
        assert len(cluster.pods()) == 4
        assert [write for write in cluster.written() if write[1] == "create"] == [(61.1, "create", "pods")] * 2

    Cluster().run(scenario)


def test_two_runs_write_the_same() -> None:
    def writes() -> list[tuple[float, str, str]]:
        async def scenario(cluster: Cluster) -> None:
            cluster.start()
            cluster.do("POST", REPLICA_SETS, replica_set(20))
            await cluster.after(5)
            cluster.scale(3)
            await cluster.after(600)

        cluster = Cluster()
        cluster.run(scenario)
        return cluster.written()

    first = writes()
    assert len([write for write in first if write[1] == "delete"]) == 17
    assert writes() == first
