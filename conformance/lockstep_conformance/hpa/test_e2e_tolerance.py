"""Upstream's e2e tests of the tolerances in a behavior, one for each direction."""

from __future__ import annotations

from lockstep import Cluster, Options, objects, scenario
from lockstep_conformance.hpa.consumer import BOTH, E2E_BEHAVIOR, Consumer, started, usage_for
from lockstep_conformance.hpa.steps import counts, reason, status

_GATE = Options(feature_gates={"HPAConfigurableTolerance": True})


def _usage_for(replicas: int) -> int:
    """The usage of this many pods with 200 millicores at 60 %, less half a pod's (usageForReplicasWithRequest)."""
    return replicas * 120 - 60


@scenario(
    "hpa/e2e-large-tolerance",
    must="With a tolerance of 1000 % a pod that uses four times its target MUST NOT cause a scale-up.",
    source=f"{E2E_BEHAVIOR}: with large configurable tolerance should not scale",
    controllers=BOTH,
    features=("e2e", "behavior", "tolerance", "feature-gates"),
    options=_GATE,
)
async def test_e2e_large_tolerance(cluster: Cluster) -> None:
    rule = objects.scaling(tolerance="10")
    consumer = await started(cluster, 1, 10, objects.behavior(up=rule, down=rule))
    consumer.consume_cpu(usage_for(8))
    await consumer.stay(1, 1, 270)
    consumer.expect_scales([])
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("the metric", current, {"averageUtilization": 100, "averageValue": "500m"})
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "False DesiredWithinRange")
    cluster.expect("current and desired replicas", counts(cluster), (1, 1))


@scenario(
    "hpa/e2e-small-tolerance-up-large-down",
    must="With tolerances of 2 % and 30 % ten replicas MUST become eleven, then twelve, as the load grows by a tenth "
    "each time, and MUST NOT become fewer when it falls to what it was.",
    source=f"{E2E_BEHAVIOR}: with small scale-up, large scale-down tolerances should scale up but should not scale "
    "down",
    controllers=BOTH,
    features=("e2e", "behavior", "tolerance", "feature-gates"),
    options=_GATE,
)
async def test_e2e_small_tolerance_up_large_down(cluster: Cluster) -> None:
    rules = objects.behavior(up=objects.scaling(tolerance="20m"), down=objects.scaling(tolerance="300m"))
    consumer = Consumer(cluster)
    await consumer.start(10, cpu=200, memory=200)
    consumer.consume_cpu(_usage_for(10))
    await consumer.autoscale(objects.resource_metric("cpu", utilization=60), 10, 12, rules)
    await consumer.stay(10, 10, 150)
    for replicas in (11, 12):
        consumer.consume_cpu(_usage_for(replicas))
        await consumer.wait_for(replicas, within=270)
    consumer.consume_cpu(_usage_for(10))
    await consumer.stay(12, 12, 400)
    consumer.expect_scales([(167.0, 11), (197.0, 12)])
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("the metric at the end", current, {"averageUtilization": 47, "averageValue": "95m"})
    able = reason(cluster, "AbleToScale")
    cluster.expect("AbleToScale", able, "True ReadyForNewScale")
