"""Versions of the custom metrics API: the preferred one is looked up in discovery, and cached for one period.

The controller starts a second before the scenario and forgets the version at 14 s, 29 s, 44 s ... `web` is synced at
15 s, 30 s, 45 s ..., `api` at 20 s, 35 s, 50 s ...: so `web` looks the version up, and `api` uses what it found.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each, steps
from lockstep_conformance.hpa.malformed import failure
from lockstep_conformance.hpa.served import workload
from lockstep_conformance.hpa.steps import condition, reason, scales, status

_DISCOVERY = "metrics/pkg/client/custom_metrics/discovery.go: PreferredVersion, chooseVersion, PeriodicallyInvalidate"
_CLIENT = "metrics/pkg/client/custom_metrics/multi_client.go: getClientForVersion"
_GROUP = "custom.metrics.k8s.io"
_REQUESTS = objects.pods_metric("http_requests", average="10")
_FETCH = "unable to get metric http_requests: unable to fetch metrics from custom metrics API: "


async def _web_and_api(cluster: Cluster, until: float) -> None:
    """Two workloads of two pods, which have 10 requests a second each, and 20 from 40 s on."""
    async with cluster.batch():
        for name in ("web", "api"):
            cluster.metrics.pods("http_requests", name, each(steps((0, 10), (40, 20))))
            await cluster.create(workload(name, 2))
        await cluster.create(objects.hpa("web", metrics=[_REQUESTS]))
    await cluster.run_until(5)
    await cluster.create(objects.hpa("api", metrics=[_REQUESTS]))
    await cluster.run_until(until)


@scenario(
    "hpa/preferred-version-changes",
    must="When another version becomes the preferred one while both are served, nothing MUST be lost.",
    source=(_DISCOVERY, _CLIENT),
    controllers=("hpa", "replicaset"),
    features=("custom-metrics", "discovery"),
)
async def test_preferred_version_changes(cluster: Cluster) -> None:
    cluster.metrics.serve(_GROUP, "v1beta1", "v1beta2")
    await _web_and_api(cluster, until=32)
    cluster.metrics.serve(_GROUP, "v1beta2", "v1beta1")
    for at in (36, 46, 51):
        await cluster.run_until(at)
        found = [reason(cluster, "ScalingActive", name) for name in ("web", "api")]
        cluster.expect(f"ScalingActive at {at} s", found, ["True ValidMetricFound"] * 2)
    cluster.expect("scales of web", scales(cluster), [(45.0, 4)])
    cluster.expect("scales of api", scales(cluster, "api"), [(50.0, 4)])


@scenario(
    "hpa/version-that-is-not-served-any-more",
    must="When the version in use is no longer served, syncs MUST fail until the cache expires, and no longer.",
    source=(_DISCOVERY, _CLIENT),
    controllers=("hpa", "replicaset"),
    features=("custom-metrics", "discovery", "outage"),
    virtual="ends a second before a sync",
)
async def test_version_that_is_not_served_any_more(cluster: Cluster) -> None:
    await _web_and_api(cluster, until=32)
    cluster.metrics.serve(_GROUP, "v1beta1")
    await cluster.run_until(36)
    cluster.expect("web, which was synced before", failure(cluster), "")
    gone = f"{_FETCH}the server could not find the requested resource (get pods.{_GROUP} *)"
    cluster.expect("api, which was synced since", failure(cluster, "api"), gone)
    await cluster.run_until(59)
    cluster.expect("scales of web", scales(cluster), [(45.0, 4)])
    cluster.expect("scales of api", scales(cluster, "api"), [(50.0, 4)])
    current = status(cluster, "api")["currentMetrics"][0]["pods"]["current"]
    cluster.expect("answer of the old version", current, {"averageValue": "20"})


@scenario(
    "hpa/preferred-version-that-nobody-knows",
    must="When the client does not support the preferred version, the first supported one MUST be used.",
    source=_DISCOVERY,
    controllers=("hpa", "replicaset"),
    features=("custom-metrics", "discovery"),
    virtual="ends a second before a sync",
)
async def test_preferred_version_that_nobody_knows(cluster: Cluster) -> None:
    cluster.metrics.serve(_GROUP, "v1", "v1beta1", "v1beta2")
    await _web_and_api(cluster, until=59)
    cluster.expect("scales of web", scales(cluster), [(45.0, 4)])
    cluster.expect("scales of api", scales(cluster, "api"), [(50.0, 4)])


@scenario(
    "hpa/no-version-that-is-known",
    must=(
        "While discovery lists no supported version of the custom metrics API, or not the API itself, the HPA MUST "
        "report it, and MUST look again at each sync."
    ),
    source=_DISCOVERY,
    controllers=("hpa", "replicaset"),
    features=("custom-metrics", "discovery", "outage"),
)
async def test_no_version_that_is_known(cluster: Cluster) -> None:
    cluster.metrics.remove(_GROUP)
    await _web_and_api(cluster, until=17)
    cluster.expect("without the API", failure(cluster), f"{_FETCH}no custom metrics API ({_GROUP}) registered")
    cluster.metrics.serve(_GROUP, "v1")
    await cluster.run_until(22)
    cluster.expect("with v1 only", failure(cluster, "api"), f"{_FETCH}no known available metric versions found")
    cluster.metrics.serve(_GROUP, "v1", "v1beta2")
    await cluster.run_until(36)
    found = [condition(cluster, "ScalingActive", name) for name in ("web", "api")]
    valid = "the HPA was able to successfully calculate a replica count from pods metric http_requests"
    cluster.expect("with v1beta2", found, [("True", "ValidMetricFound", valid)] * 2)


@scenario(
    "hpa/discovery-that-fails",
    must="A failed discovery MUST NOT be cached: the next sync MUST ask again.",
    source=_DISCOVERY,
    controllers=("hpa", "replicaset"),
    features=("custom-metrics", "discovery", "refused"),
)
async def test_discovery_that_fails(cluster: Cluster) -> None:
    await _web_and_api(cluster, until=44.5)
    refused = cluster.faults.error(500, verb="get", resource="", times=None)
    await cluster.run_until(46)
    cluster.expect("requests refused", refused.hits, 1)
    why = 'an error on the server ("unknown") has prevented the request from succeeding'
    cluster.expect("web", failure(cluster), _FETCH + why)
    refused.stop()
    await cluster.run_until(66)
    cluster.expect("scales of web", scales(cluster), [(60.0, 4)])
    cluster.expect("scales of api", scales(cluster, "api"), [(50.0, 4), (65.0, 8)])
