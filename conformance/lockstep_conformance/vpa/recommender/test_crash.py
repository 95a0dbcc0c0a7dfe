"""A recommender that crashes in the middle of a loop, and restarts."""

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
    must="A recommender that crashes while it reads metrics MUST restart with the whole history in checkpoints.",
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
    must="A recommender that crashes before it writes the status MUST lose the samples that are not in a checkpoint.",
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
    must="A recommender that crashes before it writes a checkpoint MUST lose the samples of that loop.",
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
    must="A recommender that crashes after it has written a checkpoint MUST NOT lose any samples.",
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
    must="A recommender that crashes while its caches are filling MUST NOT have written anything.",
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
