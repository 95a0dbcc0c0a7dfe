"""When the recommender runs: once in each interval, the first time one interval after its start."""

from __future__ import annotations

from lockstep import Cluster, Options, RecommenderOptions, VpaOptions, scenario
from lockstep.objects.definitions import CHECKPOINTS, VPAS
from lockstep_conformance.vpa.recommender.steps import (
    FIRST_LOOP,
    RECOMMENDER,
    after_loop,
    loop,
    moments,
    serve,
    status,
    target,
    upper_bound,
)

_RUN = "pkg/recommender/routines/recommender_controller.go: Run"


@scenario(
    "vpa-recommender/first-loop",
    must="The first recommendation MUST be written one interval after the caches are filled, and not before.",
    source=_RUN,
    issues="kubernetes/autoscaler#5569",
    controllers=RECOMMENDER,
)
async def test_first_loop(cluster: Cluster) -> None:
    await serve(cluster, 2)
    await cluster.run_until(FIRST_LOOP - 0.1)
    cluster.expect("status before the first loop", status(cluster), {})
    await after_loop(cluster, 1)
    cluster.expect("writes of the status", moments(cluster, "patch", VPAS), [FIRST_LOOP])
    cluster.expect("target", target(cluster), {"cpu": "126m", "memory": "250Mi"})
    # One sample covers no time, so the confidence is zero.
    cluster.expect("upper bound", upper_bound(cluster), {"cpu": "100G", "memory": "97656250000Ki"})


@scenario(
    "vpa-recommender/loops-at-every-interval",
    must="A loop MUST run at every interval, and MUST write the VPA only if its status has changed.",
    source=(_RUN, "pkg/utils/vpa/api.go: UpdateVpaStatusIfNeeded"),
    controllers=RECOMMENDER,
    options=Options(vpa=VpaOptions(recommender=RecommenderOptions(recommender_interval=30.0))),
)
async def test_loops_at_every_interval(cluster: Cluster) -> None:
    await serve(cluster)
    await cluster.run_until(150)
    # The bounds narrow as samples arrive, at most one per minute.
    loops = [29.3, 59.3, 89.3, 119.3, 149.3]
    cluster.expect("writes of the checkpoint", moments(cluster, "patch", CHECKPOINTS), loops)
    cluster.expect("writes of the status", moments(cluster, "patch", VPAS), loops)


@scenario(
    "vpa-recommender/slow-loop-skips-ticks",
    must="Ticks during a loop MUST be dropped except for one, and later loops MUST stay on the grid.",
    source=_RUN,
    controllers=RECOMMENDER,
)
async def test_slow_loop_skips_ticks(cluster: Cluster) -> None:
    await serve(cluster)
    await after_loop(cluster, 1)
    slow = cluster.faults.latency(130, verb="patch", resource=CHECKPOINTS)
    await cluster.run_until(loop(4) + 9)
    slow.stop()
    await cluster.run_until(loop(7) + 1)
    # The second loop takes until 249.3 s; the tick of 179.3 s is served then, that of 239.3 s is lost.
    cluster.expect("writes of the status", moments(cluster, "patch", VPAS)[:5], [59.3, 119.3, 249.3, 299.3, 359.3])


@scenario(
    "vpa-recommender/unchanged-status-is-not-written",
    must="An unchanged status MUST NOT be written.",
    source="pkg/utils/vpa/api.go: UpdateVpaStatusIfNeeded",
    controllers=RECOMMENDER,
)
async def test_unchanged_status_is_not_written(cluster: Cluster) -> None:
    await serve(cluster, 0)
    await cluster.run_until(loop(10) + 1)
    cluster.expect("writes of the status", moments(cluster, "patch", VPAS), [FIRST_LOOP])
    cluster.expect("recommendation", status(cluster)["recommendation"], {})
