"""The mode InPlaceOrRecreate: pods are resized in place, and evicted if that does not work."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.objects.definitions import VPAS
from lockstep.world import Resize
from lockstep_conformance.vpa.updater.steps import (
    UPDATER,
    container,
    counts,
    evictions,
    loop,
    more,
    options,
    recommend,
    requests_of,
    resizes,
    workload,
)

_MODE = "InPlaceOrRecreate"
_WANTED = {"cpu": "200m", "memory": "200Mi"}


async def _web(cluster: Cluster, replicas: int = 4) -> None:
    await cluster.create(workload(replicas=replicas), objects.vpa(mode=_MODE))
    await recommend(cluster, more())


@scenario(
    "vpa-updater/in-place-within-the-tolerance",
    must="Pods MUST be resized in place and annotated, as many in one loop as may be evicted.",
    source="pkg/updater/restriction/pods_inplace_restriction.go: InPlaceUpdate",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "tolerance"),
)
async def test_in_place_within_the_tolerance(cluster: Cluster) -> None:
    await _web(cluster)
    await cluster.run_until(loop(1) + 2)
    cluster.expect("resizes", counts(resizes(cluster)), {59.1: 2})
    marks = [pod["metadata"].get("annotations") for pod in cluster.pods("web")]
    cluster.expect("marked pods", marks.count({"vpaInPlaceUpdated": "true"}), 2)
    await cluster.run_until(loop(3))
    cluster.expect("resizes in the end", counts(resizes(cluster)), {59.1: 2, 119.1: 2})
    cluster.expect("requests", requests_of(cluster), [_WANTED] * 4)
    cluster.expect("evictions", evictions(cluster), [])
    events = {event["message"] for event in cluster.events("InPlaceResizedByVPA")}
    cluster.expect("events", events, {"Pod was resized in place by VPA Updater."})


@scenario(
    "vpa-updater/in-place-limits-follow",
    must="A resize MUST set limits in proportion to requests, and MUST NOT change those of other resources.",
    source="pkg/updater/inplace/resource_updates.go: CalculatePatches",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "limits"),
)
async def test_in_place_limits_follow(cluster: Cluster) -> None:
    limited = container(requests={"cpu": "100m", "memory": "100Mi"}, limits={"cpu": "300m", "memory": "100Mi"})
    await cluster.create(workload("web", 2, limited), objects.vpa(mode=_MODE))
    await recommend(cluster, more())
    await cluster.run_until(loop(2))
    wanted = {"limits": {"cpu": "600m", "memory": "200Mi"}, "requests": _WANTED}
    resources = [pod["spec"]["containers"][0]["resources"] for pod in cluster.pods("web")]
    cluster.expect("resources", resources, [wanted] * 2)


@scenario(
    "vpa-updater/in-place-default-limit",
    must="A resize MUST give a container without a limit one in proportion to the default of a LimitRange.",
    source="pkg/utils/vpa/limit_and_request_scaling.go: getProportionalResourceLimit",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "limits"),
)
async def test_in_place_default_limit(cluster: Cluster) -> None:
    await _web(cluster)
    await cluster.run(10)
    # pods that are created from now on would get the limit at once
    await cluster.create(objects.limit_range("bounds", objects.limits(default={"cpu": "300m"})))
    await cluster.run_until(loop(1))
    resources = [pod["spec"]["containers"][0]["resources"] for pod in cluster.pods("web")]
    given = [one["limits"] for one in resources if "limits" in one]
    cluster.expect("limits", given, [{"cpu": "600m"}] * 2)


@scenario(
    "vpa-updater/in-place-refused",
    must="A pod whose resize is refused MUST be evicted in the same loop.",
    source="pkg/updater/logic/updater.go: RunOnce",
    issues="kubernetes/autoscaler#8303",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "eviction"),
)
async def test_in_place_refused(cluster: Cluster) -> None:
    await _web(cluster)
    cluster.faults.error(422, verb="patch", resource="pods", subresource="resize", times=None)
    await cluster.run_until(loop(1))
    cluster.expect("refused resizes", counts(resizes(cluster, 422)), {59.1: 4})
    cluster.expect("evictions", counts(evictions(cluster)), {59.1: 2})


@scenario(
    "vpa-updater/in-place-mark-refused",
    must="A failure to annotate a resized pod MUST NOT have other effects.",
    source="pkg/updater/restriction/pods_inplace_restriction.go: InPlaceUpdate",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "faults"),
)
async def test_in_place_mark_refused(cluster: Cluster) -> None:
    await _web(cluster)
    cluster.faults.error(409, verb="patch", resource="pods", times=None)
    await cluster.run_until(loop(1))
    cluster.expect("resizes", counts(resizes(cluster, 200)), {59.1: 2})
    cluster.expect("events", len(cluster.events("InPlaceResizedByVPA")), 2)
    cluster.expect("evictions", evictions(cluster), [])


@scenario(
    "vpa-updater/in-place-infeasible",
    must=(
        "Pods whose resize is infeasible on their node MUST be evicted, but the resize of another pod MUST come first."
    ),
    source="pkg/updater/restriction/pods_inplace_restriction.go: CanEvictInPlacingPod",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "eviction"),
)
async def test_in_place_infeasible(cluster: Cluster) -> None:
    await _web(cluster, 2)
    cluster.kubelet.resizing = Resize("Infeasible")
    await cluster.run_until(loop(1))
    cluster.expect("resizes", counts(resizes(cluster)), {59.1: 1})
    await cluster.run_until(loop(2))  # the resize of the second pod comes before the eviction of the first one
    cluster.expect("resizes in the second loop", counts(resizes(cluster)), {59.1: 1, 119.1: 1})
    cluster.expect("evictions in the second loop", evictions(cluster), [])
    await cluster.run_until(loop(3))
    cluster.expect("evictions", counts(evictions(cluster)), {179.1: 1})


@scenario(
    "vpa-updater/in-place-deferred",
    must="A pod whose resize was seen as deferred more than five minutes ago MUST be evicted, and not earlier.",
    source="pkg/updater/restriction/pods_inplace_restriction.go: CanEvictInPlacingPod",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "eviction"),
)
async def test_in_place_deferred(cluster: Cluster) -> None:
    await _web(cluster, 2)
    cluster.kubelet.resizing = Resize("Deferred")
    await cluster.run_until(loop(7))
    cluster.expect("evictions within five minutes", evictions(cluster), [])
    await cluster.run_until(loop(8))
    cluster.expect("evictions", counts(evictions(cluster)), {479.1: 1})


@scenario(
    "vpa-updater/in-place-in-progress",
    must="A pod whose resize was seen in progress more than an hour ago MUST be evicted, and not earlier.",
    source="pkg/updater/restriction/pods_inplace_restriction.go: CanEvictInPlacingPod",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "eviction"),
)
async def test_in_place_in_progress(cluster: Cluster) -> None:
    await _web(cluster, 2)
    cluster.kubelet.resizing = Resize(takes=None)
    await cluster.run_until(loop(61))
    cluster.expect("evictions within an hour", evictions(cluster), [])
    await cluster.run_until(loop(63))
    cluster.expect("evictions", counts(evictions(cluster)), {3779.1: 1})


@scenario(
    "vpa-updater/in-place-error",
    must="Pods whose resize fails MUST be evicted as soon as no other pod is being resized.",
    source="pkg/updater/restriction/pods_inplace_restriction.go: CanEvictInPlacingPod",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "eviction"),
)
async def test_in_place_error(cluster: Cluster) -> None:
    await _web(cluster, 2)
    cluster.kubelet.resizing = Resize(takes=None, error="cgroup is read-only")
    await cluster.run_until(loop(3))
    cluster.expect("evictions", counts(evictions(cluster)), {179.1: 1})


@scenario(
    "vpa-updater/in-place-clock-never-resets",
    must="The five minutes MUST count from the first resize of a pod of that name: upstream never removes the entry.",
    source="pkg/updater/restriction/pods_inplace_restriction.go: CanEvictInPlacingPod",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "eviction"),
)
async def test_in_place_clock_never_resets(cluster: Cluster) -> None:
    await _web(cluster, 2)
    cluster.kubelet.resizing = Resize("Deferred", pending_for=100)
    await cluster.run_until(loop(8))
    cluster.expect("evictions", evictions(cluster), [])
    cluster.kubelet.resizing = Resize("Deferred")
    await recommend(cluster, more(cpu="400m"))
    await cluster.run_until(loop(9))
    cluster.expect("resizes of the second kind", [at for at, _ in resizes(cluster) if at > 400], [539.1])
    await cluster.run_until(loop(11))
    cluster.expect("evictions two minutes later", counts(evictions(cluster)), {659.1: 1})


@scenario(
    "vpa-updater/in-place-skips-the-budget",
    must=(
        "With --in-place-skip-disruption-budget all pods MUST be resized at once, unless the resize restarts "
        "containers."
    ),
    source="pkg/updater/restriction/pods_inplace_restriction.go: CanInPlaceUpdate",
    controllers=UPDATER,
    options=options(in_place_skip_disruption_budget=True),
    features=("in-place", "flags"),
)
async def test_in_place_skips_the_budget(cluster: Cluster) -> None:
    restart = [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]
    requests = {"cpu": "100m", "memory": "100Mi"}
    restarting = container(requests=requests, resizePolicy=restart)
    await cluster.create(workload("many", 4), workload("one", 1), workload("restarts", 4, restarting))
    for name in ("many", "one", "restarts"):
        await cluster.create(objects.vpa(name, mode=_MODE))
        await recommend(cluster, more(), name=name)
    await cluster.run_until(loop(1))
    owners = [name.rpartition("-")[0] for _, name in resizes(cluster)]
    resized = {name: owners.count(name) for name in sorted(set(owners))}
    cluster.expect("resized pods", resized, {"many": 4, "one": 1, "restarts": 2})
    cluster.expect("evictions", evictions(cluster), [])


@scenario(
    "vpa-updater/in-place-single-pod-is-never-evicted",
    must="A pod of a group below the minimum MUST NOT be evicted, even if its resize is infeasible.",
    source="pkg/updater/restriction/pods_eviction_restriction.go: CanEvict",
    controllers=UPDATER,
    options=options(in_place_skip_disruption_budget=True),
    features=("in-place", "min-replicas"),
)
async def test_in_place_single_pod_is_never_evicted(cluster: Cluster) -> None:
    await _web(cluster, 1)
    cluster.kubelet.resizing = Resize("Infeasible")
    await cluster.run_until(loop(4))
    cluster.expect("resizes", counts(resizes(cluster)), {59.1: 1})
    cluster.expect("evictions", evictions(cluster), [])


@scenario(
    "vpa-updater/mode-changes-to-recreate",
    must="In the mode Recreate a pod with a deferred resize MUST be evicted as in the mode InPlaceOrRecreate.",
    source="pkg/updater/restriction/pods_eviction_restriction.go: CanEvict",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "modes"),
)
async def test_mode_changes_to_recreate(cluster: Cluster) -> None:
    await _web(cluster, 2)
    cluster.kubelet.resizing = Resize("Deferred")
    await cluster.run_until(loop(1))
    await cluster.patch(VPAS, "web", {"spec": {"updatePolicy": {"updateMode": "Recreate"}}})
    await recommend(cluster, more(cpu="300m"))
    await cluster.run_until(loop(3))
    [(_, resized)] = resizes(cluster)
    evicted = [name for _, name in evictions(cluster)]
    cluster.expect_true("the pod with the deferred resize is not evicted", resized not in evicted)
    cluster.expect("evictions", counts(evictions(cluster)), {119.1: 1, 179.1: 1})


@scenario(
    "vpa-updater/in-place-above-a-fractional-limit",
    must=(
        "A request MUST be capped to the limit that the kubelet reports, in whole bytes; if that is above the limit in "
        "the spec, the resize is refused and the pod MUST be evicted."
    ),
    source="pkg/utils/vpa/capping.go: capRecommendationToContainerLimit",
    issues="kubernetes/autoscaler#10176",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "limits"),
)
async def test_in_place_above_a_fractional_limit(cluster: Cluster) -> None:
    requests = {"memory": "100Mi"}
    limited = container(requests=requests, limits={"memory": "157286400500m"})
    only = objects.container_policy(values="RequestsOnly")
    await cluster.create(workload("web", 2, limited), objects.vpa(mode=_MODE, policies=[only]))
    await recommend(cluster, objects.recommended(target={"memory": "200Mi"}))
    await cluster.run(10)
    for pod in cluster.pods("web"):
        statuses = [dict(one) for one in pod["status"]["containerStatuses"]]
        statuses[0]["resources"] = {"requests": requests, "limits": {"memory": "157286401"}}
        await cluster.set_status("pods", pod["metadata"]["name"], {"containerStatuses": statuses})
    await cluster.run_until(loop(1))
    cluster.expect("refused resizes", counts(resizes(cluster, 422)), {59.1: 2})
    cluster.expect("evictions", counts(evictions(cluster)), {59.1: 1})
