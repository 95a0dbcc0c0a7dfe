"""History from Prometheus, queried once, at the start."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, Options, RecommenderOptions, VpaOptions, objects, scenario
from lockstep.metrics import constant, daily, each
from lockstep_conformance.vpa.recommender.steps import (
    INTERVAL,
    RECOMMENDER,
    condition,
    recommendation,
    serve,
    target,
)

_HISTORY = "pkg/recommender/input/history/history_provider.go: GetClusterHistory"


def _prometheus(**flags: str | float) -> Options:
    """The flags, with a range of eight days for pod labels: only a range gives the required matrix."""
    given = {"storage": "prometheus", "metric_for_pod_labels": 'up{job="kubernetes-pods"}[8d]', **flags}
    return Options(vpa=VpaOptions(recommender=RecommenderOptions(**given)))  # type: ignore[arg-type]


async def _serve(cluster: Cluster) -> None:
    """A pod that existed for eight days and is gone now, and its successor."""
    cluster.metrics.load("web", cpu=each("100m"), memory=each("100Mi"))
    await cluster.create(objects.replica_set("web", 1), objects.vpa("web"))
    await cluster.run(10)


@scenario(
    "vpa-recommender/history-is-recommended",
    must="The last eight days in Prometheus MUST count as if the recommender had observed them.",
    source=_HISTORY,
    controllers=RECOMMENDER,
    autostart=False,
    options=_prometheus(),
)
async def test_history_is_recommended(cluster: Cluster) -> None:
    await cluster.start("replicaset")
    cluster.prometheus.usage("web-old", cpu=daily(0.2, 1.5), memory=daily("300Mi", "1Gi"))
    cluster.prometheus.pod("web-old", {"app": "web"})
    await _serve(cluster)
    await cluster.start("vpa-recommender")
    await cluster.run(INTERVAL + 1)
    cluster.expect("target", target(cluster), {"cpu": "1737m", "memory": "1238659775"})
    cluster.expect("RecommendationProvided", condition(cluster, "RecommendationProvided"), "True")


@scenario(
    "vpa-recommender/history-without-a-range-of-labels",
    must="If pod labels are not a matrix, as with the default flag, the whole history MUST be discarded.",
    source="pkg/recommender/input/history/history_provider.go: readLastLabels",
    issues=("FairwindsOps/goldilocks#399", "kubernetes/autoscaler#4385"),
    controllers=RECOMMENDER,
    autostart=False,
    options=_prometheus(metric_for_pod_labels='up{job="kubernetes-pods"}'),
)
async def test_history_without_a_range_of_labels(cluster: Cluster) -> None:
    await cluster.start("replicaset")
    cluster.prometheus.usage("web-old", cpu=constant(2), memory=constant("2Gi"))
    cluster.prometheus.pod("web-old", {"app": "web"})
    await _serve(cluster)
    await cluster.start("vpa-recommender")
    await cluster.run(INTERVAL + 1)
    cluster.expect("target", target(cluster), {"cpu": "126m", "memory": "250Mi"})


@scenario(
    "vpa-recommender/history-of-several-pods",
    must=(
        "Containers with the same name in pods with the same labels MUST share one history; other labels MUST have a "
        "separate one."
    ),
    source=_HISTORY,
    controllers=RECOMMENDER,
    autostart=False,
    options=_prometheus(history_length="2d", history_resolution="30m"),
)
async def test_history_of_several_pods(cluster: Cluster) -> None:
    await cluster.start("replicaset")
    for pod, app, cores in (("web-a", "web", 0.5), ("web-b", "web", 1.5), ("db-a", "db", 8.0)):
        cluster.prometheus.usage(pod, cpu=constant(cores), memory=constant("600Mi"), days=3)
        cluster.prometheus.usage(pod, "side", cpu=constant(cores / 10), memory=constant("60Mi"), days=3)
        cluster.prometheus.usage(pod, "POD", cpu=constant(9), memory=constant("9Gi"), days=3)
        cluster.prometheus.pod(pod, {"app": app}, days=3)
    await _serve(cluster)
    await cluster.start("vpa-recommender")
    await cluster.run(INTERVAL + 1)
    cluster.expect_true("main", recommendation(cluster))
    cluster.expect_true("side", recommendation(cluster, "side"))
    cluster.expect("POD", recommendation(cluster, "POD"), None)


@scenario(
    "vpa-recommender/history-in-one-namespace",
    must="A recommender for one namespace MUST query the history of that namespace only.",
    source=_HISTORY,
    controllers=RECOMMENDER,
    autostart=False,
    options=_prometheus(vpa_object_namespace="default"),
)
async def test_history_in_one_namespace(cluster: Cluster) -> None:
    await cluster.start("replicaset")
    cluster.prometheus.usage("web-a", cpu=constant(1), memory=constant("600Mi"))
    cluster.prometheus.usage("web-a", cpu=constant(7), memory=constant("7Gi"), namespace="other")
    cluster.prometheus.pod("web-a", {"app": "web"})
    cluster.prometheus.pod("web-a", {"app": "web"}, namespace="other")
    await _serve(cluster)
    await cluster.start("vpa-recommender")
    await cluster.run(INTERVAL + 1)
    cluster.expect("cpu", (target(cluster) or {})["cpu"], "1168m")


@scenario(
    "vpa-recommender/history-of-a-restarted-counter",
    must="Counter resets and gaps in the measurements MUST NOT count as usage.",
    source=_HISTORY,
    controllers=RECOMMENDER,
    autostart=False,
    options=_prometheus(history_length="1d"),
)
async def test_history_of_a_restarted_counter(cluster: Cluster) -> None:
    await cluster.start("replicaset")
    labels = {"job": "kubernetes-cadvisor", "namespace": "default", "pod_name": "web-a", "name": "main"}
    counted = [(-86_400.0 + 60 * number, float(30 * (number % 500))) for number in range(1440) if number % 97]
    cluster.prometheus.add("container_cpu_usage_seconds_total", labels, counted)
    cluster.prometheus.pod("web-a", {"app": "web"})
    await _serve(cluster)
    await cluster.start("vpa-recommender")
    await cluster.run(INTERVAL + 1)
    cluster.expect_true("a recommendation", recommendation(cluster))


@scenario(
    "vpa-recommender/prometheus-out-of-reach",
    must="Without an answer from Prometheus the recommender MUST work with the usage from then on.",
    source="pkg/recommender/input/cluster_feeder.go: InitFromHistoryProvider",
    controllers=RECOMMENDER,
    options=_prometheus(),
    autostart=False,
)
async def test_prometheus_out_of_reach(cluster: Cluster) -> None:
    await cluster.start("replicaset")
    cluster.prometheus.usage("web-old", cpu=constant(2), memory=constant("2Gi"))
    cluster.prometheus.pod("web-old", {"app": "web"})
    cluster.faults.disconnect(resource="prometheus", verb="get", times=None)
    await _serve(cluster)
    await cluster.start("vpa-recommender")
    await cluster.run(2 * INTERVAL + 1)
    cluster.expect("target", target(cluster), {"cpu": "126m", "memory": "250Mi"})


@scenario(
    "vpa-recommender/prometheus-too-slow",
    must="A query that is not answered within --prometheus-query-timeout MUST be given up.",
    source="pkg/recommender/input/history/history_provider.go: readResourceHistory",
    controllers=RECOMMENDER,
    options=_prometheus(prometheus_query_timeout=20.0),
    autostart=False,
)
async def test_prometheus_too_slow(cluster: Cluster) -> None:
    await cluster.start("replicaset")
    cluster.prometheus.usage("web-old", cpu=constant(2), memory=constant("2Gi"))
    cluster.prometheus.pod("web-old", {"app": "web"})
    cluster.faults.latency(30, resource="prometheus", verb="get")
    await _serve(cluster)
    await cluster.start("vpa-recommender")
    await cluster.run_until(10 + 20 + INTERVAL + 0.2)
    cluster.expect("before the loop", recommendation(cluster), None)
    await cluster.run(1)
    # The first loop comes an interval after the first query was given up.
    cluster.expect("target", target(cluster), {"cpu": "126m", "memory": "250Mi"})


@scenario(
    "vpa-recommender/prometheus-talks-nonsense",
    must="An invalid answer from Prometheus MUST be ignored.",
    source="pkg/recommender/input/cluster_feeder.go: InitFromHistoryProvider",
    controllers=RECOMMENDER,
    options=_prometheus(),
    autostart=False,
)
async def test_prometheus_talks_nonsense(cluster: Cluster) -> None:
    await cluster.start("replicaset")
    await serve(cluster)
    await cluster.run(10)
    strange: tuple[tuple[Any, int], ...] = (
        ("<html>", 200),
        ("", 200),
        ({}, 200),
        ([], 200),
        (
            {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {}, "values": [[1, "1"]]}]}},
            200,
        ),
        ({"status": "success", "data": {"resultType": "matrix", "result": [{"values": [["x", 1]]}]}}, 200),
        ({"status": "success", "data": {"resultType": "matrix", "result": None}}, 200),
        ({"status": "success", "data": {"resultType": "streams", "result": []}}, 200),
        ({"status": "error", "errorType": "execution", "error": "no"}, 422),
        ({"status": "success"}, 400),
        ("not here", 404),
        ("down", 503),
    )
    for body, status in strange:
        cluster.prometheus.answer_with(body, status)
        await cluster.start("vpa-recommender")
        await cluster.run(1)
        await cluster.crash("vpa-recommender")
    await cluster.start("vpa-recommender")
    await cluster.run(INTERVAL + 1)
    cluster.expect("target", target(cluster), {"cpu": "126m", "memory": "250Mi"})


@scenario(
    "vpa-recommender/history-of-two-clusters",
    must="Series of pods with the same name in another cluster MUST count too: the queries name no cluster.",
    source=_HISTORY,
    issues="kubernetes/autoscaler#9496",
    controllers=RECOMMENDER,
    autostart=False,
    options=_prometheus(),
)
async def test_history_of_two_clusters(cluster: Cluster) -> None:
    await cluster.start("replicaset")
    times = [60.0 * number for number in range(-8 * 1440, 0)]
    for name, memory in (("ours", 300e6), ("theirs", 8e9)):
        labels = {"cluster": name, "job": "kubernetes-cadvisor", "namespace": "default", "name": "main"}
        used = [(time, memory) for time in times]
        cluster.prometheus.add("container_memory_working_set_bytes", {**labels, "pod_name": "web-old"}, used)
    cluster.prometheus.pod("web-old", {"app": "web"})
    await _serve(cluster)
    await cluster.start("vpa-recommender")
    await cluster.run(INTERVAL + 1)
    cluster.expect("memory", (target(cluster) or {})["memory"], "9616998332")
