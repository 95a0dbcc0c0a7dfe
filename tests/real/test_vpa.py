"""The VPA's parts on a real control plane: the webhook above all, which the real API server calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from lockstep import objects
from lockstep.clusters.control_plane import ControlPlane, start_control_plane
from lockstep.clusters.real.launcher import Launcher
from lockstep.clusters.real.programs import open_on_cluster
from lockstep.clusters.real.run import run_on_cluster
from lockstep.clusters.real.session import RealSession
from lockstep.clusters.real.webhook_names import WEBHOOKS
from lockstep.environments.memory import RunResult
from lockstep.scenarios.cluster import Cluster
from lockstep.scenarios.declare import AdmissionOptions, Options, UpdaterOptions, VpaOptions, scenario

pytestmark = pytest.mark.control_plane
Body = Callable[[Cluster], Coroutine[Any, Any, None]]
RELEASE = "1.36.3"
ADMISSION = ("vpa-admission", "replicaset")
TARGET = objects.recommended(target={"cpu": "250m"})
VPAS = "verticalpodautoscalers.autoscaling.k8s.io"
PATIENCE = 10.0
#: Seconds after which the webhook is registered for sure.
REGISTERED = 13.0


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with start_control_plane(RELEASE) as started:
        started.start_controller_manager(["resourcequota-controller"])
        yield started


@pytest.fixture(scope="module")
def session(plane: ControlPlane) -> Iterator[RealSession]:
    with RealSession(plane.kubeconfig, reach=("127.0.0.1", "localhost")) as opened:
        yield opened


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    with Launcher(RELEASE, print) as opened:
        yield opened


@pytest.fixture(params=["reference", "upstream"])
def play(request: pytest.FixtureRequest, session: RealSession, launcher: Launcher) -> Callable[..., RunResult]:
    """Runs a body with this implementation."""

    def run(body: Body, controllers: tuple[str, ...] = ADMISSION, options: Options | None = None) -> RunResult:
        declare = scenario(
            f"{controllers[0]}/on-a-real-cluster",
            must="It MUST work.",
            source="none",
            controllers=controllers,
            options=options or Options(),
        )
        implementation = open_on_cluster(request.param, RELEASE, launcher)
        if launcher.used:
            launcher.prepare(controllers)
        return run_on_cluster(session, declare(body), implementation)

    return run


def good(result: RunResult) -> bool:
    return (result.error, result.failure) == ("", "") and result.assertions > 0


async def prepared(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    await cluster.create(objects.vpa())
    await cluster.set_status(VPAS, "web", objects.vpa_status(TARGET))


def cpus(cluster: Cluster) -> list[str]:
    pods = cluster.pods("web")
    return [str((pod["spec"]["containers"][0].get("resources") or {}).get("requests", {}).get("cpu")) for pod in pods]


def test_a_pod_gets_its_target_and_no_other_tenant_sees_it(play: Callable[..., RunResult], plane: ControlPlane) -> None:
    async def body(cluster: Cluster) -> None:
        await prepared(cluster)
        strangers = "/api/v1/namespaces/default/pods"
        stranger = objects.pod("stranger")
        assert plane.request("POST", strangers, stranger)[0] == 201
        assert plane.request("DELETE", f"{strangers}/stranger?gracePeriodSeconds=0")[0] == 200
        await cluster.create(objects.replica_set("web", 1))
        cluster.expect("requests", cpus(cluster), ["250m"])
        reviewed = [write.resource for write in cluster.writes() if write.verb == "review"]
        cluster.expect("reviews", reviewed, [VPAS, "pods"])

    assert good(play(body))
    deadline = time.monotonic() + PATIENCE
    while left := plane.request("GET", WEBHOOKS)[1]["items"]:
        assert time.monotonic() < deadline, f"the tenant has left {left} behind"


def test_a_broken_webhook_is_passed_over_or_refuses(play: Callable[..., RunResult]) -> None:
    async def body(cluster: Cluster) -> None:
        await prepared(cluster)
        cluster.faults.disconnect(verb="call", resource="webhooks", times=1)
        await cluster.create(objects.replica_set("web", 1))
        await cluster.run(2)
        failed = [write.code for write in cluster.writes("create", "pods")]
        cluster.expect("creates", failed, [500, 201])
        cluster.expect("requests", cpus(cluster), ["250m"])

    fails = AdmissionOptions(webhook_failure_policy_fail=True)
    assert good(play(body, options=Options(vpa=VpaOptions(admission=fails))))


def test_a_crash_of_the_webhook_alone_is_seen(play: Callable[..., RunResult]) -> None:
    async def body(cluster: Cluster) -> None:
        await prepared(cluster)
        await cluster.crash("vpa-admission")
        await cluster.create(objects.replica_set("web", 1))
        cluster.expect("unchanged", cpus(cluster), ["None"])

    assert good(play(body))


def test_the_updater_keeps_its_interval(play: Callable[..., RunResult]) -> None:
    async def body(cluster: Cluster) -> None:
        template = objects.pod_template(
            objects.labels_of("web"),
            containers=[objects.container(resources={"requests": {"cpu": "100m"}})],
        )
        await cluster.create(objects.replica_set("web", 4, template=template), objects.vpa(mode="Recreate"))
        await cluster.set_status(VPAS, "web", objects.vpa_status(TARGET))
        await cluster.run_until(9)
        evictions = [write for write in cluster.writes("create", "pods") if write.subresource == "eviction"]
        cluster.expect("evictions", {write.code for write in evictions}, {201})

    shorter = UpdaterOptions(updater_interval=8.0, use_admission_controller_status=False)
    assert good(play(body, ("vpa-updater", "replicaset"), Options(vpa=VpaOptions(updater=shorter))))
