"""What is measured: scenarios that keep a controller busy in one way each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lockstep import objects
from lockstep.environments.memory import RunResult, run_scenario
from lockstep.quality.bench.figures import BenchFailed
from lockstep.scenarios.declare import Scenario
from lockstep.world import pick

if TYPE_CHECKING:
    from lockstep.implementations import Implementation
    from lockstep.scenarios.cluster import Cluster
    from lockstep.scenarios.declare import Body


def churn(minutes: int, replicas: int = 20) -> Scenario:
    """A ReplicaSet that loses one of its pods each minute."""

    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", replicas))
        for _ in range(minutes):
            await cluster.run(60)
            await cluster.delete("pods", pick(cluster.pods("web"))["metadata"]["name"])

    return _workload("churn", body)


def up_and_down(pods: int) -> Scenario:
    """A ReplicaSet that grows to `pods` pods, settles, and shrinks to 0."""

    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", pods))
        await cluster.settle()
        if cluster.ready("web") != pods:
            raise BenchFailed(f"only {cluster.ready('web')} of {pods} pods became ready; run `lockstep run` first")
        await cluster.scale("web", 0)
        await cluster.settle()

    return _workload("up-and-down", body)


def edits(count: int) -> Scenario:
    """A ReplicaSet without pods whose spec is edited so many times: each edit costs one sync and one status write."""

    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 0))
        for number in range(1, count + 1):
            await cluster.patch("replicasets", "web", {"spec": {"minReadySeconds": number}})

    return _workload("edits", body)


def play(scenario: Scenario, implementation: Implementation) -> RunResult:
    """Run a workload. Raises BenchFailed if it fails, since the time of half a run means nothing."""
    result = run_scenario(scenario, implementation)
    if result.error or result.failure:
        raise BenchFailed(f"{scenario.id} on {implementation.spec} went wrong: {result.error or result.failure}")
    return result


def _workload(name: str, body: Body) -> Scenario:
    return Scenario(f"replicaset/bench-{name}", "A controller MUST be quick.", ("lockstep bench",), body)
