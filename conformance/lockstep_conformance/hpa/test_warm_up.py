"""Starting pods: their usage before they are ready is no measure of the load, and they do not serve it yet."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import shared, spike, steps
from lockstep.world import InTurn, Lifecycle
from lockstep_conformance.hpa.served import serve, workload
from lockstep_conformance.hpa.steps import condition, counts, scales, status

_GROUP = "pkg/controller/podautoscaler/replica_calculator.go: groupPods"
_READY = "pkg/controller/podautoscaler/replica_calculator.go: getReadyPodsCount"
#: The first pods start at once, those of later scales take a minute.
_SLOW_LATER = InTurn(Lifecycle(), Lifecycle(ready_after=60))


@scenario(
    "hpa/start-up-spike-brings-no-second-scale",
    must="CPU that pods use before they are ready MUST NOT count, so that a scale-up does not cause the next one.",
    source=_GROUP,
    issues=("kubernetes/kubernetes#67252", "kubernetes/kubernetes#28692"),
    controllers=("hpa", "replicaset"),
    features=("unready", "closed-loop", "H11"),
)
async def test_start_up_spike_brings_no_second_scale(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_owner("web", _SLOW_LATER)
    cluster.metrics.load("web", cpu=shared(steps((0, 1.0), (120, 1.8))), startup=spike("1500m", 60))
    await serve(cluster, 2, before=90)
    await cluster.run_until(165)
    cluster.expect("pods, ready ones", (len(cluster.pods("web")), cluster.ready("web")), (4, 2))
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization while they start", current, {"averageUtilization": 90, "averageValue": "900m"})
    await cluster.run_until(600)
    cluster.expect("scales", scales(cluster), [(120.0, 4)])
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization in the end", current, {"averageUtilization": 45, "averageValue": "450m"})


@scenario(
    "hpa/start-up-spike-of-ready-pods-counts",
    must=(
        "CPU that pods use while they warm up, although they are ready already, MUST count from the first window that "
        "began after they became ready."
    ),
    source=_GROUP,
    issues="kubernetes/kubernetes#67252",
    controllers=("hpa", "replicaset"),
    features=("unready", "closed-loop", "H11"),
)
async def test_start_up_spike_of_ready_pods_counts(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(steps((0, 1.0), (120, 1.8))), startup=spike("1500m", 60))
    await serve(cluster, 2, before=90)
    await cluster.run_until(151)
    # The pods of 120 s are ready at 122 s, and their window of 135 s began at 121 s. At 150 s two pods use 0.45 cores,
    # and two 1.95.
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization at 150 s", current, {"averageUtilization": 120, "averageValue": "1200m"})
    cluster.expect("scales", scales(cluster), [(120.0, 4), (150.0, 8)])


@scenario(
    "hpa/long-warm-up-does-not-inflate",
    must=(
        "Replicas that are still warming up MUST NOT multiply a metric that they cannot reduce yet: only ready pods "
        "count."
    ),
    source=_READY,
    issues="kubernetes/kubernetes#59975",
    controllers=("hpa", "replicaset"),
    features=("unready", "external-metric", "H14"),
)
async def test_long_warm_up_does_not_inflate(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_owner("web", InTurn(Lifecycle(), Lifecycle(ready_after=1800)))
    cluster.metrics.external("queue_depth", steps((0, 100), (60, 200), (1865, 100)))
    queue = objects.external_metric("queue_depth", value="100")
    await serve(cluster, 4, max_replicas=64, metrics=[queue])
    await cluster.run_until(1800)
    cluster.expect("pods, ready ones", (len(cluster.pods("web")), cluster.ready("web")), (8, 4))
    cluster.expect("replicas, desired", counts(cluster), (8, 8))
    await cluster.run_until(2400)
    cluster.expect("scales", scales(cluster), [(60.0, 8)])


@scenario(
    "hpa/unready-and-missing-pods-never-turn-the-direction",
    must=(
        "Unready pods count as idle when the others recommend more, missing ones as idle or as busy, whichever is more "
        "conservative; neither MUST turn a scale-up into a scale-down, or vice versa."
    ),
    source="pkg/controller/podautoscaler/replica_calculator.go: GetResourceReplicas",
    issues="kubernetes/kubernetes#33593",
    controllers=("hpa", "replicaset"),
    features=("unready", "missing", "H12"),
)
async def test_unready_and_missing_pods_never_turn_the_direction(cluster: Cluster) -> None:
    """Per workload: the ready pods, the usage of all (unready ones first), and the replicas that are set, if any."""
    table: dict[str, tuple[tuple[bool, ...], list[str | None], int | None]] = {
        "all-busy": ((True,) * 4, ["1"] * 4, 8),
        "one-unready": ((False, True, True, True), ["1"] * 4, 6),
        "three-unready": ((False, False, False, True), ["1"] * 4, None),
        "one-missing": ((True,) * 4, [None, "1", "1", "1"], 6),
        "three-missing": ((True,) * 4, [None, None, None, "1"], None),
        "idle-one-unready": ((False, True, True, True), ["1", "100m", "100m", "100m"], 1),
        "idle-one-missing": ((True,) * 4, [None, "100m", "100m", "100m"], 3),
        "idle-two-missing": ((True,) * 4, [None, None, "100m", "100m"], None),
    }
    now = objects.behavior(up=objects.scaling(("Pods", 99, 15)), down=objects.scaling(("Pods", 99, 15), window=0))
    for name, (ready, usage, _) in table.items():
        starts = Lifecycle(ready_after=tuple(2.0 if one else 3600.0 for one in ready))
        cluster.kubelet.lifecycles.for_owner(name, starts)
        cluster.metrics.exact(name, usage, window=10)
        await cluster.create(workload(name, 4))
    await cluster.run_until(30)
    half = objects.resource_metric("cpu", utilization=50)
    async with cluster.batch():
        for name in table:
            await cluster.create(objects.hpa(name, max_replicas=20, metrics=[half], behavior=now))
    await cluster.run_until(48)
    for name, (_, _, wanted) in table.items():
        cluster.expect(f"scales of {name}", scales(cluster, name), [(45.0, wanted)] if wanted else [])
    limited = condition(cluster, "ScalingLimited", "three-unready")
    within = ("False", "DesiredWithinRange", "the desired count is within the acceptable range")
    cluster.expect("ScalingLimited of three-unready", limited, within)
