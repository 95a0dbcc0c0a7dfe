"""At a restart the HPA controller loses its recommendations and scale events, and nothing else."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import shared, steps
from lockstep_conformance.hpa.demand import demanded
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import counts, reason, scales, status_writes

_INITIAL = "pkg/controller/podautoscaler/horizontal.go: recordInitialRecommendation"
_EVENTS = "pkg/controller/podautoscaler/horizontal.go: storeScaleEvent, getReplicasChangePerPeriod"
_RECONCILE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"


async def _restart(cluster: Cluster, at: float, after: float = 1.0) -> None:
    await cluster.run_until(at)
    await cluster.crash("hpa")
    await cluster.run(after)
    await cluster.start("hpa")


@scenario(
    "hpa/restart-begins-a-new-window",
    must="After a restart, the current replicas MUST NOT be reduced for a whole window.",
    source=_INITIAL,
    controllers=("hpa", "replicaset"),
    features=("restart", "stabilization"),
)
async def test_restart_begins_a_new_window(cluster: Cluster) -> None:
    """Without it, 4 would be forgotten at 405 s."""
    await demanded(cluster, 4, (100, 1), replicas=4)
    await _restart(cluster, 300)
    cluster.expect("scales before", scales(cluster), [])
    await cluster.run_until(900)
    cluster.expect("scales", scales(cluster), [(631.0, 1)])


@scenario(
    "hpa/restart-forgets-a-peak",
    must="After a restart, earlier recommendations MUST NOT count, even if they exceed the current replicas.",
    source=_INITIAL,
    controllers=("hpa", "replicaset"),
    features=("restart", "stabilization", "legacy"),
)
async def test_restart_forgets_a_peak(cluster: Cluster) -> None:
    """20 is recommended once, and the limit allows 8. Without the restart, the rest would follow."""
    await demanded(cluster, 4, (60, 20), (70, 3), replicas=4, max_replicas=20)
    await _restart(cluster, 65)
    await cluster.run_until(200)
    cluster.expect("scales", scales(cluster), [(60.0, 8)])
    await cluster.run_until(600)
    cluster.expect("scales after the window", scales(cluster), [(60.0, 8), (396.0, 3)])


@scenario(
    "hpa/restart-forgets-the-rate",
    must="After a restart, earlier scale events MUST NOT count for the policies.",
    source=_EVENTS,
    controllers=("hpa", "replicaset"),
    features=("restart", "behavior"),
)
async def test_restart_forgets_the_rate(cluster: Cluster) -> None:
    await demanded(cluster, 8, up=objects.scaling(("Pods", 2, 600)))
    await cluster.run_until(99)
    cluster.expect("scales before", scales(cluster), [(15.0, 3)])
    cluster.expect("ScalingLimited before", reason(cluster, "ScalingLimited"), "True ScaleUpLimit")
    for at in (100, 200):
        await _restart(cluster, at)
    await cluster.run_until(700)
    cluster.expect("scales", scales(cluster), [(15.0, 3), (116.0, 5), (216.0, 7)])


@scenario(
    "hpa/restart-finds-nothing-to-do",
    must="A controller that restarts while nothing changes MUST write nothing.",
    source=("pkg/controller/podautoscaler/horizontal.go: updateStatusIfNeeded", _RECONCILE),
    controllers=("hpa", "replicaset"),
    features=("restart", "status"),
)
async def test_restart_finds_nothing_to_do(cluster: Cluster) -> None:
    await demanded(cluster, 3)
    await cluster.run_until(600)
    before = len(cluster.writes())
    for at in (600, 700, 800):
        await _restart(cluster, at, after=20.0)
    await cluster.run_until(1000)
    cluster.expect("writes since the first restart", len(cluster.writes()) - before, 0)


@scenario(
    "hpa/controller-that-starts-late",
    must="A controller that starts long after its HPAs were created MUST sync each of them a period after its start.",
    source="pkg/controller/podautoscaler/horizontal.go: enqueueHPA",
    controllers=("hpa", "replicaset"),
    features=("restart", "sync-period"),
    autostart=False,
)
async def test_controller_that_starts_late(cluster: Cluster) -> None:
    await cluster.start("replicaset")
    await demanded(cluster, 3)
    await cluster.run_until(500)
    cluster.expect("writes of the HPA before", status_writes(cluster), [])
    await cluster.start("hpa")
    await cluster.run_until(600)
    cluster.expect("scales", scales(cluster), [(515.0, 3)])


@scenario(
    "hpa/replica-set-controller-is-down",
    must="While no controller creates pods for its target, the HPA MUST NOT scale up further and further.",
    source="pkg/controller/podautoscaler/replica_calculator.go: GetResourceReplicas",
    controllers=("hpa", "replicaset"),
    features=("restart", "closed-loop"),
)
async def test_replica_set_controller_is_down(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(steps((0, 0.5), (100, 1.2))))
    await serve(cluster, 1, max_replicas=20)
    await cluster.run_until(95)
    await cluster.crash("replicaset")
    await cluster.run_until(299)
    cluster.expect("scales while it is down", scales(cluster), [(105.0, 3)])
    cluster.expect("pods while it is down", len(cluster.pods("web")), 1)
    cluster.expect("replicas, desired", counts(cluster), (3, 3))
    await cluster.start("replicaset")
    await cluster.run_until(700)
    cluster.expect("pods", cluster.ready("web"), 3)
    cluster.expect("scales", scales(cluster), [(105.0, 3)])
