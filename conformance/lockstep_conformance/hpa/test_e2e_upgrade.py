"""Upstream's upgrade test: an HPA works before the control plane is replaced, and after it."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.consumer import BOTH, Consumer
from lockstep_conformance.hpa.steps import reason


async def _walk(consumer: Consumer) -> None:
    """From one pod to three and to five."""
    for millicores, replicas in ((10, 1), (250, 3), (700, 5)):
        consumer.consume_cpu(millicores)
        await consumer.wait_for(replicas)


@scenario(
    "hpa/e2e-upgrade",
    must="A ReplicaSet MUST be scaled to one, three and five pods as the load changes, and again after two "
    "minutes without controllers.",
    source="test/e2e/upgrades/autoscaling/horizontal_pod_autoscalers.go: hpa-upgrade",
    controllers=BOTH,
    features=("e2e", "cpu", "restart"),
)
async def test_e2e_upgrade(cluster: Cluster) -> None:
    """The restarted HPA controller has no recommendations, so it takes the five pods as the first one."""
    consumer = Consumer(cluster, "ReplicaSet")
    await consumer.start(1, memory=200)
    await consumer.autoscale(objects.resource_metric("cpu", utilization=20), 1, 5)
    await _walk(consumer)
    consumer.consume_cpu(0)
    await cluster.crash()
    await cluster.run(120)
    cluster.expect("ready pods in between", consumer.ready(), 5)
    await cluster.start()
    await _walk(consumer)
    consumer.expect_scales([(32.0, 3), (77.0, 5), (529.0, 1), (559.0, 3), (589.0, 5)])
    cluster.expect("AbleToScale", reason(cluster, "AbleToScale"), "True SucceededRescale")
