"""The VPA's real programs in one bubble: they work together, end cleanly, and read their own flags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lockstep import objects
from lockstep.environments.memory import RunResult, run_scenario
from lockstep.implementations.registry import open_implementation
from lockstep.implementations.upstream.implementation import Upstream
from lockstep.metrics import shared
from lockstep.objects.vertical_autoscalers import vpa
from lockstep.scenarios.cluster import Cluster
from lockstep.scenarios.declare import Options, RecommenderOptions, Scenario, VpaOptions

pytestmark = pytest.mark.upstream

ALL = ("vpa-updater", "vpa-recommender", "vpa-admission", "replicaset")


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    implementation = open_implementation("upstream", "1.36.3", print)
    assert isinstance(implementation, Upstream)
    yield implementation
    implementation.close()


async def too_small(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(1.2), memory=shared("900Mi"))
    app = objects.container("app", resources={"requests": {"cpu": "50m", "memory": "100Mi"}})
    template = objects.pod_template(objects.labels_of("web"), containers=[app])
    await cluster.create(objects.replica_set("web", 3, template=template), vpa("web", mode="Recreate"))
    await cluster.run(1800)
    cluster.expect("pods", len(cluster.pods("web")), 3)
    updated = [pod for pod in cluster.pods("web") if "vpaUpdates" in pod["metadata"].get("annotations", {})]
    cluster.expect("pods with new requests", len(updated), 3)


def _play(upstream: Upstream, body: Any, **options: Any) -> RunResult:
    scenario = Scenario("vpa-updater/x", "It MUST.", ("test",), body, controllers=ALL, options=Options(**options))
    return run_scenario(scenario, upstream)


def test_usage_becomes_requests_and_one_process_serves_many_runs(upstream: Upstream) -> None:
    processes = set()
    for _ in range(3):
        result = _play(upstream, too_small)
        assert (result.error, result.failure) == ("", "")
        processes.add(upstream._process.pid)
    assert len(processes) == 1
    assert None not in processes


def test_a_crash_at_any_moment_leaves_nothing_behind(upstream: Upstream) -> None:
    async def body(cluster: Cluster) -> None:
        for controller in ALL[:3]:
            await cluster.crash(controller)
            await cluster.start(controller)
        await too_small(cluster)

    result = _play(upstream, body)
    assert (result.error, result.failure) == ("", "")
    assert upstream._process.pid is not None


def test_flags_are_upstreams(upstream: Upstream) -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 1), vpa("web"))
        await cluster.run(100)
        written = [
            cluster.at(one) for one in cluster.writes("patch", "verticalpodautoscalercheckpoints.autoscaling.k8s.io")
        ]
        cluster.expect("checkpoints that were looked for", len(written), 3)

    recommender = RecommenderOptions(recommender_interval=30.0)
    result = _play(upstream, body, vpa=VpaOptions(recommender=recommender))
    assert (result.error, result.failure) == ("", "")


@pytest.mark.parametrize(
    ("qps", "expected"), [(50.0, [59.3, 59.32, 59.34]), (0.25, [59.3, 63.3, 67.3]), (-1.0, [59.3] * 3)]
)
def test_a_rate_limit_slows_the_real_client(upstream: Upstream, qps: float, expected: list[float]) -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 1), vpa("web"))
        await cluster.run(110)
        moments = [round(cluster.at(one), 3) for one in cluster.writes() if one.actor == "vpa-recommender"]
        cluster.expect("status, and a checkpoint that is not there yet", moments, expected)

    recommender = RecommenderOptions(recommender_interval=60.0, kube_api_qps=qps, kube_api_burst=1)
    result = _play(upstream, body, vpa=VpaOptions(recommender=recommender))
    assert (result.error, result.failure) == ("", "")


def test_gates_are_those_of_the_vpa(upstream: Upstream) -> None:
    async def body(cluster: Cluster) -> None:
        cluster.expect_true("it began", True)

    assert _play(upstream, body, vpa=VpaOptions(feature_gates={"InPlace": True})).error == ""
    refused = _play(upstream, body, vpa=VpaOptions(feature_gates={"OutOfPlace": True})).error
    assert "cannot set the feature gates: unrecognized feature gate: OutOfPlace" in refused
