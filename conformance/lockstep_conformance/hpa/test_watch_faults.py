"""Watches that break: the HPA controller misses nothing for good, and does nothing twice."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each, steps
from lockstep_conformance.hpa.demand import demanded, proposal
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import HPAS, counts, scales

_REFLECTOR = "client-go/tools/cache/reflector.go"
_HANDLERS = "pkg/controller/podautoscaler/horizontal.go: enqueueHPA, updateHPA, deleteHPA"
_AUTOSCALERS = "horizontalpodautoscalers.autoscaling"


@scenario(
    "hpa/dropped-watch-loses-no-edit",
    must="An edit that was on its way when the watch broke MUST be heard of through the next watch.",
    source=(f"{_REFLECTOR}: watch", _HANDLERS),
    controllers=("hpa", "replicaset"),
    features=("watch-drop",),
)
async def test_dropped_watch_loses_no_edit(cluster: Cluster) -> None:
    await demanded(cluster, 6, replicas=2, max_replicas=2)
    await cluster.run_until(40)
    cluster.network.hold(_AUTOSCALERS)
    await cluster.patch(HPAS, "web", {"spec": {"maxReplicas": 4}})
    await cluster.run_until(50)
    cluster.network.release(_AUTOSCALERS)
    await cluster.drop_watch(_AUTOSCALERS)
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(60.0, 4)])
    cluster.expect("replicas, desired", counts(cluster), (4, 4))


@scenario(
    "hpa/new-list-after-a-gap",
    must="After 410 Gone, HPAs that were deleted, edited and created during the gap MUST all be noticed by the next "
    "list.",
    source=(f"{_REFLECTOR}: list", "client-go/tools/cache/delta_fifo.go: DeletedFinalStateUnknown", _HANDLERS),
    controllers=("hpa", "replicaset"),
    features=("watch-expired", "tombstone"),
)
async def test_new_list_after_a_gap(cluster: Cluster) -> None:
    cluster.metrics.external("demand", 5)
    for name in ("deleted", "edited", "new"):
        await cluster.create(objects.replica_set(name, 2))
    for name in ("deleted", "edited"):
        await cluster.create(objects.hpa(name, max_replicas=2, metrics=[proposal()]))
    await cluster.run_until(32)
    cluster.network.hold(_AUTOSCALERS)
    await cluster.delete(HPAS, "deleted")
    await cluster.patch(HPAS, "edited", {"spec": {"maxReplicas": 4}})
    await cluster.create(objects.hpa("new", max_replicas=3, metrics=[proposal()]))
    await cluster.run_until(35)
    await cluster.expire_watch(_AUTOSCALERS, relist_at=50.0)
    cluster.network.release(_AUTOSCALERS)
    await cluster.run_until(300)
    cluster.expect("scales of deleted", scales(cluster, "deleted"), [])
    cluster.expect("scales of edited", scales(cluster, "edited"), [(60.0, 4)])
    cluster.expect("scales of new", scales(cluster, "new"), [(65.0, 3)])


@scenario(
    "hpa/pods-listed-anew-after-a-gap",
    must="After 410 Gone on the pods, those of the next list MUST count, and no others.",
    source=(f"{_REFLECTOR}: list", "pkg/controller/podautoscaler/replica_calculator.go: groupPods"),
    controllers=("hpa", "replicaset"),
    features=("watch-expired", "unready"),
)
async def test_pods_listed_anew_after_a_gap(cluster: Cluster) -> None:
    """Of four pods, two go during the gap. As long as they are believed to be there, they count as idle."""
    cluster.metrics.load("web", cpu=each(steps((0, 0.5), (70, 0.8))))
    await serve(cluster, 4, max_replicas=20, behavior=objects.behavior(up=objects.scaling(("Pods", 9, 15))))
    await cluster.run_until(62)
    cluster.network.hold("pods")
    for pod in cluster.pods("web")[:2]:
        await cluster.delete("pods", pod["metadata"]["name"], gracePeriodSeconds=0)
    await cluster.run_until(65)
    await cluster.expire_watch("pods", relist_at=80.0)
    cluster.network.release("pods")
    await cluster.run_until(89)
    # two at 80 %, two at 0 %: less than the target, and so no reason for more
    cluster.expect("scales in the gap", scales(cluster), [])
    await cluster.run_until(91)
    # Their successors are 10 s old, and count as idle as well.
    cluster.expect("scales at the next sync", scales(cluster), [])
    await cluster.run_until(121)
    cluster.expect("scales in the end", scales(cluster), [(105.0, 7)])


@scenario(
    "hpa/restart-with-old-lists",
    must="First lists from the past MUST do no harm when the changes since then follow at once.",
    source=(f"{_REFLECTOR}: list", _HANDLERS),
    controllers=("hpa", "replicaset"),
    features=("restart", "stale-cache"),
)
async def test_restart_with_old_lists(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each("500m"))
    empty = cluster.version
    await serve(cluster, 3)
    await cluster.create(objects.hpa("gone", metrics=[proposal()]))
    await cluster.delete(HPAS, "gone")
    await cluster.run_until(100)
    before = len(cluster.writes())
    await cluster.crash("hpa")
    stale = [
        cluster.faults.stale(empty, verb=verb, resource=resource)
        for verb in ("list", "watch")
        for resource in ("pods", _AUTOSCALERS)
    ]
    await cluster.start("hpa")
    await cluster.run_until(600)
    cluster.expect("first lists that were stale", sum(fault.hits for fault in stale), 2)
    cluster.expect("writes since the restart", len(cluster.writes()) - before, 0)
