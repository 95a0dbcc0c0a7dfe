"""Pods without metrics: the HPA assumes of them what changes least.

If the others want fewer replicas, a missing pod counts as one that uses all that it requests (or the target, if that is
more); if they want more, as one that is idle. What is assumed can weaken a change or prevent it, never turn it round.
`None` in a table is a pod without metrics.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import put
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.steps import messages
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
_CLIENT = "pkg/controller/podautoscaler/metrics/client.go: GetResourceMetric"
_ISSUES = ("kubernetes/kubernetes#33593", "kubernetes/kubernetes#30471")
_CPU_10M = objects.resource_metric("cpu", average="10m")
_CPU_300M = objects.resource_metric("cpu", average="300m")


@scenario(
    "hpa/missing-pods-count-fully-when-shrinking",
    must="When the pods with metrics want fewer replicas, a pod without metrics MUST count as one that uses all of its "
    "own request, or the target's share of it if that is more; the status MUST NOT show that.",
    source=_CALCULATOR,
    issues=(*_ISSUES, "kubernetes/kubernetes#85027"),
    controllers=BOTH,
)
async def test_missing_pods_count_fully_when_shrinking(cluster: Cluster) -> None:
    of_150 = objects.resource_metric("cpu", utilization=150)
    large, small = pod_of(requesting("2")), pod_of(requesting("500m"))
    await work_out(
        cluster,
        {
            "one": Example(["100m"] * 4 + [None], 3, {"averageUtilization": 10, "averageValue": "100m"}),  # 28 %
            "two": Example(["100m"] * 5 + [None] * 2, 5, 10),  # 35.7 %
            "to-the-per-cent": Example(["388m"] * 9 + [None], 9, 38),  # 44.92 %; 45 % would be tolerated
            "target-above-100": Example(["900m", "900m", None], 3, 90, metric=of_150),  # at 100 %, there would be 2
            "large-one": Example([None, "50m", "50m", "50m"], 4, 10, pod=[large, small, small, small]),  # 61 %
            "small-one": Example([None, "200m", "200m", "200m"], 2, 10, pod=[small, large, large, large]),  # 16 %
        },
    )


@scenario(
    "hpa/missing-pods-count-as-idle-when-growing",
    must="When the pods with metrics want more replicas, a pod without metrics MUST count as one that uses nothing.",
    source=(_CALCULATOR, _PLAIN),
    issues=_ISSUES,
    controllers=BOTH,
)
async def test_missing_pods_count_as_idle_when_growing(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "one": Example(["1", "1", None], 4, {"averageUtilization": 100, "averageValue": "1"}),  # 66 %
            "two": Example(["2", "2", None, None], 8, 200),  # 100 %
            "average": Example(["600m", "700m", None], 5, {"averageValue": "650m"}, metric=_CPU_300M),  # 433m
        },
    )


@scenario(
    "hpa/missing-pods-never-turn-a-change-round",
    must="If the pods without metrics bring the ratio into the tolerance, or to the other side of 1, the replicas MUST "
    "stay.",
    source=(_CALCULATOR, _PLAIN),
    issues=_ISSUES,
    controllers=BOTH,
)
async def test_missing_pods_never_turn_a_change_round(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "up-to-tolerance": Example(["800m", "800m", None], 3, 80),  # 53 %
            "up-to-down": Example(["600m", None, None], 3, 60),  # 20 %
            "down-to-tolerance": Example(["300m"] * 3 + [None], 4, 30),  # 47 %
            "down-to-up": Example(["300m", None], 2, 30),  # 65 %
            "tolerated-up": Example(["540m", "540m", None], 3, 54),  # 36 %
            "tolerated-down": Example(["460m", "460m", None], 3, 46),  # 64 %
            "at-target": Example(["500m", None, None], 3, 50),
            "to-the-thousandth": Example(["23m", None], 2, "23m", metric=_CPU_10M),  # 11.5m
        },
    )


@scenario(
    "hpa/missing-pods-count-at-target-of-an-average",
    must="With an average as target, a pod without metrics MUST count as one exactly at the target when the others "
    "want fewer replicas.",
    source=_PLAIN,
    issues=_ISSUES,
    controllers=BOTH,
)
async def test_missing_pods_count_at_target_of_an_average(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "one": Example(["100m"] * 4 + [None], 3, {"averageValue": "100m"}),  # 140m
            "nearly-all": Example(["0", None, None, None], 3, "0"),  # 225m
            "to-tolerance": Example(["240m", None, None], 3, "240m"),  # 280m
            "at-target": Example(["300m", None], 2, "300m"),
        },
        metric=_CPU_300M,
    )


@scenario(
    "hpa/missing-and-unready-pods-together",
    must="Pods without metrics and unready pods MUST both count as idle in growth; in shrinking, the first MUST count "
    "fully and the others not at all.",
    source=(_CALCULATOR, _PLAIN),
    issues="kubernetes/kubernetes#33593",
    controllers=BOTH,
)
async def test_missing_and_unready_pods_together(cluster: Cluster) -> None:
    def ready(count: int) -> Lifecycle:
        return Lifecycle(ready_after=(2.0,) * count + (NEVER,))

    await work_out(
        cluster,
        {  # the first pod is not ready
            "grows": Example(["0", None, "2", "2"], 8, 200, lifecycle=ready(3)),  # 100 % of four pods
            "stays": Example(["0", None, "900m", "900m"], 4, 90, lifecycle=ready(3)),  # 45 %
            "shrinks": Example(["2", None, "100m", "100m", "100m"], 3, 10, lifecycle=ready(4)),  # 32 % of four pods
            "average": Example(["0", None, "600m", "900m"], 5, "750m", metric=_CPU_300M, lifecycle=ready(3)),  # 375m
            "unready-and-missing": Example([None, "100m"], 2, 10, lifecycle=ready(1)),  # it counts as missing: 55 %
        },
    )


@scenario(
    "hpa/unready-pods-do-not-help-to-shrink",
    must="When the pods with metrics want fewer replicas and those without prevent it, the replicas MUST stay, however "
    "many unready pods there are.",
    source=(_CALCULATOR, _PLAIN),
    issues="kubernetes/kubernetes#33593",
    controllers=BOTH,
)
async def test_unready_pods_do_not_help_to_shrink(cluster: Cluster) -> None:
    def ready(count: int) -> Lifecycle:
        return Lifecycle(ready_after=(2.0,) * count + (NEVER,) * 3)

    unready = ["2", "2", "2"]
    await work_out(
        cluster,
        {  # with three pods more that use nothing, there would be 4
            "down-to-up": Example([*unready, None, "400m", "400m"], 6, 40, lifecycle=ready(3)),  # 60 %
            "down-to-tolerance": Example(
                [*unready, None, None, "250m", "250m"], 7, "250m", metric=_CPU_300M, lifecycle=ready(4)
            ),  # 275m
        },
    )


@scenario(
    "hpa/no-metrics-at-all",
    must="If there are metrics of no pod at all, the HPA MUST say so and MUST NOT scale; it MUST tell an empty list "
    "from one whose entries have no usage.",
    source=(_CLIENT, _CALCULATOR, _PLAIN),
    issues="kubernetes/kubernetes#55418",
    controllers=BOTH,
)
async def test_no_metrics_at_all(cluster: Cluster) -> None:
    cluster.metrics.alter("hollow", None, put("containers", to=[]))
    examples = {
        "empty": Example([None, None], 2, None),
        "empty-average": Example([None, None], 2, None, metric=_CPU_300M),
        "hollow": Example(["1", "1"], 2, None),
    }
    await prepare(cluster, examples)
    await sync(cluster, examples)
    none = "unable to get metrics for resource cpu: no metrics returned from resource metrics API"
    errors = {
        "empty": f"failed to get cpu utilization: {none}",
        "empty-average": f"failed to get cpu usage: {none}",
        "hollow": "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)",
    }
    for name, error in errors.items():
        expect_unable(cluster, "FailedGetResourceMetric", error, name)
    said = sorted(messages(cluster, "FailedGetResourceMetric"))
    cluster.expect("what the events say", said, sorted(errors.values()))
