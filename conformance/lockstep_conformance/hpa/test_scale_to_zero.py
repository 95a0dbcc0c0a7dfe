"""No replicas at all: a target at zero is left alone, unless HPAScaleToZero lets the HPA scale to zero and back itself.

Under that gate the condition ScaledToZero remembers that it was the HPA who did it. It is set with each rescale and
with nothing else.
"""

from __future__ import annotations

from lockstep import ApiFailure, Cluster, HpaOptions, Options, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, demanded, proposal
from lockstep_conformance.hpa.steps import HPAS, condition, counts, messages, reason, scales

_RECONCILE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"
_FOR_ZERO = "pkg/controller/podautoscaler/horizontal.go: shouldComputeMetricsForZeroReplicas"
_VALIDATION = "pkg/apis/autoscaling/validation/validation.go: validateHorizontalPodAutoscalerSpec"
_NO_WINDOW = HpaOptions(downscale_stabilization=0.0)
_GATE = Options(hpa=_NO_WINDOW, feature_gates={"HPAScaleToZero": True})
_DISABLED = ("False", "ScalingDisabled", "scaling is disabled since the replica count of the target is zero")
_ZERO = ("True", "ScaledToZero", "the HPA controller scaled the workload to zero")
_NOT_ZERO = ("False", "NotScaledToZero", "the HPA controller did not scale the workload to zero")


async def _refusal(cluster: Cluster, hpa: objects.Object) -> str:
    """What the API server says to an HPA that it does not accept; "" if it does."""
    try:
        await cluster.create(hpa)
    except ApiFailure as refused:
        return str(refused)
    return ""


@scenario(
    "hpa/zero-replicas-need-the-gate",
    must="Without HPAScaleToZero an HPA with minReplicas 0 MUST be refused by the API server.",
    source=_VALIDATION,
    controllers=BOTH,
    features=("scale-to-zero", "validation"),
    options=Options(hpa=_NO_WINDOW),
)
async def test_zero_replicas_need_the_gate(cluster: Cluster) -> None:
    refusal = await _refusal(cluster, objects.hpa("web", min_replicas=0, metrics=[proposal()]))
    wanted = (
        '422 Invalid: HorizontalPodAutoscaler.autoscaling "web" is invalid: spec.minReplicas: Invalid value: 0: '
        "must be greater than or equal to 1"
    )
    cluster.expect("what the API server says", refusal, wanted)
    await demanded(cluster, 2, (30, 0), replicas=2)
    await cluster.run_until(60)
    cluster.expect("scales", scales(cluster), [(30.0, 1)])
    cluster.expect("ScaledToZero", condition(cluster, "ScaledToZero"), None)


@scenario(
    "hpa/zero-replicas-need-a-metric-without-pods",
    must="With the gate an HPA with minReplicas 0 MUST have a metric of an object or from outside, or be refused.",
    source=_VALIDATION,
    controllers=BOTH,
    features=("scale-to-zero", "validation", "feature-gates"),
    options=_GATE,
)
async def test_zero_replicas_need_a_metric_without_pods(cluster: Cluster) -> None:
    cpu = objects.resource_metric("cpu", utilization=50)
    refusal = await _refusal(cluster, objects.hpa("web", min_replicas=0, metrics=[cpu]))
    wanted = (
        '422 Invalid: HorizontalPodAutoscaler.autoscaling "web" is invalid: spec.metrics: Forbidden: '
        "must specify at least one Object or External metric to support scaling to zero replicas"
    )
    cluster.expect("what the API server says", refusal, wanted)
    accepted = await _refusal(cluster, objects.hpa("web", min_replicas=0, metrics=[cpu, proposal()]))
    cluster.expect("what it says to one that has one", accepted, "")


@scenario(
    "hpa/to-zero-and-back",
    must="With the gate an HPA MUST scale to zero and from zero as its metric wants, and ScaledToZero MUST tell it.",
    source=(_RECONCILE, _FOR_ZERO),
    controllers=BOTH,
    features=("scale-to-zero", "feature-gates", "events"),
    options=_GATE,
)
async def test_to_zero_and_back(cluster: Cluster) -> None:
    await demanded(cluster, 2, (60, 0), (100, 3), replicas=2, min_replicas=0)
    await cluster.run_until(80)
    cluster.expect("ScaledToZero at zero", condition(cluster, "ScaledToZero"), _ZERO)
    cluster.expect("ScalingActive at zero", reason(cluster, "ScalingActive"), "True ValidMetricFound")
    cluster.expect("current and desired replicas", counts(cluster), (0, 0))
    await cluster.run_until(110)
    cluster.expect("ScaledToZero after it", condition(cluster, "ScaledToZero"), _NOT_ZERO)
    cluster.expect("scales", scales(cluster), [(60.0, 0), (105.0, 3)])
    wanted = [
        "New size: 0; reason: All metrics below target",
        "New size: 3; reason: external metric demand(nil) above target",
    ]
    cluster.expect("events", messages(cluster, "SuccessfulRescale"), wanted)


@scenario(
    "hpa/zero-by-others-disables-scaling",
    must="A target that somebody else scaled to zero MUST be left alone, also where the gate lets the HPA do the same.",
    source=(_FOR_ZERO, _RECONCILE),
    controllers=BOTH,
    features=("scale-to-zero", "feature-gates", "manual"),
    options=_GATE,
)
async def test_zero_by_others_disables_scaling(cluster: Cluster) -> None:
    await demanded(cluster, 3, replicas=2, min_replicas=0)
    await cluster.run_until(20)
    await cluster.scale("web", 0)
    await cluster.run_until(200)
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), _DISABLED)
    cluster.expect("ScaledToZero", condition(cluster, "ScaledToZero"), _NOT_ZERO)
    cluster.expect("current and desired replicas", counts(cluster), (0, 0))
    await cluster.scale("web", 1)
    await cluster.run_until(215)
    cluster.expect("scales", scales(cluster), [(15.0, 3), (210.0, 3)])
    cluster.expect("ScalingActive at the end", reason(cluster, "ScalingActive"), "True ValidMetricFound")


@scenario(
    "hpa/scaled-to-zero-goes-without-the-gate",
    must="Without the gate a ScaledToZero condition from before MUST be removed, and a target at zero be left alone.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("scale-to-zero", "feature-gates", "conditions"),
)
async def test_scaled_to_zero_goes_without_the_gate(cluster: Cluster) -> None:
    before = {"type": "ScaledToZero", "status": "True", "reason": _ZERO[1], "message": _ZERO[2]}
    await demanded(cluster, 3, replicas=0)
    await cluster.set_status(HPAS, "web", {"conditions": [before], "desiredReplicas": 0, "currentReplicas": 0})
    cluster.expect("ScaledToZero as it was left", condition(cluster, "ScaledToZero"), _ZERO)
    await cluster.run_until(100)
    cluster.expect("ScaledToZero", condition(cluster, "ScaledToZero"), None)
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), _DISABLED)
    cluster.expect("scales", scales(cluster), [])


@scenario(
    "hpa/scaled-to-zero-goes-with-a-rescale",
    must="Without the gate a ScaledToZero condition from before MUST be removed by the next rescale, and not earlier.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("scale-to-zero", "feature-gates", "conditions"),
    virtual="looks a second before a sync",
)
async def test_scaled_to_zero_goes_with_a_rescale(cluster: Cluster) -> None:
    before = {"type": "ScaledToZero", "status": "False", "reason": _NOT_ZERO[1], "message": _NOT_ZERO[2]}
    await demanded(cluster, 2, (40, 3), replicas=2)
    await cluster.set_status(HPAS, "web", {"conditions": [before], "desiredReplicas": 2, "currentReplicas": 2})
    await cluster.run_until(44)
    cluster.expect("ScaledToZero before the rescale", condition(cluster, "ScaledToZero"), _NOT_ZERO)
    await cluster.run_until(50)
    cluster.expect("scales", scales(cluster), [(45.0, 3)])
    cluster.expect("ScaledToZero after it", condition(cluster, "ScaledToZero"), None)
