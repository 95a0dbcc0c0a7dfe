"""The mode InPlace, behind its gate: pods are resized in place, and never evicted."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.world import Resize
from lockstep_conformance.vpa.updater.steps import (
    UPDATER,
    counts,
    evictions,
    loop,
    more,
    options,
    recommend,
    requests_of,
    resizes,
    workload,
)

_GATE = {"InPlace": True}


async def _web(cluster: Cluster, replicas: int = 4) -> None:
    await cluster.create(workload(replicas=replicas), objects.vpa(mode="InPlace"))
    await recommend(cluster, more())


@scenario(
    "vpa-updater/in-place-only-without-its-gate",
    must="Without the gate InPlace a VPA in the mode InPlace MUST NOT update any pod.",
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(),
    features=("in-place-only", "feature-gates"),
)
async def test_in_place_only_without_its_gate(cluster: Cluster) -> None:
    await _web(cluster)
    await cluster.run_until(loop(2))
    cluster.expect("resizes", resizes(cluster), [])
    cluster.expect("evictions", evictions(cluster), [])


@scenario(
    "vpa-updater/in-place-only-ignores-the-tolerance",
    must="In the mode InPlace the tolerance MUST NOT apply: upstream resizes deferred pods as well.",
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(_GATE),
    features=("in-place-only", "tolerance"),
)
async def test_in_place_only_ignores_the_tolerance(cluster: Cluster) -> None:
    await _web(cluster)
    await cluster.run_until(loop(2))
    cluster.expect("resizes", counts(resizes(cluster)), {59.1: 4})
    cluster.expect("requests", requests_of(cluster), [{"cpu": "200m", "memory": "200Mi"}] * 4)


@scenario(
    "vpa-updater/in-place-only-single-pod",
    must="A group below --min-replicas MUST NOT be resized: its pods are unknown.",
    source="pkg/updater/restriction/pods_inplace_restriction.go: InPlaceUpdate",
    controllers=UPDATER,
    options=options(_GATE),
    features=("in-place-only", "min-replicas"),
)
async def test_in_place_only_single_pod(cluster: Cluster) -> None:
    await _web(cluster, 1)
    await cluster.run_until(loop(2))
    cluster.expect("resizes", resizes(cluster), [])


@scenario(
    "vpa-updater/in-place-only-waits",
    must="A deferred resize MUST be requested again in each loop, and the pod MUST never be evicted.",
    source="pkg/updater/restriction/pods_inplace_restriction.go: CanInPlaceUpdate",
    controllers=UPDATER,
    options=options(_GATE),
    features=("in-place-only",),
)
async def test_in_place_only_waits(cluster: Cluster) -> None:
    await _web(cluster, 2)
    cluster.kubelet.resizing = Resize("Deferred")
    await cluster.run_until(loop(12))
    cluster.expect("resizes", set(counts(resizes(cluster)).values()), {2})
    cluster.expect("loops with resizes", len(counts(resizes(cluster))), 12)
    cluster.expect("evictions", evictions(cluster), [])


@scenario(
    "vpa-updater/in-place-only-infeasible",
    must=(
        "An infeasible resize MUST be retried only after a resource of the recommendation has become smaller, and the "
        "pod MUST never be evicted."
    ),
    source="pkg/updater/logic/updater.go: recordInfeasibleAttempt",
    controllers=UPDATER,
    options=options(_GATE),
    features=("in-place-only", "infeasible"),
)
async def test_in_place_only_infeasible(cluster: Cluster) -> None:
    await _web(cluster, 2)
    cluster.kubelet.resizing = Resize("Infeasible")
    await cluster.run_until(loop(4))
    cluster.expect("resizes", counts(resizes(cluster)), {59.1: 2, 119.1: 2})
    await recommend(cluster, more(cpu="300m", memory="300Mi"))
    await cluster.run_until(loop(5))
    cluster.expect("resizes to more", len(resizes(cluster)), 4)
    await recommend(cluster, more(cpu="400m", memory="150Mi"))
    await cluster.run_until(loop(7))
    cluster.expect("resizes to less of something", [at for at, _ in resizes(cluster)][4:], [359.1, 359.1])
    cluster.expect("evictions", evictions(cluster), [])


@scenario(
    "vpa-updater/in-place-only-refused",
    must="A refused resize MUST be retried in the next loop, and the pod MUST never be evicted.",
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(_GATE),
    features=("in-place-only", "faults"),
)
async def test_in_place_only_refused(cluster: Cluster) -> None:
    await _web(cluster, 2)
    cluster.faults.error(403, verb="patch", resource="pods", subresource="resize", times=4)
    await cluster.run_until(loop(4))
    cluster.expect("refused resizes", counts(resizes(cluster, 403)), {59.1: 2, 119.1: 2})
    cluster.expect("resizes", counts(resizes(cluster, 200)), {179.1: 2})
    cluster.expect("evictions", evictions(cluster), [])
