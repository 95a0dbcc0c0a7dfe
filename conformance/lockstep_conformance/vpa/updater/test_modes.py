"""Which VPAs the updater acts on: by mode, target, selector and age."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.objects.definitions import VPAS
from lockstep_conformance.vpa.updater.steps import (
    UPDATER,
    counts,
    evictions,
    loop,
    more,
    options,
    recommend,
    workload,
)


@scenario(
    "vpa-updater/evicting-modes",
    must="Pods MUST be evicted in the modes Recreate and Auto and without a mode, and never in Off and Initial.",
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(),
    features=("modes",),
)
async def test_evicting_modes(cluster: Cluster) -> None:
    for mode in ("Off", "Initial", "Recreate", "Auto", None):
        name = (mode or "unset").lower()
        await cluster.create(workload(name, 2), objects.vpa(name, mode=mode))
        await recommend(cluster, more(), name=name)
    await cluster.run_until(loop(1))
    owners = sorted(name.split("-")[0] for _, name in evictions(cluster))
    cluster.expect("owners of evicted pods", owners, ["auto", "recreate", "unset"])


@scenario(
    "vpa-updater/mode-changes",
    must="A change of mode MUST apply from the next loop on.",
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(),
    features=("modes",),
)
async def test_mode_changes(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa(mode="Off"))
    await recommend(cluster, more())
    await cluster.run_until(loop(2))
    cluster.expect("evictions while Off", evictions(cluster), [])
    await cluster.patch(VPAS, "web", {"spec": {"updatePolicy": {"updateMode": "Recreate"}}})
    await cluster.run_until(loop(3))
    cluster.expect("evictions", counts(evictions(cluster)), {179.1: 1})
    await cluster.delete(VPAS, "web")
    await cluster.run_until(loop(5))
    cluster.expect("evictions without a VPA", len(evictions(cluster)), 1)


@scenario(
    "vpa-updater/no-recommendation",
    must="Without a recommendation no pod MUST be evicted.",
    source="pkg/updater/priority/update_priority_calculator.go: AddPod",
    controllers=UPDATER,
    options=options(),
    features=("priority",),
)
async def test_no_recommendation(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa(mode="Recreate"))
    await cluster.run_until(loop(3))
    cluster.expect("evictions", evictions(cluster), [])
    await recommend(cluster, more("other"))  # of a container that the pods do not have
    await cluster.run_until(loop(5))
    cluster.expect("evictions", evictions(cluster), [])


@scenario(
    "vpa-updater/oldest-vpa-rules",
    must="Of two VPAs with the same target the older one MUST decide, and the other one MUST do nothing.",
    source="pkg/utils/vpa/api.go: Stronger, GetControllingVPAForPod",
    controllers=UPDATER,
    options=options(),
    features=("matching",),
)
async def test_oldest_vpa_rules(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=4), objects.vpa("young", target=objects.reference("ReplicaSet", "web")))
    await cluster.delete(VPAS, "young")
    await cluster.create(objects.vpa("web", mode="Recreate"))
    await cluster.run(2)
    target = objects.reference("ReplicaSet", "web")
    await cluster.create(objects.vpa("an-younger-one", target=target, mode="Recreate"))
    await recommend(cluster, more(), name="an-younger-one")
    await cluster.run_until(loop(2))
    cluster.expect("evictions while the older one recommends nothing", evictions(cluster), [])
    await recommend(cluster, more())
    await cluster.run_until(loop(3))
    cluster.expect("evictions", counts(evictions(cluster)), {179.1: 2})
    about = {event["involvedObject"]["name"] for event in cluster.events("EvictedPod")}
    cluster.expect("VPAs that evicted", about, {"web"})


@scenario(
    "vpa-updater/off-hands-over-to-nobody",
    must=(
        "An older VPA in a mode without evictions MUST NOT stop a younger one from evicting: the older one is ignored."
    ),
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(),
    features=("matching", "modes"),
)
async def test_off_hands_over_to_nobody(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa("web", mode="Off"))
    await cluster.run(2)
    target = objects.reference("ReplicaSet", "web")
    await cluster.create(objects.vpa("young", target=target, mode="Recreate"))
    await recommend(cluster, more(), name="young")
    await cluster.run_until(loop(1))
    cluster.expect("evictions", counts(evictions(cluster)), {59.1: 1})


@scenario(
    "vpa-updater/topmost-controller",
    must="A VPA MUST control the pods below its target only if the target is their topmost controller.",
    source="pkg/utils/vpa/api.go: FindParentControllerForPod, GetControllingVPAForPod",
    controllers=UPDATER,
    options=options(),
    features=("matching",),
)
async def test_topmost_controller(cluster: Cluster) -> None:
    cluster.owners.manage("deployments")
    template = workload()["spec"]["template"]
    # On several nodes, it would be undefined whether upstream chooses two pods of one node.
    await cluster.create(objects.deployment("web", 2, template=template))
    await cluster.run(5)
    below = cluster.list("replicasets.apps")[0]["metadata"]["name"]
    await cluster.create(objects.vpa("below", target=objects.reference("ReplicaSet", below), mode="Recreate"))
    await recommend(cluster, more(), name="below")
    await cluster.run_until(loop(1))
    cluster.expect("evictions by a VPA of the ReplicaSet", evictions(cluster), [])
    await cluster.create(objects.vpa("top", target=objects.reference("Deployment", "web"), mode="Recreate"))
    await recommend(cluster, more(), name="top")
    await cluster.run_until(loop(2))
    cluster.expect("evictions by a VPA of the Deployment", counts(evictions(cluster)), {119.1: 1})


@scenario(
    "vpa-updater/missing-target",
    must="A VPA whose target does not exist MUST be skipped, and the others MUST be handled.",
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(),
    features=("matching",),
)
async def test_missing_target(cluster: Cluster) -> None:
    await cluster.create(objects.vpa("gone", mode="Recreate"), workload(replicas=2), objects.vpa(mode="Recreate"))
    await recommend(cluster, more(), name="gone")
    await recommend(cluster, more())
    await cluster.run_until(loop(1))
    cluster.expect("evictions", counts(evictions(cluster)), {59.1: 1})


@scenario(
    "vpa-updater/ignored-namespaces",
    must="VPAs in namespaces that --ignored-vpa-object-namespaces lists MUST be ignored.",
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(ignored_vpa_object_namespaces="kube-system,default"),
    features=("flags",),
)
async def test_ignored_namespaces(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    await cluster.run_until(loop(2))
    cluster.expect("evictions", evictions(cluster), [])
