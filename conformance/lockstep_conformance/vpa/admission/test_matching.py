"""Which VPA a pod belongs to: its topmost controller, its labels, and of several the oldest."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.objects.definitions import VPAS
from lockstep_conformance.vpa.admission.steps import (
    ADMISSION,
    REGISTERED,
    container,
    prepare,
    resources_of,
    workload,
)

_MATCHER = "pkg/admission-controller/resource/vpa/matcher.go: GetMatchingVPA"


def _asking() -> dict[str, object]:
    return container(requests={"cpu": "100m"})


def _cpu(pod: objects.Object) -> object:
    return resources_of(pod)[0]["requests"]["cpu"]


async def _recommend(cluster: Cluster, name: str, cpu: str) -> None:
    await cluster.set_status(VPAS, name, objects.vpa_status(objects.recommended(target={"cpu": cpu})))


@scenario(
    "vpa-admission/the-oldest-vpa-wins",
    must="Of several VPAs with the pod's controller as target the oldest MUST decide; of two of one second, the one "
    "whose name comes first.",
    source=(_MATCHER, "pkg/utils/vpa/api.go: Stronger"),
    issues="kubernetes/autoscaler#6010",
    controllers=ADMISSION,
)
async def test_the_oldest_vpa_wins(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    target = objects.reference("ReplicaSet", "web", "apps/v1")
    async with cluster.batch():
        await cluster.create(objects.vpa("twin-b", target=target), objects.vpa("twin-a", target=target))
    await cluster.run(5)
    await cluster.create(objects.vpa("a-late-one", target=target))
    for name, cpu in (("twin-a", "201m"), ("twin-b", "202m"), ("a-late-one", "203m")):
        await _recommend(cluster, name, cpu)
    cluster.expect("request", _cpu(await workload(cluster, _asking())), "201m")


@scenario(
    "vpa-admission/the-target-counts-by-name",
    must="A VPA MUST NOT decide for pods that its target would select, but which another controller has made.",
    source=_MATCHER,
    controllers=ADMISSION,
)
async def test_the_target_counts_by_name(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa("web"), objects.recommended(target={"cpu": "400m"}))
    await cluster.create(objects.replica_set("web", 0))
    template = objects.pod_template({"app": "web", "tier": "other"}, containers=[_asking()])
    await cluster.create(
        objects.replica_set("other", 0, template=template, selector={"matchLabels": {"tier": "other"}})
    )
    await cluster.run(1)
    await cluster.scale("other", 1)
    await cluster.run(1)
    cluster.expect("requests", [_cpu(pod) for pod in cluster.pods()], ["100m"])


@scenario(
    "vpa-admission/the-topmost-controller-counts",
    must="A VPA of a Deployment MUST decide for the pods of its ReplicaSets; one of the ReplicaSet itself MUST NOT.",
    source=(_MATCHER, "pkg/target/controller_fetcher/controller_fetcher.go: FindTopMostWellKnownOrScalable"),
    controllers=ADMISSION,
)
async def test_the_topmost_controller_counts(cluster: Cluster) -> None:
    cluster.owners.manage("deployments")
    await cluster.run_until(REGISTERED)
    deployment = objects.deployment("web", replicas=1)
    deployment["spec"]["template"]["spec"]["containers"] = [_asking()]
    await cluster.create(deployment)
    await cluster.run(5)
    below = cluster.list("replicasets.apps")[0]["metadata"]["name"]
    await cluster.create(objects.vpa("below", target=objects.reference("ReplicaSet", below, "apps/v1")))
    await _recommend(cluster, "below", "201m")
    await cluster.run(2)
    await cluster.create(objects.vpa("above", target=objects.reference("Deployment", "web", "apps/v1")))
    await _recommend(cluster, "above", "202m")
    await cluster.delete("pods", cluster.pods()[0]["metadata"]["name"])
    await cluster.run(60)
    cluster.expect("requests", [_cpu(pod) for pod in cluster.pods()], ["202m"])


@scenario(
    "vpa-admission/labels-must-match-too",
    must="A pod that its controller's selector does not select MUST NOT be changed, although it names that controller.",
    source=(_MATCHER, "pkg/utils/vpa/api.go: PodMatchesVPA"),
    controllers=ADMISSION,
)
async def test_labels_must_match_too(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa(), objects.recommended(target={"cpu": "250m"}))
    await workload(cluster, _asking())
    owner = cluster.get("replicasets", "web")
    stray = objects.pod("stray", labels={"app": "other"}, owner=owner)
    stray["spec"]["containers"] = [_asking()]
    await cluster.create(stray)
    cluster.expect("request", _cpu(cluster.get("pods", "stray")), "100m")


@scenario(
    "vpa-admission/a-pod-without-a-controller",
    must="A pod without a controller MUST NOT be changed, whatever its labels.",
    source=(_MATCHER, "pkg/utils/vpa/api.go: FindParentControllerForPod"),
    controllers=ADMISSION,
)
async def test_a_pod_without_a_controller(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa(), objects.recommended(target={"cpu": "250m"}))
    alone = objects.pod("alone", labels=objects.labels_of("web"))
    alone["spec"]["containers"] = [_asking()]
    await cluster.create(alone)
    cluster.expect("annotations", cluster.get("pods", "alone")["metadata"].get("annotations"), None)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run(1)
    cluster.expect("adopted as it is", [_cpu(pod) for pod in cluster.pods("web")], ["100m"])


@scenario(
    "vpa-admission/another-namespace",
    must="A VPA of another namespace MUST NOT decide, although its target has the same kind and name.",
    source=_MATCHER,
    controllers=ADMISSION,
)
async def test_another_namespace(cluster: Cluster) -> None:
    await cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "elsewhere"}})
    vpa = objects.vpa(metadata={"namespace": "elsewhere"})
    await prepare(cluster, vpa, objects.recommended(target={"cpu": "250m"}))
    cluster.expect("request", _cpu(await workload(cluster, _asking())), "100m")


@scenario(
    "vpa-admission/an-unknown-owner",
    must="A pod whose controller is of a kind that nobody serves MUST NOT be changed, and still be created.",
    source=(_MATCHER, "pkg/target/controller_fetcher/controller_fetcher.go"),
    controllers=ADMISSION,
)
async def test_an_unknown_owner(cluster: Cluster) -> None:
    target = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "web"}
    await prepare(cluster, objects.vpa(target=target), objects.recommended(target={"cpu": "250m"}))
    owned = objects.pod("owned", labels={"app": "web"})
    owned["spec"]["containers"] = [_asking()]
    owned["metadata"]["ownerReferences"] = [{**target, "uid": "1", "controller": True}]
    await cluster.create(owned)
    cluster.expect("request", _cpu(cluster.get("pods", "owned")), "100m")


@scenario(
    "vpa-admission/a-stale-cache-of-vpas",
    must="A VPA of which the admission controller has not heard yet MUST NOT change pods; once heard of, it MUST.",
    source=_MATCHER,
    controllers=ADMISSION,
)
async def test_a_stale_cache_of_vpas(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    cluster.network.hold(VPAS)
    await prepare(cluster, objects.vpa(), objects.recommended(target={"cpu": "250m"}))
    cluster.expect("before", _cpu(await workload(cluster, _asking())), "100m")
    cluster.network.release(VPAS)
    await cluster.scale("web", 2)
    await cluster.run(1)
    cluster.expect("after", sorted(str(_cpu(pod)) for pod in cluster.pods("web")), ["100m", "250m"])
