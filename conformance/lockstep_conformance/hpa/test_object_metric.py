"""Object metrics: a value of the custom metrics API that describes one object, such as the requests of a Service.

With a `Value`, its ratio to the target is multiplied by the pods that are ready. With an `AverageValue`, it is divided
by the target.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.steps import messages
from lockstep_conformance.hpa.tables import BOTH, NEVER, Example, work_out

_VALUE = "pkg/controller/podautoscaler/replica_calculator.go: GetObjectMetricReplicas"
_AVERAGE = "pkg/controller/podautoscaler/replica_calculator.go: GetObjectPerPodMetricReplicas"
_COUNT = "pkg/controller/podautoscaler/replica_calculator.go: getUsageRatioReplicaCount"
_STATUS = "pkg/controller/podautoscaler/horizontal.go: computeStatusForObjectMetric"


def of_service(cluster: Cluster, name: str, amount: str, **target: Any) -> Object:
    """The metric `requests` of a Service, which is `amount`, with its target."""
    cluster.metrics.object("requests", "services", name, amount)
    return objects.object_metric("requests", objects.reference("Service", name, "v1"), **target)


@scenario(
    "hpa/object-value-over-target-times-ready-pods",
    must="With a value as target, the replicas MUST be the number of ready pods times the metric over the target, "
    "rounded up.",
    source=(_VALUE, _COUNT, _STATUS),
    controllers=BOTH,
)
async def test_object_value_over_target_times_ready_pods(cluster: Cluster) -> None:
    def example(name: str, amount: str, replicas: int, wanted: int, shown: str) -> dict[str, Example]:
        metric = of_service(cluster, name, amount, value="100")
        return {name: Example([], wanted, {"value": shown}, replicas=replicas, metric=metric)}

    await work_out(
        cluster,
        example("grows", "150", 3, 5, "150")
        | example("stays", "105500m", 3, 3, "105500m")
        | example("stays-alone", "105", 1, 1, "105")
        | example("shrinks", "30", 5, 2, "30")
        | example("zero", "0", 3, 1, "0")
        | example("thousands", "1e3", 3, 30, "1k"),
    )
    wanted = [f"New size: {size}; reason: All metrics below target" for size in (1, 2)]
    wanted += [f"New size: {size}; reason: Service metric requests above target" for size in (30, 5)]
    cluster.expect("what the events say", sorted(messages(cluster, "SuccessfulRescale")), wanted)


@scenario(
    "hpa/object-value-counts-ready-pods-only",
    must="With a value as target, only pods that run and are ready MUST be counted: with none of them, whatever the "
    "metric says makes 0, hence the minimum.",
    source=_COUNT,
    issues=("kubernetes/kubernetes#51650", "kubernetes/kubernetes#130130"),
    controllers=BOTH,
)
async def test_object_value_counts_ready_pods_only(cluster: Cluster) -> None:
    two_of_four = Lifecycle(ready_after=(2.0, 2.0, NEVER, NEVER))
    examples = {
        "grows": Example([], 6, "300", replicas=4, lifecycle=two_of_four),
        "stays": Example([], 4, "110", replicas=4, lifecycle=two_of_four),
        "shrinks-above-target": Example([], 3, "150", replicas=4, lifecycle=two_of_four),
        "nobody-ready": Example([], 1, "900", replicas=4, lifecycle=Lifecycle(ready_after=None)),
        "nobody-runs": Example([], 1, "900", replicas=4, lifecycle=Lifecycle(start_after=None)),
    }
    await work_out(
        cluster,
        {
            name: replace(one, metric=of_service(cluster, name, one.shown, value="100"))
            for name, one in examples.items()
        },
    )


@scenario(
    "hpa/object-average-is-value-over-target",
    must="With an average as target, the replicas MUST be the metric over the target, rounded up, however many pods "
    "are ready; the status MUST show the metric over the replicas, rounded up.",
    source=(_AVERAGE, _STATUS),
    controllers=BOTH,
)
async def test_object_average_is_value_over_target(cluster: Cluster) -> None:
    never = Lifecycle(ready_after=None)

    def example(
        name: str, amount: str, wanted: int, shown: str, lifecycle: Lifecycle | None = None
    ) -> dict[str, Example]:
        metric = of_service(cluster, name, amount, average="100")
        current = {"averageValue": shown}
        return {name: Example([], wanted, current, replicas=3, metric=metric, lifecycle=lifecycle)}

    await work_out(
        cluster,
        example("grows", "500", 5, "166667m")
        | example("grows-a-bit", "331", 4, "110334m")
        | example("stays", "330", 3, "110")
        | example("shrinks", "200", 2, "66667m")
        | example("zero", "0", 1, "0")
        | example("nobody-ready", "601", 7, "200334m", never),
    )
    wanted = [f"New size: {size}; reason: All metrics below target" for size in (1, 2)]
    wanted += [f"New size: {size}; reason: external metric requests(nil) above target" for size in (4, 5, 7)]
    cluster.expect("what the events say", sorted(messages(cluster, "SuccessfulRescale")), wanted)
