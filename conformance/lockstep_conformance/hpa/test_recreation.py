"""HPAs and targets that are deleted and created again under the same name: what is remembered."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.demand import demanded, proposal
from lockstep_conformance.hpa.steps import HPAS, condition, counts, messages, reason, scales, status

_FORGET = "pkg/controller/podautoscaler/horizontal.go: reconcileKey"
_QUEUE = "pkg/controller/podautoscaler/horizontal.go: enqueueHPA, deleteHPA"
_RECONCILE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"


async def _recreate(cluster: Cluster, deleted: float, created: float) -> None:
    await cluster.run_until(deleted)
    await cluster.delete(HPAS, "web")
    await cluster.run_until(created)
    await cluster.create(objects.hpa("web", metrics=[proposal()]))


@scenario(
    "hpa/recreated-at-once-it-keeps-its-history",
    must=(
        "An HPA that is created again before the sync that would have found it missing MUST count as the same one: it "
        "keeps its recommendations and does not wait again."
    ),
    source=(_FORGET, _QUEUE),
    controllers=("hpa", "replicaset"),
    features=("recreation", "stabilization"),
)
async def test_recreated_at_once_it_keeps_its_history(cluster: Cluster) -> None:
    await demanded(cluster, 4, (62, 1), replicas=4)
    await _recreate(cluster, deleted=100, created=101)
    await cluster.run_until(106)
    cluster.expect("replicas, desired, at 105 s", counts(cluster), (4, 4))
    await cluster.run_until(600)
    # 4 was last recommended at 60 s
    cluster.expect("scales", scales(cluster), [(375.0, 1)])


@scenario(
    "hpa/recreated-later-it-starts-anew",
    must=(
        "An HPA that is created again after a sync has found it missing MUST start without history, one period after "
        "its creation."
    ),
    source=(_FORGET, _QUEUE),
    controllers=("hpa", "replicaset"),
    features=("recreation", "stabilization"),
)
async def test_recreated_later_it_starts_anew(cluster: Cluster) -> None:
    await demanded(cluster, 4, (62, 1), replicas=4)
    await _recreate(cluster, deleted=100, created=110)
    await cluster.run_until(124)
    cluster.expect("status before its first sync", status(cluster).get("conditions"), None)
    await cluster.run_until(600)
    # it finds 4 replicas at 125 s, and they count until 425 s
    cluster.expect("scales", scales(cluster), [(440.0, 1)])


@scenario(
    "hpa/deleted-hpa-leaves-the-target-alone",
    must="After an HPA was deleted, its target MUST NOT change.",
    source=_FORGET,
    controllers=("hpa", "replicaset"),
    features=("recreation",),
)
async def test_deleted_hpa_leaves_the_target_alone(cluster: Cluster) -> None:
    await demanded(cluster, (0, 3), (100, 9), replicas=1)
    await cluster.run_until(61)
    await cluster.delete(HPAS, "web")
    before = len(cluster.writes())
    await cluster.run_until(900)
    cluster.expect("writes since then", len(cluster.writes()) - before, 0)
    cluster.expect("pods", len(cluster.pods("web")), 3)


@scenario(
    "hpa/deleted-during-a-sync",
    must="An HPA that is deleted during a sync MUST NOT come back through its status.",
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("recreation", "latency"),
)
async def test_deleted_during_a_sync(cluster: Cluster) -> None:
    cluster.faults.latency(5.0, resource="external.metrics.k8s.io")
    await demanded(cluster, 3)
    await cluster.run_until(17)
    await cluster.delete(HPAS, "web")
    await cluster.run_until(300)
    cluster.expect("scales", scales(cluster), [(20.0, 3)])
    cluster.expect("HPAs", cluster.list(HPAS), [])
    gone = 'horizontalpodautoscalers.autoscaling "web" not found'
    cluster.expect("warnings", messages(cluster, "FailedUpdateStatus"), [gone])


@scenario(
    "hpa/recreated-target-meets-an-old-history",
    must=(
        "While its target is missing, the HPA MUST report it; a new target with the same name MUST be scaled by the "
        "recommendations for the old one."
    ),
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("recreation", "conditions", "stabilization"),
)
async def test_recreated_target_meets_an_old_history(cluster: Cluster) -> None:
    await demanded(cluster, 6, (62, 2), replicas=6)
    await cluster.run_until(100)
    await cluster.delete("replicasets", "web", propagationPolicy="Background")
    await cluster.run_until(199)
    gone = 'replicasets.apps "web" not found'
    failed = ("False", "FailedGetScale", f"the HPA controller was unable to get the target's current scale: {gone}")
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), failed)
    cluster.expect("warnings", messages(cluster, "FailedGetScale"), [gone])
    cluster.expect("replicas, desired", counts(cluster), (6, 6))
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(600)
    # 6 is in the window until 360 s; at most twice as many at a time, or 4
    cluster.expect("scales", scales(cluster), [(210.0, 4), (225.0, 6), (375.0, 2)])
    cluster.expect("AbleToScale in the end", reason(cluster, "AbleToScale"), "True ReadyForNewScale")
