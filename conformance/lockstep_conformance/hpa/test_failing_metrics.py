"""Several metrics of which some fail: the others may add replicas but not remove any.

What is not known might have wanted more. So the failure of one metric keeps an HPA from scaling down, and from nothing
else.
"""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, averages, demanded, proposal, propose
from lockstep_conformance.hpa.steps import condition, counts, messages, reason, scales, status

_COMPUTE = "pkg/controller/podautoscaler/horizontal.go: computeReplicasForMetrics"
_NO_WINDOW = Options(hpa=HpaOptions(downscale_stabilization=0.0))
_ACTIVE = "the HPA was able to successfully calculate a replica count from external metric"
_BOTH_METRICS = [proposal("a"), proposal("b")]
_UNABLE = "the HPA was unable to compute the replica count: "


def _no_metric(name: str) -> str:
    """The error of an external metric that nobody serves."""
    return (
        f"unable to get external metric default/{name}/nil: unable to fetch metrics from external metrics API: "
        f"the server could not find the metric {name} for namespaces"
    )


@scenario(
    "hpa/failing-metric-allows-scale-up",
    must="Where one metric fails and another one proposes more replicas than there are, they MUST be added.",
    source=_COMPUTE,
    issues="kubernetes/kubernetes#78503",
    controllers=BOTH,
    features=("several-metrics", "failure", "scale-up"),
)
async def test_failing_metric_allows_scale_up(cluster: Cluster) -> None:
    await demanded(cluster, 5, replicas=3, metric="b", metrics=_BOTH_METRICS)
    await cluster.run_until(20)
    cluster.expect("scales", scales(cluster), [(15.0, 5)])
    cluster.expect(
        "ScalingActive", condition(cluster, "ScalingActive"), ("True", "ValidMetricFound", f"{_ACTIVE} b(nil)")
    )
    cluster.expect("the metrics as reported", averages(cluster), [None, "1667m"])
    cluster.expect("events of the failure", messages(cluster, "FailedGetExternalMetric"), [_no_metric("a")])
    cluster.expect("events of a failed sync", messages(cluster, "FailedComputeMetricsReplicas"), [])


@scenario(
    "hpa/failing-metric-forbids-scale-down",
    must="Where one metric fails and the others propose fewer replicas than there are, none MUST be removed, and the "
    "failure MUST be reported.",
    source=_COMPUTE,
    issues=("kubernetes/kubernetes#78503", "kubernetes/kubernetes#99514"),
    controllers=BOTH,
    features=("several-metrics", "failure", "scale-down"),
    options=_NO_WINDOW,
)
async def test_failing_metric_forbids_scale_down(cluster: Cluster) -> None:
    propose(cluster, 2, metric="a")
    await demanded(cluster, 4, (60, 2), replicas=4, metric="b", metrics=[*_BOTH_METRICS, proposal("c")])
    await cluster.run_until(50)
    cluster.expect("ScalingActive while nothing changes", reason(cluster, "ScalingActive"), "True ValidMetricFound")
    await cluster.run_until(65)
    unable = _UNABLE + _no_metric("c")
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), ("False", "FailedGetExternalMetric", unable))
    cluster.expect("the metrics as reported", averages(cluster), ["500m", "500m", None])
    cluster.expect("current and desired replicas", counts(cluster), (4, 4))
    invalid = (
        "invalid metrics (1 invalid out of 3), first error is: failed to get c external metric value: "
        f"failed to get c external metric: {_no_metric('c')}"
    )
    cluster.expect("events of the failed sync", messages(cluster, "FailedComputeMetricsReplicas"), [invalid])
    propose(cluster, 1, metric="c")
    await cluster.run_until(80)
    cluster.expect("scales", scales(cluster), [(75.0, 2)])
    cluster.expect("ScalingActive at the end", reason(cluster, "ScalingActive"), "True ValidMetricFound")


@scenario(
    "hpa/failing-metric-and-no-change",
    must="Where one metric fails and the largest other proposal is the size of now, scaling MUST count as active.",
    source=_COMPUTE,
    controllers=BOTH,
    features=("several-metrics", "failure"),
)
async def test_failing_metric_and_no_change(cluster: Cluster) -> None:
    await demanded(cluster, 3, replicas=3, metric="b", metrics=_BOTH_METRICS)
    await cluster.run_until(100)
    cluster.expect(
        "ScalingActive", condition(cluster, "ScalingActive"), ("True", "ValidMetricFound", f"{_ACTIVE} b(nil)")
    )
    cluster.expect("AbleToScale", reason(cluster, "AbleToScale"), "True ReadyForNewScale")
    cluster.expect("scales", scales(cluster), [])
    cluster.expect("the metrics as reported", averages(cluster), [None, "1"])


@scenario(
    "hpa/all-metrics-failing",
    must="Where all metrics fail nothing MUST change, and the first failure of the spec MUST be reported.",
    source=_COMPUTE,
    controllers=BOTH,
    features=("several-metrics", "failure"),
)
async def test_all_metrics_failing(cluster: Cluster) -> None:
    metrics = [objects.pods_metric("requests", "10"), proposal("a"), objects.resource_metric("cpu", utilization=50)]
    propose(cluster, 1, metric="another")
    await cluster.create(objects.replica_set("web", 3), objects.hpa("web", metrics=metrics))
    await cluster.run_until(20)
    pods = (
        "unable to get metric requests: unable to fetch metrics from custom metrics API: "
        "no custom metrics API (custom.metrics.k8s.io) registered"
    )
    cpu = (
        "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from "
        "resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)"
    )
    active = condition(cluster, "ScalingActive")
    cluster.expect("ScalingActive", active, ("False", "FailedGetPodsMetric", _UNABLE + pods))
    invalid = f"invalid metrics (3 invalid out of 3), first error is: failed to get pods metric value: {pods}"
    cluster.expect("events of the failed sync", messages(cluster, "FailedComputeMetricsReplicas"), [invalid])
    each = [messages(cluster, f"FailedGet{kind}Metric") for kind in ("Pods", "External", "Resource")]
    cluster.expect("events of the failures", each, [[pods], [_no_metric("a")], [cpu]])
    cluster.expect("current and desired replicas", counts(cluster), (3, 0))
    cluster.expect("AbleToScale", reason(cluster, "AbleToScale"), "True SucceededGetScale")
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), None)
    cluster.expect("the metrics as reported", status(cluster)["currentMetrics"], [{"type": ""}] * 3)
