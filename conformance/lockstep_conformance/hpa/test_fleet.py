"""Many HPAs and a slow metrics API: the number of workers limits how many wait for it at the same time.

30 HPAs that wait 6 s each for their metric are half a minute's work for five workers, and three minutes' for one. The
scenarios end with the first round: in later rounds the order of HPAs in a resync is that of a Go map.
"""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, objects, scenario
from lockstep_conformance.hpa.steps import scales

_RUN = "pkg/controller/podautoscaler/horizontal.go: Run"
_ISSUES = ("kubernetes/kubernetes#96242", "kubernetes/kubernetes#108501")
_FLEET = [f"web-{number:02}" for number in range(30)]


async def _reactions(cluster: Cluster, until: float) -> list[list[tuple[float, int]]]:
    """Create one HPA every 0.1 s, each of which needs two replicas. Returns when each got them."""
    cluster.faults.latency(6.0, resource="external.metrics.k8s.io", name="demand")
    cluster.metrics.external("demand", 2)
    metric = objects.external_metric("demand", average="1")
    for turn, name in enumerate(_FLEET):
        await cluster.run_until(turn / 10)
        await cluster.create(objects.replica_set(name, 1), objects.hpa(name, metrics=[metric]))
    await cluster.run_until(until)
    return [[(round(at, 3), size) for at, size in scales(cluster, name)] for name in _FLEET]


@scenario(
    "hpa/one-worker-and-a-slow-metrics-api",
    must="With one worker, HPAs MUST be synced one after the other, however long each waits for its metric.",
    source=_RUN,
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("workers", "latency", "H20"),
    options=Options(hpa=HpaOptions(workers=1)),
)
async def test_one_worker_and_a_slow_metrics_api(cluster: Cluster) -> None:
    reactions = await _reactions(cluster, until=196)
    cluster.expect("scales", reactions, [[(15.0 + 6 * turn, 2)] for turn in range(1, 31)])


@scenario(
    "hpa/five-workers-and-a-slow-metrics-api",
    must="With five workers, five HPAs MUST wait for their metrics at the same time.",
    source=_RUN,
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("workers", "latency", "H20"),
)
async def test_five_workers_and_a_slow_metrics_api(cluster: Cluster) -> None:
    reactions = await _reactions(cluster, until=52)
    wanted = [[(round(15 + 6 * batch + turn / 10, 3), 2)] for batch in range(1, 7) for turn in range(5)]
    cluster.expect("scales", reactions, wanted)
