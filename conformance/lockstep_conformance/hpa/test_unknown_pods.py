"""Metrics of pods that the HPA does not know: those of the answer that the pod lister does not find, by their names.

Utilization leaves them out, since they have no requests. Averages count them. A pod whose entry bears another name is
one without metrics.
"""

from __future__ import annotations

import copy
from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep.metrics import put
from lockstep_conformance.hpa.tables import BOTH, Example, expect_unable, prepare, sync, work_out

_CALCULATOR = "pkg/controller/podautoscaler/replica_calculator.go: GetResourceReplicas"
_PLAIN = "pkg/controller/podautoscaler/replica_calculator.go: calcPlainMetricReplicas"
_RATIO = "pkg/controller/podautoscaler/metrics/utilization.go: GetResourceUtilizationRatio"


def with_ghost(document: Any) -> Any:
    """Add the entry of a pod `ghost` that uses 4 cores, or has a value of 40."""
    ghost = copy.deepcopy(document["items"][0])
    if "value" in ghost:
        ghost["describedObject"]["name"], ghost["value"] = "ghost", "40"
    else:
        ghost["metadata"]["name"] = "ghost"
        ghost["containers"][0]["usage"]["cpu"] = "4"
    document["items"].append(ghost)
    return document


@scenario(
    "hpa/unknown-pods-do-not-count-for-utilization",
    must="An entry of the answer about a pod that does not exist MUST NOT take part in utilization.",
    source=(_CALCULATOR, _RATIO),
    controllers=BOTH,
)
async def test_unknown_pods_do_not_count_for_utilization(cluster: Cluster) -> None:
    cluster.metrics.garble("metrics.k8s.io", with_ghost)
    await work_out(
        cluster,
        {
            "grows": Example(["900m", "700m"], 4, {"averageUtilization": 80, "averageValue": "800m"}),
            "stays": Example(["500m", "500m"], 2, 50),
            "shrinks": Example(["200m", "200m"], 1, 20),
        },
    )


@scenario(
    "hpa/unknown-pods-count-for-averages",
    must="An entry of the answer about a pod that does not exist MUST take part in an average, which is multiplied by "
    "the number of pods that exist.",
    source=_PLAIN,
    controllers=BOTH,
)
async def test_unknown_pods_count_for_averages(cluster: Cluster) -> None:
    cluster.metrics.garble("metrics.k8s.io", with_ghost)
    cluster.metrics.garble("custom.metrics.k8s.io", with_ghost)
    await work_out(
        cluster,
        {
            "resource": Example(["500m", "600m"], 4, "1700m", metric=objects.resource_metric("cpu", average="1")),
            "pods": Example(["8", "9"], 4, "19", metric=objects.pods_metric("requests", "10")),
            "shrinks": Example(["0", "0", "0"], 1, "1", metric=objects.resource_metric("cpu", average="4")),
        },
    )


@scenario(
    "hpa/entry-under-another-name",
    must="A pod whose entry bears the name of no pod MUST be one without metrics; the entry MUST count among the pods "
    "that the ratio is multiplied by as soon as assumptions have been made.",
    source=(_CALCULATOR, _PLAIN),
    controllers=BOTH,
)
async def test_entry_under_another_name(cluster: Cluster) -> None:
    for name in ("grows", "shrinks"):
        cluster.metrics.alter(name, 0, put("metadata", "name", to="ghost"))
    await work_out(
        cluster,
        {
            # 100 %, 66 % with the first pod, times four entries; then 10 %, 28 % with it, times six.
            "grows": Example(["1", "1", "1"], 6, 100),
            "shrinks": Example(["100m"] * 5, 4, 10),
        },
    )


@scenario(
    "hpa/only-unknown-pods",
    must="If no entry of the answer is about a pod that exists, there MUST be no utilization, and no scaling.",
    source=_RATIO,
    controllers=BOTH,
)
async def test_only_unknown_pods(cluster: Cluster) -> None:
    cluster.metrics.alter("web", 0, put("metadata", "name", to="ghost"))
    cluster.metrics.alter("web", 1, put("metadata", "name", to="spirit"))
    examples = {"web": Example(["1", "1"], 2, None)}
    await prepare(cluster, examples)
    await sync(cluster, examples)
    error = "failed to get cpu utilization: no metrics returned matched known pods"
    expect_unable(cluster, "FailedGetResourceMetric", error)
