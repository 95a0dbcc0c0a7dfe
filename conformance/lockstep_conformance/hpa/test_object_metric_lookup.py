"""Which metric of which object an object metric is: the object's kind, its name, and the selector of the metric."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.steps import messages, status
from lockstep_conformance.hpa.tables import BOTH, Example, expect_unable, prepare, sync, work_out

_CLIENT = "pkg/controller/podautoscaler/metrics/client.go: GetObjectMetric"
_VERSIONED = "metrics/pkg/client/custom_metrics/versioned_client.go: GetForObject"
_STATUS = "pkg/controller/podautoscaler/horizontal.go: computeStatusForObjectMetric"
_VALUE = "pkg/controller/podautoscaler/replica_calculator.go: GetObjectMetricReplicas"


@scenario(
    "hpa/object-of-any-kind",
    must="The object MUST be looked up by its kind and group in the HPA's namespace; a Namespace MUST be the HPA's "
    "own, whatever name the metric gives.",
    source=(_CLIENT, _VERSIONED),
    controllers=BOTH,
)
async def test_object_of_any_kind(cluster: Cluster) -> None:
    described = {
        "service": ("services", objects.reference("Service", "main", "v1"), "200"),
        "job": ("jobs.batch", objects.reference("Job", "main", "batch/v1"), "300"),
        "deployment": ("deployments.apps", objects.reference("Deployment", "main", "apps/v1"), "400"),
        "namespace": ("namespaces", objects.reference("Namespace", "elsewhere", "v1"), "600"),
    }
    examples = {}
    for name, (resource, target, amount) in described.items():
        owner = "default" if name == "namespace" else "main"
        cluster.metrics.object("requests", resource, owner, amount)
        metric = objects.object_metric("requests", target, value="100")
        examples[name] = Example([], int(amount) // 100 * 2, amount, replicas=2, metric=metric)
    cluster.metrics.object("requests", "namespaces", "elsewhere", "9")
    await work_out(cluster, examples)
    told = [one["object"]["describedObject"] for one in status(cluster, "job")["currentMetrics"]]
    cluster.expect("object in the status", told, [described["job"][1]])


@scenario(
    "hpa/object-metric-with-a-selector",
    must="The selector of the metric MUST choose among the object's series, and the event MUST name it for an average.",
    source=(_VALUE, _STATUS),
    controllers=BOTH,
)
async def test_object_metric_with_a_selector(cluster: Cluster) -> None:
    service = objects.reference("Service", "main", "v1")
    for verb, amount in (("get", "200"), ("put", "80")):
        cluster.metrics.object("requests", "services", "main", amount, labels={"verb": verb})

    def example(labels: dict[str, str], wanted: int, shown: str, **target: Any) -> Example:
        metric = objects.object_metric("requests", service, labels=labels, **target)
        return Example([], wanted, shown, replicas=2, metric=metric)

    await work_out(
        cluster,
        {
            "of-get": example({"verb": "get"}, 4, "200", value="100"),
            "of-put": example({"verb": "put"}, 1, "80", value="200"),
            "average-of-get": example({"verb": "get"}, 5, "100", average="40"),
        },
    )
    chosen = "&LabelSelector{MatchLabels:map[string]string{verb: get,},MatchExpressions:[]LabelSelectorRequirement{},}"
    wanted = [
        "New size: 1; reason: All metrics below target",
        "New size: 4; reason: Service metric requests above target",
        f"New size: 5; reason: external metric requests({chosen}) above target",
    ]
    cluster.expect("what the events say", sorted(messages(cluster, "SuccessfulRescale")), wanted)


@scenario(
    "hpa/object-metric-that-cannot-be-had",
    must="If there is no such metric of the object, or no such kind, the HPA MUST say so and MUST NOT scale.",
    source=(_CLIENT, _VERSIONED, _STATUS),
    controllers=BOTH,
)
async def test_object_metric_that_cannot_be_had(cluster: Cluster) -> None:
    cluster.metrics.object("requests", "services", "main", "900")

    def example(kind: str, name: str, api: str, **target: Any) -> Example:
        metric = objects.object_metric("requests", objects.reference(kind, name, api), **target)
        return Example([], 2, None, replicas=2, metric=metric)

    examples = {
        "another": example("Service", "other", "v1", value="100"),
        "another-average": example("Service", "other", "v1", average="100"),
        "no-kind": example("Sprocket", "main", "example.com/v1", value="100"),
    }
    await prepare(cluster, examples)
    await sync(cluster, examples)
    lead = "unable to get metric requests: {} on default {}/unable to fetch metrics from custom metrics API: {}"
    absent = lead.format("Service", "other", "the server could not find the metric requests for services other")
    no_match = 'no matches for kind "Sprocket" in group "example.com"'
    unmapped = f"unable to map kind Sprocket.example.com to resource: {no_match}"
    errors = {"another": absent, "another-average": absent, "no-kind": lead.format("Sprocket", "main", unmapped)}
    for name, error in errors.items():
        expect_unable(cluster, "FailedGetObjectMetric", error, name)
    said = sorted(messages(cluster, "FailedGetObjectMetric"))
    cluster.expect("what the events say", said, sorted(errors.values()))
