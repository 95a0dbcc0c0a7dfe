"""A demand that no number of replicas can meet, and a demand that replicas do not reduce."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import per_ready
from lockstep_conformance.hpa.demand import demanded
from lockstep_conformance.hpa.served import workload
from lockstep_conformance.hpa.steps import condition, counts, scales, status

_RULES = "pkg/controller/podautoscaler/horizontal.go: convertDesiredReplicasWithRules"
_RATES = "pkg/controller/podautoscaler/horizontal.go: convertDesiredReplicasWithBehaviorRate"
_OVERFLOW = "pkg/controller/podautoscaler/replica_calculator.go: GetExternalPerPodMetricReplicas"


@scenario(
    "hpa/demand-far-beyond-the-maximum",
    must=(
        "A recommendation far above maxReplicas MUST lead to maxReplicas, as fast as the scale-up limit allows, and "
        "the condition MUST report why it is not more."
    ),
    source=_RULES,
    issues=("kubernetes/kubernetes#59888", "kubernetes/kubernetes#70000"),
    controllers=("hpa", "replicaset"),
    features=("limits", "H21"),
)
async def test_demand_far_beyond_the_maximum(cluster: Cluster) -> None:
    await demanded(cluster, 1_000_000, max_replicas=10)
    for at, limit, why in (
        (16, "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate"),
        (46, "TooManyReplicas", "the desired replica count is more than the maximum replica count"),
    ):
        await cluster.run_until(at)
        cluster.expect(f"ScalingLimited at {at} s", condition(cluster, "ScalingLimited"), ("True", limit, why))
    await cluster.run_until(300)
    cluster.expect("scales", scales(cluster), [(15.0, 4), (30.0, 8), (45.0, 10)])
    cluster.expect("replicas, desired", counts(cluster), (10, 10))


@scenario(
    "hpa/demand-beyond-32-bits",
    must="A sum of series that does not fit into 64 bits, and a recommendation that does not fit into 32, MUST count "
    "as the largest number that does.",
    source=_OVERFLOW,
    issues="kubernetes/kubernetes#59888",
    controllers=("hpa", "replicaset"),
    features=("limits", "H21"),
)
async def test_demand_beyond_32_bits(cluster: Cluster) -> None:
    for queue in ("a", "b"):
        cluster.metrics.external("demand", "9000000000000000", labels={"queue": queue})
    metric = objects.external_metric("demand", average="1m")
    await cluster.create(objects.replica_set("web", 3), objects.hpa("web", max_replicas=5, metrics=[metric]))
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(15.0, 5)])
    current = status(cluster)["currentMetrics"][0]["external"]["current"]
    cluster.expect("the status", current, {"averageValue": "9223372036854775807m"})


@scenario(
    "hpa/lag-that-replicas-do-not-shorten",
    must=(
        "While an external metric stays high, replicas MUST grow at each sync up to the maximum, unless policies limit "
        "that."
    ),
    source=(_RULES, _RATES),
    issues="kubernetes-sigs/prometheus-adapter#294",
    controllers=("hpa", "replicaset"),
    features=("external-metric", "closed-loop", "behavior", "H22"),
)
async def test_lag_that_replicas_do_not_shorten(cluster: Cluster) -> None:
    """The lag is 300 for five minutes. After that it is 20 less for each ready replica."""
    for name, up in (("hasty", None), ("steady", objects.scaling(("Pods", 1, 60)))):
        shorter = per_ready(name, lambda time, ready: 300 if time < 300 else max(0, 300 - 20 * ready))
        cluster.metrics.external("lag", shorter, labels={"group": name})
        metric = objects.external_metric("lag", value="100", labels={"group": name})
        behavior = None if up is None else objects.behavior(up=up)
        hpa = objects.hpa(name, max_replicas=30, metrics=[metric], behavior=behavior)
        await cluster.create(workload(name, 1), hpa)
    await cluster.run_until(299)
    doubling = [(15.0, 3), (30.0, 6), (45.0, 12), (60.0, 24), (75.0, 30)]
    cluster.expect("scales without policies", scales(cluster, "hasty"), doubling)
    cluster.expect("scales by one a minute", scales(cluster, "steady"), [(15.0 + 60 * n, 2 + n) for n in range(5)])
    await cluster.run_until(700)
    # with 30 replicas the lag is zero, and after a scale-down it is back; with 10 it is at the target
    cluster.expect(
        "then without policies", scales(cluster, "hasty")[5:], [(600.0, 1), (615.0, 3), (630.0, 6), (645.0, 11)]
    )
    cluster.expect("then by one a minute", scales(cluster, "steady")[5:], [(315.0 + 60 * n, 7 + n) for n in range(4)])
