"""Stale caches: the controller acts on old HPAs and pods, but on current scales and metrics."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each, ramp, shared, steps
from lockstep_conformance.hpa.demand import demanded
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import HPAS, counts, messages, scales, status, status_writes

_STATUS = "pkg/controller/podautoscaler/horizontal.go: updateStatusIfNeeded, updateStatus"
_RECONCILE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"
_CALCULATOR = "pkg/controller/podautoscaler/replica_calculator.go: GetResourceReplicas"
_AUTOSCALERS = "horizontalpodautoscalers.autoscaling"


@scenario(
    "hpa/late-events-make-its-own-status-conflict",
    must=(
        "If the cache does not show the controller's last status update yet, the next one MUST be refused, and the HPA "
        "MUST scale all the same."
    ),
    source=_STATUS,
    controllers=("hpa", "replicaset"),
    features=("stale-cache", "conflict", "status"),
)
async def test_late_events_make_its_own_status_conflict(cluster: Cluster) -> None:
    cluster.network.set_lag(_AUTOSCALERS, 20.0)
    cluster.metrics.external("demand", ramp(0, 100, 1, 11))
    metric = objects.external_metric("demand", average="1")
    await cluster.create(objects.replica_set("web", 1), objects.hpa("web", metrics=[metric]))
    await cluster.run_until(130)
    # It observes the HPA at 20 s, and each status 20 s after it was written.
    codes = [(cluster.at(write), write.code) for write in status_writes(cluster)]
    wanted = [(35.0, 200), (50.0, 409), (65.0, 200), (80.0, 409), (95.0, 200), (110.0, 409), (125.0, 200)]
    cluster.expect("status updates", codes, wanted)
    cluster.expect("scales", scales(cluster), [(35.0, 4), (50.0, 6), (65.0, 8), (80.0, 9), (95.0, 10)])
    cluster.expect("warnings", len(messages(cluster, "FailedUpdateStatus")), 1)
    cluster.expect("replicas, desired", counts(cluster), (10, 10))


@scenario(
    "hpa/edit-that-it-has-not-heard-of",
    must=(
        "A controller that has not observed an edit MUST act on the old spec, and on the new one from the first sync "
        "after it has."
    ),
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("stale-cache", "spec-edit"),
)
async def test_edit_that_it_has_not_heard_of(cluster: Cluster) -> None:
    await demanded(cluster, (0, 2), (60, 9), replicas=2, max_replicas=9)
    await cluster.run_until(50)
    cluster.network.hold(_AUTOSCALERS)
    await cluster.patch(HPAS, "web", {"spec": {"maxReplicas": 5}})
    await cluster.run_until(100)
    cluster.expect("scales before it has", scales(cluster), [(60.0, 4), (75.0, 8), (90.0, 9)])
    cluster.network.release(_AUTOSCALERS)
    await cluster.run_until(110)
    cluster.expect("scales afterwards", scales(cluster)[3:], [(105.0, 5)])
    told = messages(cluster, "SuccessfulRescale")[-1]
    cluster.expect("event", told, "New size: 5; reason: Current number of replicas above Spec.MaxReplicas")


@scenario(
    "hpa/deletion-that-it-has-not-heard-of",
    must=(
        "A controller that has not observed the deletion of an HPA MUST continue to sync it, and stop as soon as it "
        "has."
    ),
    source=_RECONCILE,
    controllers=("hpa", "replicaset"),
    features=("stale-cache", "recreation"),
)
async def test_deletion_that_it_has_not_heard_of(cluster: Cluster) -> None:
    await demanded(cluster, (0, 2), (60, 4), (120, 8), replicas=2)
    await cluster.run_until(50)
    cluster.network.hold(_AUTOSCALERS)
    await cluster.delete(HPAS, "web")
    await cluster.run_until(100)
    cluster.expect("scales", scales(cluster), [(60.0, 4)])
    gone = 'horizontalpodautoscalers.autoscaling "web" not found'
    cluster.expect("warnings", messages(cluster, "FailedUpdateStatus"), [gone])
    cluster.network.release(_AUTOSCALERS)
    await cluster.run_until(300)
    cluster.expect("scales afterwards", scales(cluster)[1:], [])


@scenario(
    "hpa/pods-that-it-has-not-heard-of",
    must="Pods that the controller has not observed yet MUST NOT count, although they already have metrics.",
    source=_CALCULATOR,
    controllers=("hpa", "replicaset"),
    features=("stale-cache", "closed-loop"),
)
async def test_pods_that_it_has_not_heard_of(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(steps((0, 1.0), (100, 4.0))))
    await serve(cluster, 2, behavior=objects.behavior(up=objects.scaling(("Pods", 2, 15))))
    await cluster.run_until(100)
    cluster.network.hold("pods")
    await cluster.run_until(179)
    # Four pods share the load, and it knows of two of them: 200 % of the target make four.
    cluster.expect("scales before it has", scales(cluster), [(105.0, 4)])
    cluster.expect("pods, ready ones", (len(cluster.pods("web")), cluster.ready("web")), (4, 4))
    cluster.network.release("pods")
    await cluster.run_until(600)
    cluster.expect("scales afterwards", scales(cluster)[1:], [(180.0, 6), (210.0, 8)])


@scenario(
    "hpa/pods-that-it-believes-to-be-there",
    must=(
        "A pod whose deletion the controller has not observed MUST count as one without metrics, so that a scale-down "
        "is limited."
    ),
    source=_CALCULATOR,
    controllers=("hpa", "replicaset"),
    features=("stale-cache", "missing"),
)
async def test_pods_that_it_believes_to_be_there(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each(steps((0, 0.5), (100, 0.2))))
    at_once = objects.behavior(down=objects.scaling(("Percent", 100, 15), window=0))
    await serve(cluster, 4, behavior=at_once)
    await cluster.run_until(98)
    cluster.network.hold("pods")
    for pod in cluster.pods("web")[:2]:
        await cluster.delete("pods", pod["metadata"]["name"], gracePeriodSeconds=0)
    await cluster.run_until(179)
    # Two pods at 20 % and two at 100 % are more than the target.
    cluster.expect("scales before it has", scales(cluster), [])
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization", current, {"averageUtilization": 20, "averageValue": "200m"})
    cluster.network.release("pods")
    await cluster.run_until(194)
    cluster.expect("scales afterwards", scales(cluster), [(180.0, 1)])
