"""Controllers of pods other than ReplicaSets."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
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
    "vpa-updater/stateful-set",
    must="The pods of a StatefulSet MUST be evicted within the tolerance for its replicas.",
    source="pkg/updater/restriction/pods_restriction_factory.go: getReplicaCount",
    controllers=UPDATER,
    options=options(),
    features=("owners", "tolerance"),
    virtual="ends while the successors of evicted pods are on their way",
)
async def test_stateful_set(cluster: Cluster) -> None:
    cluster.owners.manage("statefulsets")
    template = workload()["spec"]["template"]
    await cluster.create(objects.stateful_set("web", 5, template=template, podManagementPolicy="Parallel"))
    await cluster.run(5)
    for name in ("web-0", "web-2", "web-4"):  # pods closer to the target can wait, so the choice is determined
        await cluster.resize(name, requests={"cpu": "150m"})
    await cluster.create(objects.vpa(target="StatefulSet", mode="Recreate"))
    await recommend(cluster, more())
    await cluster.run_until(loop(1))
    cluster.expect("evictions", sorted(evictions(cluster)), [(59.1, "web-1"), (59.1, "web-3")])


@scenario(
    "vpa-updater/custom-resource",
    must=(
        "The pods of a custom resource MUST be found through its scale; because its replicas are not read, all MUST be "
        "evicted."
    ),
    source="pkg/updater/restriction/pods_restriction_factory.go: getReplicaCount",
    controllers=UPDATER,
    options=options(),
    features=("owners", "tolerance"),
)
async def test_custom_resource(cluster: Cluster) -> None:
    await cluster.create(objects.definition("Fleet"))
    cluster.owners.manage("fleets.example.com")
    fleet = objects.custom("Fleet", "web", 4)
    fleet["spec"]["template"] = workload()["spec"]["template"]
    await cluster.create(fleet)
    await cluster.run(5)
    await cluster.create(objects.vpa(target=objects.reference(fleet), mode="Recreate"))
    await recommend(cluster, more())
    await cluster.run_until(loop(1))
    cluster.expect("evictions", counts(evictions(cluster)), {59.1: 4})


@scenario(
    "vpa-updater/foreign-pods",
    must="Pods that match the selector but belong to another controller MUST NOT be evicted.",
    source="pkg/utils/vpa/api.go: GetControllingVPAForPod",
    controllers=UPDATER,
    options=options(),
    features=("owners", "matching"),
)
async def test_foreign_pods(cluster: Cluster) -> None:
    template = workload()["spec"]["template"]
    labels = {"app": "web", "tier": "other"}
    other = objects.replica_set("other", 3, labels=labels, template={**template, "metadata": {"labels": labels}})
    await cluster.create(other, workload("web", 2), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    await cluster.run_until(loop(1))
    cluster.expect("owners of evicted pods", [name.split("-")[0] for _, name in evictions(cluster)], ["web"])
