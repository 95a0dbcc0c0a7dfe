"""CPU of pods in their first five minutes: which samples count.

During the initialization period a pod counts only while it is ready, and only with a sample whose window began after it
became ready; else it is an unready pod. Pods of these tables start at 1 s and are ready at 2 s, if nothing else is
said; HPAs sync at 57 s.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import row
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.steps import scales
from lockstep_conformance.hpa.tables import (
    BOTH,
    Example,
    expect_unable,
    pod_of,
    prepare,
    requesting,
    sync,
    work_out,
)

_GROUPS = "pkg/controller/podautoscaler/replica_calculator.go: groupPods"
_ISSUES = ("kubernetes/kubernetes#67252", "kubernetes/kubernetes#68068")
_NOBODY = "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)"


@scenario(
    "hpa/sample-window-begins-after-readiness",
    must="During the initialization period, a sample MUST count only if its time is not before the pod's last change "
    "of readiness plus the sample's own window; to the second.",
    source=_GROUPS,
    issues=_ISSUES,
    controllers=BOTH,
    virtual="has margins of a second",
)
async def test_sample_window_begins_after_readiness(cluster: Cluster) -> None:
    late = Lifecycle(ready_after=(2.0, 43.0))
    await work_out(
        cluster,
        {
            "as-long": Example([row("1", window=55)] * 2, 4, 100),
            "one-too-long": Example([row("1", window=56), row("1", window=55)], 2, 100),
            "as-old": Example([row("1", age=40)] * 2, 4, 100),
            "one-too-old": Example([row("1", age=41), row("1", age=40)], 2, 100),
            "longer-but-older": Example([row("1", age=25, window=30)] * 2, 4, 100),
            "ready-lately": Example([row("1", window=55), row("1", window=14)], 4, 100, lifecycle=late),
            "ready-too-lately": Example([row("1", window=55), row("1", window=15)], 2, 100, lifecycle=late),
            "container": Example(
                [row("1", window=56), row("1")], 2, 100, metric=objects.container_metric("app", utilization=50)
            ),
            "average": Example(
                [row("1", window=56), row("1")], 2, "1", metric=objects.resource_metric("cpu", average="500m")
            ),
        },
    )


@scenario(
    "hpa/sample-windows-matter-for-cpu-only",
    must="For memory and for custom metrics of pods, a value MUST count however old it is and whatever its window is.",
    source=_GROUPS,
    controllers=BOTH,
)
async def test_sample_windows_matter_for_cpu_only(cluster: Cluster) -> None:
    old = [row("30", age=3600, window=600)] * 2
    await work_out(
        cluster,
        {
            "memory": Example(old, 4, "30", metric=objects.resource_metric("memory", average="15")),
            "custom": Example(old, 4, "30", metric=objects.pods_metric("requests", "15")),
        },
        pod=pod_of(requesting("1", memory="1Gi")),
    )


@scenario(
    "hpa/readiness-lost-during-initialization",
    must="During the initialization period a pod that is not ready MUST NOT count, even if it was ready before and its "
    "sample is fresh; nor MUST it count again before a whole window has passed.",
    source=_GROUPS,
    issues=_ISSUES,
    controllers=BOTH,
)
async def test_readiness_lost_during_initialization(cluster: Cluster) -> None:
    flapping = Lifecycle(flaps=((40, False), (70, True)))  # 70 s and a window of 15 s: its sample of 87 s counts
    examples = {"web": Example(["1", "1"], 2, None, lifecycle=flapping)}
    await prepare(cluster, examples)
    await sync(cluster, examples)
    expect_unable(cluster, "FailedGetResourceMetric", _NOBODY)
    await cluster.run_until(91)
    cluster.expect("when it is scaled, and to what", scales(cluster), [(87.0, 4)])


@scenario(
    "hpa/node-clock-ahead-delays-the-first-sample",
    must="With a node's clock ahead, samples of its pods MUST NOT count before a window has passed by that clock.",
    source=_GROUPS,
    issues=_ISSUES,
    controllers=BOTH,
)
async def test_node_clock_ahead_delays_the_first_sample(cluster: Cluster) -> None:
    cluster.nodes["node-1"].skew = 90.0
    ahead = pod_of(nodeName="node-1")  # says that it is ready since 92 s: samples count from 107 s on
    examples = {"web": Example(["1", "1"], 2, None, pod=[ahead, ahead])}
    await prepare(cluster, examples)
    await sync(cluster, examples)
    expect_unable(cluster, "FailedGetResourceMetric", _NOBODY)
    await cluster.run_until(121)
    cluster.expect("when it is scaled, and to what", scales(cluster), [(117.0, 4)])
