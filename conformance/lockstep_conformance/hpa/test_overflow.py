"""Absurd sizes of external and object metrics: sums that do not fit into 64 bits, replicas that do not fit into 32.

Both become the largest number that fits, so that the HPA grows to its maximum; but not for an average of an object,
nor for metrics of pods (test_quantities.py).
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.steps import reason
from lockstep_conformance.hpa.tables import BOTH, Example, work_out

_VALUE = "pkg/controller/podautoscaler/replica_calculator.go: GetExternalMetricReplicas"
_AVERAGE = "pkg/controller/podautoscaler/replica_calculator.go: GetExternalPerPodMetricReplicas"
_COUNT = "pkg/controller/podautoscaler/replica_calculator.go: getUsageRatioReplicaCount"
_LARGEST = "9223372036854775807m"


def _queue(cluster: Cluster, name: str, *amounts: str, **target: str) -> Object:
    for number, amount in enumerate(amounts):
        cluster.metrics.external("depth", amount, labels={"queue": name, "part": str(number)})
    return objects.external_metric("depth", labels={"queue": name}, **target)


@scenario(
    "hpa/external-values-beyond-all-bounds",
    must="With a value as target, a sum of series beyond 64 bits MUST become the largest number of 64 bits, and "
    "replicas beyond 32 bits the largest of 32.",
    source=(_VALUE, _COUNT),
    issues=("kubernetes/kubernetes#126892", "kubernetes/kubernetes#126979"),
    controllers=BOTH,
)
async def test_external_values_beyond_all_bounds(cluster: Cluster) -> None:
    total = _queue(cluster, "sum", "9e15", "9e15", "-9e15", value="1")
    replicas = _queue(cluster, "replicas", "4e9", value="1")
    cluster.metrics.object("requests", "services", "main", "4e9")
    by_object = objects.object_metric("requests", objects.reference("Service", "main", "v1"), value="1")
    await work_out(
        cluster,
        {
            "sum": Example([], 4, _LARGEST, replicas=2, metric=total, maximum=4),
            "replicas": Example([], 4, "4G", replicas=2, metric=replicas, maximum=4),
            "object": Example([], 4, "4G", replicas=2, metric=by_object, maximum=4),
        },
    )
    for name in ("sum", "replicas", "object"):
        found = reason(cluster, "ScalingLimited", name)
        cluster.expect(f"{name}: condition ScalingLimited", found, "True TooManyReplicas")


@scenario(
    "hpa/external-averages-beyond-all-bounds",
    must="With an average as target, a sum of series beyond 64 bits MUST become the largest number of 64 bits, which "
    "the status MUST show undivided, and replicas beyond 32 bits the largest of 32.",
    source=_AVERAGE,
    issues=("kubernetes/kubernetes#127022", "kubernetes/kubernetes#127050"),
    controllers=BOTH,
)
async def test_external_averages_beyond_all_bounds(cluster: Cluster) -> None:
    total = _queue(cluster, "sum", "9e15", "9e15", average="1")
    replicas = _queue(cluster, "replicas", "4e9", average="1")
    await work_out(
        cluster,
        {
            "sum": Example([], 4, _LARGEST, replicas=2, metric=total, maximum=4),
            "replicas": Example([], 4, "2G", replicas=2, metric=replicas, maximum=4),
        },
    )
    for name in ("sum", "replicas"):
        found = reason(cluster, "ScalingLimited", name)
        cluster.expect(f"{name}: condition ScalingLimited", found, "True TooManyReplicas")


@scenario(
    "hpa/external-average-below-zero",
    must="With an average as target, a sum that is below zero after any of the series MUST be taken for one beyond 64 "
    "bits: the HPA grows to its maximum.",
    source=_AVERAGE,
    controllers=BOTH,
)
async def test_external_average_below_zero(cluster: Cluster) -> None:
    alone = _queue(cluster, "alone", "-5", average="1")
    at_first = _queue(cluster, "at-first", "-5", "7", average="1")
    made_good = _queue(cluster, "made-good", "7", "-5", average="1")
    await work_out(
        cluster,
        {
            "alone": Example([], 4, _LARGEST, replicas=2, metric=alone, maximum=4),
            "at-first": Example([], 4, _LARGEST, replicas=2, metric=at_first, maximum=4),
            "made-good": Example([], 2, "1", replicas=2, metric=made_good, maximum=4),
        },
    )


@scenario(
    "hpa/object-average-beyond-32-bits",
    must="With an average of an object as target, replicas beyond 32 bits MUST become the smallest number, as Go's "
    "conversion makes it on amd64: the HPA shrinks to its minimum.",
    source="pkg/controller/podautoscaler/replica_calculator.go: GetObjectPerPodMetricReplicas",
    issues=("kubernetes/kubernetes#126892", "kubernetes/kubernetes#141397"),
    controllers=BOTH,
)
async def test_object_average_beyond_32_bits(cluster: Cluster) -> None:
    metrics = {}
    for name, amount in (("fits", "2147483647"), ("one-more", "2147483648")):
        cluster.metrics.object("requests", "services", name, amount)
        metrics[name] = objects.object_metric("requests", objects.reference("Service", name, "v1"), average="1")
    await work_out(
        cluster,
        {
            "fits": Example([], 4, "1073741823500m", replicas=2, metric=metrics["fits"], maximum=4),
            "one-more": Example([], 1, "1073741824", replicas=2, metric=metrics["one-more"], maximum=4),
        },
    )
    found = reason(cluster, "ScalingLimited", "one-more")
    cluster.expect("one-more: condition ScalingLimited", found, "True TooFewReplicas")
