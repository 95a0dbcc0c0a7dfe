"""Upstream's e2e tests of behaviors: stabilization windows, and scaling that is disabled.

The target is 125 millicores per replica, 25 % of its request. Usage "for n replicas" is that of n - 0.5, so that the
recommendation does not depend on rounding.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.consumer import BOTH, E2E_BEHAVIOR, started, usage_for
from lockstep_conformance.hpa.steps import counts, reason

_BOTH_WAYS = f"{E2E_BEHAVIOR}: with both scale up and down controls configured"
_DISABLED = objects.scaling(select="Disabled")


@scenario(
    "hpa/e2e-short-downscale-window",
    must="With a window of a minute replicas MUST be removed soon after a minute, and not before.",
    source=f"{E2E_BEHAVIOR}: with short downscale stabilization window should scale down soon after the stabilization "
    "period",
    controllers=BOTH,
    features=("e2e", "behavior", "stabilization"),
)
async def test_e2e_short_downscale_window(cluster: Cluster) -> None:
    windows = objects.behavior(up=objects.scaling(window=0), down=objects.scaling(window=60))
    consumer = await started(cluster, 1, 5, windows)
    consumer.consume_cpu(usage_for(3))
    await consumer.wait_for(3)
    await consumer.stay(3, 3, 30)
    consumer.consume_cpu(usage_for(2))
    lowered = cluster.now
    await consumer.wait_for(2)
    cluster.expect_true("waited for more than a minute", 60 < cluster.now - lowered < 90)
    consumer.expect_scales([(77.0, 3), (182.0, 2)])


@scenario(
    "hpa/e2e-long-upscale-window",
    must="With a window of three minutes for scale-up replicas MUST be added soon after three minutes, and not before.",
    source=f"{E2E_BEHAVIOR}: with long upscale stabilization window should scale up only after the stabilization "
    "period",
    controllers=BOTH,
    features=("e2e", "behavior", "stabilization"),
)
async def test_e2e_long_upscale_window(cluster: Cluster) -> None:
    windows = objects.behavior(up=objects.scaling(window=180), down=objects.scaling(window=0))
    consumer = await started(cluster, 2, 10, windows)
    consumer.consume_cpu(usage_for(1))
    await consumer.wait_for(1)
    consumer.consume_cpu(usage_for(3))
    raised = cluster.now
    await consumer.wait_for(3)
    cluster.expect_true("waited for more than three minutes", 180 < cluster.now - raised < 210)
    consumer.expect_scales([(77.0, 1), (272.0, 3)])


@scenario(
    "hpa/e2e-scale-up-disabled",
    must="With scale-up disabled no replica MUST be added, however high the load.",
    source=f"{E2E_BEHAVIOR}: with autoscaling disabled shouldn't scale up",
    controllers=BOTH,
    features=("e2e", "behavior", "disabled"),
)
async def test_e2e_scale_up_disabled(cluster: Cluster) -> None:
    consumer = await started(cluster, 1, 10, objects.behavior(up=_DISABLED))
    consumer.consume_cpu(usage_for(8))
    await consumer.stay(1, 1, 210)
    consumer.expect_scales([])
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True ScaleUpLimit")
    cluster.expect("current and desired replicas", counts(cluster), (1, 1))


@scenario(
    "hpa/e2e-scale-down-disabled",
    must="With scale-down disabled no replica MUST be removed, however low the load.",
    source=f"{E2E_BEHAVIOR}: with autoscaling disabled shouldn't scale down",
    controllers=BOTH,
    features=("e2e", "behavior", "disabled"),
)
async def test_e2e_scale_down_disabled(cluster: Cluster) -> None:
    consumer = await started(cluster, 3, 10, objects.behavior(down=_DISABLED))
    consumer.consume_cpu(usage_for(1))
    await consumer.stay(3, 3, 450)
    consumer.expect_scales([])
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True ScaleDownLimit")
    cluster.expect("current and desired replicas", counts(cluster), (3, 3))


@scenario(
    "hpa/e2e-two-windows",
    must="With windows of three minutes both ways the size MUST follow the load after three minutes, and not before.",
    source=f"{_BOTH_WAYS} should keep recommendation within the range over two stabilization windows",
    controllers=BOTH,
    features=("e2e", "behavior", "stabilization"),
)
async def test_e2e_two_windows(cluster: Cluster) -> None:
    window = objects.scaling(window=180)
    consumer = await started(cluster, 1, 5, objects.behavior(up=window, down=window))
    consumer.consume_cpu(usage_for(3))
    await consumer.stay(1, 1, 180)
    await consumer.wait_for(3)
    consumer.consume_cpu(usage_for(2))
    await consumer.stay(3, 3, 180)
    await consumer.wait_for(2)
    consumer.expect_scales([(242.0, 3), (452.0, 2)])


@scenario(
    "hpa/e2e-window-and-pod-rate",
    must=(
        "One replica each two minutes MUST be added, and after three minutes of a lower load all surplus replicas MUST "
        "be removed."
    ),
    source=f"{_BOTH_WAYS} should keep recommendation within the range with stabilization window and pod limit rate",
    controllers=BOTH,
    features=("e2e", "behavior", "stabilization", "policies"),
)
async def test_e2e_window_and_pod_rate(cluster: Cluster) -> None:
    up = objects.scaling(("Pods", 1, 120), window=0, select="Max")
    rules = objects.behavior(up=up, down=objects.scaling(window=180))
    consumer = await started(cluster, 2, 5, rules, low=2)
    consumer.consume_cpu(usage_for(4))
    await consumer.stay(2, 3, 120)
    await consumer.wait_for(4)
    await consumer.stay(4, 4, 30)
    consumer.consume_cpu(usage_for(2))
    await consumer.stay(4, 4, 180)
    await consumer.wait_for(2)
    consumer.expect_scales([(77.0, 3), (197.0, 4), (422.0, 2)])
