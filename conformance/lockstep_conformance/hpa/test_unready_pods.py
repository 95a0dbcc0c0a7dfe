"""Pods that are not ready: CPU of a pod that starts says nothing about the load.

Their usage is left out. If the others want more replicas, they count as pods that use nothing, since they will take
their share soon; if the others want fewer, they do not count. The first row of each table is that of the unready pod.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.tables import (
    BOTH,
    NEVER,
    Example,
    expect_unable,
    pod_of,
    prepare,
    requesting,
    sync,
    work_out,
)

_CALCULATOR = "pkg/controller/podautoscaler/replica_calculator.go: GetResourceReplicas"
_PLAIN = "pkg/controller/podautoscaler/replica_calculator.go: calcPlainMetricReplicas"
_GROUPS = "pkg/controller/podautoscaler/replica_calculator.go: groupPods"
_CPU_10M = objects.resource_metric("cpu", average="10m")
_CPU_300M = objects.resource_metric("cpu", average="300m")


def ready(count: int, unready: int) -> Lifecycle:
    """Pods of which some get ready after 2 s, and the others never."""
    return Lifecycle(ready_after=(2.0,) * count + (NEVER,) * unready)


@scenario(
    "hpa/unready-pods-count-as-idle-when-growing",
    must="When the ready pods want more replicas, an unready pod MUST count as one that uses nothing, whatever it "
    "uses; the status MUST show the ready ones alone.",
    source=(_CALCULATOR, _PLAIN),
    issues="kubernetes/kubernetes#33593",
    controllers=BOTH,
)
async def test_unready_pods_count_as_idle_when_growing(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "less": Example(
                ["4", "1", "1"], 4, {"averageUtilization": 100, "averageValue": "1"}, lifecycle=ready(2, 1)
            ),
            "all-ready": Example(["4", "1", "1"], 12, 200, lifecycle=ready(3, 0)),
            "two-of-four": Example(["0", "0", "2", "2"], 8, 200, lifecycle=ready(2, 2)),
            "average": Example(["4", "1", "1"], 7, "1", metric=_CPU_300M, lifecycle=ready(2, 1)),
        },
    )


@scenario(
    "hpa/unready-pods-do-not-count-when-shrinking",
    must="When the ready pods want fewer replicas, an unready pod MUST NOT count at all: neither its usage nor the "
    "pod.",
    source=(_CALCULATOR, _PLAIN),
    issues="kubernetes/kubernetes#33593",
    controllers=BOTH,
)
async def test_unready_pods_do_not_count_when_shrinking(cluster: Cluster) -> None:
    usage = ["2", "400m", "300m", "200m"]
    await work_out(
        cluster,
        {
            "shrinks": Example(usage, 2, {"averageUtilization": 30, "averageValue": "300m"}, lifecycle=ready(3, 1)),
            "all-ready": Example(usage, 6, 72, lifecycle=ready(4, 0)),
            "average": Example(["2", "100m", "200m", "0"], 1, "100m", metric=_CPU_300M, lifecycle=ready(3, 1)),
        },
    )


@scenario(
    "hpa/unready-pods-do-not-turn-growth-round",
    must="If counting the unready pods as idle brings the ratio into the tolerance or below 1, the replicas MUST stay; "
    "they MUST NOT shrink.",
    source=(_CALCULATOR, _PLAIN),
    issues="kubernetes/kubernetes#33593",
    controllers=BOTH,
)
async def test_unready_pods_do_not_turn_growth_round(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "within-tolerance": Example(["0", "0", "800m", "800m", "900m"], 5, 83, lifecycle=ready(3, 2)),  # then 50 %
            "upper-bound": Example(["0", "820m", "830m"], 3, 82, lifecycle=ready(2, 1)),  # 55 %
            "beyond-it": Example(["0", "840m", "840m"], 4, 84, lifecycle=ready(2, 1)),  # 56 %
            "below-1": Example(["0", "0", "600m"], 3, 60, lifecycle=ready(1, 2)),  # 20 %
            "average": Example(["0", "0", "400m"], 3, "400m", metric=_CPU_300M, lifecycle=ready(1, 2)),
            "to-the-thousandth": Example(["0", "23m"], 2, "23m", metric=_CPU_10M, lifecycle=ready(1, 1)),  # 11.5m
        },
    )


@scenario(
    "hpa/unready-pods-at-the-target",
    must="If the ready pods are at the target exactly, unready pods MUST NOT count, and within the tolerance above it "
    "they MUST count as idle without any effect.",
    source=_CALCULATOR,
    controllers=BOTH,
)
async def test_unready_pods_at_the_target(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "at-target": Example(["0", "0", "500m"], 3, 50, lifecycle=ready(1, 2)),
            "a-bit-above": Example(["0", "0", "540m"], 3, 54, lifecycle=ready(1, 2)),
            "a-bit-below": Example(["0", "0", "460m"], 3, 46, lifecycle=ready(1, 2)),
        },
    )


@scenario(
    "hpa/only-unready-pods",
    must="If no pod is ready, there MUST be no utilization and no average of CPU, and no scaling.",
    source=(_CALCULATOR, _PLAIN),
    issues=("kubernetes/kubernetes#51650", "kubernetes/kubernetes#130130"),
    controllers=BOTH,
)
async def test_only_unready_pods(cluster: Cluster) -> None:
    nobody = "did not receive metrics for targeted pods (pods might be unready)"
    examples = {
        "utilization": Example(["4", "4"], 2, None, lifecycle=ready(0, 2)),
        "average": Example(["4", "4"], 2, None, metric=_CPU_300M, lifecycle=ready(0, 2)),
    }
    await prepare(cluster, examples)
    await sync(cluster, examples)
    expect_unable(cluster, "FailedGetResourceMetric", f"failed to get cpu utilization: {nobody}", "utilization")
    expect_unable(cluster, "FailedGetResourceMetric", f"failed to get cpu usage: {nobody}", "average")


@scenario(
    "hpa/memory-of-unready-pods-counts",
    must="For resources other than CPU, a pod that runs MUST count whether or not it is ready.",
    source=_GROUPS,
    controllers=BOTH,
)
async def test_memory_of_unready_pods_counts(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "utilization": Example(["300Mi", "100Mi", "110Mi"], 6, 170, lifecycle=ready(2, 1)),
            "average": Example(
                ["300Mi", "0", "0"],
                1,
                "100Mi",
                metric=objects.resource_metric("memory", average="500Mi"),
                lifecycle=ready(0, 3),
            ),
            "nobody-ready": Example(["300Mi", "100Mi"], 4, 200, lifecycle=ready(0, 2)),
        },
        metric=objects.resource_metric("memory", utilization=100),
        pod=pod_of(requesting("1", memory="100Mi")),
    )


@scenario(
    "hpa/pending-pods-are-unready-for-every-metric",
    must="A pod that is Pending MUST count as unready for each metric of pods, and MUST NOT count as one without "
    "metrics.",
    source=(_GROUPS, _CALCULATOR, _PLAIN),
    controllers=BOTH,
)
async def test_pending_pods_are_unready_for_every_metric(cluster: Cluster) -> None:
    running = pod_of(requesting("1", memory="100Mi"))
    pods = [running | {"schedulerName": "nobody"}, running, running]  # the first one is never bound to a node
    memory = objects.resource_metric("memory", utilization=50)
    requests = objects.pods_metric("requests", "10")
    await work_out(
        cluster,
        {
            "cpu-grows": Example(["900m"] * 2, 4, 90, pod=pods),  # 60 % with the third pod
            "cpu-shrinks": Example(["100m"] * 2, 1, 10, pod=pods),  # 40 % if it were taken for one without metrics
            "memory-grows": Example(["90Mi"] * 2, 4, 90, metric=memory, pod=pods),
            "memory-shrinks": Example(["10Mi"] * 2, 1, 10, metric=memory, pod=pods),
            "pods-grow": Example(["20"] * 2, 4, "20", metric=requests, pod=pods),
            "pods-shrink": Example(["4"] * 2, 1, "4", metric=requests, pod=pods),
            "pods-stay": Example(["15"] * 2, 3, "15", metric=requests, pod=pods),  # 10 with the third one
        },
    )
