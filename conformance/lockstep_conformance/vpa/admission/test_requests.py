"""What a new pod gets: the target of its VPA as requests, limits in proportion, and annotations that say so."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.vpa.admission.steps import (
    ADMISSION,
    annotations_of,
    container,
    prepare,
    resources_of,
    workload,
)

_UPDATES = "pkg/admission-controller/resource/pod/patch/resource_updates.go: CalculatePatches"
_SCALING = "pkg/utils/vpa/limit_and_request_scaling.go: GetProportionalLimit"


@scenario(
    "vpa-admission/a-new-pod-gets-its-target",
    must="A pod whose topmost controller is the target of a VPA with a recommendation MUST be created with the target "
    "as its requests, limits in the same proportion, and annotations that name what was changed and what was seen.",
    source=(_UPDATES, _SCALING),
    controllers=ADMISSION,
)
async def test_a_new_pod_gets_its_target(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa(), objects.recommended(target={"cpu": "250m", "memory": "500Mi"}))
    pod = await workload(
        cluster,
        container(requests={"cpu": "100m", "memory": "100Mi"}, limits={"cpu": "200m", "memory": "300Mi"}),
    )
    wanted = {
        "requests": {"cpu": "250m", "memory": "500Mi"},
        "limits": {"cpu": "500m", "memory": "1500Mi"},
    }
    cluster.expect("resources", resources_of(pod), [wanted])
    told = "Pod resources updated by web: container 0: cpu limit, cpu request, memory limit, memory request"
    cluster.expect("annotations", annotations_of(pod), {"vpaUpdates": told, "vpaObservedContainers": "main"})


@scenario(
    "vpa-admission/without-requests",
    must="A container that asks for nothing MUST get the target as requests, and no limits.",
    source=(_UPDATES, _SCALING),
    controllers=ADMISSION,
)
async def test_without_requests(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa(), objects.recommended(target={"cpu": "250m", "memory": "500Mi"}))
    pod = await workload(cluster, container())
    cluster.expect("resources", resources_of(pod), [{"requests": {"cpu": "250m", "memory": "500Mi"}}])


@scenario(
    "vpa-admission/without-a-recommendation",
    must="A pod whose VPA has no recommendation yet MUST keep its resources and still be annotated.",
    source=_UPDATES,
    controllers=ADMISSION,
)
async def test_without_a_recommendation(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa())
    pod = await workload(cluster, container(requests={"cpu": "100m"}), container("side", requests={"cpu": "1"}))
    cluster.expect("resources", resources_of(pod), [{"requests": {"cpu": "100m"}}, {"requests": {"cpu": "1"}}])
    cluster.expect("annotations", annotations_of(pod), {"vpaObservedContainers": "main, side"})


@scenario(
    "vpa-admission/mode-off-changes-nothing",
    must="A VPA in mode Off MUST NOT change a pod.",
    source="pkg/admission-controller/resource/vpa/matcher.go: GetMatchingVPA",
    controllers=ADMISSION,
)
async def test_mode_off_changes_nothing(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa(mode="Off"), objects.recommended(target={"cpu": "250m"}))
    pod = await workload(cluster, container(requests={"cpu": "100m"}))
    cluster.expect("resources", resources_of(pod), [{"requests": {"cpu": "100m"}}])
    cluster.expect("annotations", annotations_of(pod), {})
