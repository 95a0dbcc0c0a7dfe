"""Which pods are updated, and in which order."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep_conformance.vpa.updater.steps import (
    UPDATER,
    container,
    counts,
    evictions,
    loop,
    more,
    options,
    recommend,
    times,
    workload,
)

Object = dict[str, Any]
_HOUR = 3600


def _bounds(target: str, lower: str, upper: str) -> Object:
    """A recommendation of CPU only."""
    return objects.recommended(target={"cpu": target}, lower={"cpu": lower}, upper={"cpu": upper})


async def _grown(cluster: Cluster, *requests: str) -> list[str]:
    """A ReplicaSet whose pods request these amounts of CPU in turn. Returns their names in that order."""
    await cluster.create(workload("web", 0))
    for index, cpu in enumerate(requests):
        containers = [container(requests={"cpu": cpu, "memory": "100Mi"})]
        template = {"spec": {"containers": containers}}
        await cluster.patch("replicasets", "web", {"spec": {"template": template, "replicas": index + 1}})
        await cluster.run(2)
    by_age = sorted(cluster.pods("web"), key=lambda pod: str(pod["metadata"]["creationTimestamp"]))
    return [pod["metadata"]["name"] for pod in by_age]


@scenario(
    "vpa-updater/largest-change-first",
    must="Pods that need more MUST be evicted before all others; within each group, those with larger changes first.",
    source="pkg/updater/priority/update_priority_calculator.go: PodPriority.Less",
    controllers=UPDATER,
    options=options(eviction_tolerance=1.0, eviction_rate_limit=0.1),
    features=("priority", "rate-limit"),
)
async def test_largest_change_first(cluster: Cluster) -> None:
    names = await _grown(cluster, "100m", "1000m", "40m", "10m", "500m")
    await cluster.create(objects.vpa(mode="Recreate"))
    await recommend(cluster, _bounds("80m", "80m", "80m"))
    await cluster.run_until(loop(1) + 45)
    order = [names.index(name) for _, name in evictions(cluster)]
    cluster.expect("order of evictions", order, [3, 2, 1, 4, 0])
    cluster.expect("times", times(evictions(cluster)), [59.1, 69.1, 79.1, 89.1, 99.1])


@scenario(
    "vpa-updater/within-bounds-for-half-a-day",
    must="A pod within its bounds MUST be evicted from an age of twelve hours on if its change is a tenth or more.",
    source="pkg/updater/priority/update_priority_calculator.go: AddPod",
    controllers=UPDATER,
    options=options(),
    features=("priority", "lifetime"),
)
async def test_within_bounds_for_half_a_day(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa(mode="Recreate"))
    await cluster.create(workload("near", 2), objects.vpa("near", mode="Recreate"))
    await recommend(cluster, _bounds("110m", "50m", "300m"))
    await recommend(cluster, _bounds("109m", "50m", "300m"), name="near")
    await cluster.run_until(12 * _HOUR + 50)
    cluster.expect("evictions before", evictions(cluster), [])
    await cluster.run_until(12 * _HOUR + 170)
    evicted = [(at, name.split("-")[0]) for at, name in evictions(cluster)]
    cluster.expect("evictions after", evicted, [(43259.1, "web"), (43319.1, "web")])


@scenario(
    "vpa-updater/lifetime-and-threshold-flags",
    must="The age and the change from which pods within their bounds are evicted MUST be those of the flags.",
    source="pkg/updater/priority/update_priority_calculator.go: AddPod",
    controllers=UPDATER,
    options=options(in_recommendation_bounds_eviction_lifetime_threshold=300.0, pod_update_threshold=0.5),
    features=("priority", "lifetime", "flags"),
)
async def test_lifetime_and_threshold_flags(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa(mode="Recreate"))
    await cluster.create(workload("near", 2), objects.vpa("near", mode="Recreate"))
    await recommend(cluster, _bounds("150m", "50m", "300m"))
    await recommend(cluster, _bounds("149m", "50m", "300m"), name="near")
    await cluster.run_until(420)
    evicted = [(at, name.split("-")[0]) for at, name in evictions(cluster)]
    cluster.expect("evictions", evicted, [(359.1, "web"), (419.1, "web")])


@scenario(
    "vpa-updater/bounds-are-inclusive",
    must="A request equal to a bound MUST count as within; a pod with a request beyond it MUST be evicted at any age.",
    source="pkg/updater/priority/priority_processor.go: GetUpdatePriority",
    controllers=UPDATER,
    options=options(),
    features=("priority",),
)
async def test_bounds_are_inclusive(cluster: Cluster) -> None:
    cases = {
        "at-lower": ("200m", "100m", "300m"),
        "below-lower": ("200m", "101m", "300m"),
        "at-upper": ("50m", "20m", "100m"),
        "above-upper": ("50m", "20m", "99m"),
    }
    for name, bounds in cases.items():
        await cluster.create(workload(name, 2), objects.vpa(name, mode="Recreate"))
        await recommend(cluster, _bounds(*bounds), name=name)
    await cluster.run_until(loop(1))
    evicted = sorted(name.rpartition("-")[0] for _, name in evictions(cluster))
    cluster.expect("owners of evicted pods", evicted, ["above-upper", "below-lower"])


@scenario(
    "vpa-updater/no-requests",
    must="A pod without a request for a recommended resource MUST count as outside of its bounds.",
    source="pkg/updater/priority/priority_processor.go: GetUpdatePriority",
    controllers=UPDATER,
    options=options(),
    features=("priority",),
)
async def test_no_requests(cluster: Cluster) -> None:
    await cluster.create(workload("bare", 2, container()), objects.vpa("bare", mode="Recreate"))
    half = container(requests={"memory": "100Mi"})
    await cluster.create(workload("half", 2, half), objects.vpa("half", mode="Recreate"))
    for name in ("bare", "half"):
        await recommend(cluster, _bounds("1m", "1m", "1"), name=name)
    await cluster.run_until(loop(1))
    evicted = sorted(name.rpartition("-")[0] for _, name in evictions(cluster))
    cluster.expect("owners of evicted pods", evicted, ["bare", "half"])


@scenario(
    "vpa-updater/only-observed-containers",
    must="Containers that the annotation vpaObservedContainers does not list MUST NOT count.",
    source="pkg/updater/priority/priority_processor.go: GetUpdatePriority",
    controllers=UPDATER,
    options=options(),
    features=("priority", "observed-containers"),
)
async def test_only_observed_containers(cluster: Cluster) -> None:
    both = [container(name, requests={"cpu": "100m", "memory": "100Mi"}) for name in ("main", "side")]
    observed = {"main": "main", "side": "main, side", "none": "", "broken": "main,side"}
    for name, value in observed.items():
        made = workload(name, 2, *both)
        made["spec"]["template"]["metadata"]["annotations"] = {"vpaObservedContainers": value}
        await cluster.create(made, objects.vpa(name, mode="Recreate"))
        await recommend(cluster, more("side"), name=name)
    await cluster.run_until(loop(1))
    evicted = sorted(name.rpartition("-")[0] for _, name in evictions(cluster))
    cluster.expect("owners of evicted pods", evicted, ["broken", "side"])


@scenario(
    "vpa-updater/what-the-kubelet-reports",
    must="The resources in the status of a pod MUST count rather than those of its spec.",
    source="pkg/utils/resources/resourcehelpers.go: ContainerRequestsAndLimits",
    controllers=UPDATER,
    options=options(),
    features=("priority",),
)
async def test_what_the_kubelet_reports(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa(mode="Recreate"))
    await recommend(cluster, more(cpu="100m", memory="100Mi"))
    await cluster.run_until(loop(1))
    cluster.expect("evictions of pods that match the recommendation", evictions(cluster), [])
    for pod in cluster.pods("web"):
        statuses = [
            {**status, "resources": {"requests": {"cpu": "50m", "memory": "100Mi"}}}
            for status in pod["status"]["containerStatuses"]
        ]
        await cluster.set_status("pods", pod["metadata"]["name"], {"containerStatuses": statuses})
    await cluster.run_until(loop(2))
    cluster.expect("evictions of pods that have less", counts(evictions(cluster)), {119.1: 1})
