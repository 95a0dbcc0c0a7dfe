"""Pods that do not count at all: those that have failed, and those that are being deleted.

Their usage is left out, and they are neither unready nor without metrics. A pod that has succeeded is not one of them:
it has no metrics any more, and counts as a pod without. In these tables the selector of each target finds two pods
more, which are another owner's.
"""

from __future__ import annotations

import copy
from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.tables import BOTH, Example, add_others, expect_all, prepare, sync, work_out

_GROUPS = "pkg/controller/podautoscaler/replica_calculator.go: groupPods"
_REMOVE = "pkg/controller/podautoscaler/replica_calculator.go: removeMetricsForPods"
_CPU_300M = objects.resource_metric("cpu", average="300m")
_TEN = objects.pods_metric("requests", "10")


@scenario(
    "hpa/failed-pods-are-ignored",
    must="Pods that have failed MUST NOT count: neither as idle when the others want more replicas, nor as busy "
    "when they want fewer.",
    source=_GROUPS,
    controllers=BOTH,
)
async def test_failed_pods_are_ignored(cluster: Cluster) -> None:
    examples = {
        "grows": Example(["900m", "900m"], 4, 90),  # as idle ones they would bring it to 45 %
        "stays": Example(["540m", "540m"], 2, 54),
        "shrinks": Example(["100m", "100m"], 1, 10),  # as busy ones, to 55 %
        "average": Example(["100m", "50m"], 1, "75m", metric=_CPU_300M),
        "pods": Example(["19", "19"], 4, "19", metric=_TEN),
    }
    await add_others(cluster, examples, 2, Lifecycle(fails_after=10))
    await work_out(cluster, examples)
    phases = {pod["status"]["phase"] for pod in cluster.list("pods") if "other" in pod["metadata"]["labels"]}
    cluster.expect("phases of the pods of the other owner", phases, {"Failed"})


@scenario(
    "hpa/metrics-of-failed-pods-are-ignored",
    must="An entry of the answer about a pod that has failed MUST NOT take part in utilization or in an average.",
    source=(_GROUPS, _REMOVE),
    controllers=BOTH,
)
async def test_metrics_of_failed_pods_are_ignored(cluster: Cluster) -> None:
    def with_failed_pod(document: Any) -> Any:
        for item in document["items"][:1]:
            stale = copy.deepcopy(item)
            stale["metadata"]["name"] = item["metadata"]["labels"]["app"] + "-other-0"
            stale["containers"][0]["usage"]["cpu"] = "5"
            document["items"].insert(0, stale)
        return document

    cluster.metrics.garble("metrics.k8s.io", with_failed_pod)
    examples = {
        "utilization": Example(["500m", "500m"], 2, 50),
        "average": Example(["300m", "290m"], 2, "295m", metric=_CPU_300M),
    }
    await add_others(cluster, examples, 1, Lifecycle(fails_after=10))
    await work_out(cluster, examples)


@scenario(
    "hpa/deleted-pods-are-ignored",
    must="Pods that are being deleted MUST NOT count, although they still run and have metrics.",
    source=(_GROUPS, _REMOVE),
    controllers=BOTH,
    virtual="tells pods apart that must have been created at one instant",
)
async def test_deleted_pods_are_ignored(cluster: Cluster) -> None:
    examples = {  # pods that are being deleted come last
        "grows": Example(["900m", "900m", "0", "0"], 4, 90, replicas=2),
        "stays": Example(["500m", "500m", "4", "4"], 2, 50, replicas=2),
        "shrinks": Example(["100m", "100m", "2", "2"], 1, 10, replicas=2),
        "average": Example(["400m", "400m", "0", "0"], 3, "400m", replicas=2, metric=_CPU_300M),
        "without-metrics": Example(["100m", "100m", None, None], 1, 10, replicas=2),
        "pods": Example(["19", "19", "0", "0"], 4, "19", replicas=2, metric=_TEN),
    }
    await add_others(cluster, examples, 2, Lifecycle(stop_after=None))
    await prepare(cluster, examples)
    async with cluster.batch():
        for name in examples:
            for number in range(2):
                await cluster.delete("pods", f"{name}-other-{number}")  # it takes its 30 s
    await sync(cluster, examples)
    expect_all(cluster, examples)


@scenario(
    "hpa/succeeded-pods-count-as-missing",
    must="Pods that have succeeded MUST count as pods without metrics: idle when the others want more replicas, busy "
    "when they want fewer.",
    source=_GROUPS,
    issues="kubernetes/kubernetes#86151",
    controllers=BOTH,
)
async def test_succeeded_pods_count_as_missing(cluster: Cluster) -> None:
    examples = {
        "grows": Example(["2", "2"], 8, 200),  # 100 %, of four pods
        "grows-to-tolerance": Example(["900m", "900m"], 2, 90),  # 45 %
        "shrinks": Example(["0"] * 6, 4, 0),  # 25 %, of eight pods
        "shrinks-to-tolerance": Example(["0", "0"], 2, 0),  # 50 %
        "average": Example(["100m"] * 4, 4, "100m", metric=_CPU_300M),  # 166m, of six pods
        "pods": Example(["30", "30"], 6, "30", metric=_TEN),
    }
    await add_others(cluster, examples, 2, Lifecycle(succeeds_after=10))
    await work_out(cluster, examples)
