"""Upstream's e2e tests of memory: from 1 pod to 3 and then to 5, by all containers and by one of them.

The consumer uses 250 megabytes, then 700, with a target of 100 per replica (20 % of its request of 500).
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.consumer import BOTH, E2E, MEGABYTE, Consumer
from lockstep_conformance.hpa.steps import status

_UP = "Should scale from 1 pod to 3 pods and then from 3 pods to 5 pods"
_UTILIZATION, _AVERAGE = "using Average Utilization for aggregation", "using Average Value for aggregation"
_POD, _CONTAINER = f"{E2E}: (memory) Deployment (Pod Resource)", f"{E2E}: (memory) Deployment (Container Resource)"
_SCALES = [(17.0, 3), (47.0, 5)]


async def _up(cluster: Cluster, metric: Object) -> Object:
    """Scale up twice; the metric as the status shows it in the end."""
    consumer = Consumer(cluster)
    await consumer.start(1)
    consumer.consume_memory(250)
    await consumer.autoscale(metric, 1, 5)
    await consumer.wait_for(3)
    consumer.consume_memory(700)
    await consumer.wait_for(5)
    await consumer.stay(5, 5, 300)
    consumer.expect_scales(_SCALES)
    shown: Object = status(cluster)["currentMetrics"][0]
    return shown


@scenario(
    "hpa/e2e-memory-by-utilization",
    must="A Deployment MUST be scaled up twice as memory utilization rises.",
    source=f"{_POD} {_UP} {_UTILIZATION}",
    controllers=BOTH,
    features=("e2e", "deployment", "memory"),
)
async def test_e2e_memory_by_utilization(cluster: Cluster) -> None:
    shown = await _up(cluster, objects.resource_metric("memory", utilization=20))
    current = {"averageUtilization": 28, "averageValue": "140Mi"}
    cluster.expect("the metric at the end", shown["resource"], {"name": "memory", "current": current})


@scenario(
    "hpa/e2e-memory-by-average",
    must="A Deployment MUST be scaled up twice as the average memory of its pods rises.",
    source=f"{_POD} {_UP} {_AVERAGE}",
    controllers=BOTH,
    features=("e2e", "deployment", "memory"),
)
async def test_e2e_memory_by_average(cluster: Cluster) -> None:
    shown = await _up(cluster, objects.resource_metric("memory", average=str(100 * MEGABYTE)))
    cluster.expect("the metric at the end", shown["resource"], {"name": "memory", "current": {"averageValue": "140Mi"}})


@scenario(
    "hpa/e2e-memory-of-a-container-by-utilization",
    must="A Deployment MUST be scaled up twice as the memory utilization of one container rises.",
    source=f"{_CONTAINER} {_UP} {_UTILIZATION}",
    controllers=BOTH,
    features=("e2e", "deployment", "memory", "container-resource"),
)
async def test_e2e_memory_of_a_container_by_utilization(cluster: Cluster) -> None:
    shown = await _up(cluster, objects.container_metric("consumer", "memory", utilization=20))
    current = {"averageUtilization": 28, "averageValue": "140Mi"}
    wanted = {"name": "memory", "container": "consumer", "current": current}
    cluster.expect("the metric at the end", shown["containerResource"], wanted)


@scenario(
    "hpa/e2e-memory-of-a-container-by-average",
    must="A Deployment MUST be scaled up twice as the average memory of one container rises.",
    source=f"{_CONTAINER} {_UP} {_AVERAGE}",
    controllers=BOTH,
    features=("e2e", "deployment", "memory", "container-resource"),
)
async def test_e2e_memory_of_a_container_by_average(cluster: Cluster) -> None:
    shown = await _up(cluster, objects.container_metric("consumer", "memory", average=str(100 * MEGABYTE)))
    wanted = {"name": "memory", "container": "consumer", "current": {"averageValue": "140Mi"}}
    cluster.expect("the metric at the end", shown["containerResource"], wanted)
