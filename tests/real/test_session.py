"""Scenarios over HTTP: a served cluster stands in for the real one, which is no different to talk to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from lockstep import objects
from lockstep.apiserver.kinds import Kind
from lockstep.clusters.real.connection import ClusterError, Connection
from lockstep.clusters.real.remote import RemoteServer
from lockstep.clusters.real.run import run_on_cluster
from lockstep.clusters.real.session import RealSession
from lockstep.clusters.real.webhook_names import WEBHOOKS
from lockstep.implementations.reference import Reference
from lockstep.scenarios.cluster import Cluster
from lockstep.scenarios.declare import Scenario, scenario
from lockstep.serving.background import KubeApi
from lockstep.serving.simulation import Setup


@pytest.fixture
def session(tmp_path: Path) -> Iterator[RealSession]:
    with KubeApi(tmp_path, Setup(kubelet=False)) as served, RealSession(served.kubeconfig) as opened:
        yield opened


def of(body: object, **more: object) -> Scenario:
    declare = scenario("replicaset/on-a-real-cluster", must="It MUST work.", source="none", **more)  # type: ignore[arg-type]
    return declare(body)  # type: ignore[arg-type]


def test_a_scenario_runs_as_in_memory(session: RealSession) -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 2))
        cluster.expect("pods", len(cluster.pods("web")), 2)
        await cluster.eventually("both are ready", lambda: cluster.ready("web") == 2, within=10)
        await cluster.scale("web", 1)
        cluster.expect("deletes", len(cluster.writes("delete", "pods")), 1)
        cluster.expect("events", {one["reason"] for one in cluster.events()}, {"SuccessfulCreate", "SuccessfulDelete"})

    result = run_on_cluster(session, of(body), Reference())
    assert (result.error, result.failure, result.assertions) == ("", "", 4)


def test_faults_of_the_network_work_there_too(session: RealSession) -> None:
    async def body(cluster: Cluster) -> None:
        cluster.faults.error(500, verb="create", resource="pods", times=1)
        await cluster.create(objects.replica_set("web", 1))
        codes = [write.code for write in cluster.writes("create", "pods")]
        cluster.expect("answers to the creates", codes, [500, 201])

    result = run_on_cluster(session, of(body), Reference())
    assert (result.error, result.failure) == ("", "")


def test_tenants_see_nothing_of_each_other(session: RealSession) -> None:
    async def leave_one(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("left", 1))
        cluster.expect("pods", len(cluster.pods()), 1)

    async def look(cluster: Cluster) -> None:
        cluster.expect("pods", cluster.pods(), [])
        await cluster.create(objects.replica_set("left", 2))
        cluster.expect("pods of its own", len(cluster.pods("left")), 2)

    for body in (leave_one, look):
        result = run_on_cluster(session, of(body), Reference())
        assert (result.error, result.failure) == ("", "")


def test_a_tenant_takes_everything_with_it(session: RealSession) -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 2))
        await cluster.run(5)
        cluster.expect("ready", cluster.ready("web"), 2)

    result = run_on_cluster(session, of(body), Reference())
    assert (result.error, result.failure) == ("", "")
    session.workers.shutdown(wait=True)
    for path in ("/api/v1/pods", "/apis/apps/v1/replicasets", "/api/v1/nodes"):
        assert orjson.loads(session.connection.request("GET", path, {}).body)["items"] == []


def test_what_only_a_controller_has_seen_has_an_object_before(
    session: RealSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers: list[RemoteServer] = []
    notice = RemoteServer.notice

    def deaf(self: RemoteServer, kind: Kind, event: str, raw: bytes) -> None:
        servers.append(self)
        if b'"name":"stray"' not in raw:
            notice(self, kind, event, raw)

    monkeypatch.setattr(RemoteServer, "notice", deaf)

    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 1))
        tenant = servers[0].tenant
        stray = orjson.dumps(tenant.body(objects.pod("stray", labels=objects.labels_of("web"))))
        path = tenant.path("/api/v1/namespaces/default/pods")
        assert session.connection.request("POST", path, {}, stray).status == 201
        await cluster.run(1)
        adoption = next(write for write in cluster.writes("patch", "pods") if write.name == "stray")
        cluster.expect("known before", (adoption.before or {}).get("metadata", {}).get("name"), "stray")

    result = run_on_cluster(session, of(body), Reference())
    assert (result.error, result.failure) == ("", "")


def test_an_assertion_that_does_not_hold_fails(session: RealSession) -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 1))
        cluster.expect("pods", len(cluster.pods("web")), 2)

    assert "pods: expected 2, got 1" in run_on_cluster(session, of(body), Reference()).failure


def test_a_run_ends_at_once_when_the_cluster_has_gone(session: RealSession) -> None:
    async def body(cluster: Cluster) -> None:
        threading.Timer(0.1, lambda: session.lose("etcd was killed")).start()
        await cluster.run(50)

    result = run_on_cluster(session, of(body), Reference())
    assert result.error == "etcd was killed"
    assert result.virtual_seconds < 25


def test_a_cluster_whose_own_controllers_work_is_refused(tmp_path: Path) -> None:
    setup = Setup(kubelet=False, controllers=("replicaset",))
    refused = pytest.raises(ClusterError, match="runs a ReplicaSet controller of its own")
    with KubeApi(tmp_path, setup) as served, RealSession(served.kubeconfig) as opened, refused:
        opened.refuse_rivals()


def test_a_cluster_that_cannot_call_us_refuses_webhooks_in_one_line(session: RealSession) -> None:
    async def body(_: Cluster) -> None:
        """Never comes to anything."""

    result = run_on_cluster(session, of(body, controllers=("vpa-admission", "replicaset")), Reference())
    assert result.error.startswith("vpa-admission: this cluster cannot call a webhook on this machine; use ")
    assert "\n" not in result.error


def test_a_cluster_with_a_vpa_of_its_own_refuses_another(tmp_path: Path) -> None:
    async def body(_: Cluster) -> None:
        """Never comes to anything."""

    with KubeApi(tmp_path, Setup(kubelet=False)) as served:
        connection = Connection(served.kubeconfig)
        installed = {"metadata": {"name": "vpa-webhook-config"}, "webhooks": []}
        assert connection.request("POST", WEBHOOKS, {}, orjson.dumps(installed)).status == 201
        connection.close()
        with RealSession(served.kubeconfig) as opened:
            result = run_on_cluster(opened, of(body, controllers=("vpa-updater", "replicaset")), Reference())
            assert result.error.startswith("the cluster has a VPA of its own")
            assert not run_on_cluster(opened, of(body), Reference()).error


def test_a_kubeconfig_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="cannot be used") as refused:
        RealSession(tmp_path / "missing")
    assert "\n" not in str(refused.value)


def test_a_cluster_that_does_not_answer_is_one_line(tmp_path: Path) -> None:
    with KubeApi(tmp_path, Setup(kubelet=False)) as served:
        pass
    with pytest.raises(ClusterError, match="does not answer") as refused, RealSession(served.kubeconfig):
        pass
    assert "\n" not in str(refused.value)
