"""Upstream's e2e tests with other targets: a custom resource, and, until 1.34, a ReplicationController; a StatefulSet.

And the one that measures how long it takes when a pod has to wait for a new node.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import shared
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.consumer import BOTH, E2E, Consumer
from lockstep_conformance.hpa.steps import counts, messages, reason, scales, status

_HALF = objects.resource_metric("cpu", utilization=50)


def _template() -> Object:
    """Pods that ask for 200 millicores."""
    consumer = objects.container("consumer", resources={"requests": {"cpu": "200m"}})
    return objects.pod_template(objects.labels_of("web"), containers=[consumer])


async def _wait_for_two(cluster: Cluster, resource: str) -> None:
    """Two replicas must be asked for."""

    def asked() -> bool:
        return bool(cluster.get(resource, "web")["spec"]["replicas"] == 2)

    await cluster.eventually("2 replicas are asked for", asked, within=900)


@scenario(
    "hpa/e2e-custom-resource",
    must="A custom resource MUST be scaled through its scale subresource, by the pods that its status selects.",
    source=f"{E2E}: CustomResourceDefinition Should scale with a CRD targetRef",
    controllers=BOTH,
    features=("e2e", "custom-resources"),
)
async def test_e2e_custom_resource(cluster: Cluster) -> None:
    """As there, nobody acts for the custom resource: the pods are those of a Deployment, which stays as it is."""
    cluster.owners.manage("deployments")
    fleet = objects.custom("Fleet", "web", 1)
    await cluster.create(objects.definition("Fleet"), fleet, objects.deployment("web", 1, template=_template()))
    await cluster.set_status("fleets.example.com", "web", {"replicas": 1, "selector": "app=web"})
    cluster.metrics.load("web", cpu=shared("150m"))
    await cluster.run_until(30)
    await cluster.create(objects.hpa("web", target=fleet, min_replicas=1, max_replicas=2, metrics=[_HALF]))
    await _wait_for_two(cluster, "fleets.example.com")
    await cluster.run(60)
    cluster.expect("scales", scales(cluster, resource="fleets.example.com"), [(45.0, 2)])
    cluster.expect("the Deployment", cluster.get("deployments", "web")["spec"]["replicas"], 1)
    cluster.expect("current and desired replicas", counts(cluster), (2, 2))


@scenario(
    "hpa/e2e-replication-controller",
    must="A ReplicationController MUST be scaled through its scale subresource in the core group.",
    source=f"{E2E} of 1.34: ReplicationController light Should scale from 1 pod to 2 pods",
    controllers=BOTH,
    features=("e2e", "replication-controller"),
)
async def test_e2e_replication_controller(cluster: Cluster) -> None:
    """Nobody acts for it but the scenario, which brings the second pod."""
    spec = {"replicas": 1, "selector": objects.labels_of("web"), "template": _template()}
    metadata = {"name": "web", "namespace": "default"}
    rc = {"apiVersion": "v1", "kind": "ReplicationController", "metadata": metadata, "spec": spec}
    rc = await cluster.create(rc)
    pod = _template()
    await cluster.create(objects.pod("web-1", pod["metadata"]["labels"], owner=rc, **pod["spec"]))
    await cluster.set_status("replicationcontrollers", "web", {"replicas": 1})
    cluster.metrics.load("web", cpu=shared("150m"))
    await cluster.create(objects.hpa("web", target=rc, min_replicas=1, max_replicas=2, metrics=[_HALF]))
    await _wait_for_two(cluster, "replicationcontrollers")
    await cluster.create(objects.pod("web-2", pod["metadata"]["labels"], owner=rc, **pod["spec"]))
    await cluster.run(120)
    cluster.expect("scales", scales(cluster, resource="replicationcontrollers"), [(30.0, 2)])
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("the metric at the end", current, {"averageUtilization": 37, "averageValue": "75m"})
    cluster.expect("ScalingActive", reason(cluster, "ScalingActive"), "True ValidMetricFound")


@scenario(
    "hpa/e2e-stateful-set",
    must="A StatefulSet MUST be scaled up twice and down again as CPU utilization rises and falls.",
    source=(f"{E2E}: scaleUp, scaleDown", "pkg/controller/podautoscaler/horizontal.go: scaleForResourceMappings"),
    controllers=BOTH,
    features=("e2e", "stateful-set"),
)
async def test_e2e_stateful_set(cluster: Cluster) -> None:
    consumer = Consumer(cluster, "StatefulSet")
    await consumer.start(1)
    consumer.consume_cpu(250)
    await consumer.autoscale(objects.resource_metric("cpu", utilization=20), 1, 5)
    await consumer.wait_for(3)
    consumer.consume_cpu(700)
    await consumer.wait_for(5)
    consumer.consume_cpu(50)
    await consumer.wait_for(1)
    consumer.expect_scales([(32.0, 3), (77.0, 5), (407.0, 1)])
    cluster.expect("pods", [pod["metadata"]["name"] for pod in cluster.pods()], ["web-0"])
    cluster.expect("failures", messages(cluster, "FailedGetScale"), [])


@scenario(
    "hpa/e2e-pod-waits-for-a-node",
    must="One pod MUST become eight within 15 minutes when the load is that of eight, even if the last one has to wait "
    "for a node.",
    source="test/e2e/autoscaling/autoscaling_timer.go: from 1 pod and 3 nodes to 8 pods and >=4 nodes takes less than "
    "15 minutes",
    controllers=BOTH,
    features=("e2e", "deployment", "cpu", "pending"),
)
async def test_e2e_pod_waits_for_a_node(cluster: Cluster) -> None:
    """Three nodes have room for seven pods; a fourth comes three minutes after a pod has found none."""
    nodes = 3

    def room(_: Object) -> str | None:
        placed = sum(1 for pod in cluster.pods() if pod["spec"].get("nodeName"))
        return f"node-{placed % nodes + 1}" if placed < 2 * nodes + 1 else None

    def homeless() -> bool:
        return any("nodeName" not in pod["spec"] for pod in cluster.pods())

    cluster.scheduler.place = room
    consumer = Consumer(cluster)
    await consumer.start(1, cpu=1000, memory=0)
    await consumer.autoscale(_HALF, 1, 10)
    consumer.consume_cpu(4000)
    await cluster.eventually("a pod without a node", homeless, within=300)
    await cluster.run(180)
    cluster.expect("ready pods before the node comes", consumer.ready(), 7)
    nodes = 4
    await cluster.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-4"}})
    await consumer.wait_for(8)
    await consumer.stay(8, 8, 300)
    consumer.expect_scales([(32.0, 2), (62.0, 4), (92.0, 8)])
