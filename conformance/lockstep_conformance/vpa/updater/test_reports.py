"""Problems that users of the real updater reported."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
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
    times,
    workload,
)


@scenario(
    "vpa-updater/limit-range-for-pods-evicts-for-ever",
    must=(
        "A LimitRange for pods scales each bound separately, so pods that have their target are outside; this scenario "
        "MUST show it."
    ),
    source="pkg/utils/vpa/capping.go: applyPodLimitRange",
    controllers=UPDATER,
    options=options(),
    features=("capping", "limit-range"),
    issues="kubernetes/autoscaler#8776",
)
async def test_limit_range_for_pods_evicts_for_ever(cluster: Cluster) -> None:
    amounts = {"cpu": "100m", "memory": "512Mi"}
    pair = [container(name, requests=amounts, limits=amounts) for name in ("a", "b")]
    await cluster.create(objects.limit_range("bounds", objects.limits("Pod", most={"memory": "1Gi"})))
    await cluster.create(workload("web", 1, *pair), objects.vpa(mode="Recreate", min_replicas=1))
    target, upper = {"memory": "1Gi"}, {"memory": "4Gi"}
    low = {"a": "1200Mi", "b": "100Mi"}  # together more than 1Gi: cut to 945 and 78, while the targets are cut to 512
    bounds = [objects.recommended(name, target=target, lower={"memory": low[name]}, upper=upper) for name in low]
    await recommend(cluster, *bounds)
    await cluster.run_until(loop(5))
    cluster.expect("evictions", times(evictions(cluster)), [59.1, 119.1, 179.1, 239.1, 299.1])


@scenario(
    "vpa-updater/requirements-hold-for-resizes",
    must="Eviction requirements MUST also prevent in-place resizes.",
    source="pkg/updater/priority/update_priority_calculator.go: GetSortedPods",
    controllers=UPDATER,
    options=options(),
    features=("in-place", "eviction-requirements"),
    issues="kubernetes/autoscaler#10181",
)
async def test_requirements_hold_for_resizes(cluster: Cluster) -> None:
    requirements = [objects.eviction_requirement("TargetLowerThanRequests", "cpu", "memory")]
    await cluster.create(workload(), objects.vpa(mode="InPlaceOrRecreate", requirements=requirements))
    await recommend(cluster, more())
    await cluster.run_until(loop(2))
    cluster.expect("resizes to more", resizes(cluster), [])
    await recommend(cluster, more(cpu="50m", memory="50Mi"))
    await cluster.run_until(loop(3))
    cluster.expect("resizes to less", counts(resizes(cluster)), {179.1: 2})


@scenario(
    "vpa-updater/resize-error-then-more",
    must=(
        "After a resize that failed on the node a higher recommendation MUST be tried, and MUST NOT count as "
        "infeasible."
    ),
    source="pkg/updater/restriction/pods_inplace_restriction.go: CanInPlaceUpdate",
    controllers=UPDATER,
    options=options({"InPlace": True}),
    features=("in-place-only", "infeasible"),
    issues="kubernetes/autoscaler#10093",
)
async def test_resize_error_then_more(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa(mode="InPlace"))
    await recommend(cluster, more())
    cluster.kubelet.resizing = Resize(takes=None, error="cgroup is read-only")
    await cluster.run_until(loop(2))
    cluster.kubelet.resizing = None
    await recommend(cluster, more(cpu="300m", memory="300Mi"))
    await cluster.run_until(loop(4))
    cluster.expect("requests", requests_of(cluster), [{"cpu": "300m", "memory": "300Mi"}] * 2)


@scenario(
    "vpa-updater/budget-blocks-the-cure",
    must=(
        "Pods that keep running out of memory MUST be evicted only if their PodDisruptionBudget allows the eviction of "
        "unready pods."
    ),
    source="pkg/updater/restriction/pods_eviction_restriction.go: Evict",
    controllers=UPDATER,
    options=options(),
    features=("eviction", "budgets", "quick-oom"),
    issues="kubernetes/autoscaler#4284",
)
async def test_budget_blocks_the_cure(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.pdb(min_available=2), objects.vpa(mode="Recreate"))
    await recommend(cluster, more(cpu="100m"))
    await cluster.run_until(40)
    async with cluster.batch():
        for pod in cluster.pods("web"):
            cluster.kubelet.oom_kill(pod, down=600)
    await cluster.run_until(loop(1))
    cluster.expect("refused evictions", counts(evictions(cluster, 429)), {59.1: 2})
    budget = {"spec": {"unhealthyPodEvictionPolicy": "AlwaysAllow"}}
    await cluster.patch("poddisruptionbudgets.policy", "web", budget)
    await cluster.run_until(loop(2))
    cluster.expect("evictions", counts(evictions(cluster, 201)), {119.1: 1})
