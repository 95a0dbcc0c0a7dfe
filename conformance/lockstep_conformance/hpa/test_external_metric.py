"""External metrics: values from outside the cluster, such as the length of a queue.

All series that the selector finds add up. With a `Value` as target, the ratio is multiplied by the ready pods; with an
`AverageValue`, the sum is divided by the target.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.steps import messages, status
from lockstep_conformance.hpa.tables import BOTH, NEVER, Example, expect_unable, prepare, sync, work_out

_VALUE = "pkg/controller/podautoscaler/replica_calculator.go: GetExternalMetricReplicas"
_AVERAGE = "pkg/controller/podautoscaler/replica_calculator.go: GetExternalPerPodMetricReplicas"
_COUNT = "pkg/controller/podautoscaler/replica_calculator.go: getUsageRatioReplicaCount"
_CLIENT = "pkg/controller/podautoscaler/metrics/client.go: GetExternalMetric"
_STATUS = "pkg/controller/podautoscaler/horizontal.go: computeStatusForExternalMetric"


@scenario(
    "hpa/external-value-over-target-times-ready-pods",
    must="With a value as target, the replicas MUST be the number of ready pods times the metric over the target, "
    "rounded up.",
    source=(_VALUE, _COUNT, _STATUS),
    controllers=BOTH,
)
async def test_external_value_over_target_times_ready_pods(cluster: Cluster) -> None:
    examples = {}
    half_ready = Lifecycle(ready_after=(2.0, 2.0, NEVER, NEVER))
    for name, amount, replicas, wanted, lifecycle in (
        ("grows", "101", 3, 7, None),
        ("stays", "45", 3, 3, None),
        ("stays-alone", "55", 1, 1, None),
        ("shrinks", "20", 3, 2, None),
        ("zero", "0", 3, 1, None),
        ("half-ready", "200", 4, 8, half_ready),
        ("half-ready-shrinks", "60", 4, 3, half_ready),
        ("nobody-ready", "900", 4, 1, Lifecycle(ready_after=None)),
    ):
        cluster.metrics.external("depth", amount, labels={"queue": name})
        metric = objects.external_metric("depth", value="50", labels={"queue": name})
        examples[name] = Example([], wanted, {"value": amount}, replicas=replicas, metric=metric, lifecycle=lifecycle)
    await work_out(cluster, examples)


@scenario(
    "hpa/external-average-is-sum-over-target",
    must="With an average as target, the replicas MUST be the metric over the target, rounded up, however many pods "
    "are ready; the status MUST show the metric over the replicas, rounded up.",
    source=(_AVERAGE, _STATUS),
    controllers=BOTH,
)
async def test_external_average_is_sum_over_target(cluster: Cluster) -> None:
    examples = {}
    for name, amount, wanted, shown, lifecycle in (
        ("grows", "500", 10, "166667m", None),
        ("grows-a-bit", "166", 4, "55334m", None),
        ("stays", "165", 3, "55", None),
        ("shrinks", "100", 2, "33334m", None),
        ("zero", "0", 1, "0", None),
        ("nobody-ready", "500", 10, "166667m", Lifecycle(ready_after=None)),
    ):
        cluster.metrics.external("depth", amount, labels={"queue": name})
        metric = objects.external_metric("depth", average="50", labels={"queue": name})
        examples[name] = Example([], wanted, {"averageValue": shown}, replicas=3, metric=metric, lifecycle=lifecycle)
    await work_out(cluster, examples)


@scenario(
    "hpa/external-series-add-up",
    must="The values of all series that the selector finds MUST be added; without a selector, those of all series.",
    source=(_VALUE, _AVERAGE, _CLIENT),
    controllers=BOTH,
)
async def test_external_series_add_up(cluster: Cluster) -> None:
    for queue, zone, amount in (("a", "x", "30"), ("a", "y", "25500m"), ("b", "x", "45"), ("c", "y", "-10")):
        cluster.metrics.external("depth", amount, labels={"queue": queue, "zone": zone})
    cluster.metrics.external("depth", "1000", namespace="elsewhere")

    def example(wanted: int, shown: str, labels: dict[str, str] | None, **target: str) -> Example:
        metric = objects.external_metric("depth", labels=labels, **target)
        return Example([], wanted, shown, replicas=2, metric=metric)

    await work_out(
        cluster,
        {
            "one": example(3, "45", {"queue": "b"}, value="30"),
            "two": example(4, "55500m", {"queue": "a"}, value="30"),
            "zone": example(4, "37500m", {"zone": "x"}, average="20"),
            "both-labels": example(3, "25500m", {"queue": "a", "zone": "y"}, value="20"),
            "all": example(7, "90500m", None, value="30"),
            "all-by-empty-selector": example(5, "45250m", {}, average="20"),
            "negative": example(1, "-10", {"queue": "c"}, value="30"),
        },
    )


@scenario(
    "hpa/external-selector-with-expressions",
    must="Expressions of the selector MUST be passed on like labels, and the event MUST name the selector.",
    source=(_AVERAGE, _STATUS),
    controllers=BOTH,
)
async def test_external_selector_with_expressions(cluster: Cluster) -> None:
    for queue, zone, amount in (("a", "x", "30"), ("b", "x", "50"), ("c", "y", "70")):
        cluster.metrics.external("depth", amount, labels={"queue": queue, "zone": zone})
    selectors = {
        "in": {"matchExpressions": [{"key": "queue", "operator": "In", "values": ["c", "a"]}]},
        "not-in": {"matchExpressions": [{"key": "queue", "operator": "NotIn", "values": ["a"]}]},
        "mixed": {
            "matchLabels": {"zone": "x"},
            "matchExpressions": [{"key": "queue", "operator": "Exists"}],
        },
        "absent": {"matchExpressions": [{"key": "zone", "operator": "DoesNotExist"}]},
    }
    results = {"in": (5, "50"), "not-in": (6, "60"), "mixed": (4, "40"), "absent": (2, None)}
    examples = {}
    for name, selector in selectors.items():
        metric = objects.external_metric("depth", average="20")
        metric["external"]["metric"]["selector"] = selector
        size, average = results[name]
        examples[name] = Example([], size, average, replicas=2, metric=metric)
    await work_out(cluster, examples)
    wanted = [
        _event(4, "zone: x,", "{Key:queue,Operator:Exists,Values:[],},"),
        _event(5, "", "{Key:queue,Operator:In,Values:[c a],},"),
        _event(6, "", "{Key:queue,Operator:NotIn,Values:[a],},"),
    ]
    cluster.expect("what the events say", sorted(messages(cluster, "SuccessfulRescale")), wanted)


def _event(size: int, labels: str, expression: str) -> str:
    selector = f"MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement"
    chosen = f"&LabelSelector{{{selector}{{LabelSelectorRequirement{expression}}},}}"
    return f"New size: {size}; reason: external metric depth({chosen}) above target"


@scenario(
    "hpa/external-metric-that-cannot-be-had",
    must="If no series is found, or the metric is not known, the HPA MUST say so and MUST NOT scale.",
    source=(_CLIENT, _STATUS),
    controllers=BOTH,
)
async def test_external_metric_that_cannot_be_had(cluster: Cluster) -> None:
    cluster.metrics.external("depth", "900", labels={"queue": "a"})
    other = {"queue": "z"}
    examples = {
        "value": Example([], 2, None, replicas=2, metric=objects.external_metric("depth", value="1", labels=other)),
        "average": Example([], 2, None, replicas=2, metric=objects.external_metric("depth", average="1", labels=other)),
        "unknown": Example([], 2, None, replicas=2, metric=objects.external_metric("width", value="1")),
    }
    await prepare(cluster, examples)
    await sync(cluster, examples)
    selector = "&LabelSelector{MatchLabels:map[string]string{queue: z,},MatchExpressions:[]LabelSelectorRequirement{},}"
    none = "no metrics returned from external metrics API"
    absent = (
        "unable to fetch metrics from external metrics API: the server could not find the metric width for namespaces"
    )
    lead = "unable to get external metric default"
    errors = {
        "value": f"{lead}/depth/{selector}: {none}",
        "average": f"{lead}/depth/{selector}: {none}",
        "unknown": f"{lead}/width/nil: {absent}",
    }
    for name, error in errors.items():
        expect_unable(cluster, "FailedGetExternalMetric", error, name)
    told = status(cluster, "value")["currentMetrics"]
    cluster.expect("metrics in the status", told, [{"type": ""}])
