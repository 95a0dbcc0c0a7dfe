"""A metrics API that refuses, answers late, or breaks the connection."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, scenario
from lockstep.metrics import each
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import condition, reason, scales

_CLIENT = "client-go/rest/with_retry.go: IsNextRetry"
_METRICS = "pkg/controller/podautoscaler/metrics/client.go: GetResourceMetric"
_USAGE: dict[str, Any] = {"verb": "list", "resource": "pods.metrics.k8s.io"}
_UNABLE = "the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for "
_UNABLE += "resource cpu: unable to fetch metrics from resource metrics API: "


async def _busy(cluster: Cluster) -> None:
    """Two pods at 80 % of 50 %; their usage counts from 30 s on."""
    cluster.metrics.load("web", cpu=each("800m"))
    await serve(cluster, 2)
    await cluster.run_until(25)


@scenario(
    "hpa/metrics-refused-for-a-while",
    must="An answer that says when to come back MUST be waited for within the same sync.",
    source=(_CLIENT, _METRICS),
    controllers=("hpa", "replicaset"),
    features=("refused", "retry-after"),
)
async def test_metrics_refused_for_a_while(cluster: Cluster) -> None:
    await _busy(cluster)
    refused = cluster.faults.error(429, retry_after=2, times=3, **_USAGE)
    await cluster.run_until(40)
    cluster.expect("requests refused", refused.hits, 3)
    cluster.expect("scales", scales(cluster), [(36.0, 4)])
    cluster.expect("ScalingActive", reason(cluster, "ScalingActive"), "True ValidMetricFound")


@scenario(
    "hpa/metrics-refused-without-end",
    must="After ten answers that say when to come back, the sync MUST fail.",
    source=(_CLIENT, _METRICS),
    controllers=("hpa", "replicaset"),
    features=("refused", "retry-after"),
)
async def test_metrics_refused_without_end(cluster: Cluster) -> None:
    await _busy(cluster)
    refused = cluster.faults.error(429, retry_after=1, times=11, **_USAGE)
    await cluster.run_until(54)
    cluster.expect("requests refused", refused.hits, 11)
    busy = "the server has received too many requests and has asked us to try again later"
    failed = ("False", "FailedGetResourceMetric", _UNABLE + busy)
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), failed)
    cluster.expect("scales", scales(cluster), [])
    await cluster.run_until(80)
    cluster.expect("scales in the end", scales(cluster), [(55.0, 4)])


@scenario(
    "hpa/metrics-refused-in-every-way",
    must="A metrics API that refuses, fails or times out MUST cost that sync, be told in the condition in its own "
    "words, and nothing else.",
    source=_METRICS,
    controllers=("hpa", "replicaset"),
    features=("refused", "conditions"),
)
async def test_metrics_refused_in_every_way(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each("500m"))
    await serve(cluster, 2)
    await cluster.run_until(40)
    table = {
        403: "pods.metrics.k8s.io is forbidden",
        429: "the server has received too many requests and has asked us to try again later",
        500: "Internal error occurred: injected by the scenario",
        503: "the server is currently unable to handle the request",
        504: "Timeout: request did not complete within the allotted timeout",
    }
    for code, message in table.items():
        cluster.faults.error(code, message=message, **_USAGE)
        await cluster.run(15)
        why = ("False", "FailedGetResourceMetric", _UNABLE + message)
        cluster.expect(f"with {code}", condition(cluster, "ScalingActive"), why)
        await cluster.run(15)
        cluster.expect(f"after {code}", reason(cluster, "ScalingActive"), "True ValidMetricFound")
    cluster.expect("scales", scales(cluster), [])


@scenario(
    "hpa/connection-to-the-metrics-breaks",
    must="A read whose connection breaks MUST be tried again each second, ten times, before the sync fails.",
    source=(_CLIENT, _METRICS),
    controllers=("hpa", "replicaset"),
    features=("refused", "disconnect"),
)
async def test_connection_to_the_metrics_breaks(cluster: Cluster) -> None:
    await _busy(cluster)
    broken = cluster.faults.disconnect(times=3, **_USAGE)
    await cluster.run_until(44)
    cluster.expect("requests", broken.hits, 3)
    cluster.expect("scales", scales(cluster), [(33.0, 4)])
    broken = cluster.faults.disconnect(times=None, **_USAGE)
    await cluster.run_until(62)
    cluster.expect("requests while it breaks for good", broken.hits, 11)
    failed = condition(cluster, "ScalingActive") or ("", "", "")
    cluster.expect("ScalingActive", failed[:2], ("False", "FailedGetResourceMetric"))
    cluster.expect_true("the reason", failed[2].endswith(": connection reset by peer"))
