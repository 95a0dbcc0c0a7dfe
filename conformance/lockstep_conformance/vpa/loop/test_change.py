"""What changes: usage that grows, memory that runs out, controllers that come and go."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each, steps
from lockstep.objects.definitions import VPAS
from lockstep_conformance.vpa.loop.steps import (
    HOUR,
    LOOP,
    SUMS,
    UPDATES,
    every,
    evictions,
    requests,
    serve,
    target,
)

_LOOP = ("pkg/recommender/routines/recommender.go: RunOnce", "pkg/updater/logic/updater.go: RunOnce")
_LEASE = "pkg/utils/status/status_object.go: IsStatusValid"


@scenario(
    "vpa-recommender/loop-follows-a-step",
    must="When usage trebles, the target MUST follow within the day, and the pods MUST be brought to it.",
    source=_LOOP,
    controllers=LOOP,
    tolerance=SUMS,
    options=every(600.0, min_replicas=1),
)
async def test_loop_follows_a_step(cluster: Cluster) -> None:
    await serve(cluster, 1, cpu=steps((0, "100m"), (6 * HOUR, "300m")))
    await cluster.run(6 * HOUR)
    before = target(cluster)["cpu"]
    await cluster.run(18 * HOUR)
    cluster.expect("target before", before, "126m")
    cluster.expect("target after", target(cluster)["cpu"], "350m")
    cluster.expect("requests", [one["cpu"] for one in requests(cluster)], ["350m"])


@scenario(
    "vpa-updater/loop-stops-when-admission-is-gone",
    must="Without an admission controller that renews its Lease the updater MUST stop within a minute, and go on when "
    "one is back.",
    source=(*_LOOP, _LEASE),
    issues="kubernetes/autoscaler#2633",
    controllers=UPDATES,
    tolerance=SUMS,
)
async def test_loop_stops_when_admission_is_gone(cluster: Cluster) -> None:
    await serve(cluster, 6)
    await cluster.run_until(150)
    await cluster.crash("vpa-admission")
    await cluster.run_until(1800)
    stopped = evictions(cluster)
    cluster.expect_true(f"stopped in time: {stopped}", max(stopped) <= 220)
    await cluster.start("vpa-admission")
    await cluster.run(900)
    cluster.expect_true("goes on", len(evictions(cluster)) > len(stopped))
    cluster.expect("requests", len(requests(cluster)), 1)


@scenario(
    "vpa-updater/loop-with-a-slow-webhook",
    must="While the webhook is too slow and the Lease fresh, pods come back unchanged: upstream evicts them again and "
    "again, and MUST be seen to do so.",
    source=_LOOP,
    issues="kubernetes/autoscaler#6884",
    controllers=UPDATES,
    options=every(60.0, min_replicas=1),
)
async def test_loop_with_a_slow_webhook(cluster: Cluster) -> None:
    await serve(cluster, 1)  # of two, upstream would evict either
    await cluster.run_until(60)
    cluster.faults.latency(40.0, verb="call", resource="webhooks", times=None)
    await cluster.run_until(1295)
    cluster.expect_true("evicted many times", len(evictions(cluster)) >= 8)
    cluster.expect("requests", requests(cluster), [{"cpu": "100m", "memory": "128Mi"}])


@scenario(
    "vpa-recommender/loop-after-a-restart-of-everything",
    must="After a restart of all three parts the recommendation MUST come back from the checkpoints, and nothing be "
    "evicted.",
    source=(*_LOOP, "pkg/recommender/input/cluster_feeder.go: InitFromCheckpoints"),
    issues="kubernetes/autoscaler#2180",
    controllers=LOOP,
    tolerance=SUMS,
    options=every(300.0),
)
async def test_loop_after_a_restart_of_everything(cluster: Cluster) -> None:
    await serve(cluster, 3)
    await cluster.run(6 * HOUR)
    before, happened = target(cluster), evictions(cluster)
    parts = ("vpa-recommender", "vpa-updater", "vpa-admission")
    await cluster.crash(*parts)
    await cluster.run(600)
    await cluster.start(*parts)
    await cluster.run(6 * HOUR)
    cluster.expect("target", target(cluster), before)
    cluster.expect("evictions", evictions(cluster), happened)


@scenario(
    "vpa-recommender/loop-cures-an-oom",
    must="A container that is killed for its memory MUST get more than it had, by an eviction if need be, until it is "
    "not killed any more.",
    source=(*_LOOP, "pkg/recommender/model/container.go: RecordOOM"),
    issues=("kubernetes/autoscaler#3078", "kubernetes/autoscaler#4284"),
    controllers=LOOP,
    options=every(60.0, min_replicas=1),
)
async def test_loop_cures_an_oom(cluster: Cluster) -> None:
    resources = {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "256Mi"}}
    cluster.metrics.load("web", cpu=each("100m"), memory=each("300Mi"), oom=True)
    template = objects.pod_template(objects.labels_of("web"), containers=[objects.container(resources=resources)])
    await cluster.create(objects.vpa(), objects.replica_set("web", 1, template=template))
    await cluster.run(2 * HOUR)
    restarts = [pod["status"]["containerStatuses"][0]["restartCount"] for pod in cluster.pods("web")]
    cluster.expect("restarts of the last pod", restarts, [0])
    cluster.expect_true("evicted", evictions(cluster))


@scenario(
    "vpa-updater/loop-in-place",
    must="With InPlaceOrRecreate pods MUST be resized where they are: none is evicted, and all have the target.",
    source=(*_LOOP, "pkg/updater/restriction/pods_inplace_restriction.go"),
    controllers=UPDATES,
    tolerance=SUMS,
)
async def test_loop_in_place(cluster: Cluster) -> None:
    await serve(cluster, 3, mode="InPlaceOrRecreate")
    await cluster.run(2 * HOUR)
    cluster.expect("evictions", evictions(cluster), [])
    cluster.expect("requests", requests(cluster), [target(cluster)])


@scenario(
    "vpa-updater/loop-and-a-disruption-budget",
    must="A budget that allows no disruption MUST keep the pods as they are; when it does, they MUST be brought to the "
    "target.",
    source=(*_LOOP, "pkg/updater/restriction/pods_eviction_restriction.go: Evict"),
    issues="kubernetes/autoscaler#4284",
    controllers=UPDATES,
    tolerance=SUMS,
)
async def test_loop_and_a_disruption_budget(cluster: Cluster) -> None:
    await cluster.create(objects.pdb(min_available=2))
    await serve(cluster, 2)
    await cluster.run(600)
    cluster.expect("evictions", evictions(cluster), [])
    await cluster.patch("poddisruptionbudgets.policy", "web", {"spec": {"minAvailable": 1}})
    await cluster.run(600)
    cluster.expect("requests", requests(cluster), [target(cluster)])


@scenario(
    "vpa-recommender/loop-of-a-deployment",
    must="The pods of a Deployment MUST be evicted and admitted on behalf of the VPA of the Deployment, through its "
    "ReplicaSet.",
    source=(*_LOOP, "pkg/target/controller_fetcher/controller_fetcher.go"),
    controllers=LOOP,
    tolerance=SUMS,
)
async def test_loop_of_a_deployment(cluster: Cluster) -> None:
    cluster.owners.manage("deployments")
    cluster.metrics.load("web", cpu=each("300m"), memory=each("400Mi"))
    container = objects.container(resources={"requests": {"cpu": "100m", "memory": "128Mi"}})
    template = objects.pod_template(objects.labels_of("web"), containers=[container])
    await cluster.create(objects.vpa(target="Deployment"), objects.deployment("web", 3, template=template))
    await cluster.run(1200)
    asked = [pod["spec"]["containers"][0]["resources"]["requests"] for pod in cluster.pods()]
    cluster.expect("requests", asked, [target(cluster)] * 3)


@scenario(
    "vpa-recommender/loop-of-a-mode-that-changes",
    must="A VPA that goes from Off to Recreate MUST have its pods brought to what it has learnt in the meantime.",
    source=_LOOP,
    controllers=LOOP,
    tolerance=SUMS,
)
async def test_loop_of_a_mode_that_changes(cluster: Cluster) -> None:
    await serve(cluster, 2, mode="Off")
    await cluster.run(1800)
    cluster.expect("evictions", evictions(cluster), [])
    await cluster.patch(VPAS, "web", {"spec": {"updatePolicy": {"updateMode": "Recreate"}}})
    await cluster.run(600)
    cluster.expect("requests", requests(cluster), [target(cluster)])
