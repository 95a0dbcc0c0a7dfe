"""Slow discovery: all syncs share one RESTMapper, and wait for the same answer.

kube-controller-manager resets its RESTMapper every 30 s: at 29 s and 59 s here, since the controllers start a second
before the scenario. The first sync after that asks, for the groups of `/api` and of `/apis`.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import ramp
from lockstep_conformance.hpa.steps import status_writes

_PHASES = {"web": 0.0, "api": 2.0, "db": 5.0}


@scenario(
    "hpa/slow-discovery-holds-up-every-hpa",
    must="While a sync waits for discovery, the syncs of all other HPAs MUST wait for the answer, too.",
    source=(
        "client-go/restmapper/discovery.go: getDelegate",
        "cmd/kube-controller-manager/app/controllermanager.go: CreateControllerContext",
    ),
    controllers=("hpa", "replicaset"),
    features=("discovery", "latency", "workers"),
)
async def test_slow_discovery_holds_up_every_hpa(cluster: Cluster) -> None:
    # The metric rises all the time, but never enough to scale, so each sync is visible as a status update.
    cluster.metrics.external("demand", ramp(0, 100_000, 950, 1050))
    for name, at in _PHASES.items():
        await cluster.run_until(at)
        metric = objects.external_metric("demand", value="1000")
        await cluster.create(objects.replica_set(name, 2), objects.hpa(name, metrics=[metric]))
    await cluster.run_until(55)
    slow = cluster.faults.latency(12.0, resource="", actor="horizontal-pod-autoscaler")
    await cluster.run_until(88)
    slow.stop()
    await cluster.run_until(110)
    cluster.expect("requests to discovery", slow.hits, 2)
    for name, phase in _PHASES.items():
        syncs = [round(cluster.at(write), 3) for write in status_writes(cluster, name)]
        # Syncs are due at 60 s, 62 s and 65 s. At 74 s the informer's resync queues all of them for 15 s later, so from
        # then on all three are synced at one instant.
        wanted = [15 + phase, 30 + phase, 45 + phase, 84.0, 89.0, 104.0]
        cluster.expect(f"syncs of {name}", syncs, wanted)
