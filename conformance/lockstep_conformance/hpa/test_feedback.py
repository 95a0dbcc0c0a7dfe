"""Requests that change under an HPA, as by a VPA: utilization depends on them, usage does not.

The requests of the pods count, not those of the template. The demand here is constant.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import shared
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.served import CPU_50, workload
from lockstep_conformance.hpa.steps import scales, status

_REQUESTS = "pkg/controller/podautoscaler/replica_calculator.go: calculateRequests"
_ISSUES = ("kubernetes/autoscaler#6060", "gardener/gardener#10083")
_HALF_A_CORE = objects.resource_metric("cpu", average="500m")


async def _changing(cluster: Cluster, metric: Object) -> None:
    """Half an hour with a demand of two cores, and requests that change three times; pods are replaced, as by a VPA."""
    cluster.metrics.load("web", cpu=shared(2))
    await cluster.create(workload("web", 4, cpu="1"), objects.hpa("web", max_replicas=32, metrics=[metric]))
    for at, cpu in ((600, "500m"), (1200, "250m"), (1800, "2")):
        await cluster.run_until(at)
        await cluster.patch("replicasets", "web", {"spec": {"template": workload("web", cpu=cpu)["spec"]["template"]}})
        for pod in cluster.pods("web"):
            await cluster.delete("pods", pod["metadata"]["name"], gracePeriodSeconds=0)
    await cluster.run_until(2400)


@scenario(
    "hpa/utilization-follows-the-requests",
    must=(
        "With a target for utilization, replicas MUST follow the requests of the pods, even if the demand is constant."
    ),
    source=_REQUESTS,
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "requests", "H29"),
)
async def test_utilization_follows_the_requests(cluster: Cluster) -> None:
    """Lower requests, more replicas, lower usage of each: a VPA would lower the requests again."""
    await _changing(cluster, CPU_50)
    cluster.expect("scales", scales(cluster), [(630.0, 8), (1230.0, 16), (2115.0, 2)])
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization", current, {"averageUtilization": 50, "averageValue": "1"})


@scenario(
    "hpa/usage-does-not-follow-the-requests",
    must="With a target for usage, replicas MUST NOT change when only the requests change.",
    source="pkg/controller/podautoscaler/replica_calculator.go: GetRawResourceReplicas",
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "requests", "H29"),
)
async def test_usage_does_not_follow_the_requests(cluster: Cluster) -> None:
    await _changing(cluster, _HALF_A_CORE)
    cluster.expect("scales", scales(cluster), [])
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("usage", current, {"averageValue": "500m"})
