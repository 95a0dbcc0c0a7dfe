"""How many pods of a group are evicted in one loop."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.world import Lifecycle
from lockstep_conformance.vpa.updater.steps import (
    UPDATER,
    counts,
    evictions,
    fit_successors,
    loop,
    more,
    options,
    recommend,
    workload,
)


@scenario(
    "vpa-updater/half-of-a-group",
    must="By default half of the replicas, rounded down, MUST be evicted in one loop, and no pod below two replicas.",
    source="pkg/updater/restriction/pods_restriction_factory.go: GetCreatorMaps, isPodDisruptable",
    controllers=UPDATER,
    options=options(),
    features=("tolerance", "min-replicas"),
)
async def test_half_of_a_group(cluster: Cluster) -> None:
    for replicas in (1, 2, 3, 4, 5, 7):
        name = f"web{replicas}"
        await cluster.create(workload(name, replicas), objects.vpa(name, mode="Recreate"))
        await recommend(cluster, more(), name=name)
    await cluster.run_until(loop(1))
    owners = [name.split("-")[0] for _, name in evictions(cluster)]
    evicted = {name: owners.count(name) for name in sorted(set(owners))}
    cluster.expect("evicted pods", evicted, {"web2": 1, "web3": 1, "web4": 2, "web5": 2, "web7": 3})


@scenario(
    "vpa-updater/tolerance-rounds-down",
    must="A tolerance of less than one pod MUST allow one eviction in a loop, if all replicas are running.",
    source="pkg/updater/restriction/pods_restriction_factory.go: isPodDisruptable",
    controllers=UPDATER,
    options=options(eviction_tolerance=0.34),
    features=("tolerance",),
)
async def test_tolerance_rounds_down(cluster: Cluster) -> None:
    for replicas in (2, 3, 6):
        name = f"web{replicas}"
        await cluster.create(workload(name, replicas), objects.vpa(name, mode="Recreate"))
        await recommend(cluster, more(), name=name)
    await cluster.run_until(loop(1))
    owners = [name.split("-")[0] for _, name in evictions(cluster)]
    evicted = {name: owners.count(name) for name in sorted(set(owners))}
    cluster.expect("evicted pods", evicted, {"web2": 1, "web3": 1, "web6": 2})


@scenario(
    "vpa-updater/waits-for-replacements",
    must=(
        "Pods that are not running yet MUST NOT count as alive: no pod is evicted until evicted pods have been "
        "replaced."
    ),
    source="pkg/updater/restriction/pods_restriction_factory.go: GetCreatorMaps",
    controllers=UPDATER,
    options=options(eviction_tolerance=0.1),
    features=("tolerance",),
)
async def test_waits_for_replacements(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=4), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    await fit_successors(cluster)
    await cluster.run(10)
    cluster.scheduler.delay = 130  # replacements have no node for two loops
    await cluster.run_until(loop(5))
    cluster.expect("evictions", counts(evictions(cluster)), {59.1: 1, 239.1: 1})


@scenario(
    "vpa-updater/pending-pods-go-at-once",
    must="Pods that have a node but are not running yet MUST be evicted whatever the tolerance.",
    source="pkg/updater/restriction/pods_eviction_restriction.go: CanEvict",
    controllers=UPDATER,
    options=options(),
    features=("tolerance",),
)
async def test_pending_pods_go_at_once(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_owner("web", Lifecycle(start_after=None))
    await cluster.create(workload(replicas=3), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    await cluster.run_until(loop(2))
    cluster.expect("evictions", counts(evictions(cluster)), {59.1: 3, 119.1: 3})


@scenario(
    "vpa-updater/min-replicas-of-the-flag",
    must="Pods of a group with fewer pods than --min-replicas MUST NOT be evicted until it has grown.",
    source="pkg/updater/restriction/pods_restriction_factory.go: GetCreatorMaps",
    issues="kubernetes/autoscaler#1665",
    controllers=UPDATER,
    options=options(min_replicas=5),
    features=("min-replicas",),
)
async def test_min_replicas_of_the_flag(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=4), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    await fit_successors(cluster)
    await cluster.run_until(loop(2))
    cluster.expect("evictions of 4", evictions(cluster), [])
    await cluster.scale("web", 5)
    await cluster.run_until(loop(3))
    cluster.expect("evictions of 5", counts(evictions(cluster)), {179.1: 2})


@scenario(
    "vpa-updater/min-replicas-of-the-vpa",
    must="The minReplicas of a VPA MUST take precedence over --min-replicas, in both directions.",
    source="pkg/updater/restriction/pods_restriction_factory.go: GetCreatorMaps",
    controllers=UPDATER,
    options=options(),
    features=("min-replicas",),
)
async def test_min_replicas_of_the_vpa(cluster: Cluster) -> None:
    await cluster.create(workload("one", 1), objects.vpa("one", mode="Recreate", min_replicas=1))
    await cluster.create(workload("three", 3), objects.vpa("three", mode="Recreate", min_replicas=4))
    await recommend(cluster, more(), name="one")
    await recommend(cluster, more(), name="three")
    await cluster.run_until(loop(1))
    cluster.expect("owners of evicted pods", [name.split("-")[0] for _, name in evictions(cluster)], ["one"])


@scenario(
    "vpa-updater/terminating-pods-do-not-count",
    must="Pods that are being deleted MUST NOT count for --min-replicas or as alive, and MUST NOT be evicted.",
    source="pkg/updater/logic/updater.go: filterDeletedPods",
    controllers=UPDATER,
    options=options(),
    features=("tolerance", "min-replicas"),
)
async def test_terminating_pods_do_not_count(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_owner("web", Lifecycle(stop_after=100))
    await cluster.create(workload(replicas=4, terminationGracePeriodSeconds=200), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    await cluster.run_until(55)
    cluster.scheduler.delay = 600
    await cluster.scale("web", 2)
    await cluster.run_until(loop(1))
    cluster.expect("evictions of the two that stay", counts(evictions(cluster)), {59.1: 1})
    await cluster.run_until(loop(2))
    cluster.expect("evictions of the last one", len(evictions(cluster)), 1)
