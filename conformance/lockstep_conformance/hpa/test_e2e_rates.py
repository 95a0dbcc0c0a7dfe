"""Upstream's e2e tests of behaviors: policies for the number, or percentage, of pods per minute."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.consumer import BOTH, E2E_BEHAVIOR, Consumer, started, usage_for
from lockstep_conformance.hpa.steps import reason

_PODS = f"{E2E_BEHAVIOR}: with scale limited by number of Pods rate should scale"
_PERCENT = f"{E2E_BEHAVIOR}: with scale limited by percentage should scale"
_RATE = "no more than given number of Pods per minute"
_PART = "no more than given percentage of current Pods per minute"
_ONE_POD = objects.scaling(("Pods", 1, 60), window=0, select="Max")


def _percent(value: int) -> objects.Object:
    return objects.scaling(("Percent", value, 60), window=0, select="Max")


async def _walk(cluster: Cluster, consumer: Consumer, usage: int, first: int, second: int) -> None:
    """Both sizes must be reached one after the other, a minute or more apart."""
    consumer.consume_cpu(usage)
    await consumer.wait_for(first, within=90)
    reached = cluster.now
    await consumer.wait_for(second, within=90)
    cluster.expect_true("the second step took more than a minute", cluster.now - reached >= 60)


@scenario(
    "hpa/e2e-pods-up-per-minute",
    must="With a policy of one pod a minute a second one MUST NOT be added within a minute.",
    source=f"{_PODS} up {_RATE}",
    controllers=BOTH,
    features=("e2e", "behavior", "policies"),
)
async def test_e2e_pods_up_per_minute(cluster: Cluster) -> None:
    consumer = await started(cluster, 1, 10, objects.behavior(up=_ONE_POD))
    await _walk(cluster, consumer, usage_for(3), 2, 3)
    consumer.expect_scales([(77.0, 2), (137.0, 3)])
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "False DesiredWithinRange")


@scenario(
    "hpa/e2e-pods-down-per-minute",
    must="With a policy of one pod a minute a second one MUST NOT be removed within a minute.",
    source=f"{_PODS} down {_RATE}",
    controllers=BOTH,
    features=("e2e", "behavior", "policies"),
)
async def test_e2e_pods_down_per_minute(cluster: Cluster) -> None:
    consumer = await started(cluster, 3, 10, objects.behavior(down=_ONE_POD))
    await _walk(cluster, consumer, usage_for(1), 2, 1)
    consumer.expect_scales([(77.0, 2), (137.0, 1)])


@scenario(
    "hpa/e2e-percent-up-per-minute",
    must="With a policy of 50 % a minute two pods MUST become three and, a minute later, five.",
    source=f"{_PERCENT} up {_PART}",
    controllers=BOTH,
    features=("e2e", "behavior", "policies"),
)
async def test_e2e_percent_up_per_minute(cluster: Cluster) -> None:
    consumer = await started(cluster, 2, 10, objects.behavior(up=_percent(50)))
    await _walk(cluster, consumer, usage_for(8), 3, 5)
    consumer.expect_scales([(77.0, 3), (137.0, 5)])
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True ScaleUpLimit")


@scenario(
    "hpa/e2e-percent-down-per-minute",
    must="With a policy of 25 % a minute seven pods MUST become five and, a minute later, three.",
    source=f"{_PERCENT} down {_PART}",
    controllers=BOTH,
    features=("e2e", "behavior", "policies"),
)
async def test_e2e_percent_down_per_minute(cluster: Cluster) -> None:
    consumer = await started(cluster, 7, 10, objects.behavior(down=_percent(25)))
    await _walk(cluster, consumer, usage_for(1), 5, 3)
    consumer.expect_scales([(77.0, 5), (137.0, 3)])
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True ScaleDownLimit")
