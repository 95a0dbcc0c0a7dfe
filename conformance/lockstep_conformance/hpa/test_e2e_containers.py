"""Upstream's e2e tests of one container's CPU, beside an idle and a busy one, and of pod-level requests."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.consumer import BOTH, E2E, Consumer
from lockstep_conformance.hpa.steps import messages, reason, status

_UP = "Should scale from 1 pod to 3 pods and then from 3 pods to 5 pods"
_CONTAINER = f"{E2E}: Deployment (Container Resource) {_UP}"
_SIDECAR = f"{E2E}: ReplicaSet with idle sidecar (ContainerResource use case)"
_POD_LEVEL = f"{E2E}: Deployment (Pod-level Resources"
_TOO_EARLY = "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)"
_WHOLE_POD = {name: {"cpu": "500m", "memory": "500Mi"} for name in ("requests", "limits")}


async def _up(consumer: Consumer, metric: Object, first: int, second: int) -> None:
    """Scale from 1 to 3 and 5, with these millicores first and second."""
    consumer.consume_cpu(first)
    await consumer.autoscale(metric, 1, 5)
    await consumer.wait_for(3)
    consumer.consume_cpu(second)
    await consumer.wait_for(5)
    await consumer.stay(5, 5, 300)


def _current(cluster: Cluster, source: str) -> Object:
    """The only metric in the status."""
    current: Object = status(cluster)["currentMetrics"][0][source]["current"]
    return current


@scenario(
    "hpa/e2e-container-by-utilization",
    must="A Deployment MUST be scaled up twice as the CPU utilization of one container rises.",
    source=f"{_CONTAINER} using Average Utilization for aggregation",
    controllers=BOTH,
    features=("e2e", "deployment", "cpu", "container-resource"),
)
async def test_e2e_container_by_utilization(cluster: Cluster) -> None:
    consumer = Consumer(cluster)
    await consumer.start(1)
    await _up(consumer, objects.container_metric("consumer", utilization=20), 250, 700)
    consumer.expect_scales([(32.0, 3), (77.0, 5)])
    wanted = {"averageUtilization": 28, "averageValue": "140m"}
    cluster.expect("the metric at the end", _current(cluster, "containerResource"), wanted)


@scenario(
    "hpa/e2e-container-by-average",
    must="A Deployment MUST be scaled up twice as the average CPU of one container rises.",
    source=f"{_CONTAINER} using Average Value for aggregation",
    controllers=BOTH,
    features=("e2e", "deployment", "cpu", "container-resource"),
)
async def test_e2e_container_by_average(cluster: Cluster) -> None:
    consumer = Consumer(cluster)
    await consumer.start(1)
    await _up(consumer, objects.container_metric("consumer", average="100m"), 250, 700)
    consumer.expect_scales([(32.0, 3), (77.0, 5)])
    cluster.expect("the metric at the end", _current(cluster, "containerResource"), {"averageValue": "140m"})


@scenario(
    "hpa/e2e-idle-sidecar",
    must="A metric of a busy container MUST scale up as if the container were alone, however idle the other one is.",
    source=f"{_SIDECAR} {_UP} on a busy application with an idle sidecar container",
    controllers=BOTH,
    features=("e2e", "cpu", "container-resource"),
)
async def test_e2e_idle_sidecar(cluster: Cluster) -> None:
    consumer = Consumer(cluster, "ReplicaSet")
    await consumer.start(1, cpu=250, memory=0, sidecar=True)
    await _up(consumer, objects.container_metric("consumer", utilization=20), 125, 500)
    consumer.expect_scales([(32.0, 3), (77.0, 5)])
    wanted = {"averageUtilization": 40, "averageValue": "100m"}
    # For both containers it would be 20 %, exactly the target.
    cluster.expect("the metric at the end", _current(cluster, "containerResource"), wanted)


@scenario(
    "hpa/e2e-busy-sidecar",
    must="A metric of an idle container MUST NOT scale up, however busy the other container is.",
    source=f"{_SIDECAR} Should not scale up on a busy sidecar with an idle application",
    controllers=BOTH,
    features=("e2e", "cpu", "container-resource"),
)
async def test_e2e_busy_sidecar(cluster: Cluster) -> None:
    consumer = Consumer(cluster, "ReplicaSet")
    await consumer.start(1, memory=0, sidecar=True)
    consumer.consume_cpu(250, "sidecar")
    await consumer.autoscale(objects.container_metric("consumer", utilization=20), 1, 5)
    await consumer.stay(1, 1, 60)
    consumer.expect_scales([])
    cluster.expect("the metric", _current(cluster, "containerResource"), {"averageUtilization": 0, "averageValue": "0"})
    cluster.expect("ScalingActive", reason(cluster, "ScalingActive"), "True ValidMetricFound")


@scenario(
    "hpa/e2e-pod-level-resources",
    must="Utilization of a pod with pod-level requests MUST be relative to those.",
    source=f"{_POD_LEVEL} Resource Metric) {_UP} using Average Utilization for aggregation",
    controllers=BOTH,
    features=("e2e", "deployment", "cpu", "pod-level-resources"),
)
async def test_e2e_pod_level_resources(cluster: Cluster) -> None:
    consumer = Consumer(cluster)
    await consumer.start(1, cpu=0, memory=0, pod=_WHOLE_POD)
    await _up(consumer, objects.resource_metric("cpu", utilization=20), 250, 700)
    consumer.expect_scales([(32.0, 3), (77.0, 5)])
    cluster.expect(
        "the metric at the end", _current(cluster, "resource"), {"averageUtilization": 28, "averageValue": "140m"}
    )
    cluster.expect("failures before the second scrape", messages(cluster, "FailedGetResourceMetric"), [_TOO_EARLY])


@scenario(
    "hpa/e2e-pod-level-resources-of-a-container",
    must="Utilization of a container MUST be relative to its own request, even if the pod has pod-level requests.",
    source=f"{_POD_LEVEL} ContainerResource Metric) {_UP} using Average Utilization for aggregation",
    controllers=BOTH,
    features=("e2e", "deployment", "cpu", "container-resource", "pod-level-resources"),
)
async def test_e2e_pod_level_resources_of_a_container(cluster: Cluster) -> None:
    consumer = Consumer(cluster)
    await consumer.start(1, cpu=250, memory=250, pod=_WHOLE_POD)
    await _up(consumer, objects.container_metric("consumer", utilization=20), 125, 350)
    consumer.expect_scales([(32.0, 3), (77.0, 5)])
    wanted = {"averageUtilization": 28, "averageValue": "70m"}
    cluster.expect("the metric at the end", _current(cluster, "containerResource"), wanted)
