"""Stabilization windows look back over recommendations. They are not pauses between two changes of scale."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.demand import demanded
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import counts, messages, scales, status, status_writes

_BEHAVIORS = "pkg/controller/podautoscaler/horizontal.go: stabilizeRecommendationWithBehaviors"
_INITIAL = "pkg/controller/podautoscaler/horizontal.go: recordInitialRecommendation"
_CPU_60 = objects.resource_metric("cpu", utilization=60)
#: Seconds after which one pod after the other is ready.
_TRICKLE = (5, 20, 35, 50, 65, 80, 95, 110, 125, 140)


@scenario(
    "hpa/windows-are-no-pauses-between-scales",
    must=(
        "Once a window holds only high, or only low, recommendations, replicas MUST change as fast as the policies "
        "allow, without another wait."
    ),
    source=_BEHAVIORS,
    issues=("kubernetes/kubernetes#101371", "kubernetes/enhancements#2645"),
    controllers=("hpa", "replicaset"),
    features=("behavior", "stabilization", "H24"),
)
async def test_windows_are_no_pauses_between_scales(cluster: Cluster) -> None:
    rules = objects.scaling(("Pods", 1, 60), window=300)
    await demanded(cluster, 2, (60, 6), (900, 2), replicas=2, min_replicas=2, max_replicas=6, up=rules, down=rules)
    await cluster.run_until(1800)
    # 2 was last recommended at 45 s: at 345 s the window is over, for all steps together
    cluster.expect("growth", scales(cluster)[:4], [(345.0, 3), (405.0, 4), (465.0, 5), (525.0, 6)])
    # and 6 at 885 s
    cluster.expect("decline", scales(cluster)[4:], [(1185.0, 5), (1245.0, 4), (1305.0, 3), (1365.0, 2)])


@scenario(
    "hpa/new-hpa-remembers-how-many-replicas-it-found",
    must=(
        "The replicas that a new HPA finds MUST count as its first recommendation, so that pods that become ready one "
        "by one do not shrink the workload."
    ),
    source=(_INITIAL, "pkg/controller/podautoscaler/replica_calculator.go: groupPods"),
    issues="kubernetes/kubernetes#68826",
    controllers=("hpa", "replicaset"),
    features=("stabilization", "unready", "H4"),
)
async def test_new_hpa_remembers_how_many_replicas_it_found(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_owner("web", Lifecycle(ready_after=_TRICKLE))
    cluster.metrics.load("web", cpu=each("400m"))
    await serve(cluster, 10, metrics=[_CPU_60])
    await cluster.run_until(31)
    cluster.expect("pods that are ready", cluster.ready("web"), 2)
    cluster.expect("replicas, desired", counts(cluster), (10, 10))
    await cluster.run_until(600)
    # the size at 15 s counts until 315 s; by then 7 has been recommended (10 replicas at 40 % of 60 %)
    cluster.expect("scales", scales(cluster), [(330.0, 7)])


@scenario(
    "hpa/restarted-hpa-remembers-how-many-replicas-it-found",
    must=(
        "A controller that restarts while new pods become ready one by one MUST NOT shrink the workload before a whole "
        "window has passed."
    ),
    source=(_INITIAL, "pkg/controller/podautoscaler/replica_calculator.go: groupPods"),
    issues="kubernetes/kubernetes#68826",
    controllers=("hpa", "replicaset"),
    features=("stabilization", "restart", "H4"),
)
async def test_restarted_hpa_remembers_how_many_replicas_it_found(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_owner("web", Lifecycle(ready_after=_TRICKLE))
    cluster.metrics.load("web", cpu=each("400m"))
    await serve(cluster, 10, metrics=[_CPU_60])
    await cluster.run_until(40)
    await cluster.crash("hpa")
    await cluster.run_until(52)
    await cluster.start("hpa")
    await cluster.run_until(68)
    cluster.expect("pods that are ready", cluster.ready("web"), 5)
    cluster.expect("replicas, desired", counts(cluster), (10, 10))
    await cluster.run_until(600)
    # the first sync is at 67 s, and the size then counts until 367 s
    cluster.expect("scales", scales(cluster), [(382.0, 7)])


@scenario(
    "hpa/last-scale-time-outlives-status-updates",
    must=(
        "lastScaleTime MUST stay the time of the last scale when only the status is updated, and there MUST be no "
        "scale-down before the window is over."
    ),
    source="pkg/controller/podautoscaler/horizontal.go: setStatus",
    issues=("kubernetes/kubernetes#16275", "kubernetes/kubernetes#16277"),
    controllers=("hpa", "replicaset"),
    features=("status", "H6"),
)
async def test_last_scale_time_outlives_status_updates(cluster: Cluster) -> None:
    await demanded(cluster, 2, (60, 4), (120, 3), (180, 2), (240, 1), replicas=2)
    await cluster.run_until(65)
    cluster.expect("lastScaleTime after the scale", status(cluster)["lastScaleTime"], "2000-01-01T00:01:01Z")
    before = len(status_writes(cluster))
    await cluster.run_until(359)
    cluster.expect_true("status updates since then", len(status_writes(cluster)) - before >= 4)
    cluster.expect("lastScaleTime before the next scale", status(cluster)["lastScaleTime"], "2000-01-01T00:01:01Z")
    cluster.expect("scales until then", scales(cluster), [(60.0, 4)])
    await cluster.run_until(900)
    cluster.expect("scales", scales(cluster), [(60.0, 4), (420.0, 3), (480.0, 2), (540.0, 1)])
    cluster.expect("lastScaleTime in the end", status(cluster)["lastScaleTime"], "2000-01-01T00:09:01Z")
    cluster.expect("events", len(messages(cluster, "SuccessfulRescale")), 4)
