"""Conditions and events: what an HPA tells its users of what it does, and of why it does not.

Every reason that upstream knows is here once, with its message. What else the metrics can say is in the tables of the
calculator.
"""

from __future__ import annotations

from lockstep import Cluster, Options, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, demanded, proposal, propose
from lockstep_conformance.hpa.steps import (
    GOT_SCALE,
    HPAS,
    condition,
    counts,
    messages,
    reason,
    scale_writes,
    scales,
    status,
)

_RECONCILE = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"
_COMPUTE = "pkg/controller/podautoscaler/horizontal.go: computeReplicasForMetrics"
_SELECTOR = "pkg/controller/podautoscaler/horizontal.go: validateAndParseSelector"

_READY = ("True", "ReadyForNewScale", "recommended size matches current size")
_WITHIN_RANGE = ("False", "DesiredWithinRange", "the desired count is within the acceptable range")
_DEMAND = "external metric demand(nil)"
_VALID = ("True", "ValidMetricFound", f"the HPA was able to successfully calculate a replica count from {_DEMAND}")


@scenario(
    "hpa/steady-state-is-told-once",
    must="An HPA at its target MUST say so in three conditions, and MUST NOT write its status again while that holds.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("conditions",),
)
async def test_steady_state_is_told_once(cluster: Cluster) -> None:
    await demanded(cluster, 3, replicas=3)
    await cluster.run_until(16)
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), _READY)
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), _VALID)
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), _WITHIN_RANGE)
    cluster.expect("counts", counts(cluster), (3, 3))
    cluster.expect("lastScaleTime", status(cluster).get("lastScaleTime"), None)
    written = len(cluster.writes(resource="horizontalpodautoscalers.autoscaling"))
    await cluster.run_until(600)
    cluster.expect("writes since", len(cluster.writes(resource="horizontalpodautoscalers.autoscaling")), written)
    cluster.expect("events", cluster.events("SuccessfulRescale"), [])


@scenario(
    "hpa/rescale-is-told-with-its-reason",
    must="A rescale MUST be told by an event with size and reason, by condition AbleToScale, and by lastScaleTime.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("conditions", "events"),
)
async def test_rescale_is_told_with_its_reason(cluster: Cluster) -> None:
    await demanded(cluster, 3, (400, 1), replicas=2)
    await cluster.run_until(16)
    cluster.expect("scales", scales(cluster), [(15.0, 3)])
    rescaled = ("True", "SucceededRescale", "the HPA controller was able to update the target scale to 3")
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), rescaled)
    cluster.expect("counts", counts(cluster), (2, 3))
    cluster.expect("lastScaleTime", status(cluster).get("lastScaleTime"), "2000-01-01T00:00:16Z")
    await cluster.run_until(31)
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), _READY)
    cluster.expect("counts", counts(cluster), (3, 3))
    await cluster.run_until(800)
    cluster.expect(
        "events",
        messages(cluster, "SuccessfulRescale"),
        [f"New size: 3; reason: {_DEMAND} above target", "New size: 1; reason: All metrics below target"],
    )


@scenario(
    "hpa/limits-are-told",
    must="A proposal that a limit cuts MUST set ScalingLimited to True with the limit as its reason.",
    source="pkg/controller/podautoscaler/horizontal.go: convertDesiredReplicasWithRules",
    controllers=BOTH,
    features=("conditions", "limits"),
)
async def test_limits_are_told(cluster: Cluster) -> None:
    await demanded(cluster, 9, (50, 100), (80, 3), (410, 1), replicas=2, min_replicas=2)
    seen = []
    for at in (16, 61, 91, 736):
        await cluster.run_until(at)
        seen.append(condition(cluster, "ScalingLimited"))
    too_few = ("True", "TooFewReplicas", "the desired replica count is less than the minimum replica count")
    rate = ("True", "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
    too_many = ("True", "TooManyReplicas", "the desired replica count is more than the maximum replica count")
    # At 90 s the window still holds the proposal of 100.
    cluster.expect("ScalingLimited", seen, [rate, too_many, too_many, too_few])


@scenario(
    "hpa/stabilization-is-told",
    must="A recommendation that a window holds back MUST be told by AbleToScale, with a reason for each direction.",
    source="pkg/controller/podautoscaler/horizontal.go: stabilizeRecommendationWithBehaviors",
    controllers=BOTH,
    features=("conditions", "stabilization", "behavior"),
)
async def test_stabilization_is_told(cluster: Cluster) -> None:
    await demanded(
        cluster, 3, (20, 6), (80, 1), replicas=3, up=objects.scaling(window=45), down=objects.scaling(window=60)
    )
    held = "recent recommendations were {} than current one, applying the {} recent recommendation"
    await cluster.run_until(31)
    lowest = ("True", "ScaleUpStabilized", held.format("lower", "lowest"))
    cluster.expect("AbleToScale while it rises", condition(cluster, "AbleToScale"), lowest)
    await cluster.run_until(91)
    highest = ("True", "ScaleDownStabilized", held.format("higher", "highest"))
    cluster.expect("AbleToScale while it falls", condition(cluster, "AbleToScale"), highest)


@scenario(
    "hpa/size-outside-of-the-limits-needs-no-metrics",
    must="A target above maxReplicas or below minReplicas MUST be brought there without a look at any metric.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("events", "limits"),
)
async def test_size_outside_of_the_limits_needs_no_metrics(cluster: Cluster) -> None:
    nothing = objects.resource_metric("cpu", utilization=50)  # there is no metrics server
    await cluster.create(
        objects.replica_set("web", 12),
        objects.hpa("web", max_replicas=10, metrics=[nothing]),
        objects.replica_set("api", 1),
        objects.hpa("api", min_replicas=3, metrics=[nothing]),
    )
    await cluster.run_until(16)
    cluster.expect("scales", (scales(cluster), scales(cluster, "api")), ([(15.0, 10)], [(15.0, 3)]))
    cluster.expect(
        "events",
        sorted(messages(cluster, "SuccessfulRescale")),
        [
            "New size: 10; reason: Current number of replicas above Spec.MaxReplicas",
            "New size: 3; reason: Current number of replicas below Spec.MinReplicas",
        ],
    )
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), None)
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), None)
    cluster.expect("metrics", status(cluster).get("currentMetrics"), None)


@scenario(
    "hpa/target-at-zero-is-left-alone",
    must="A target that somebody has scaled to zero MUST be left alone, and ScalingActive MUST say so.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("conditions", "scale-to-zero"),
)
async def test_target_at_zero_is_left_alone(cluster: Cluster) -> None:
    await demanded(cluster, 3, replicas=3)
    await cluster.run_until(20)
    await cluster.scale("web", 0)
    await cluster.run_until(100)
    message = "scaling is disabled since the replica count of the target is zero"
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), ("False", "ScalingDisabled", message))
    cluster.expect("counts", counts(cluster), (0, 0))
    cluster.expect("scales", scales(cluster), [])
    cluster.expect("events", [event for event in cluster.events() if event["type"] == "Warning"], [])
    await cluster.scale("web", 1)
    await cluster.run_until(121)
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), _VALID)
    cluster.expect("scales", scales(cluster), [(105.0, 3)])


@scenario(
    "hpa/zero-by-the-hpa-itself-is-remembered",
    must="With HPAScaleToZero, ScaledToZero MUST tell who scaled to zero: what the HPA did itself it takes back.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("conditions", "scale-to-zero", "feature-gates"),
    options=Options(feature_gates={"HPAScaleToZero": True}),
)
async def test_zero_by_the_hpa_itself_is_remembered(cluster: Cluster) -> None:
    await demanded(cluster, 0, (600, 2), replicas=1, min_replicas=0)
    await cluster.run_until(400)
    cluster.expect("scales", scales(cluster), [(330.0, 0)])
    zero = ("True", "ScaledToZero", "the HPA controller scaled the workload to zero")
    cluster.expect("ScaledToZero", condition(cluster, "ScaledToZero"), zero)
    await cluster.run_until(640)
    cluster.expect("scales", scales(cluster), [(330.0, 0), (600.0, 2)])
    not_zero = ("False", "NotScaledToZero", "the HPA controller did not scale the workload to zero")
    cluster.expect("ScaledToZero", condition(cluster, "ScaledToZero"), not_zero)


@scenario(
    "hpa/missing-target-is-told-until-it-comes",
    must="A target that does not exist MUST be told by FailedGetScale, and found at the first sync after it was made.",
    source=("pkg/controller/podautoscaler/horizontal.go: scaleForResourceMappings", _RECONCILE),
    controllers=BOTH,
    features=("conditions", "events"),
)
async def test_missing_target_is_told_until_it_comes(cluster: Cluster) -> None:
    propose(cluster, 2)
    await cluster.create(objects.hpa("web", metrics=[proposal()]))
    await cluster.run_until(50)
    error = 'replicasets.apps "web" not found'
    text = f"the HPA controller was unable to get the target's current scale: {error}"
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), ("False", "FailedGetScale", text))
    cluster.expect("events", [(event["count"], event["message"]) for event in cluster.events()], [(3, error)])
    since = status(cluster)["conditions"][0]["lastTransitionTime"]
    cluster.expect("since", since, "2000-01-01T00:00:16Z")
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(61)
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), _READY)


@scenario(
    "hpa/target-of-no-known-kind-is-told",
    must="A target of a kind that discovery does not know, or that has no scale, MUST be told by FailedGetScale.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("conditions", "events"),
)
async def test_target_of_no_known_kind_is_told(cluster: Cluster) -> None:
    targets = {
        "kind": objects.reference("Nothing", "web"),
        "group": objects.reference("ReplicaSet", "web", "policy/v1"),
        "scale": objects.reference("PodDisruptionBudget", "web", "policy/v1"),
    }
    for name, target in targets.items():
        await cluster.create(objects.hpa(name, target=target, metrics=[proposal()]))
    await cluster.run_until(16)
    errors = {
        "kind": 'no matches for kind "Nothing" in group "apps"',
        "group": 'no matches for kind "ReplicaSet" in group "policy"',
        "scale": "the server could not find the requested resource",
    }
    for name, error in errors.items():
        text = f"the HPA controller was unable to get the target's current scale: {error}"
        cluster.expect(
            f"AbleToScale of {name}", condition(cluster, "AbleToScale", name), ("False", "FailedGetScale", text)
        )
    cluster.expect("events", sorted(messages(cluster, "FailedGetScale")), sorted(errors.values()))


@scenario(
    "hpa/refused-rescale-is-told",
    must="A scale that cannot be written MUST be told by FailedRescale and FailedUpdateScale, and tried at each sync.",
    source=_RECONCILE,
    controllers=BOTH,
    features=("conditions", "events", "faults"),
)
async def test_refused_rescale_is_told(cluster: Cluster) -> None:
    cluster.faults.error(
        403,
        message="replicasets is forbidden: no",
        verb="update",
        resource="replicasets.apps",
        subresource="scale",
        times=2,
    )
    await demanded(cluster, 3)
    await cluster.run_until(16)
    error = "replicasets is forbidden: no"
    text = f"the HPA controller was unable to update the target scale: {error}"
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), ("False", "FailedUpdateScale", text))
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), _VALID)
    cluster.expect("counts", counts(cluster), (1, 0))
    cluster.expect("lastScaleTime", status(cluster).get("lastScaleTime"), None)
    await cluster.run_until(60)
    cluster.expect("attempts", [round(cluster.at(one), 3) for one in scale_writes(cluster)], [15.0, 30.0, 45.0])
    failed = f"New size: 3; reason: {_DEMAND} above target; error: {error}"
    cluster.expect("events", [(one["count"], one["message"]) for one in cluster.events("FailedRescale")], [(2, failed)])


@scenario(
    "hpa/refused-status-is-told",
    must="A status that cannot be written MUST be told by FailedUpdateStatus, and MUST NOT keep the HPA from scaling.",
    source="pkg/controller/podautoscaler/horizontal.go: updateStatus",
    controllers=BOTH,
    features=("conditions", "events", "faults"),
)
async def test_refused_status_is_told(cluster: Cluster) -> None:
    resource = "horizontalpodautoscalers.autoscaling"
    cluster.faults.error(500, message="etcd is away", verb="update", resource=resource, subresource="status", times=2)
    await demanded(cluster, 3)
    await cluster.run_until(31)
    cluster.expect("scales", scales(cluster), [(15.0, 3)])
    cluster.expect("conditions", status(cluster).get("conditions"), None)
    told = [(event["count"], event["message"]) for event in cluster.events("FailedUpdateStatus")]
    cluster.expect("events", told, [(2, "etcd is away")])
    await cluster.run_until(46)
    # It was the first sync that scaled, and nobody else remembers.
    cluster.expect("lastScaleTime", status(cluster).get("lastScaleTime"), None)
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), _READY)


@scenario(
    "hpa/metrics-that-fail-are-told-by-kind",
    must="Metrics that all fail MUST be told by an event each, the first also by ScalingActive; the size MUST stay.",
    source=("pkg/controller/podautoscaler/horizontal.go: getUnableComputeReplicaCountCondition", _COMPUTE),
    controllers=BOTH,
    features=("conditions", "events"),
)
async def test_metrics_that_fail_are_told_by_kind(cluster: Cluster) -> None:
    service = objects.reference("Service", "front", "v1")
    await cluster.create(objects.replica_set("web", 4))
    kinds = {
        "resource": objects.resource_metric("cpu", utilization=50),
        "usage": objects.resource_metric("memory", average="1Gi"),
        "container": objects.container_metric("app", "cpu", utilization=50),
        "pods": objects.pods_metric("hits", "10"),
        "object": objects.object_metric("hits", service, value="10"),
        "external": objects.external_metric("queue", value="10"),
    }
    metrics = list(kinds.values())
    await cluster.create(objects.hpa("web", metrics=metrics))
    await cluster.run_until(50)
    cluster.expect("ScalingActive", reason(cluster, "ScalingActive"), "False FailedGetResourceMetric")
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), GOT_SCALE)
    cluster.expect("counts", counts(cluster), (4, 0))
    cluster.expect("metrics", status(cluster)["currentMetrics"], [{"type": ""}] * len(metrics))
    told = sorted({event["reason"] for event in cluster.events() if event["type"] == "Warning"})
    cluster.expect(
        "events",
        told,
        [
            "FailedComputeMetricsReplicas",
            "FailedGetContainerResourceMetric",
            "FailedGetExternalMetric",
            "FailedGetObjectMetric",
            "FailedGetPodsMetric",
            "FailedGetResourceMetric",
        ],
    )
    (summary,) = messages(cluster, "FailedComputeMetricsReplicas")
    start = "invalid metrics (6 invalid out of 6), first error is: failed to get cpu resource metric value: "
    cluster.expect("summary", summary[: len(start)], start)
    cluster.expect("scales", scales(cluster), [])


@scenario(
    "hpa/one-failing-metric-forbids-scaling-down",
    must="With one metric failing, the others MAY make the HPA grow, but it MUST NOT shrink.",
    source=_COMPUTE,
    issues="kubernetes/kubernetes#99514",
    controllers=BOTH,
    features=("conditions", "events", "H3"),
)
async def test_one_failing_metric_forbids_scaling_down(cluster: Cluster) -> None:
    broken = objects.resource_metric("cpu", utilization=50)
    await demanded(cluster, 5, (100, 1), replicas=3, metrics=[broken, proposal()])
    await cluster.run_until(31)
    cluster.expect("scales", scales(cluster), [(15.0, 5)])
    cluster.expect("ScalingActive while it grows", condition(cluster, "ScalingActive"), _VALID)
    cluster.expect("events", len(cluster.events("FailedGetResourceMetric")), 1)
    cluster.expect("summaries", cluster.events("FailedComputeMetricsReplicas"), [])
    cluster.expect("kinds", [one["type"] for one in status(cluster)["currentMetrics"]], ["", "External"])
    await cluster.run_until(900)
    cluster.expect("scales", scales(cluster), [(15.0, 5)])
    cluster.expect("ScalingActive", reason(cluster, "ScalingActive"), "False FailedGetResourceMetric")
    cluster.expect("summaries", len(cluster.events("FailedComputeMetricsReplicas")), 1)


@scenario(
    "hpa/metric-selector-that-makes-no-sense-is-told",
    must="A metric selector that is no selector MUST be told by the metric's own reason, without any request.",
    source="pkg/controller/podautoscaler/horizontal.go: computeReplicasForMetric",
    controllers=BOTH,
    features=("conditions", "events"),
)
async def test_metric_selector_that_makes_no_sense_is_told(cluster: Cluster) -> None:
    cluster.metrics.serve("custom.metrics.k8s.io", "v1beta2")
    metric = objects.pods_metric("hits", "10")
    metric["pods"]["metric"]["selector"] = {"matchExpressions": [{"key": "a", "operator": "Like"}]}
    await cluster.create(objects.replica_set("web", 2), objects.hpa("web", metrics=[metric]))
    await cluster.run_until(16)
    error = '"Like" is not a valid label selector operator'
    text = f"the HPA was unable to compute the replica count: {error}"
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), ("False", "FailedGetPodsMetric", text))
    cluster.expect("events", messages(cluster, "FailedGetPodsMetric"), [error])


@scenario(
    "hpa/two-hpas-of-the-same-pods-both-stop",
    must="HPAs whose targets share pods MUST both stop scaling and say AmbiguousSelector until only one is left.",
    source=_SELECTOR,
    issues=("kubernetes/kubernetes#112027", "kubernetes/kubernetes#112011"),
    controllers=BOTH,
    features=("conditions", "events", "H17"),
)
async def test_two_hpas_of_the_same_pods_both_stop(cluster: Cluster) -> None:
    propose(cluster, 4)
    target = objects.reference("ReplicaSet", "web")
    await cluster.create(
        objects.replica_set("web", 2),
        objects.hpa("web", target=target, metrics=[proposal()]),
        objects.hpa("web2", target=target, metrics=[proposal()]),
    )
    await cluster.run_until(31)
    cluster.expect("ScalingActive of one", reason(cluster, "ScalingActive"), "False AmbiguousSelector")
    cluster.expect("ScalingActive of the other", reason(cluster, "ScalingActive", "web2"), "False AmbiguousSelector")
    before = scales(cluster)
    await cluster.delete(HPAS, "web2")
    await cluster.run_until(46)
    cluster.expect(
        "scales since", [replicas for _, replicas in scales(cluster)[len(before) :]], [4] if not before else []
    )
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), _VALID)
