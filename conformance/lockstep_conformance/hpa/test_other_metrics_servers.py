"""Resource metrics as other servers than metrics-server may send them: with more in each entry, which means nothing."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep.metrics import drop
from lockstep_conformance.hpa.tables import BOTH, Example, expect_all, pod_of, prepare, requesting, sync

_CLIENT = "pkg/controller/podautoscaler/metrics/client.go: getPodMetrics, getContainerMetrics"
_PAIR = pod_of(requesting("1"), requesting("1", name="proxy"))


def _with_annotations(document: Any) -> Any:
    """The answer of a server that passes on annotations."""
    more = {"annotations": {"from": "adapter"}}
    return {**document, "items": [{**item, "metadata": {**item["metadata"], **more}} for item in document["items"]]}


@scenario(
    "hpa/entries-with-more-than-usual",
    must="What else an entry of the answer holds MUST NOT matter: its containers MUST be added up, one without usage "
    "MUST make its pod one without metrics, and a metric of one container MUST count this one alone.",
    source=_CLIENT,
    controllers=BOTH,
)
async def test_entries_with_more_than_usual(cluster: Cluster) -> None:
    busy, half = {"app": "900m", "proxy": "300m"}, {"app": "900m", "proxy": "100m"}
    of_proxy = objects.container_metric("proxy", "cpu", utilization=50)
    examples = {
        "whole-pods": Example([busy] * 4, 5, {"averageUtilization": 60, "averageValue": "1200m"}),
        "lacking-proxy": Example([busy] * 4, 5, {"averageUtilization": 56, "averageValue": "1125m"}),
        "lacking-usage": Example([busy] * 4, 4, {"averageUtilization": 60, "averageValue": "1200m"}),
        "one-container": Example([half] * 5, 1, {"averageUtilization": 10, "averageValue": "100m"}, metric=of_proxy),
        "one-lacking": Example([half] * 5, 3, {"averageUtilization": 10, "averageValue": "100m"}, metric=of_proxy),
    }
    await prepare(cluster, examples, pod=_PAIR)
    cluster.metrics.lose("lacking-proxy", 0, container="proxy")
    cluster.metrics.alter("lacking-usage", 0, drop("containers", 1, "usage", "cpu"))
    cluster.metrics.lose("one-lacking", 0, container="proxy")
    cluster.metrics.garble("metrics.k8s.io", _with_annotations)
    await sync(cluster, examples)
    expect_all(cluster, examples)
