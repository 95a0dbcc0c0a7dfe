"""Evictions that the API server refuses, and those that fail otherwise."""

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
    "vpa-updater/disruption-budget",
    must="An eviction that a PodDisruptionBudget forbids MUST be retried in each loop, and MUST NOT make an event.",
    source="pkg/updater/restriction/pods_eviction_restriction.go: Evict",
    controllers=UPDATER,
    options=options(),
    features=("eviction", "budgets"),
)
async def test_disruption_budget(cluster: Cluster) -> None:
    await cluster.create(objects.pdb(max_unavailable=0), workload(replicas=3), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    await cluster.run_until(loop(2))
    cluster.expect("refused evictions", counts(evictions(cluster, 429)), {59.1: 3, 119.1: 3})
    cluster.expect("events", cluster.events("EvictedByVPA"), [])
    await cluster.delete("poddisruptionbudgets.policy", "web")
    await cluster.run_until(loop(3))
    cluster.expect("evictions", counts(evictions(cluster, 201)), {179.1: 1})


@scenario(
    "vpa-updater/disruption-budget-and-tolerance",
    must="Of tolerance and PodDisruptionBudget the stricter one MUST apply: refused evictions do not count.",
    source="pkg/updater/restriction/pods_eviction_restriction.go: Evict",
    controllers=UPDATER,
    options=options(),
    features=("eviction", "budgets", "tolerance"),
)
async def test_disruption_budget_and_tolerance(cluster: Cluster) -> None:
    await cluster.create(objects.pdb(min_available=5), workload(replicas=6), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    await cluster.run_until(loop(1))
    cluster.expect("evictions", counts(evictions(cluster, 201)), {59.1: 1})
    cluster.expect("refused evictions", counts(evictions(cluster, 429)), {59.1: 5})


@scenario(
    "vpa-updater/failed-evictions",
    must="An eviction that fails MUST NOT count, and the next pod MUST be tried instead.",
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(),
    features=("eviction", "faults"),
)
async def test_failed_evictions(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=4), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    fault = cluster.faults.error(500, verb="create", resource="pods", subresource="eviction", times=2)
    await cluster.run_until(loop(1))
    cluster.expect("failures", fault.hits, 2)
    cluster.expect("evictions", counts(evictions(cluster, 201)), {59.1: 2})
    cluster.expect("events", len(cluster.events("EvictedByVPA")), 2)


@scenario(
    "vpa-updater/eviction-events",
    must="Each eviction MUST be reported in an event of the pod and in one of the VPA.",
    source="pkg/updater/restriction/pods_eviction_restriction.go: Evict",
    controllers=UPDATER,
    options=options(),
    features=("eviction", "events"),
)
async def test_eviction_events(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=2), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    await cluster.run_until(loop(1))
    [(_, evicted)] = evictions(cluster)
    [of_pod], [of_vpa] = cluster.events("EvictedByVPA"), cluster.events("EvictedPod")
    told = (of_pod["involvedObject"]["name"], of_pod["type"], of_pod["source"]["component"], of_pod["message"])
    text = "Pod was evicted by VPA Updater to apply resource recommendation."
    cluster.expect("event of the pod", told, (evicted, "Normal", "vpa-updater", text))
    about = of_vpa["involvedObject"]
    wanted = ("VerticalPodAutoscaler", "autoscaling.k8s.io/v1", "web")
    cluster.expect("about", (about["kind"], about["apiVersion"], about["name"]), wanted)
    text = f"VPA Updater evicted Pod {evicted} to apply resource recommendation."
    cluster.expect("message", of_vpa["message"], text)


@scenario(
    "vpa-updater/slow-evictions",
    must="A loop that takes longer than the interval MUST end before its next eviction; the next MUST start at once.",
    source="pkg/updater/main.go: run",
    controllers=UPDATER,
    options=options(eviction_tolerance=1.0),
    features=("eviction", "faults", "loop"),
)
async def test_slow_evictions(cluster: Cluster) -> None:
    await cluster.create(workload(replicas=3), objects.vpa(mode="Recreate"))
    await recommend(cluster, more())
    await cluster.run(5)
    slow = cluster.faults.latency(25, verb="create", resource="pods", subresource="eviction")
    await cluster.run_until(130)
    cluster.expect("evictions", counts(evictions(cluster, 201)), {84.1: 1, 109.1: 1})
    slow.stop()  # One is in progress. With its answer the loop ends, and the next one still sees its pod.
    await cluster.run_until(140)
    cluster.expect("evictions", counts(evictions(cluster, 201)), {84.1: 1, 109.1: 1, 134.1: 4})
    cluster.expect("evicted pods", len({name for _, name in evictions(cluster, 201)}), 5)
