"""Overload that makes pods unready, when more of them are needed."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each, steps
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import condition, messages, scales

_GROUP = "pkg/controller/podautoscaler/replica_calculator.go: groupPods"
_READY = "pkg/controller/podautoscaler/replica_calculator.go: getReadyPodsCount"
_ISSUES = ("kubernetes/kubernetes#51650", "kubernetes/kubernetes#64088", "kubernetes/kubernetes#130130")


@scenario(
    "hpa/overload-that-makes-all-pods-unready",
    must=(
        "Pods that lose their readiness long after they started MUST count with the CPU that they use, so that "
        "overload causes a scale-up."
    ),
    source=_GROUP,
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("unready", "H13"),
)
async def test_overload_that_makes_all_pods_unready(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_owner("web", Lifecycle(flaps=((400, False), (700, True))))
    cluster.metrics.load("web", cpu=each(steps((0, 0.5), (400, 1.0), (460, 0.5))))
    await serve(cluster, 3)
    await cluster.run_until(404)
    cluster.expect("ready pods", cluster.ready("web"), 0)
    await cluster.run_until(419)
    cluster.expect("scales", scales(cluster), [(405.0, 6)])


@scenario(
    "hpa/overload-of-pods-that-have-just-started",
    must=(
        "While all pods are unready and have started less than the CPU initialization period ago, nothing MUST be "
        "scaled, and the HPA MUST report that it has no metrics."
    ),
    source=_GROUP,
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("unready", "H13"),
)
async def test_overload_of_pods_that_have_just_started(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_owner("web", Lifecycle(flaps=((100, False),)))
    cluster.metrics.load("web", cpu=each(steps((0, 0.5), (100, 1.0))))
    await serve(cluster, 3)
    await cluster.run_until(290)
    cluster.expect("scales while the pods are young", scales(cluster), [])
    why = (
        "the HPA was unable to compute the replica count: failed to get cpu utilization: did not receive metrics for "
        "targeted pods (pods might be unready)"
    )
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), ("False", "FailedGetResourceMetric", why))
    await cluster.run_until(320)
    # The pods started at 1 s, so the period is over at 301 s.
    cluster.expect("scales once they are not", scales(cluster), [(315.0, 6)])
    found = (
        "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of "
        "request)"
    )
    cluster.expect("ScalingActive then", condition(cluster, "ScalingActive"), ("True", "ValidMetricFound", found))


@scenario(
    "hpa/unready-pods-make-nothing-of-an-object-metric",
    must=(
        "The ratio of an object metric MUST be multiplied by the number of ready pods, even if that is zero: then the "
        "recommendation is 0, and replicas fall to the minimum once the window is over."
    ),
    source=_READY,
    issues=_ISSUES,
    controllers=("hpa", "replicaset"),
    features=("unready", "object-metric", "H13"),
)
async def test_unready_pods_make_nothing_of_an_object_metric(cluster: Cluster) -> None:
    """Upstream closed the issues without a change."""
    cluster.kubelet.lifecycles.for_owner("web", Lifecycle(flaps=((100, False),)))
    cluster.metrics.object("requests", "services", "web", steps((0, 100), (100, 400)))
    service = objects.reference("Service", "web", "v1")
    await serve(cluster, 4, min_replicas=2, metrics=[objects.object_metric("requests", service, value="100")])
    await cluster.run_until(350)
    cluster.expect("scales during the window", scales(cluster), [])
    stabilized = "recent recommendations were higher than current one, applying the highest recent recommendation"
    able = condition(cluster, "AbleToScale")
    cluster.expect("AbleToScale", able, ("True", "ScaleDownStabilized", stabilized))
    await cluster.run_until(600)
    cluster.expect("scales", scales(cluster), [(405.0, 2)])
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), ["New size: 2; reason: All metrics below target"])
    few = ("True", "TooFewReplicas", "the desired replica count is less than the minimum replica count")
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), few)
