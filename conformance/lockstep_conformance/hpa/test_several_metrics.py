"""Several metrics of one HPA: the largest proposal counts, and the status shows them all."""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, averages, demanded, proposal, propose
from lockstep_conformance.hpa.steps import condition, counts, messages, scales, status

_COMPUTE = "pkg/controller/podautoscaler/horizontal.go: computeReplicasForMetrics"
_NO_WINDOW = Options(hpa=HpaOptions(downscale_stabilization=0.0))
_ACTIVE = "the HPA was able to successfully calculate a replica count from external metric"
_BOTH_METRICS = [proposal("a"), proposal("b")]


@scenario(
    "hpa/largest-proposal-counts",
    must="Of several metrics the one that proposes most replicas MUST count, and MUST be named as the reason.",
    source=_COMPUTE,
    controllers=BOTH,
    features=("several-metrics", "scale-up", "scale-down"),
    options=_NO_WINDOW,
)
async def test_largest_proposal_counts(cluster: Cluster) -> None:
    propose(cluster, 3, (60, 2), metric="a")
    await demanded(cluster, 5, (60, 4), replicas=3, metric="b", metrics=_BOTH_METRICS)
    await cluster.run_until(20)
    cluster.expect(
        "ScalingActive", condition(cluster, "ScalingActive"), ("True", "ValidMetricFound", f"{_ACTIVE} b(nil)")
    )
    cluster.expect("the metrics as reported", averages(cluster), ["1", "1667m"])
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(15.0, 5), (60.0, 4)])
    wanted = [
        "New size: 5; reason: external metric b(nil) above target",
        "New size: 4; reason: All metrics below target",
    ]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)


@scenario(
    "hpa/first-of-equal-proposals-is-named",
    must="Of equal proposals the first one in the spec MUST be named; of those for no replica at all the last one.",
    source=_COMPUTE,
    controllers=BOTH,
    features=("several-metrics",),
    options=_NO_WINDOW,
)
async def test_first_of_equal_proposals_is_named(cluster: Cluster) -> None:
    propose(cluster, 4, (60, 0), metric="a")
    await demanded(cluster, 4, (60, 0), replicas=2, metric="b", metrics=_BOTH_METRICS)
    for at, named, size in ((20, "a", 4), (65, "b", 1)):
        await cluster.run_until(at)
        active = ("True", "ValidMetricFound", f"{_ACTIVE} {named}(nil)")
        cluster.expect(f"ScalingActive at {at} s", condition(cluster, "ScalingActive"), active)
        cluster.expect(f"desired replicas at {at} s", counts(cluster)[1], size)


@scenario(
    "hpa/each-kind-of-metric-in-the-status",
    must="The status MUST show what was measured for each metric of the spec, in their order.",
    source=_COMPUTE,
    controllers=BOTH,
    features=("several-metrics", "status"),
)
async def test_each_kind_of_metric_in_the_status(cluster: Cluster) -> None:
    cluster.metrics.scrape(period=0)
    cluster.metrics.exact("web", ["150m", "250m"])
    cluster.metrics.exact("web", ["30Mi", "50Mi"], resource="memory")
    cluster.metrics.exact("web", ["7", "14"], metric="requests")
    cluster.metrics.object("length", "services", "web", 33)
    propose(cluster, 2)
    app = objects.container("app", resources={"requests": {"cpu": "200m"}})
    template = objects.pod_template({"app": "web"}, containers=[app])
    metrics = [
        objects.resource_metric("cpu", utilization=100),
        objects.container_metric("app", "memory", average="40Mi"),
        objects.pods_metric("requests", "10500m"),
        objects.object_metric("length", objects.reference("Service", "web", "v1"), value="34"),
        proposal(),
    ]
    await cluster.create(objects.replica_set("web", 2, template=template), objects.hpa("web", metrics=metrics))
    await cluster.run_until(100)
    service = {"kind": "Service", "name": "web", "apiVersion": "v1"}
    memory = {"name": "memory", "container": "app", "current": {"averageValue": "40Mi"}}
    wanted = [
        {
            "type": "Resource",
            "resource": {"name": "cpu", "current": {"averageValue": "200m", "averageUtilization": 100}},
        },
        {"type": "ContainerResource", "containerResource": memory},
        {"type": "Pods", "pods": {"metric": {"name": "requests"}, "current": {"averageValue": "10500m"}}},
        {
            "type": "Object",
            "object": {"metric": {"name": "length"}, "current": {"value": "33"}, "describedObject": service},
        },
        {"type": "External", "external": {"metric": {"name": "demand"}, "current": {"averageValue": "1"}}},
    ]
    cluster.expect("the metrics as reported", status(cluster)["currentMetrics"], wanted)
    largest = _ACTIVE.replace("external metric", "cpu resource utilization (percentage of request)")
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), ("True", "ValidMetricFound", largest))
    cluster.expect("scales", scales(cluster), [])
