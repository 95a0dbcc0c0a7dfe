"""The way back from no replicas, under the gate HPAScaleToZero: what brings them, and what does not.

The HPA leaves zero only if it went there itself, which it knows by its condition ScaledToZero.
"""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, objects, scenario
from lockstep.metrics import steps
from lockstep_conformance.hpa.demand import BOTH, demanded, propose
from lockstep_conformance.hpa.steps import HPAS, condition, counts, messages, reason, scales, transitions

_RECONCILE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"
_FOR_ZERO = "pkg/controller/podautoscaler/horizontal.go: shouldComputeMetricsForZeroReplicas"
_VALIDATION = "pkg/apis/autoscaling/validation/validation.go: validateHorizontalPodAutoscalerSpec"
_NO_WINDOW = HpaOptions(downscale_stabilization=0.0)
_GATE = Options(hpa=_NO_WINDOW, feature_gates={"HPAScaleToZero": True})
_DISABLED = ("False", "ScalingDisabled", "scaling is disabled since the replica count of the target is zero")
_ZERO = ("True", "ScaledToZero", "the HPA controller scaled the workload to zero")
_NOT_ZERO = ("False", "NotScaledToZero", "the HPA controller did not scale the workload to zero")


@scenario(
    "hpa/from-zero-by-the-value-of-an-object",
    must="From zero a metric of type Value MUST propose as many replicas as its value is times the target, rounded up.",
    source="pkg/controller/podautoscaler/replica_calculator.go: getUsageRatioReplicaCount",
    controllers=BOTH,
    features=("scale-to-zero", "feature-gates", "object-metric"),
    options=_GATE,
)
async def test_from_zero_by_the_value_of_an_object(cluster: Cluster) -> None:
    cluster.metrics.object("length", "services", "web", steps((0, 50), (30, 0), (40, 120)))
    service = objects.reference("Service", "web", "v1")
    metrics = [objects.object_metric("length", service, value="50")]
    await cluster.create(objects.replica_set("web", 1), objects.hpa("web", min_replicas=0, metrics=metrics))
    await cluster.run_until(50)
    cluster.expect("scales", scales(cluster), [(30.0, 0), (45.0, 3)])
    wanted = [(30.0, "True ScaledToZero"), (45.0, "False NotScaledToZero")]
    cluster.expect("ScaledToZero over time", transitions(cluster, "ScaledToZero"), wanted)


@scenario(
    "hpa/zero-is-remembered-past-a-manual-scale",
    must="ScaledToZero MUST stay as the last rescale set it: once an own scale to zero was undone by hand, one by hand "
    "counts as an own one.",
    source=(_FOR_ZERO, _RECONCILE),
    controllers=BOTH,
    features=("scale-to-zero", "feature-gates", "manual"),
    options=_GATE,
)
async def test_zero_is_remembered_past_a_manual_scale(cluster: Cluster) -> None:
    await demanded(cluster, 1, (30, 0), (40, 2), replicas=1, min_replicas=0)
    await cluster.run_until(35)
    cluster.expect("scales to zero", scales(cluster), [(30.0, 0)])
    await cluster.scale("web", 2)
    await cluster.run_until(65)
    cluster.expect("ScaledToZero with two replicas", condition(cluster, "ScaledToZero"), _ZERO)
    await cluster.scale("web", 0)
    await cluster.run_until(80)
    cluster.expect("scales", scales(cluster)[1:], [(75.0, 2)])


@scenario(
    "hpa/raised-minimum-leaves-zero",
    must="A target that the HPA scaled to zero MUST be scaled to a raised minReplicas, even if no metric wants it.",
    source=(_FOR_ZERO, _RECONCILE),
    controllers=BOTH,
    features=("scale-to-zero", "feature-gates", "limits", "spec-edits"),
    options=_GATE,
)
async def test_raised_minimum_leaves_zero(cluster: Cluster) -> None:
    await demanded(cluster, 1, (30, 0), replicas=1, min_replicas=0)
    await cluster.run_until(5)
    await demanded(cluster, 0, replicas=1, min_replicas=0, name="db", metric="none", down=objects.scaling(window=0))
    await cluster.run_until(40)
    for name in ("web", "db"):
        await cluster.patch(HPAS, name, {"spec": {"minReplicas": 2}})
    await cluster.run_until(55)
    cluster.expect("scales of web", scales(cluster), [(30.0, 0), (45.0, 2)])
    cluster.expect("scales of db", scales(cluster, "db"), [(20.0, 0), (50.0, 2)])
    # Without behavior the limits of a proposal do it, which have no words for it.
    below = "Current number of replicas below Spec.MinReplicas"
    said = messages(cluster, "SuccessfulRescale")[2:]
    cluster.expect("events", said, ["New size: 2; reason: ", f"New size: 2; reason: {below}"])
    cluster.expect("ScaledToZero", condition(cluster, "ScaledToZero"), _NOT_ZERO)


@scenario(
    "hpa/zero-without-a-metric-stays",
    must="A target that the HPA scaled to zero MUST stay there while its metric fails.",
    source=(_RECONCILE, "pkg/controller/podautoscaler/horizontal.go: computeReplicasForMetrics"),
    controllers=BOTH,
    features=("scale-to-zero", "feature-gates", "failure"),
    options=_GATE,
)
async def test_zero_without_a_metric_stays(cluster: Cluster) -> None:
    await demanded(cluster, 1, (30, 0), replicas=1, min_replicas=0)
    await cluster.run_until(35)
    cluster.metrics.unavailable("external.metrics.k8s.io", during=60)
    propose(cluster, 2)
    await cluster.run_until(80)
    cluster.expect("ScalingActive", reason(cluster, "ScalingActive"), "False FailedGetExternalMetric")
    cluster.expect("ScaledToZero", condition(cluster, "ScaledToZero"), _ZERO)
    await cluster.run_until(110)
    cluster.expect("scales", scales(cluster), [(30.0, 0), (105.0, 2)])


@scenario(
    "hpa/percent-policy-does-not-leave-zero",
    must="A scale-up by per cent alone MUST NOT leave zero, once what the HPA removed is older than the period.",
    source=(_RECONCILE, "pkg/controller/podautoscaler/horizontal.go: calculateScaleUpLimitWithScalingRules"),
    controllers=BOTH,
    features=("scale-to-zero", "feature-gates", "policies"),
    options=_GATE,
)
async def test_percent_policy_does_not_leave_zero(cluster: Cluster) -> None:
    up, down = objects.scaling(("Percent", 100, 60)), objects.scaling(window=0)
    wanted = (2, (30, 0), (50, 3), (80, 0), (160, 3))
    await demanded(cluster, *wanted, replicas=2, min_replicas=0, up=up, down=down)
    await cluster.run_until(400)
    # Soon after the first time, twice the two of a minute ago may come; 80 s after the second time, twice nothing.
    cluster.expect("scales", scales(cluster), [(30.0, 0), (60.0, 3), (90.0, 0)])
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True ScaleUpLimit")


@scenario(
    "hpa/zero-without-pods-to-measure",
    must="A target that the HPA scaled to zero MUST stay there once only metrics of its pods are left, even below "
    "minReplicas: there is nothing to measure.",
    source=(_FOR_ZERO, _RECONCILE),
    controllers=BOTH,
    features=("scale-to-zero", "feature-gates", "spec-edits", "failure"),
    options=_GATE,
)
async def test_zero_without_pods_to_measure(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu="100m")
    await demanded(cluster, 1, (30, 0), replicas=1, min_replicas=0)
    await cluster.run_until(35)
    cpu = objects.resource_metric("cpu", average="100m")
    await cluster.patch(HPAS, "web", {"spec": {"minReplicas": 1, "metrics": [cpu]}})
    await cluster.run_until(600)
    unable = (
        "the HPA was unable to compute the replica count: failed to get cpu usage: unable to get metrics for resource "
        "cpu: no metrics returned from resource metrics API"
    )
    active = condition(cluster, "ScalingActive")
    cluster.expect("ScalingActive", active, ("False", "FailedGetResourceMetric", unable))
    cluster.expect("current and desired replicas", counts(cluster), (0, 0))
    cluster.expect("scales", scales(cluster), [(30.0, 0)])


@scenario(
    "hpa/minimum-overrules-the-rate-from-zero",
    must="From zero the target MUST be scaled to minReplicas even where a policy allows fewer, naming the metric that "
    "wants more.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("scale-to-zero", "feature-gates", "limits", "policies"),
    options=_GATE,
)
async def test_minimum_overrules_the_rate_from_zero(cluster: Cluster) -> None:
    up, down = objects.scaling(("Pods", 1, 60)), objects.scaling(window=0)
    await demanded(cluster, 1, (30, 0), (40, 5), replicas=1, min_replicas=0, up=up, down=down)
    await cluster.run_until(35)
    await cluster.patch(HPAS, "web", {"spec": {"minReplicas": 3}})
    await cluster.run_until(50)
    cluster.expect("scales", scales(cluster), [(30.0, 0), (45.0, 3)])
    wanted = "New size: 3; reason: external metric demand(nil) above target"
    cluster.expect("the last event", messages(cluster, "SuccessfulRescale")[-1], wanted)
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True ScaleUpLimit")
