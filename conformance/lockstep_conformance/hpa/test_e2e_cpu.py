"""Upstream's e2e tests of CPU: from 1 pod to 3 and then to 5, and from 5 pods to 3 and then to 1.

The consumer uses 250 millicores, then 700, with a target of 100 per replica (20 % of its request of 500). For the
scale-down it uses 325 and then 10, with a target of 150. Pods are ready after 2 s, when the HPA is created; the first
usage of a new pod that counts is that of its second scrape. A scale-down waits for the window of 300 s.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.consumer import BOTH, E2E, Consumer

_UP = "Should scale from 1 pod to 3 pods and then from 3 pods to 5 pods"
_DOWN = "Should scale from 5 pods to 3 pods and then from 3 pods to 1 pod"


async def _up(cluster: Cluster, kind: str, metric: Object, stasis: float = 0.0) -> Consumer:
    consumer = Consumer(cluster, kind)
    await consumer.start(1)
    consumer.consume_cpu(250)
    await consumer.autoscale(metric, 1, 5)
    await consumer.wait_for(3)
    await consumer.stay(3, 4, stasis)
    consumer.consume_cpu(700)
    await consumer.wait_for(5)
    await consumer.stay(5, 5, 300)
    return consumer


async def _down(cluster: Cluster, kind: str, metric: Object, stasis: float = 0.0) -> Consumer:
    consumer = Consumer(cluster, kind)
    await consumer.start(5)
    consumer.consume_cpu(325)
    await consumer.autoscale(metric, 1, 5)
    await consumer.wait_for(3)
    await consumer.stay(3, 4, stasis)
    consumer.consume_cpu(10)
    await consumer.wait_for(1)
    await consumer.stay(1, 1, 300)
    return consumer


@scenario(
    "hpa/e2e-deployment-up-by-utilization",
    must="A Deployment MUST be scaled up twice as CPU utilization rises.",
    source=f"{E2E}: Deployment (Pod Resource) {_UP} using Average Utilization for aggregation",
    controllers=BOTH,
    features=("e2e", "deployment", "cpu"),
)
async def test_e2e_deployment_up_by_utilization(cluster: Cluster) -> None:
    consumer = await _up(cluster, "Deployment", objects.resource_metric("cpu", utilization=20))
    consumer.expect_scales([(32.0, 3), (77.0, 5)])


@scenario(
    "hpa/e2e-deployment-down-by-utilization",
    must="A Deployment MUST be scaled down twice as CPU utilization falls.",
    source=f"{E2E}: Deployment (Pod Resource) {_DOWN} using Average Utilization for aggregation",
    controllers=BOTH,
    features=("e2e", "deployment", "cpu"),
)
async def test_e2e_deployment_down_by_utilization(cluster: Cluster) -> None:
    consumer = await _down(cluster, "Deployment", objects.resource_metric("cpu", utilization=30))
    consumer.expect_scales([(332.0, 3), (647.0, 1)])


@scenario(
    "hpa/e2e-deployment-up-by-average",
    must="A Deployment MUST be scaled up twice as the average CPU of its pods rises.",
    source=f"{E2E}: Deployment (Pod Resource) {_UP} using Average Value for aggregation",
    controllers=BOTH,
    features=("e2e", "deployment", "cpu"),
)
async def test_e2e_deployment_up_by_average(cluster: Cluster) -> None:
    consumer = await _up(cluster, "Deployment", objects.resource_metric("cpu", average="100m"))
    consumer.expect_scales([(32.0, 3), (77.0, 5)])


@scenario(
    "hpa/e2e-replica-set-up",
    must="A ReplicaSet MUST be scaled up twice as CPU utilization rises.",
    source=f"{E2E}: ReplicaSet {_UP}",
    controllers=BOTH,
    features=("e2e", "cpu"),
)
async def test_e2e_replica_set_up(cluster: Cluster) -> None:
    consumer = await _up(cluster, "ReplicaSet", objects.resource_metric("cpu", utilization=20))
    consumer.expect_scales([(32.0, 3), (77.0, 5)])


@scenario(
    "hpa/e2e-replica-set-down",
    must="A ReplicaSet MUST be scaled down twice as CPU utilization falls.",
    source=f"{E2E}: ReplicaSet {_DOWN}",
    controllers=BOTH,
    features=("e2e", "cpu"),
)
async def test_e2e_replica_set_down(cluster: Cluster) -> None:
    consumer = await _down(cluster, "ReplicaSet", objects.resource_metric("cpu", utilization=30))
    consumer.expect_scales([(332.0, 3), (647.0, 1)])


@scenario(
    "hpa/e2e-replica-set-up-and-stable",
    must="Between two scale-ups the size MUST stay the same for ten minutes while the load does.",
    source=f"{E2E}: ReplicaSet {_UP} and verify decision stability",
    controllers=BOTH,
    features=("e2e", "cpu", "stability"),
)
async def test_e2e_replica_set_up_and_stable(cluster: Cluster) -> None:
    consumer = await _up(cluster, "ReplicaSet", objects.resource_metric("cpu", utilization=20), stasis=600)
    consumer.expect_scales([(32.0, 3), (677.0, 5)])


@scenario(
    "hpa/e2e-replica-set-down-and-stable",
    must="Between two scale-downs the size MUST stay the same for ten minutes while the load does.",
    source=f"{E2E}: ReplicaSet {_DOWN} and verify decision stability",
    controllers=BOTH,
    features=("e2e", "cpu", "stability"),
)
async def test_e2e_replica_set_down_and_stable(cluster: Cluster) -> None:
    consumer = await _down(cluster, "ReplicaSet", objects.resource_metric("cpu", utilization=30), stasis=600)
    consumer.expect_scales([(332.0, 3), (1247.0, 1)])


@scenario(
    "hpa/e2e-replica-set-light-up",
    must="A ReplicaSet of one pod MUST be scaled to two when the pod uses 1.5 times its target.",
    source=f"{E2E}: ReplicaSet light Should scale from 1 pod to 2 pods",
    controllers=BOTH,
    features=("e2e", "cpu"),
)
async def test_e2e_replica_set_light_up(cluster: Cluster) -> None:
    consumer = Consumer(cluster, "ReplicaSet")
    await consumer.start(1, cpu=200)
    consumer.consume_cpu(150)
    await consumer.autoscale(objects.resource_metric("cpu", utilization=50), 1, 2)
    await consumer.wait_for(2)
    await consumer.stay(2, 2, 300)
    consumer.expect_scales([(32.0, 2)])


@scenario(
    "hpa/e2e-replica-set-light-down",
    must="A ReplicaSet of two pods MUST be scaled to one when both together use the target of one.",
    source=f"{E2E}: ReplicaSet light Should scale from 2 pods to 1 pod",
    controllers=BOTH,
    features=("e2e", "cpu"),
)
async def test_e2e_replica_set_light_down(cluster: Cluster) -> None:
    consumer = Consumer(cluster, "ReplicaSet")
    await consumer.start(2, cpu=200)
    consumer.consume_cpu(50)
    await consumer.autoscale(objects.resource_metric("cpu", utilization=50), 1, 2)
    await consumer.wait_for(1)
    await consumer.stay(1, 1, 300)
    consumer.expect_scales([(332.0, 1)])
