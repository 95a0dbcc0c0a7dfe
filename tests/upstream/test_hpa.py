"""The real HPA controller in one bubble with the ReplicaSet controller: options, gates, restarts, and repeatability."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from lockstep import objects
from lockstep.environments.memory import RunResult, run_scenario
from lockstep.implementations import Implementation
from lockstep.implementations.registry import open_implementation
from lockstep.metrics import constant, ramp, shared, steps
from lockstep.network import Network
from lockstep.scenarios.cluster import Cluster
from lockstep.scenarios.declare import HpaOptions, Options, Scenario
from lockstep.trace.invariants import checking as invariants
from lockstep.trace.normalise import normalise
from lockstep.world import Lifecycle

pytestmark = pytest.mark.upstream

Body = Callable[[Cluster], Awaitable[None]]
WEB = "replicasets.apps/scale web"


@pytest.fixture(scope="module", params=["1.36.3", "1.34.4"])
def upstream(request: pytest.FixtureRequest) -> Iterator[Implementation]:
    implementation = open_implementation(f"upstream:{request.param}", "", print)
    yield implementation
    implementation.close()


def play(upstream: Implementation, body: Body, **options: Any) -> RunResult:
    """Run a body that must get through, keeping every invariant."""
    result = run_scenario(_scenario(body, **options), upstream)
    assert (result.error, result.failure) == ("", "")
    assert invariants.check(result.history, result.end_instant, False, result.broken_conditions) == []
    return result


def _scenario(body: Body, **options: Any) -> Scenario:
    both = ("hpa", "replicaset")
    return Scenario("hpa/under-test", "It MUST.", ("test",), body, controllers=both, options=Options(**options))


def reads(result: RunResult) -> Any:
    return normalise(result.history, result.start_instant).reads


def scaled_at(result: RunResult) -> list[float]:
    """When replicas were changed, in seconds."""
    return [(write.at - result.start_instant) / 1e9 for write in result.history if write.subresource == "scale"]


async def autoscaled(cluster: Cluster, replicas: int = 2, *, name: str = "web", **spec: Any) -> None:
    """A ReplicaSet whose pods request one core, and its HPA, which wants half of that used."""
    app = objects.container(resources={"requests": {"cpu": "1"}})
    template = objects.pod_template(objects.labels_of(name), containers=[app])
    spec.setdefault("metrics", [objects.resource_metric("cpu", utilization=50)])
    spec.setdefault("max_replicas", 20)
    async with cluster.batch():
        await cluster.create(objects.replica_set(name, replicas, template=template), objects.hpa(name, **spec))


def wanted(cluster: Cluster) -> int:
    return int(cluster.get("replicasets", "web")["spec"]["replicas"])


# -- the closed loop ---------------------------------------------------------------------------------------------------


async def rising(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(ramp(0, 240, 1.0, 4.0)))
    await autoscaled(cluster)
    await cluster.run(300)
    cluster.expect("pods", len(cluster.pods("web")), 8)


def test_pods_follow_a_rising_load(upstream: Implementation) -> None:
    result = play(upstream, rising)
    assert reads(result) == {WEB: [["15.000", "15.000", 20]]}
    assert {write.actor for write in result.history if write.resource == "replicasets.apps"} == {
        "scenario",
        "horizontal-pod-autoscaler",
        "replicaset-controller",
    }


def test_a_hundred_runs_have_one_digest(upstream: Implementation) -> None:
    results = [play(upstream, rising) for _ in range(100)]
    assert len({normalise(one.history, one.start_instant).digest() for one in results}) == 1


def test_without_a_metrics_server_each_sync_fails_and_says_so(upstream: Implementation) -> None:
    async def body(cluster: Cluster) -> None:
        await autoscaled(cluster)
        await cluster.run(60)
        cluster.expect("replicas", wanted(cluster), 2)
        cluster.expect("events", len(cluster.events("FailedGetResourceMetric")), 1)

    assert reads(play(upstream, body)) == {WEB: [["15.000", "15.000", 4]]}


# -- options -----------------------------------------------------------------------------------------------------------


async def three_loads(cluster: Cluster) -> None:
    """The load that four pods are for, a fifth more of it, and then half of that."""
    cluster.metrics.scrape(period=0)
    cluster.metrics.load("web", cpu=shared(steps((0, 2.0), (120, 2.4), (240, 1.2))))
    await autoscaled(cluster, 4)
    await cluster.run(600)


@pytest.mark.parametrize(
    ("options", "scaled"),
    [
        ({}, [(120.0, 5), (540.0, 3)]),
        ({"tolerance": 0.3}, [(540.0, 3)]),
        ({"downscale_stabilization": 60.0}, [(120.0, 5), (300.0, 3)]),
        ({"sync_period": 40.0}, [(120.0, 5), (520.0, 3)]),
    ],
)
def test_flags_reach_the_controller(upstream: Implementation, options: Any, scaled: list[Any]) -> None:
    result = play(upstream, three_loads, hpa=HpaOptions(**options))
    replicas = [write.body["spec"]["replicas"] for write in result.history if write.subresource == "scale"]
    assert list(zip(scaled_at(result), replicas, strict=True)) == scaled


@pytest.mark.parametrize(("options", "first"), [({}, 30.0), ({"cpu_initialization_period": 0.0}, 15.0)])
def test_young_cpu_counts_from_when_the_flag_says(upstream: Implementation, options: Any, first: float) -> None:
    async def body(cluster: Cluster) -> None:
        cluster.metrics.exact("web", ["1", "1"])
        await autoscaled(cluster)
        await cluster.run(120)

    assert scaled_at(play(upstream, body, hpa=HpaOptions(**options)))[:1] == [first]


@pytest.mark.parametrize(("delay", "counts"), [(30.0, False), (0.0, True)])
def test_pods_that_never_got_ready_count_with_no_delay(upstream: Implementation, delay: float, counts: bool) -> None:
    async def body(cluster: Cluster) -> None:
        cluster.kubelet.lifecycles.default = Lifecycle(ready_after=None)
        cluster.metrics.exact("web", ["1", "1"])
        await autoscaled(cluster)
        await cluster.run(60)

    options = HpaOptions(cpu_initialization_period=0.0, initial_readiness_delay=delay)
    assert bool(scaled_at(play(upstream, body, hpa=options))) is counts


# -- feature gates -----------------------------------------------------------------------------------------------------


async def tolerant(cluster: Cluster) -> None:
    """Twice as much load as wanted, which the HPA's own tolerance allows."""
    cluster.metrics.exact("web", ["1", "1"])
    await autoscaled(cluster, behavior=objects.behavior(up=objects.scaling(tolerance="5")))
    await cluster.run(300)


def grown(result: RunResult) -> bool:
    return any(write.subresource == "scale" for write in result.history)


def test_a_gate_holds_for_one_run(upstream: Implementation) -> None:
    usual = grown(play(upstream, tolerant))
    assert usual is upstream.spec.endswith("1.34.4")  # from 1.35 on it is on
    for value in (True, False):
        assert grown(play(upstream, tolerant, feature_gates={"HPAConfigurableTolerance": value})) is not value
        assert grown(play(upstream, tolerant)) is usual
    play(upstream, tolerant, feature_gates={"AllAlpha": True})
    assert grown(play(upstream, tolerant)) is usual


def test_a_gate_that_the_release_does_not_know_is_an_error_of_this_run_only(upstream: Implementation) -> None:
    refused = run_scenario(_scenario(tolerant, feature_gates={"Nonsense": True}), upstream)
    assert refused.error == (
        "upstream cannot begin this run: cannot set the feature gates: unrecognized feature gate: Nonsense"
    )
    play(upstream, tolerant)


# -- concurrency, discovery, restarts ----------------------------------------------------------------------------------


def test_syncs_wait_in_front_of_the_mapper_while_discovery_is_slow(upstream: Implementation) -> None:
    async def body(cluster: Cluster) -> None:
        cluster.faults.latency(4.0, resource="", actor="horizontal-pod-autoscaler")
        for number in range(7):
            await autoscaled(cluster, name=f"web{number}")
        await cluster.run(120)
        for number in range(7):
            conditions = cluster.get("horizontalpodautoscalers", f"web{number}")["status"]["conditions"]
            cluster.expect("it has read the scale", conditions[0]["reason"], "SucceededGetScale")

    play(upstream, body)


def test_the_mapper_learns_of_a_new_kind_within_half_a_minute(upstream: Implementation) -> None:
    async def body(cluster: Cluster) -> None:
        target = objects.reference("Sprocket", "web", "example.com/v1")
        await autoscaled(cluster, target=target)
        await cluster.run(50)
        cluster.expect("unknown", len(cluster.events("FailedGetScale")), 1)
        await cluster.create(_sprockets())
        await cluster.create(
            {
                "apiVersion": "example.com/v1",
                "kind": "Sprocket",
                "metadata": {"name": "web", "namespace": "default"},
                "spec": {"size": 2},
            }
        )
        await cluster.run(50)

    assert reads(play(upstream, body)) == {"sprockets.example.com/scale web": [["60.000", "15.000", 3]]}


def _sprockets() -> dict[str, Any]:
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    version = {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}, "scale": scale}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "sprockets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "sprockets", "singular": "sprocket", "kind": "Sprocket", "listKind": "SprocketList"},
            "versions": [version],
        },
    }


def test_the_client_of_custom_metrics_follows_the_preferred_version(
    upstream: Implementation, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[float, str]] = []
    dispatch = Network.dispatch

    def record(network: Network, request: Any, answer: Any) -> None:
        if "http_requests" in request.path:
            asked.append((network.loop.now / 1e9, request.path.split("/")[3]))
        dispatch(network, request, answer)

    async def body(cluster: Cluster) -> None:
        cluster.metrics.pods("http_requests", "web", shared(constant(20.0)))
        await autoscaled(cluster, metrics=[objects.pods_metric("http_requests", "10")])
        await cluster.run(40)
        cluster.metrics.serve("custom.metrics.k8s.io", "v1beta1")
        await cluster.run(50)

    monkeypatch.setattr(Network, "dispatch", record)
    play(upstream, body)
    assert [version for _, version in asked] == ["v1beta2", "v1beta2", "v1beta1", "v1beta1", "v1beta1", "v1beta1"]


def test_a_crash_takes_both_controllers_and_their_memory(upstream: Implementation) -> None:
    async def body(cluster: Cluster) -> None:
        cluster.metrics.scrape(period=0)
        cluster.metrics.load("web", cpu=shared(steps((0, 4.0), (100, 2.0))))
        await autoscaled(cluster, 8)
        await cluster.run(200)
        cluster.expect("held up by what it remembers", wanted(cluster), 8)
        await cluster.crash()
        await cluster.run(100)
        await cluster.start()
        await cluster.run(340)
        cluster.expect("pods", len(cluster.pods("web")), 4)

    result = play(upstream, body)
    assert reads(result) == {WEB: [["15.000", "15.000", 13], ["315.000", "15.000", 22]]}


def test_hpas_that_select_the_same_pods_are_listed_in_one_order(upstream: Implementation) -> None:
    async def body(cluster: Cluster) -> None:
        await autoscaled(cluster)
        for name in ("other", "third"):
            await cluster.create(objects.hpa(name, target=objects.reference("ReplicaSet", "web")))
        await cluster.run(100)
        cluster.expect("replicas", wanted(cluster), 2)

    results = [play(upstream, body) for _ in range(8)]
    assert len({normalise(one.history, one.start_instant).digest() for one in results}) == 1
    messages = {write.body["message"] for one in results for write in one.history if write.resource == "events"}
    assert any("are controlled by multiple HPAs: [" in message for message in messages)
