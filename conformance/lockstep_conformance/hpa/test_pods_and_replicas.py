"""Pods and replicas: the ratio is multiplied by the pods that the selector finds, whatever the target's replicas are.

There are more pods than replicas while a rollout brings new ones before it takes old ones away, or where a selector
finds pods of others; there are fewer where a quota forbids them.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.tables import (
    BOTH,
    Example,
    add_others,
    expect_all,
    pod_of,
    prepare,
    sync,
    work_out,
)

_CALCULATOR = "pkg/controller/podautoscaler/replica_calculator.go: GetResourceReplicas"
_PLAIN = "pkg/controller/podautoscaler/replica_calculator.go: calcPlainMetricReplicas"


@scenario(
    "hpa/pods-counted-are-those-of-the-selector",
    must="The ratio MUST be multiplied by the pods that the selector finds, not by the replicas of the target; within "
    "the tolerance, the replicas of the target MUST stay.",
    source=_CALCULATOR,
    issues=("kubernetes/kubernetes#83878", "kubernetes/kubernetes#124307"),
    controllers=BOTH,
)
async def test_pods_counted_are_those_of_the_selector(cluster: Cluster) -> None:
    examples = {
        "grows": Example(["600m"] * 4, 5, 60, replicas=2),
        "stays": Example(["540m"] * 4, 2, 54, replicas=2),
        "shrinks": Example(["200m"] * 5, 2, 20, replicas=3),
        "grows-below-target": Example(["400m"] * 4, 4, 40, replicas=2),  # four pods times 40/50
    }
    await add_others(cluster, examples, 2)
    await work_out(cluster, examples)


@scenario(
    "hpa/more-pods-than-replicas-with-one-missing",
    must="If pods without metrics are among more pods than the target has replicas, the result MUST NOT be more "
    "replicas although the ratio is below 1.",
    source=(_CALCULATOR, _PLAIN),
    issues="kubernetes/kubernetes#89465",
    controllers=BOTH,
)
async def test_more_pods_than_replicas_with_one_missing(cluster: Cluster) -> None:
    usage = ["200m"] * 5
    examples = {
        "one-missing": Example([*usage, None], 2, 20, replicas=2),  # 33 %, so 4 of 6 pods
        "none-missing": Example([*usage, "200m"], 3, 20, replicas=2),  # 3 of 6 pods
        "average": Example(
            [*usage, None], 2, "200m", replicas=2, metric=objects.resource_metric("cpu", average="400m")
        ),
    }
    await add_others(cluster, examples, 4)
    await work_out(cluster, examples)


@scenario(
    "hpa/fewer-pods-than-replicas-with-one-missing",
    must="If the target has fewer pods than replicas and some have no metrics, the result MUST NOT be fewer replicas "
    "although the ratio is above 1.",
    source=(_CALCULATOR, _PLAIN),
    controllers=BOTH,
)
async def test_fewer_pods_than_replicas_with_one_missing(cluster: Cluster) -> None:
    # Three pods for five replicas: 66 % of them is more than the target, but 4 would be fewer than 5.
    await cluster.create(objects.resource_quota("few", {"pods": "3"}))
    await work_out(cluster, {"web": Example(["1", "1", None], 5, 100, replicas=5)})
    cluster.expect("pods", len(cluster.pods("web")), 3)


@scenario(
    "hpa/fewer-pods-than-replicas-at-the-target",
    must="Within the tolerance of a container's metric, the target MUST keep the replicas of its spec, not those that "
    "its status counts.",
    source=(_CALCULATOR, "pkg/controller/podautoscaler/horizontal.go: computeStatusForContainerResourceMetric"),
    controllers=("hpa",),
)
async def test_fewer_pods_than_replicas_at_the_target(cluster: Cluster) -> None:
    container = objects.container_metric("app", "cpu", utilization=50)
    examples = {"web": Example(["500m"] * 3, 5, 50, replicas=5, pod=[pod_of()] * 3)}
    await prepare(cluster, examples, metric=container)
    await cluster.set_status("replicasets", "web", {"replicas": 3})
    await sync(cluster, examples, metric=container)
    expect_all(cluster, examples)
