"""Late caches, broken watches, crashes."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.objects.definitions import VPAS
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


async def _web(cluster: Cluster, replicas: int = 4) -> None:
    await cluster.create(workload(replicas=replicas), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())


@scenario(
    "vpa-updater/restart",
    must="After a restart the first loop MUST come one interval later, with the state that there is then.",
    source="pkg/updater/main.go: run",
    controllers=UPDATER,
    options=options(),
    features=("restart",),
)
async def test_restart(cluster: Cluster) -> None:
    await _web(cluster)
    await cluster.run_until(50)
    await cluster.crash("vpa-updater")
    await cluster.run_until(80)
    cluster.expect("evictions while it is down", evictions(cluster), [])
    await cluster.start("vpa-updater")
    await cluster.run_until(150)
    cluster.expect("evictions", counts(evictions(cluster)), {140.1: 2})


@scenario(
    "vpa-updater/crash-in-the-middle-of-evictions",
    must="After a crash between two evictions the next loop MUST count anew, from what there is.",
    source="pkg/updater/restriction/pods_restriction_factory.go: GetCreatorMaps",
    controllers=UPDATER,
    options=options(),
    features=("restart", "tolerance"),
)
async def test_crash_in_the_middle_of_evictions(cluster: Cluster) -> None:
    await _web(cluster)
    await fit_successors(cluster)
    cluster.crash_at("vpa-updater", verb="create", resource="pods", subresource="eviction", effect=True)
    await cluster.run_until(loop(1))
    cluster.expect("evictions before the crash", len(evictions(cluster)), 1)
    await cluster.run_until(125)
    cluster.expect("evictions after it", counts(evictions(cluster, 201)), {59.1: 1, 120.2: 2})


@scenario(
    "vpa-updater/late-pods",
    must="Pods that the cache still has MUST be evicted again, and what it has not seen yet MUST NOT be touched.",
    source="pkg/updater/logic/updater.go: NewPodLister",
    controllers=UPDATER,
    options=options(eviction_tolerance=1.0),
    features=("caches",),
)
async def test_late_pods(cluster: Cluster) -> None:
    await _web(cluster, 3)
    await cluster.run_until(50)
    cluster.network.hold("pods")
    await cluster.run_until(loop(2))
    cluster.expect("evictions", counts(evictions(cluster, 201)), {59.1: 3})
    cluster.expect("evictions of pods that are gone", counts(evictions(cluster, 404)), {119.1: 3})
    cluster.network.release("pods")
    await cluster.run_until(loop(3))
    cluster.expect("evictions of their successors", counts(evictions(cluster, 201)), {59.1: 3, 179.1: 3})


@scenario(
    "vpa-updater/broken-watches",
    must="Broken and expired watches MUST be opened again, and nothing be lost.",
    source="client-go/tools/cache/reflector.go: ListAndWatch",
    controllers=UPDATER,
    options=options(),
    features=("caches", "faults"),
)
async def test_broken_watches(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=4), objects.vpa(mode="Off"))
    await cluster.run_until(20)
    await cluster.drop_watch(VPAS)
    await cluster.drop_watch("pods")
    await recommend(cluster, more())
    await cluster.expire_watch(VPAS, relist_at=40)
    await cluster.patch(VPAS, "web", {"spec": {"updatePolicy": {"updateMode": "Recreate"}}})
    await cluster.run_until(loop(1))
    cluster.expect("evictions", counts(evictions(cluster)), {59.1: 2})


@scenario(
    "vpa-updater/unknown-replica-count",
    must="A group whose controller the cache does not have MUST be left alone.",
    source="pkg/updater/restriction/pods_restriction_factory.go: getReplicaCount",
    controllers=UPDATER,
    options=options(),
    features=("tolerance", "caches"),
)
async def test_unknown_replica_count(cluster: Cluster) -> None:
    await _web(cluster)
    await cluster.run_until(50)
    await cluster.scale("web", 0)  # its pods are being deleted, and the cache of replica sets says 0
    await cluster.scale("web", 4)
    await cluster.run_until(loop(1))
    cluster.expect("evictions", counts(evictions(cluster)), {59.1: 2})


@scenario(
    "vpa-updater/own-namespace-only",
    must="With --vpa-object-namespace VPAs and pods of other namespaces MUST NOT be read, nor evicted.",
    source="pkg/updater/main.go: run",
    controllers=UPDATER,
    options=options(vpa_object_namespace="mine"),
    features=("flags",),
)
async def test_own_namespace_only(cluster: Cluster) -> None:
    await cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mine"}})
    await _web(cluster)
    mine = {"metadata": {"name": "own", "namespace": "mine"}}
    made = workload("own", 2)
    made["metadata"]["namespace"] = "mine"
    await cluster.create(made, objects.vpa("own", mode="Recreate", metadata=mine["metadata"]))
    await cluster.set_status(VPAS, "own", objects.vpa_status(more()), "mine")
    await cluster.run_until(loop(1))
    evicted = [name.split("-")[0] for _, name in evictions(cluster)]
    cluster.expect("owners of evicted pods", evicted, ["own"])
