"""What is wrong with an autoscaler, in upstream's words, at upstream's paths, in upstream's order."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.apiserver import ApiServer
from tests.apiserver.hpa_kit import TARGET, V1, V2, hpa, metric, refused, resource
from tests.apiserver.kit import Client

SOURCE_TYPES = 'supported values: "ContainerResource", "External", "Object", "Pods", "Resource"'
ONLY_POD_METRICS = "must specify at least one Object or External metric to support scaling to zero replicas"
NO_TARGET = "target.averageUtilization: Required value: must set either a target raw value or a target utilization"
LONG = "x" * 64
POSITIVE = {"type": "AverageValue", "averageValue": "30"}
QPS = {"name": "qps"}
SERVICE = {"apiVersion": "v1", "kind": "Service", "name": "front"}
POLICY = {"type": "Pods", "value": 4, "periodSeconds": 15}
TARGET_PATH = "spec.metrics[0].resource.target"


def target(**changes: Any) -> dict[str, Any]:
    """A spec whose reference has these changes; None takes a field out."""
    fields = {**TARGET, **changes}
    return {"scaleTargetRef": {key: item for key, item in fields.items() if item is not None}}


REPLICAS: list[tuple[dict[str, Any], list[str]]] = [
    ({"minReplicas": 0}, [
        "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
        f"spec.metrics: Forbidden: {ONLY_POD_METRICS}",
    ]),
    ({"minReplicas": -1}, ["spec.minReplicas: Invalid value: -1: must be greater than or equal to 1"]),
    ({"maxReplicas": 0}, [
        "spec.maxReplicas: Required value: must be set and greater than 0",
        "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
    ]),
    ({"maxReplicas": None}, [
        "spec.maxReplicas: Required value: must be set and greater than 0",
        "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
    ]),
    ({"maxReplicas": -5}, [
        "spec.maxReplicas: Invalid value: -5: must be greater than or equal to 1",
        "spec.maxReplicas: Invalid value: -5: must be greater than or equal to `minReplicas`",
    ]),
    ({"minReplicas": 7}, ["spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`"]),
    ({"minReplicas": -2, "maxReplicas": -3}, [
        "spec.minReplicas: Invalid value: -2: must be greater than or equal to 1",
        "spec.maxReplicas: Invalid value: -3: must be greater than or equal to 1",
        "spec.maxReplicas: Invalid value: -3: must be greater than or equal to `minReplicas`",
    ]),
]  # fmt: skip
REFERENCES: list[tuple[dict[str, Any], list[str]]] = [
    ({"scaleTargetRef": None}, [
        "spec.scaleTargetRef.kind: Required value",
        "spec.scaleTargetRef.name: Required value",
        'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
    ]),
    (target(kind=None), ["spec.scaleTargetRef.kind: Required value"]),
    (target(kind="a/b"), ["""spec.scaleTargetRef.kind: Invalid value: "a/b": may not contain '/'"""]),
    (target(kind=".."), ["""spec.scaleTargetRef.kind: Invalid value: "..": may not be '..'"""]),
    (target(name=None), ["spec.scaleTargetRef.name: Required value"]),
    (target(name="50%"), ["""spec.scaleTargetRef.name: Invalid value: "50%": may not contain '%'"""]),
    (target(name="a/%"), [
        """spec.scaleTargetRef.name: Invalid value: "a/%": may not contain '/'""",
        """spec.scaleTargetRef.name: Invalid value: "a/%": may not contain '%'""",
    ]),
    (target(apiVersion=None), [
        'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group'
    ]),
    (target(apiVersion="v1"), [
        'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'
    ]),
    (target(apiVersion="/v1"), [
        'spec.scaleTargetRef.apiVersion: Invalid value: "/v1": apiVersion must specify API group'
    ]),
    (target(apiVersion="a/b/c"), [
        'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'
    ]),
    (target(kind="ReplicationController", apiVersion="a/b/c"), [
        'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'
    ]),
]  # fmt: skip
METRICS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, [
        "type: Required value: must specify a metric source type",
        f'type: Unsupported value: "": {SOURCE_TYPES}',
        f'type: Unsupported value: "": {SOURCE_TYPES}',
    ]),
    ({"type": "Network"}, [f'type: Unsupported value: "Network": {SOURCE_TYPES}'] * 2),
    ({"type": "Resource"}, ["resource: Required value: must populate information for the given metric source"]),
    ({"type": "Pods"}, ["pods: Required value: must populate information for the given metric source"]),
    ({"type": "Object"}, ["object: Required value: must populate information for the given metric source"]),
    ({"type": "External"}, ["external: Required value: must populate information for the given metric source"]),
    ({"type": "ContainerResource"}, [
        "containerResource: Required value: must populate information for the given metric source"
    ]),
    ({**resource(averageUtilization=50), "type": "Pods"}, [
        "pods: Required value: must populate information for the given metric source"
    ]),
    ({**resource(averageUtilization=50), "pods": {"metric": QPS, "target": POSITIVE}}, [
        "pods: Forbidden: must populate the given metric source only"
    ]),
    (metric("Resource", target=POSITIVE), ["resource.name: Required value: must specify a resource name"]),
    (metric("Resource", name="cpu"), [
        "resource.target.type: Required value: must specify a metric target type",
        'resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
        f"resource.{NO_TARGET}",
    ]),
    (resource(averageUtilization=0), [
        "resource.target.averageUtilization: Invalid value: 0: must be greater than 0"
    ]),
    (resource(averageUtilization=-10), [
        "resource.target.averageUtilization: Invalid value: -10: must be greater than 0"
    ]),
    (resource(averageValue="0"), ['resource.target.averageValue: Invalid value: "0": must be positive']),
    (resource(averageValue="-100m"), ['resource.target.averageValue: Invalid value: "-100m": must be positive']),
    (resource(averageUtilization=50, averageValue="1"), [
        "resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization"
    ]),
    (resource(), [
        f"resource.{NO_TARGET}"
    ]),
    (metric("Resource", name="cpu", target={"type": "Percent", "averageValue": "1"}), [
        'resource.target.type: Invalid value: "Percent": must be either Utilization, Value, or AverageValue'
    ]),
    (metric("ContainerResource", name="cpu", target=POSITIVE), [
        "containerResource.container: Required value: must specify a container"
    ]),
    (metric("ContainerResource", container="app", target=POSITIVE), [
        "containerResource.name: Required value: must specify a resource name"
    ]),
    (metric("ContainerResource", name="cpu", container=LONG, target=POSITIVE), [
        f'containerResource.container: Invalid value: "{LONG}": must be no more than 63 characters'
    ]),
    (metric("ContainerResource", name="cpu", container="a.b", target=POSITIVE), [
        'containerResource.container: Invalid value: "a.b": must not contain dots'
    ]),
    (metric("ContainerResource", name="disk", container="app", target=POSITIVE), [
        'containerResource.name: Invalid value: "disk": must be a standard resource type or fully qualified',
        'containerResource.name: Invalid value: "disk": must be a standard resource for containers',
    ]),
    (metric("ContainerResource", name="pods", container="app", target=POSITIVE), [
        'containerResource.name: Invalid value: "pods": must be a standard resource for containers'
    ]),
    (metric("ContainerResource", name="requests.a.com/x", container="app", target=POSITIVE), [
        'containerResource.name: Invalid value: "requests.a.com/x": doesn\'t follow extended resource name standard'
    ]),
    (metric("ContainerResource", name="cpu", container="app", target={"type": "Utilization"}), [
        f"containerResource.{NO_TARGET}"
    ]),
    (metric("Pods", metric=QPS, target={"type": "AverageValue"}), [
        "pods.target.averageValue: Required value: must specify a positive target averageValue"
    ]),
    (metric("Pods", metric={}, target=POSITIVE), ["pods.metric.name: Required value: must specify a metric name"]),
    (metric("Pods", metric={"name": "a/b"}, target=POSITIVE), [
        """pods.metric.name: Invalid value: "a/b": may not contain '/'"""
    ]),
    (metric("Pods", metric=QPS, target={**POSITIVE, "averageValue": "-1"}), [
        'pods.target.averageValue: Invalid value: "-1": must be positive'
    ]),
    (metric("Object", metric=QPS, describedObject=SERVICE, target={"type": "Value"}), [
        "object.target.averageValue: Required value: must set either a target value or averageValue"
    ]),
    (metric("Object", metric=QPS, describedObject=SERVICE, target={"type": "Value", "value": "-1"}), [
        'object.target.value: Invalid value: "-1": must be positive'
    ]),
    (metric("Object", metric=QPS, target=POSITIVE), [
        "object.describedObject.kind: Required value",
        "object.describedObject.name: Required value",
    ]),
    (metric("Object", metric=QPS, describedObject={**SERVICE, "apiVersion": "a/b/c"}, target=POSITIVE), [
        'object.describedObject.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'
    ]),
    (metric("Object", metric={"name": "."}, describedObject=SERVICE, target=POSITIVE), [
        """object.metric.name: Invalid value: ".": may not be '.'"""
    ]),
    (metric("External", metric=QPS, target={"type": "Value"}), [
        "external.target.averageValue: Required value: must set either a target value for metric or a per-pod target"
    ]),
    (metric("External", metric=QPS, target={"type": "Value", "value": "1", "averageValue": "1"}), [
        "external.target.value: Forbidden: may not set both a target value for metric and a per-pod target"
    ]),
    (metric("External", target=POSITIVE), ["external.metric.name: Required value: must specify a metric name"]),
    (metric("External", metric=QPS, target={"type": "Value", "value": "0"}), [
        'external.target.value: Invalid value: "0": must be positive'
    ]),
]  # fmt: skip
SCALING: list[tuple[dict[str, Any], list[str]]] = [
    ({"stabilizationWindowSeconds": -1}, [
        "stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero"
    ]),
    ({"stabilizationWindowSeconds": 3601}, [
        "stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600"
    ]),
    ({"selectPolicy": "Avg"}, [
        'selectPolicy: Unsupported value: "Avg": supported values: "Disabled", "Max", "Min"'
    ]),
    ({"selectPolicy": ""}, ['selectPolicy: Unsupported value: "": supported values: "Disabled", "Max", "Min"']),
    ({"policies": []}, ["policies: Required value: must specify at least one Policy"]),
    ({"policies": [{}]}, [
        'policies[0].type: Unsupported value: "": supported values: "Percent", "Pods"',
        "policies[0].value: Invalid value: 0: must be greater than zero",
        "policies[0].periodSeconds: Invalid value: 0: must be greater than zero",
    ]),
    ({"policies": [POLICY, {**POLICY, "value": -4}]}, [
        "policies[1].value: Invalid value: -4: must be greater than zero"
    ]),
    ({"policies": [{**POLICY, "periodSeconds": 1801}]}, [
        "policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800"
    ]),
    ({"policies": [{**POLICY, "type": "Nodes"}]}, [
        'policies[0].type: Unsupported value: "Nodes": supported values: "Percent", "Pods"'
    ]),
    ({"tolerance": "-0.1"}, ['tolerance: Invalid value: "-100m": must be greater than or equal to 0']),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "findings"), [*REPLICAS, *REFERENCES])
def test_replicas_and_references(client: Client, changes: dict[str, Any], findings: list[str]) -> None:
    assert refused(client, hpa(changes)) == findings


@pytest.mark.parametrize(("wrong", "findings"), METRICS)
def test_metrics(client: Client, wrong: dict[str, Any], findings: list[str]) -> None:
    assert refused(client, hpa({"metrics": [wrong]})) == [f"spec.metrics[0].{text}" for text in findings]


@pytest.mark.parametrize("side", ["scaleUp", "scaleDown"])
@pytest.mark.parametrize(("rules", "findings"), SCALING)
def test_behavior(client: Client, side: str, rules: dict[str, Any], findings: list[str]) -> None:
    assert refused(client, hpa({"behavior": {side: rules}})) == [f"spec.behavior.{side}.{text}" for text in findings]


WRONG_TYPE = 'HorizontalPodAutoscaler in version "v2" cannot be handled as a HorizontalPodAutoscaler: '
QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


SPEC = "HorizontalPodAutoscalerSpec.spec"


@pytest.mark.parametrize(
    ("changes", "found", "field", "go"),
    [
        ({"minReplicas": "2"}, "string", f"{SPEC}.minReplicas", "int32"),
        ({"maxReplicas": 1.5}, "number 1.5", f"{SPEC}.maxReplicas", "int32"),
        ({"maxReplicas": 2**31}, "number 2147483648", f"{SPEC}.maxReplicas", "int32"),
        ({"scaleTargetRef": "web"}, "string", f"{SPEC}.scaleTargetRef", "v2.CrossVersionObjectReference"),
        ({"metrics": {}}, "object", f"{SPEC}.metrics", "[]v2.MetricSpec"),
        ({"metrics": ["cpu"]}, "string", f"{SPEC}.metrics", "v2.MetricSpec"),
        ({"metrics": [{"type": 5}]}, "number", "MetricSpec.spec.metrics.type", "v2.MetricSourceType"),
        (
            {"metrics": [metric("Pods", metric={"name": "a", "selector": {"matchLabels": {"a": 1}}})]},
            "number",
            "LabelSelector.spec.metrics.pods.metric.selector.matchLabels",
            "string",
        ),
        (
            {"behavior": {"scaleUp": {"policies": [{"type": True}]}}},
            "bool",
            "HPAScalingPolicy.spec.behavior.scaleUp.policies.type",
            "v2.HPAScalingPolicyType",
        ),
    ],
)
def test_values_of_the_wrong_type(client: Client, changes: dict[str, Any], found: str, field: str, go: str) -> None:
    problem = f"json: cannot unmarshal {found} into Go struct field {field} of type {go}"
    assert refused(client, hpa(changes)) == [WRONG_TYPE + problem]


@pytest.mark.parametrize("sent", ["", "lots", True, {}, [1]])
def test_what_is_no_quantity(client: Client, sent: Any) -> None:
    assert refused(client, hpa({"metrics": [resource(averageValue=sent)]})) == [WRONG_TYPE + QUANTITY]


def test_a_quantity_that_cannot_be_read_counts_before_all_wrong_types(client: Client) -> None:
    body = hpa({"minReplicas": "2", "metrics": [resource(averageValue="x")]})
    assert refused(client, body) == [WRONG_TYPE + QUANTITY]


def test_metadata_of_the_wrong_type(client: Client) -> None:
    problem = "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string"
    assert refused(client, hpa(labels={"tier": 5}, generation="x")) == [WRONG_TYPE + problem]


def test_a_time_that_cannot_be_read_counts_before_all_wrong_types(client: Client) -> None:
    problem = 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'
    assert refused(client, hpa(labels={"tier": 5}, creationTimestamp="x")) == [WRONG_TYPE + problem]


def test_several_findings_make_one_message(client: Client) -> None:
    reply = client.call("POST", V2, hpa({"minReplicas": 9, **target(name="a/b")}))
    assert reply.body["message"] == (
        'HorizontalPodAutoscaler.autoscaling "web" is invalid: [spec.maxReplicas: Invalid value: 5: must be greater '
        """than or equal to `minReplicas`, spec.scaleTargetRef.name: Invalid value: "a/b": may not contain '/']"""
    )
    assert reply.body["details"]["kind"] == "HorizontalPodAutoscaler"


def test_the_only_scalable_kind_of_the_core_group_needs_no_group(client: Client) -> None:
    for name, version in (("a", "v1"), ("b", "")):
        body = hpa(target(kind="ReplicationController", apiVersion=version), name=name)
        assert client.ok("POST", V2, body)["spec"]["scaleTargetRef"].get("apiVersion", "") == version


def test_scaling_to_zero_needs_the_gate_and_a_metric_that_is_not_of_pods() -> None:
    client = Client()
    client.server = ApiServer(lambda: 0, feature_gates={"HPAScaleToZero": True})
    assert refused(client, hpa({"minReplicas": 0})) == [f"spec.metrics: Forbidden: {ONLY_POD_METRICS}"]
    assert refused(client, hpa({"minReplicas": -1})) == [
        "spec.minReplicas: Invalid value: -1: must be greater than or equal to 0"
    ]
    external = metric("External", metric=QPS, target=POSITIVE)
    assert client.ok("POST", V2, hpa({"minReplicas": 0, "metrics": [external]}))["spec"]["minReplicas"] == 0


def test_what_was_zero_may_stay_so_without_the_gate() -> None:
    client = Client()
    client.server = ApiServer(lambda: 0, feature_gates={"HPAScaleToZero": True})
    body = hpa({"minReplicas": 0, "metrics": [metric("External", metric=QPS, target=POSITIVE)]})
    client.ok("POST", V2, body)
    client.server.state.feature_gates["HPAScaleToZero"] = False
    body["spec"]["maxReplicas"] = 9
    assert client.ok("PUT", f"{V2}/web", body)["spec"]["minReplicas"] == 0
    body["spec"]["minReplicas"] = -1
    assert client.call("PUT", f"{V2}/web", body).status == 422


def test_an_update_that_keeps_kind_and_version_is_not_judged_for_them() -> None:
    client = Client()
    reference = {"apiVersion": "v1", "kind": "ReplicationController", "name": "web"}
    client.ok("POST", V2, hpa({"scaleTargetRef": {**reference, "apiVersion": ""}}))
    moved = {**reference, "kind": "Other", "apiVersion": ""}
    refusal = client.call("PUT", f"{V2}/web", hpa({"scaleTargetRef": moved})).body
    assert refusal["details"]["causes"][0]["field"] == "spec.scaleTargetRef.apiVersion"
    client.ok("PUT", f"{V2}/web", hpa({"scaleTargetRef": {**reference, "apiVersion": "", "name": "other"}}))


def test_version_1_is_judged_by_what_it_says_as_version_2(client: Client) -> None:
    body = hpa({"targetCPUUtilizationPercentage": 0}, version="v1")
    assert refused(client, body, V1) == [f"{TARGET_PATH}.averageUtilization: Invalid value: 0: must be greater than 0"]
