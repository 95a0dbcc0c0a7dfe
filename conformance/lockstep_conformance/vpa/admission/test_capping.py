"""What bounds the resources that a pod gets: the VPA's own policies, the container's limits, LimitRanges."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.objects.definitions import VPAS
from lockstep_conformance.vpa.admission.steps import (
    ADMISSION,
    annotations_of,
    container,
    prepare,
    resources_of,
    workload,
)

_CAPPING = "pkg/utils/vpa/capping.go: Apply"
_SCALING = "pkg/utils/vpa/limit_and_request_scaling.go: GetProportionalLimit"
_LIMIT_RANGE = "pkg/utils/limitrange/limit_range_calculator.go"
_TARGET = {"cpu": "500m", "memory": "512Mi"}


@scenario(
    "vpa-admission/policy-caps-the-target",
    must="A target beyond minAllowed or maxAllowed MUST be brought within them, the limits MUST follow what comes out, "
    "and the annotation MUST say which bound it was.",
    source=(_CAPPING, _SCALING),
    controllers=ADMISSION,
)
async def test_policy_caps_the_target(cluster: Cluster) -> None:
    policy = objects.container_policy(min_allowed={"memory": "1Gi"}, max_allowed={"cpu": "300m"})
    await prepare(cluster, objects.vpa(policies=[policy]), objects.recommended(target=_TARGET))
    pod = await workload(
        cluster, container(requests={"cpu": "100m", "memory": "1Gi"}, limits={"cpu": "1", "memory": "2Gi"})
    )
    wanted = {"requests": {"cpu": "300m", "memory": "1Gi"}, "limits": {"cpu": "3", "memory": "2Gi"}}
    cluster.expect("resources", resources_of(pod), [wanted])
    cluster.expect(
        "annotation",
        annotations_of(pod)["vpaUpdates"],
        "Pod resources updated by web: container 0: cpu capped to maxAllowed, cpu limit, cpu request, memory capped to "
        "minAllowed, memory limit, memory request",
    )


@scenario(
    "vpa-admission/maximum-beats-minimum",
    must="Where a policy's minimum lies above its maximum, the maximum MUST hold.",
    source=_CAPPING,
    controllers=ADMISSION,
)
async def test_maximum_beats_minimum(cluster: Cluster) -> None:
    await cluster.run_until(5)  # before the webhook that would refuse such a VPA is there
    policy = objects.container_policy(min_allowed={"cpu": "400m"}, max_allowed={"cpu": "200m"})
    await cluster.create(objects.vpa(policies=[policy]))
    status = objects.vpa_status(objects.recommended(target={"cpu": "300m"}))
    await cluster.set_status(VPAS, "web", status)
    await cluster.run_until(15)
    pod = await workload(cluster, container(requests={"cpu": "100m"}))
    cluster.expect("resources", resources_of(pod), [{"requests": {"cpu": "200m"}}])


@scenario(
    "vpa-admission/requests-only",
    must="With RequestsOnly the limits MUST stay, and a target above a limit MUST be capped to it.",
    source=_CAPPING,
    controllers=ADMISSION,
)
async def test_requests_only(cluster: Cluster) -> None:
    policy = objects.container_policy(values="RequestsOnly")
    await prepare(cluster, objects.vpa(policies=[policy]), objects.recommended(target=_TARGET))
    pod = await workload(
        cluster, container(requests={"cpu": "100m", "memory": "1Gi"}, limits={"cpu": "300m", "memory": "2Gi"})
    )
    wanted = {"requests": {"cpu": "300m", "memory": "512Mi"}, "limits": {"cpu": "300m", "memory": "2Gi"}}
    cluster.expect("resources", resources_of(pod), [wanted])
    cluster.expect_true("told", "cpu capped to container limit" in annotations_of(pod)["vpaUpdates"])


@scenario(
    "vpa-admission/the-limit-follows-far-beyond-the-maximum",
    must="maxAllowed MUST cap the request only: a limit of sixteen times the request MUST follow in that proportion.",
    source=_SCALING,
    issues="kubernetes/autoscaler#8401",
    controllers=ADMISSION,
)
async def test_the_limit_follows_far_beyond_the_maximum(cluster: Cluster) -> None:
    policy = objects.container_policy(max_allowed={"cpu": "1"})
    await prepare(cluster, objects.vpa(policies=[policy]), objects.recommended(target={"cpu": "5"}))
    pod = await workload(cluster, container(requests={"cpu": "250m"}, limits={"cpu": "4"}))
    cluster.expect("resources", resources_of(pod), [{"requests": {"cpu": "1"}, "limits": {"cpu": "16"}}])


@scenario(
    "vpa-admission/only-what-is-controlled",
    must="A resource without a recommendation MUST keep request and limit, whatever happens to the other one.",
    source=_SCALING,
    issues="kubernetes/autoscaler#3902",
    controllers=ADMISSION,
)
async def test_only_what_is_controlled(cluster: Cluster) -> None:
    policy = objects.container_policy(controlled=["cpu"])
    await prepare(cluster, objects.vpa(policies=[policy]), objects.recommended(target={"cpu": "200m"}))
    pod = await workload(
        cluster, container(requests={"cpu": "100m", "memory": "1Gi"}, limits={"cpu": "200m", "memory": "2Gi"})
    )
    wanted = {"requests": {"cpu": "200m", "memory": "1Gi"}, "limits": {"cpu": "400m", "memory": "2Gi"}}
    cluster.expect("resources", resources_of(pod), [wanted])


@scenario(
    "vpa-admission/container-limit-range-holds-limits",
    must="Where limits in proportion would pass the maximum of a LimitRange for containers, the request MUST be capped "
    "so that they do not; where they would stay below its minimum, it MUST be raised.",
    source=(_CAPPING, _LIMIT_RANGE),
    issues="kubernetes/autoscaler#3319",
    controllers=ADMISSION,
)
async def test_container_limit_range_holds_limits(cluster: Cluster) -> None:
    bounds = objects.limits(most={"cpu": "600m", "memory": "4Gi"}, least={"memory": "1Gi"})
    await cluster.create(objects.limit_range("bounds", bounds))
    await prepare(cluster, objects.vpa(), objects.recommended(target=_TARGET))
    pod = await workload(
        cluster, container(requests={"cpu": "100m", "memory": "1Gi"}, limits={"cpu": "200m", "memory": "1Gi"})
    )
    wanted = {"requests": {"cpu": "300m", "memory": "1Gi"}, "limits": {"cpu": "600m", "memory": "1Gi"}}
    cluster.expect("resources", resources_of(pod), [wanted])


@scenario(
    "vpa-admission/default-limit-of-a-limit-range",
    must="A container without a limit of its own MUST get one in proportion to the default of the LimitRange.",
    source=(_SCALING, _LIMIT_RANGE),
    controllers=ADMISSION,
)
async def test_default_limit_of_a_limit_range(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa(), objects.recommended(target={"cpu": "400m", "memory": "512Mi"}))
    await cluster.create(objects.limit_range("bounds", objects.limits(default={"cpu": "1"})))
    await cluster.run(1)
    pod = await workload(cluster, container(requests={"cpu": "200m", "memory": "256Mi"}))
    wanted = {"requests": {"cpu": "400m", "memory": "512Mi"}, "limits": {"cpu": "2"}}
    cluster.expect("resources", resources_of(pod), [wanted])


@scenario(
    "vpa-admission/pod-limit-range-shares-the-cut",
    must="Where the requests of all containers together pass the maximum of a LimitRange for pods, each MUST be cut in "
    "proportion.",
    source="pkg/utils/vpa/capping.go: applyPodLimitRange",
    issues="kubernetes/autoscaler#8776",
    controllers=ADMISSION,
)
async def test_pod_limit_range_shares_the_cut(cluster: Cluster) -> None:
    await cluster.create(objects.limit_range("bounds", objects.limits("Pod", most={"cpu": "1"})))
    wanted, asked = {"cpu": "900m"}, {"cpu": "100m"}
    recommendations = [objects.recommended(name, target=wanted) for name in ("main", "side")]
    await prepare(cluster, objects.vpa(), *recommendations)
    containers = [container(name, requests=asked, limits=asked) for name in ("main", "side")]
    pod = await workload(cluster, *containers)
    half = {"requests": {"cpu": "500m"}, "limits": {"cpu": "500m"}}
    cluster.expect("resources", resources_of(pod), [half, half])


@scenario(
    "vpa-admission/precise-quantities",
    must="A target MUST be stored as the recommendation prints it, to the last byte, and limits MUST be cut to whole "
    "bytes and millis.",
    source=(_SCALING, "pkg/admission-controller/resource/pod/patch/util.go"),
    issues="kubernetes/autoscaler#4774",
    controllers=ADMISSION,
)
async def test_precise_quantities(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa(), objects.recommended(target={"cpu": "587m", "memory": "587804717"}))
    pod = await workload(
        cluster, container(requests={"cpu": "300m", "memory": "300M"}, limits={"cpu": "1", "memory": "1G"})
    )
    wanted = {"requests": {"cpu": "587m", "memory": "587804717"}, "limits": {"cpu": "1956m", "memory": "1959349056"}}
    cluster.expect("resources", resources_of(pod), [wanted])


@scenario(
    "vpa-admission/a-container-that-is-off",
    must="A container whose policy has mode Off has no recommendation, and MUST keep what it has while others change.",
    source=_CAPPING,
    controllers=ADMISSION,
)
async def test_a_container_that_is_off(cluster: Cluster) -> None:
    off = objects.container_policy("side", mode="Off")
    await prepare(cluster, objects.vpa(policies=[off]), objects.recommended(target={"cpu": "200m"}))
    pod = await workload(cluster, container(requests={"cpu": "1"}), container("side", requests={"cpu": "1"}))
    cluster.expect("resources", resources_of(pod), [{"requests": {"cpu": "200m"}}, {"requests": {"cpu": "1"}}])
    told = "Pod resources updated by web: container 0: cpu request"
    cluster.expect("annotation", annotations_of(pod)["vpaUpdates"], told)
