"""A recommender that ends in the middle of a loop, and starts again."""

from __future__ import annotations

from lockstep import Cluster, scenario
from lockstep.objects.definitions import CHECKPOINTS, VPAS
from lockstep_conformance.vpa.recommender.steps import (
    RECOMMENDER,
    after_loop,
    checkpoint,
    recommendation,
    serve,
)

_RUN = "pkg/recommender/routines/recommender.go: RunOnce"


async def _again(cluster: Cluster) -> None:
    """Long enough for the loops after the crash."""
    await cluster.run(240)
    cluster.expect_true("there is a recommendation", recommendation(cluster))


@scenario(
    "vpa-recommender/crash-before-metrics",
    must="A recommender that ends while it asks for metrics MUST start over with all that checkpoints hold.",
    source=_RUN,
    controllers=RECOMMENDER,
)
async def test_crash_before_metrics(cluster: Cluster) -> None:
    await serve(cluster, 2)
    await after_loop(cluster, 3)
    cluster.crash_at(verb="list", resource="pods.metrics.k8s.io", actor="vpa-recommender")
    await _again(cluster)
    cluster.expect("samples", checkpoint(cluster)["totalSamplesCount"], 10)


@scenario(
    "vpa-recommender/crash-before-status",
    must="A recommender that ends before it writes the status MUST lose what it has not kept in a checkpoint.",
    source=_RUN,
    controllers=RECOMMENDER,
)
async def test_crash_before_status(cluster: Cluster) -> None:
    await serve(cluster, 2)
    await after_loop(cluster, 3)
    cluster.crash_at(verb="patch", resource=VPAS, subresource="status")
    await _again(cluster)
    cluster.expect("samples", checkpoint(cluster)["totalSamplesCount"], 10)


@scenario(
    "vpa-recommender/crash-between-status-and-checkpoint",
    must="A recommender that ends before it writes a checkpoint MUST count the samples of that loop no more.",
    source=_RUN,
    controllers=RECOMMENDER,
)
async def test_crash_between_status_and_checkpoint(cluster: Cluster) -> None:
    await serve(cluster, 2)
    await after_loop(cluster, 3)
    cluster.crash_at(verb="patch", resource=CHECKPOINTS)
    await _again(cluster)
    cluster.expect("samples", checkpoint(cluster)["totalSamplesCount"], 10)


@scenario(
    "vpa-recommender/crash-after-checkpoint",
    must="A recommender that ends after it has written a checkpoint MUST have lost nothing.",
    source=_RUN,
    controllers=RECOMMENDER,
)
async def test_crash_after_checkpoint(cluster: Cluster) -> None:
    await serve(cluster, 2)
    await after_loop(cluster, 3)
    cluster.crash_at(verb="patch", resource=CHECKPOINTS, effect=True)
    await _again(cluster)
    cluster.expect("samples", checkpoint(cluster)["totalSamplesCount"], 12)


@scenario(
    "vpa-recommender/crash-while-caches-fill",
    must="A recommender that ends while its caches fill MUST NOT have written anything.",
    source="pkg/recommender/routines/recommender_controller.go: NewRecommenderController",
    controllers=RECOMMENDER,
    autostart=False,
)
async def test_crash_while_caches_fill(cluster: Cluster) -> None:
    await serve(cluster, 2)
    await cluster.start("replicaset")
    await cluster.start("vpa-recommender")
    await cluster.run(0.15)
    await cluster.crash("vpa-recommender")
    await cluster.run(120)
    cluster.expect("writes of the status", len(cluster.writes("patch", VPAS)), 0)
    await cluster.start("vpa-recommender")
    await cluster.run(61)
    cluster.expect_true("there is a recommendation", recommendation(cluster))
