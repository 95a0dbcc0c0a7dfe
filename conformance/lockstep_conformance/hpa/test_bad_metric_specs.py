"""Invalid metrics in a spec: the API server refuses them with its messages."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.demand import proposal
from lockstep_conformance.hpa.refusals import Table, are_refused, several

_VALIDATION = "pkg/apis/autoscaling/validation/validation.go"


@scenario(
    "hpa/metrics-that-make-no-sense",
    must="A metric of an unknown kind, of two kinds, or without the fields of its kind MUST be refused.",
    source=f"{_VALIDATION}: validateMetricSpec",
    controllers=("hpa", "replicaset"),
    features=("bad-spec",),
)
async def test_metrics_that_make_no_sense(cluster: Cluster) -> None:
    kinds = 'supported values: "ContainerResource", "External", "Object", "Pods", "Resource"'
    at = "spec.metrics[0]"
    cpu = objects.resource_metric("cpu", utilization=50)
    table: Table = {
        "an unknown kind": (
            {"metrics": [{"type": "Network"}]},
            f'{at}.type: Unsupported value: "Network": {kinds}',
        ),
        "a kind in small letters": (
            {"metrics": [{**cpu, "type": "resource"}]},
            f'{at}.type: Unsupported value: "resource": {kinds}',
        ),
        "no kind": (
            {"metrics": [{"resource": cpu["resource"]}]},
            several(
                f"{at}.type: Required value: must specify a metric source type",
                f'{at}.type: Unsupported value: "": {kinds}',
            ),
        ),
        "a kind and the source of another": (
            {"metrics": [{**cpu, "type": "Pods"}]},
            f"{at}.pods: Required value: must populate information for the given metric source",
        ),
        "two sources": (
            {"metrics": [{**proposal(), "resource": cpu["resource"]}]},
            f"{at}.resource: Forbidden: must populate the given metric source only",
        ),
        "no name": (
            {"metrics": [objects.external_metric("", average="1")]},
            f"{at}.external.metric.name: Required value: must specify a metric name",
        ),
        "a name with a slash": (
            {"metrics": [objects.pods_metric("http/requests", "1")]},
            f"""{at}.pods.metric.name: Invalid value: "http/requests": may not contain '/'""",
        ),
        "no container": (
            {"metrics": [objects.container_metric("", "cpu", utilization=50)]},
            f"{at}.containerResource.container: Required value: must specify a container",
        ),
    }
    await are_refused(cluster, table)


@scenario(
    "hpa/metric-targets-that-make-no-sense",
    must="A target that is zero, negative, contradictory or missing MUST be refused.",
    source=f"{_VALIDATION}: validateMetricTarget",
    controllers=("hpa", "replicaset"),
    features=("bad-spec",),
)
async def test_metric_targets_that_make_no_sense(cluster: Cluster) -> None:
    at = "spec.metrics[0]"
    both = "may not set both a target"
    table: Table = {
        "no usage": (
            {"metrics": [objects.resource_metric("cpu", utilization=0)]},
            f"{at}.resource.target.averageUtilization: Invalid value: 0: must be greater than 0",
        ),
        "negative usage": (
            {"metrics": [objects.resource_metric("cpu", average="-100m")]},
            f'{at}.resource.target.averageValue: Invalid value: "-100m": must be positive',
        ),
        "a share and an amount": (
            {"metrics": [objects.resource_metric("cpu", utilization=50, average="1")]},
            f"{at}.resource.target.averageValue: Forbidden: {both} raw value and a target utilization",
        ),
        "a value and an average": (
            {"metrics": [objects.external_metric("demand", value="1", average="1")]},
            f"{at}.external.target.value: Forbidden: {both} value for metric and a per-pod target",
        ),
        "an external value of 0": (
            {"metrics": [objects.external_metric("demand", value="0")]},
            f'{at}.external.target.value: Invalid value: "0": must be positive',
        ),
        "no target": (
            {"metrics": [objects.resource_metric("cpu")]},
            several(
                f"{at}.resource.target.type: Required value: must specify a metric target type",
                f'{at}.resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
                f"{at}.resource.target.averageUtilization: Required value: must set either a target raw value or a "
                "target utilization",
            ),
        ),
    }
    await are_refused(cluster, table)
