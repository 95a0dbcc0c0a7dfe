"""When the updater runs: once in each interval, the first time one interval after its caches are filled."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.vpa.updater.steps import (
    UPDATER,
    counts,
    evictions,
    more,
    options,
    recommend,
    workload,
)


@scenario(
    "vpa-updater/first-loop",
    must="The updater MUST evict pods one interval after its caches are filled, and not before.",
    source="pkg/updater/main.go: run",
    controllers=UPDATER,
    options=options(),
    features=("loop",),
)
async def test_first_loop(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=4), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    await cluster.run_until(70)
    cluster.expect("evictions", counts(evictions(cluster)), {59.1: 2})
