"""The rate of evictions."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.vpa.updater.steps import (
    UPDATER,
    counts,
    evictions,
    fit_successors,
    loop,
    more,
    options,
    recommend,
    times,
    workload,
)


async def _ten(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=10), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())


@scenario(
    "vpa-updater/eviction-rate",
    must="Evictions MUST follow at the rate of the flag, after a burst, within the loop.",
    source="pkg/updater/logic/updater.go: getRateLimiter",
    controllers=UPDATER,
    options=options(eviction_tolerance=1.0, eviction_rate_limit=0.25, eviction_rate_burst=3),
    features=("rate-limit",),
)
async def test_eviction_rate(cluster: Cluster) -> None:
    await _ten(cluster)
    await cluster.run_until(80)
    wanted = {59.1: 3, 63.1: 1, 67.1: 1, 71.1: 1, 75.1: 1, 79.1: 1}
    cluster.expect("evictions", counts(evictions(cluster)), wanted)


@scenario(
    "vpa-updater/eviction-rate-too-low",
    must="A loop MUST end at once if the next token comes too late, and tokens MUST be saved up between loops.",
    source="golang.org/x/time/rate: Limiter.Wait",
    controllers=UPDATER,
    options=options(eviction_tolerance=1.0, eviction_rate_limit=0.0125),
    features=("rate-limit",),
)
async def test_eviction_rate_too_low(cluster: Cluster) -> None:
    await _ten(cluster)
    await fit_successors(cluster)
    await cluster.run_until(loop(5))
    cluster.expect("evictions", times(evictions(cluster)), [59.1, 139.1, 219.1, 299.1])


@scenario(
    "vpa-updater/eviction-rate-without-burst",
    must="With a burst of 0 no pod MUST be evicted.",
    source="golang.org/x/time/rate: Limiter.Wait",
    controllers=UPDATER,
    options=options(eviction_rate_limit=1.0, eviction_rate_burst=0),
    features=("rate-limit",),
)
async def test_eviction_rate_without_burst(cluster: Cluster) -> None:
    await _ten(cluster)
    await cluster.run_until(loop(2))
    cluster.expect("evictions", evictions(cluster), [])
