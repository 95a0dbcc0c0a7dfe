"""Upstream's e2e tests of an external metric: up and down by it, and to zero and back.

The metric begins with 100, twice its target. As long as that does not change, each sync doubles the replicas.
"""

from __future__ import annotations

from lockstep import Cluster, Options, objects, scenario
from lockstep_conformance.hpa.consumer import BOTH, Consumer
from lockstep_conformance.hpa.steps import condition, reason, transitions

_E2E = "test/e2e/autoscaling/horizontal_pod_autosclaing_external_metrics.go"
_METRIC = objects.external_metric("queue_messages_ready", value="50")
_NO_WINDOW = objects.behavior(down=objects.scaling(window=0))


class _Queue:
    """The metric of the tests' own server."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._series = cluster.metrics.external("queue_messages_ready", 100)

    def set(self, value: int) -> None:
        """SetMetricValue."""
        self._series.stop()
        self._series = self._cluster.metrics.external("queue_messages_ready", value)


@scenario(
    "hpa/e2e-external-metric",
    must=(
        "An external metric above its target MUST scale up to the maximum, and a metric of 0 MUST scale down to the "
        "minimum."
    ),
    source=f"{_E2E}: should scale up and down based on external metric value",
    controllers=BOTH,
    features=("e2e", "deployment", "external-metric"),
)
async def test_e2e_external_metric(cluster: Cluster) -> None:
    queue = _Queue(cluster)
    consumer = Consumer(cluster)
    await consumer.start(1, memory=200)
    await consumer.autoscale(_METRIC, 1, 3, _NO_WINDOW)
    await consumer.wait_for(3, within=110)
    cluster.expect("ScalingLimited at the top", reason(cluster, "ScalingLimited"), "True TooManyReplicas")
    queue.set(0)
    await consumer.wait_for(1, within=110)
    await consumer.stay(1, 1, 60)
    consumer.expect_scales([(17.0, 2), (32.0, 3), (47.0, 1)])
    cluster.expect("ScalingLimited at the bottom", reason(cluster, "ScalingLimited"), "True TooFewReplicas")


@scenario(
    "hpa/e2e-scale-to-zero",
    must=(
        "With the gate HPAScaleToZero an external metric of 0 MUST scale to zero, which ScaledToZero MUST report; a "
        "high one MUST scale up again."
    ),
    source=f"{_E2E}: (scale to zero) should scale down to zero and back up based on external metric value",
    controllers=BOTH,
    features=("e2e", "deployment", "external-metric", "scale-to-zero", "feature-gates"),
    options=Options(feature_gates={"HPAScaleToZero": True}),
)
async def test_e2e_scale_to_zero(cluster: Cluster) -> None:
    queue = _Queue(cluster)
    consumer = Consumer(cluster)
    await consumer.start(1, memory=200)
    await consumer.autoscale(_METRIC, 0, 3, _NO_WINDOW)
    queue.set(0)
    await consumer.wait_for(0, within=210)
    wanted = ("True", "ScaledToZero", "the HPA controller scaled the workload to zero")
    cluster.expect("ScaledToZero", condition(cluster, "ScaledToZero"), wanted)
    await consumer.stay(0, 0, 60)
    queue.set(200)
    await consumer.wait_for(3, within=210)
    consumer.expect_scales([(17.0, 0), (92.0, 3)])
    over_time = [(17.0, "True ScaledToZero"), (92.0, "False NotScaledToZero")]
    cluster.expect("ScaledToZero over time", transitions(cluster, "ScaledToZero"), over_time)
