"""A pod's requests are compared with the recommendation after capping by policies, limits and LimitRanges."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.vpa.updater.steps import (
    UPDATER,
    container,
    evictions,
    loop,
    more,
    options,
    recommend,
    workload,
)


async def _evicted_owners(cluster: Cluster) -> list[str]:
    await cluster.run_until(loop(1))
    return sorted(name.rpartition("-")[0] for _, name in evictions(cluster))


@scenario(
    "vpa-updater/capped-by-policy",
    must="If the policy caps a recommendation to a pod's requests, the pod MUST NOT be evicted.",
    source="pkg/utils/vpa/capping.go: applyVPAPolicy",
    controllers=UPDATER,
    options=options(),
    features=("capping",),
)
async def test_capped_by_policy(cluster: Cluster) -> None:
    exact = {"cpu": "100m", "memory": "100Mi"}
    policies = {
        "max": [objects.container_policy(max_allowed=exact)],
        "max-cpu": [objects.container_policy(max_allowed={"cpu": "100m"})],
        "own": [objects.container_policy(max_allowed=exact), objects.container_policy("main")],
        "zero": [objects.container_policy(max_allowed={"cpu": "0", "memory": "0"})],
        "both": [objects.container_policy(min_allowed={"cpu": "1", "memory": "1Gi"}, max_allowed=exact)],
    }
    for name, given in policies.items():
        await cluster.create(workload(name, 2), objects.vpa(name, mode="Recreate", policies=given))
        await recommend(cluster, more(), name=name)
    cluster.expect("owners of evicted pods", await _evicted_owners(cluster), ["max-cpu", "own", "zero"])


@scenario(
    "vpa-updater/capped-by-limits",
    must="If only requests are controlled, limits MUST cap the recommendation.",
    source="pkg/utils/vpa/capping.go: capRecommendationToContainerLimit",
    controllers=UPDATER,
    options=options(),
    features=("capping",),
)
async def test_capped_by_limits(cluster: Cluster) -> None:
    exact = {"cpu": "100m", "memory": "100Mi"}
    limited = container(requests=exact, limits=exact)
    for name, values in (("requests", "RequestsOnly"), ("limits", "RequestsAndLimits")):
        policies = [objects.container_policy(values=values)]
        await cluster.create(workload(name, 2, limited), objects.vpa(name, mode="Recreate", policies=policies))
        await recommend(cluster, more(), name=name)
    cluster.expect("owners of evicted pods", await _evicted_owners(cluster), ["limits"])


@scenario(
    "vpa-updater/capped-by-a-limit-range",
    must="A LimitRange MUST cap recommendations so that proportional limits fit; without a limit, its default counts.",
    source="pkg/utils/vpa/capping.go: applyContainerLimitRange",
    controllers=UPDATER,
    options=options(),
    features=("capping", "limit-range"),
)
async def test_capped_by_a_limit_range(cluster: Cluster) -> None:
    half = container(requests={"cpu": "100m", "memory": "100Mi"}, limits={"cpu": "200m", "memory": "200Mi"})
    equal = container(requests={"cpu": "100m", "memory": "100Mi"}, limits={"cpu": "100m", "memory": "100Mi"})
    for name, containers in (("half", [half]), ("equal", [equal]), ("free", [])):
        await cluster.create(workload(name, 2, *containers), objects.vpa(name, mode="Recreate"))
        await recommend(cluster, more(), name=name)
    await cluster.run(5)
    most = {"cpu": "200m", "memory": "200Mi"}
    await cluster.create(objects.limit_range("bounds", objects.limits("Container", most=most)))
    cluster.expect("owners of evicted pods", await _evicted_owners(cluster), ["equal"])


@scenario(
    "vpa-updater/capped-by-a-limit-range-for-pods",
    must="A LimitRange for pods MUST cap the recommendations of all containers together.",
    source="pkg/utils/vpa/capping.go: applyPodLimitRange",
    controllers=UPDATER,
    options=options(),
    features=("capping", "limit-range"),
)
async def test_capped_by_a_limit_range_for_pods(cluster: Cluster) -> None:
    exact = {"cpu": "100m", "memory": "100Mi"}
    for name, count in (("one", 1), ("two", 2)):
        containers = [container(f"c{index}", requests=exact, limits=exact) for index in range(count)]
        await cluster.create(workload(name, 2, *containers), objects.vpa(name, mode="Recreate"))
        await recommend(cluster, *(more(f"c{index}") for index in range(count)), name=name)
    await cluster.run(5)
    most = {"cpu": "200m", "memory": "200Mi"}
    await cluster.create(objects.limit_range("bounds", objects.limits("Pod", most=most)))
    cluster.expect("owners of evicted pods", await _evicted_owners(cluster), ["one"])
