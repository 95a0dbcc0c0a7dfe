"""Containers that run out of memory soon after their start."""

from __future__ import annotations

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
    workload,
)

_BOUNDS = objects.recommended(
    target={"cpu": "100m", "memory": "150Mi"},
    lower={"cpu": "50m", "memory": "50Mi"},
    upper={"cpu": "300m", "memory": "300Mi"},
)


async def _kill_all(cluster: Cluster, name: str, container_name: str | None = None) -> None:
    async with cluster.batch():
        for pod in cluster.pods(name):
            cluster.kubelet.oom_kill(pod, container_name)


@scenario(
    "vpa-updater/quick-oom",
    must="A pod within its bounds MUST be evicted if a container ran out of memory within ten minutes of its start.",
    source="pkg/updater/priority/update_priority_calculator.go: AddPod",
    controllers=UPDATER,
    options=options(),
    features=("quick-oom",),
)
async def test_quick_oom(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa(mode="Recreate"))
    await recommend(cluster, _BOUNDS)
    await cluster.run_until(loop(1))
    cluster.expect("evictions before", evictions(cluster), [])
    await _kill_all(cluster, "web")
    await cluster.run_until(loop(2))
    cluster.expect("evictions", counts(evictions(cluster)), {119.1: 1})


@scenario(
    "vpa-updater/slow-or-stale-oom",
    must="An OOM kill long after the start, or long ago, MUST NOT cause an eviction.",
    source="pkg/updater/priority/update_priority_calculator.go: AddPod",
    issues=("zalando-incubator/kubernetes-on-aws#2812", "kubernetes/autoscaler#10137"),
    controllers=UPDATER,
    options=options(evict_after_oom_threshold=120.0),
    features=("quick-oom",),
)
async def test_slow_or_stale_oom(cluster: Cluster) -> None:
    await cluster.create(workload("slow", 2), objects.vpa("slow", mode="Recreate"))
    await cluster.create(workload("stale", 2), objects.vpa("stale", mode="Recreate"))
    await cluster.run_until(30)
    await _kill_all(cluster, "stale")
    await recommend(cluster, _BOUNDS, name="slow")
    await cluster.run_until(165)  # only now there is a recommendation
    await recommend(cluster, _BOUNDS, name="stale")
    await _kill_all(cluster, "slow")
    await cluster.run_until(loop(5))
    cluster.expect("evictions", evictions(cluster), [])


@scenario(
    "vpa-updater/quick-oom-without-a-change",
    must="A pod that would not change MUST NOT be evicted, however quickly it runs out of memory.",
    source="pkg/updater/priority/update_priority_calculator.go: AddPod",
    controllers=UPDATER,
    options=options(),
    features=("quick-oom",),
)
async def test_quick_oom_without_a_change(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa(mode="Recreate"))
    await recommend(cluster, more(cpu="100m", memory="100Mi"))
    await cluster.run_until(30)
    await _kill_all(cluster, "web")
    await cluster.run_until(loop(2))
    cluster.expect("evictions", evictions(cluster), [])


@scenario(
    "vpa-updater/quick-oom-of-containers-that-count",
    must="OOM kills of containers with mode Off, or that were not observed, MUST NOT cause an eviction.",
    source="pkg/updater/priority/update_priority_calculator.go: AddPod",
    controllers=UPDATER,
    options=options(),
    features=("quick-oom", "observed-containers"),
)
async def test_quick_oom_of_containers_that_count(cluster: Cluster) -> None:
    pair = [container(name, requests={"cpu": "100m", "memory": "100Mi"}) for name in ("main", "side")]
    off = [objects.container_policy("side", mode="Off")]
    for name, observed, policies in (("plain", None, None), ("off", None, off), ("unseen", "main", None)):
        made = workload(name, 2, *pair)
        if observed is not None:
            made["spec"]["template"]["metadata"]["annotations"] = {"vpaObservedContainers": observed}
        await cluster.create(made, objects.vpa(name, mode="Recreate", policies=policies))
        await recommend(cluster, _BOUNDS, name=name)
    await cluster.run_until(30)
    for name in ("plain", "off", "unseen"):
        await _kill_all(cluster, name, "side")
    await cluster.run_until(loop(1))
    evicted = sorted(name.rpartition("-")[0] for _, name in evictions(cluster))
    cluster.expect("owners of evicted pods", evicted, ["plain"])


@scenario(
    "vpa-updater/oom-threshold-of-the-vpa",
    must="With the gate PerVPAConfig a VPA's evictAfterOOMSeconds MUST take precedence over the flag.",
    source="pkg/updater/priority/update_priority_calculator.go: getEvictOOMThreshold",
    controllers=UPDATER,
    options=options({"PerVPAConfig": True}, evict_after_oom_threshold=5.0),
    features=("quick-oom", "feature-gates"),
)
async def test_oom_threshold_of_the_vpa(cluster: Cluster) -> None:
    policy = {"updateMode": "Recreate", "evictAfterOOMSeconds": 300}
    await cluster.create(workload("own", 2), objects.vpa("own", updatePolicy=policy))
    await cluster.create(workload("flag", 2), objects.vpa("flag", mode="Recreate"))
    for name in ("own", "flag"):
        await recommend(cluster, _BOUNDS, name=name)
    await cluster.run_until(40)
    for name in ("own", "flag"):
        await _kill_all(cluster, name)
    await cluster.run_until(loop(1))
    evicted = sorted(name.rpartition("-")[0] for _, name in evictions(cluster))
    cluster.expect("owners of evicted pods", evicted, ["own"])
