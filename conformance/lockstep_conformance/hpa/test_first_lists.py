"""The first lists, of HPAs and of pods: no HPA is synced before the controller has both."""

from __future__ import annotations

from lockstep import Cluster, scenario
from lockstep.metrics import each
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import messages, scales, status, status_writes

_RUN = "pkg/controller/podautoscaler/horizontal.go: Run"
_AUTOSCALER = "horizontal-pod-autoscaler"


@scenario(
    "hpa/late-list-of-pods-delays-the-first-sync",
    must=(
        "Until the first list of pods has arrived, no HPA MUST be synced; one that is due then MUST be synced at once."
    ),
    source=_RUN,
    controllers=("hpa", "replicaset"),
    features=("start", "latency"),
    autostart=False,
)
async def test_late_list_of_pods_delays_the_first_sync(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each("1"))
    cluster.faults.hold_until(cluster.instant(100), verb=None, resource="pods", actor=_AUTOSCALER)
    await cluster.start()
    await serve(cluster, 2, max_replicas=4)
    await cluster.run_until(99)
    cluster.expect("writes before it", status_writes(cluster), [])
    await cluster.run_until(110)
    cluster.expect("scales", [(int(at), size) for at, size in scales(cluster)], [(100, 4)])
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization", current, {"averageUtilization": 100, "averageValue": "1"})
    cluster.expect("warnings", messages(cluster, "FailedGetResourceMetric"), [])
