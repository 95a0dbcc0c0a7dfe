"""The Lease that shows the updater that an admission controller will set the resources of new pods."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep_conformance.vpa.updater.steps import (
    LEASE,
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

_LEASES = "leases.coordination.k8s.io"


def _lease(namespace: str = "kube-system", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": LEASE, "namespace": namespace},
        "spec": {"holderIdentity": "somebody", "leaseDurationSeconds": 10, **spec},
    }


async def _pods_to_evict(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())


@scenario(
    "vpa-updater/no-admission-controller",
    must="Without a Lease of the admission controller no pod MUST be evicted.",
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(use_admission_controller_status=True),
    features=("admission-status",),
)
async def test_no_admission_controller(cluster: Cluster) -> None:
    await _pods_to_evict(cluster)
    await cluster.run_until(loop(2))
    cluster.expect("evictions", evictions(cluster), [])


@scenario(
    "vpa-updater/lease-expires",
    must="A Lease MUST count for a minute after it was created or renewed, whatever its duration.",
    source="pkg/utils/status/status_object.go: isStatusValid",
    controllers=UPDATER,
    options=options(use_admission_controller_status=True),
    features=("admission-status",),
)
async def test_lease_expires(cluster: Cluster) -> None:
    await _pods_to_evict(cluster)
    await fit_successors(cluster)
    await cluster.run_until(30)
    await cluster.create(_lease())  # counts until 90
    await cluster.run_until(loop(2))
    cluster.expect("evictions with a new lease", counts(evictions(cluster)), {59.1: 1})
    renewed = {"spec": {"renewTime": "2000-01-01T00:02:10.500000Z"}}  # 129.5 s after the start: counts until 189.5
    await cluster.patch(_LEASES, LEASE, renewed, namespace="kube-system")
    await cluster.run_until(loop(4))
    cluster.expect("evictions with a renewed lease", counts(evictions(cluster)), {59.1: 1, 179.1: 1})


@scenario(
    "vpa-updater/lease-of-another-namespace",
    must="The Lease MUST be read in the updater's own namespace.",
    source="pkg/updater/main.go: run",
    controllers=UPDATER,
    options=options(use_admission_controller_status=True, namespace="vpa"),
    features=("admission-status", "flags"),
)
async def test_lease_of_another_namespace(cluster: Cluster) -> None:
    await cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "vpa"}})
    await _pods_to_evict(cluster)
    await cluster.run_until(50)
    await cluster.create(_lease("kube-system"))
    await cluster.run_until(loop(1))
    cluster.expect("evictions with a lease elsewhere", evictions(cluster), [])
    await cluster.run_until(115)
    await cluster.create(_lease("vpa"))
    await cluster.run_until(loop(2))
    cluster.expect("evictions with a lease here", counts(evictions(cluster)), {119.1: 1})


@scenario(
    "vpa-updater/lease-cannot-be-read",
    must="The Lease MUST be read up to three times, 100 and 300 ms apart, after server errors only.",
    source="pkg/utils/status/status_object.go: retryWithExponentialBackOff",
    controllers=UPDATER,
    options=options(use_admission_controller_status=True),
    features=("admission-status", "faults"),
)
async def test_lease_cannot_be_read(cluster: Cluster) -> None:
    await _pods_to_evict(cluster)
    await cluster.run_until(30)
    await cluster.create(_lease(renewTime="2000-01-02T00:00:00.000000Z"))
    cluster.faults.error(500, verb="get", resource=_LEASES, times=2)
    await cluster.run_until(loop(1))
    cluster.expect("evictions after two failures", counts(evictions(cluster)), {59.5: 1})
    fault = cluster.faults.error(500, verb="get", resource=_LEASES, times=None)
    await cluster.run_until(loop(2))
    cluster.expect("tries", fault.hits, 3)
    fault.stop()
    refused = cluster.faults.error(403, verb="get", resource=_LEASES, times=None)
    await cluster.run_until(loop(3))
    cluster.expect("tries when forbidden", refused.hits, 1)
    cluster.expect("evictions", counts(evictions(cluster)), {59.5: 1})
