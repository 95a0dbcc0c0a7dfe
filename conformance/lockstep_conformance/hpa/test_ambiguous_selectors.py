"""Pods that several HPAs claim: each HPA that finds another one behind its pods stops, and says which.

An HPA claims pods by the selector of its target as it was in its own last sync. So one that has not been synced yet
claims none, nor does one whose target has no pods; and what counts is the namespace of the HPA.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, demanded, proposal, propose
from lockstep_conformance.hpa.steps import HPAS, condition, counts, messages, reason, scales, transitions

_CHECK = "pkg/controller/podautoscaler/horizontal.go: validateAndParseSelector"
_CLAIMS = "pkg/controller/podautoscaler/horizontal.go: hpasControllingPodsUnderSelector"
_WEB = objects.reference("ReplicaSet", "web")


def _told(cluster: Cluster, name: str) -> bool:
    """Whether an HPA says that `web` and `late` claim its pods; upstream lists both in any order."""
    orders = ("default/late default/web", "default/web default/late")
    texts = [f"pods by selector app=web are controlled by multiple HPAs: [{order}]" for order in orders]
    return condition(cluster, "ScalingActive", name) in [("False", "AmbiguousSelector", text) for text in texts]


@scenario(
    "hpa/hpa-claims-pods-from-its-first-sync-on",
    must="A second HPA MUST stop the first one from its own first sync on, and not before.",
    source=(_CHECK, "pkg/controller/podautoscaler/horizontal.go: enqueueHPA"),
    controllers=BOTH,
    features=("ambiguous-selector", "conditions", "events"),
)
async def test_hpa_claims_pods_from_its_first_sync_on(cluster: Cluster) -> None:
    await demanded(cluster, (0, 3), (25, 5), (50, 6), replicas=2)
    await cluster.run_until(25)
    await cluster.create(objects.hpa("late", target=_WEB, metrics=[proposal()]))
    await cluster.run_until(39)
    cluster.expect("ScalingActive before it", reason(cluster, "ScalingActive"), "True ValidMetricFound")
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(15.0, 3), (30.0, 5)])
    cluster.expect_true("both say who claims the pods", _told(cluster, "web") and _told(cluster, "late"))
    wanted = [(15.0, "True ValidMetricFound"), (45.0, "False AmbiguousSelector")]
    cluster.expect("ScalingActive over time", transitions(cluster, "ScalingActive"), wanted)
    cluster.expect("current and desired replicas of web", counts(cluster), (5, 5))
    cluster.expect("current and desired replicas of late", counts(cluster, "late"), (5, 0))
    cluster.expect_true("both send a warning", len(messages(cluster, "AmbiguousSelector")) >= 2)


@scenario(
    "hpa/hpa-pointed-elsewhere-gives-pods-free",
    must="An HPA that is pointed at another target MUST claim its old pods until its next sync, and no longer.",
    source=(_CHECK, _CLAIMS),
    controllers=BOTH,
    features=("ambiguous-selector", "spec-edits", "target"),
)
async def test_hpa_pointed_elsewhere_gives_pods_free(cluster: Cluster) -> None:
    await demanded(cluster, 2, (60, 3), replicas=2)
    await cluster.create(objects.replica_set("db", 1))
    await cluster.run_until(5)
    await cluster.create(objects.hpa("late", target=_WEB, metrics=[proposal()]))
    await cluster.run_until(72)  # late is synced at 20 s, 35 s ... 80 s
    await cluster.patch(HPAS, "late", {"spec": {"scaleTargetRef": objects.reference("ReplicaSet", "db")}})
    await cluster.run_until(78)
    cluster.expect_true("still claimed at 75 s", _told(cluster, "web"))
    await cluster.run_until(100)
    cluster.expect("scales of web", scales(cluster), [(90.0, 3)])
    cluster.expect("scales of db", scales(cluster, "db"), [(80.0, 3)])
    active = reason(cluster, "ScalingActive")
    cluster.expect("ScalingActive at the end", active, "True ValidMetricFound")


@scenario(
    "hpa/deleted-hpa-gives-pods-free-at-once",
    must="An HPA that is deleted MUST claim no pods from that moment on.",
    source=(_CHECK, "pkg/controller/podautoscaler/horizontal.go: deleteHPA"),
    controllers=BOTH,
    features=("ambiguous-selector", "deletion"),
)
async def test_deleted_hpa_gives_pods_free_at_once(cluster: Cluster) -> None:
    await demanded(cluster, 2, (60, 3), replicas=2)
    await cluster.run_until(5)
    await cluster.create(objects.hpa("late", target=_WEB, metrics=[proposal()]))
    await cluster.run_until(74)
    cluster.expect_true("claimed until then", _told(cluster, "web"))
    await cluster.delete(HPAS, "late")
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(75.0, 3)])


@scenario(
    "hpa/hpas-of-a-target-without-pods",
    must="Where the targets have no pods nobody claims any: several HPAs of one target MUST each scale it.",
    source=_CLAIMS,
    controllers=BOTH,
    features=("ambiguous-selector", "custom-resources"),
)
async def test_hpas_of_a_target_without_pods(cluster: Cluster) -> None:
    fleet = objects.custom("Fleet", "web", 4)
    propose(cluster, 2, metric="little")
    propose(cluster, 6, metric="much")
    await cluster.create(objects.definition("Fleet"), fleet)
    await cluster.set_status("fleets.example.com", "web", {"replicas": 4, "selector": "app=web"})
    await cluster.run_until(60)
    rules = objects.behavior(down=objects.scaling(window=0))
    await cluster.create(objects.hpa("web", target=fleet, metrics=[proposal("much")], behavior=rules))
    await cluster.run_until(65)
    await cluster.create(objects.hpa("late", target=fleet, metrics=[proposal("little")], behavior=rules))
    await cluster.run_until(111)
    done = scales(cluster, resource="fleets.example.com")
    cluster.expect("scales", done, [(75.0, 6), (80.0, 2), (90.0, 6), (95.0, 2), (105.0, 6), (110.0, 2)])
    for name in ("web", "late"):
        active = reason(cluster, "ScalingActive", name)
        cluster.expect(f"ScalingActive of {name}", active, "True ValidMetricFound")


@scenario(
    "hpa/hpas-of-other-namespaces-claim-nothing",
    must="HPAs, targets and selectors of the same names in different namespaces MUST NOT be taken for each other.",
    source=(_CHECK, _CLAIMS),
    controllers=BOTH,
    features=("ambiguous-selector", "namespaces"),
)
async def test_hpas_of_other_namespaces_claim_nothing(cluster: Cluster) -> None:
    other = {"namespace": "other"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}}
    await cluster.create(namespace, objects.replica_set("web", 1, metadata=other))
    cluster.metrics.external("demand", 3, namespace="other")
    await cluster.create(objects.hpa("web", metrics=[proposal()], metadata=other))
    await demanded(cluster, 4, replicas=2)
    await cluster.run_until(100)
    updates = [write for write in cluster.writes("update", "replicasets.apps") if write.subresource == "scale"]
    done = sorted((cluster.at(write), write.namespace, write.body["spec"]["replicas"]) for write in updates)
    cluster.expect("scales", done, [(15.0, "default", 4), (15.0, "other", 3)])
    cluster.expect("warnings", messages(cluster, "AmbiguousSelector"), [])


@scenario(
    "hpa/deleted-during-a-sync-it-claims-nothing",
    must="An HPA that is deleted during a sync MUST claim no pods from then on, though that sync goes on to its end.",
    source=(_CHECK, "pkg/controller/podautoscaler/horizontal.go: deleteHPA"),
    controllers=BOTH,
    features=("ambiguous-selector", "deletion", "latency"),
)
async def test_deleted_during_a_sync_it_claims_nothing(cluster: Cluster) -> None:
    await demanded(cluster, 2, (57, 3), replicas=2)
    await cluster.run_until(5)
    await cluster.create(objects.hpa("late", target=_WEB, metrics=[proposal()]))
    await cluster.run_until(49)
    cluster.expect_true("claimed until then", _told(cluster, "web"))
    slow = cluster.faults.latency(5.0, verb="get", resource="replicasets.apps", subresource="scale", times=1)
    await cluster.run_until(52)
    cluster.expect("late waits for the scale", slow.hits, 1)
    await cluster.delete(HPAS, "late")
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(60.0, 3)])
    wanted = [(15.0, "True ValidMetricFound"), (30.0, "False AmbiguousSelector"), (60.0, "True ValidMetricFound")]
    cluster.expect("ScalingActive over time", transitions(cluster, "ScalingActive"), wanted)
