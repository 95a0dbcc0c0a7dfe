"""autoscaling/v1: what it shows of an autoscaler that is stored as v2, and what it can say of one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.apiserver.hpa_kit import V1, V2, hpa, metric, resource
from tests.apiserver.kit import MERGE, Client

PREFIX = "autoscaling.alpha.kubernetes.io"
METRICS, CURRENT, CONDITIONS, BEHAVIOR = (
    f"{PREFIX}/{name}" for name in ("metrics", "current-metrics", "conditions", "behavior")
)
SERVICE = {"kind": "Service", "name": "front", "apiVersion": "v1"}
SELECTOR = {"matchLabels": {"queue": "a"}}


@pytest.mark.parametrize(
    ("v2", "v1"),
    [
        (
            resource("memory", averageUtilization=60),
            '{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":60}}',
        ),
        (
            resource("cpu", averageValue="200m"),
            '{"type":"Resource","resource":{"name":"cpu","targetAverageValue":"200m"}}',
        ),
        (
            metric(
                "ContainerResource",
                name="cpu",
                container="app",
                target={"type": "Utilization", "averageUtilization": 70},
            ),
            (
                '{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":70,'
                '"container":"app"}}'
            ),
        ),
        (
            metric(
                "Pods",
                metric={"name": "qps", "selector": SELECTOR},
                target={"type": "AverageValue", "averageValue": "5"},
            ),
            (
                '{"type":"Pods","pods":{"metricName":"qps","targetAverageValue":"5","selector":'
                '{"matchLabels":{"queue":"a"}}}}'
            ),
        ),
        (
            metric("Object", describedObject=SERVICE, metric={"name": "qps"}, target={"type": "Value", "value": "100"}),
            (
                '{"type":"Object","object":{"target":{"kind":"Service","name":"front","apiVersion":"v1"},'
                '"metricName":"qps","targetValue":"100"}}'
            ),
        ),
        (
            metric(
                "Object",
                describedObject=SERVICE,
                metric={"name": "qps"},
                target={"type": "AverageValue", "averageValue": "10"},
            ),
            (
                '{"type":"Object","object":{"target":{"kind":"Service","name":"front","apiVersion":"v1"},'
                '"metricName":"qps","targetValue":"0","averageValue":"10"}}'
            ),
        ),
        (
            metric("External", metric={"name": "depth", "selector": SELECTOR}, target={"type": "Value", "value": "30"}),
            (
                '{"type":"External","external":{"metricName":"depth","metricSelector":{"matchLabels":{"queue":"a"}},'
                '"targetValue":"30"}}'
            ),
        ),
    ],
)
def test_metrics_travel_in_an_annotation(client: Client, v2: dict[str, Any], v1: str) -> None:
    created = client.ok("POST", V2, hpa({"metrics": [v2]}))
    shown = client.ok("GET", f"{V1}/web")
    assert shown["metadata"]["annotations"] == {METRICS: f"[{v1}]"}
    assert "targetCPUUtilizationPercentage" not in shown["spec"]
    client.ok("DELETE", f"{V1}/web")
    back = client.ok(
        "POST", V1, {**shown, "metadata": {key: shown["metadata"][key] for key in ("name", "annotations")}}
    )
    assert back["metadata"]["annotations"] == {METRICS: f"[{v1}]"}
    again = client.ok("GET", f"{V2}/web")
    assert again["spec"] == created["spec"]
    assert "annotations" not in again["metadata"]


def test_the_cpu_target_has_a_field(client: Client) -> None:
    client.ok("POST", V2, hpa({"metrics": [resource(averageUtilization=65), resource("memory", averageValue="1Gi")]}))
    shown = client.ok("GET", f"{V1}/web")
    assert shown["apiVersion"] == "autoscaling/v1"
    assert shown["spec"]["targetCPUUtilizationPercentage"] == 65
    assert json.loads(shown["metadata"]["annotations"][METRICS])[0]["resource"]["name"] == "memory"
    after = client.ok("PATCH", f"{V1}/web", {"spec": {"targetCPUUtilizationPercentage": 40}}, MERGE)
    assert after["spec"]["targetCPUUtilizationPercentage"] == 40
    metrics = client.ok("GET", f"{V2}/web")["spec"]["metrics"]
    # what v1 has a field for comes last
    assert metrics == [resource("memory", averageValue="1Gi"), resource(averageUtilization=40)]


def test_version_1_defaults_to_cpu_as_well(client: Client) -> None:
    created = client.ok("POST", V1, hpa(version="v1"))
    assert (created["spec"]["minReplicas"], created["spec"]["targetCPUUtilizationPercentage"]) == (1, 80)
    assert created["status"] == {"currentReplicas": 0, "desiredReplicas": 0}
    stored = client.server.find("horizontalpodautoscalers.autoscaling", "default", "web")
    assert stored is not None
    assert (stored["apiVersion"], stored["spec"]["metrics"]) == ("autoscaling/v2", [resource(averageUtilization=80)])


def test_behavior_travels_under_go_names(client: Client) -> None:
    client.ok("POST", V2, hpa({"behavior": {"scaleDown": {"stabilizationWindowSeconds": 60, "tolerance": "0.2"}}}))
    text = client.ok("GET", f"{V1}/web")["metadata"]["annotations"][BEHAVIOR]
    assert text == (
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,'
        '"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null},'
        '"ScaleDown":{"StabilizationWindowSeconds":60,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,'
        '"PeriodSeconds":15}],"Tolerance":"200m"}}'
    )


def test_what_version_1_leaves_open_is_filled_in_after_it_was_judged(client: Client) -> None:
    """The internal version has no defaults: a rule without policies is wrong, one without selectPolicy is not."""
    annotation = json.dumps({"ScaleUp": {"StabilizationWindowSeconds": 5}})
    reply = client.call("POST", V1, hpa(version="v1", annotations={BEHAVIOR: annotation}))
    assert [cause["field"] for cause in reply.body["details"]["causes"]] == ["spec.behavior.scaleUp.policies"]
    policy = {"Type": "Pods", "Value": 1, "PeriodSeconds": 9}
    annotation = json.dumps({"scaleup": {"policies": [policy]}})  # encoding/json does not mind the case
    client.ok("POST", V1, hpa(version="v1", annotations={BEHAVIOR: annotation}))
    behavior = client.ok("GET", f"{V2}/web")["spec"]["behavior"]
    assert behavior["scaleUp"] == {
        "stabilizationWindowSeconds": 0,
        "selectPolicy": "Max",
        "policies": [{"type": "Pods", "value": 1, "periodSeconds": 9}],
    }


@pytest.mark.parametrize("text", ["", "nonsense", "{}", "[1]", '[{"type":5}]'])
def test_an_annotation_that_cannot_be_read_counts_as_absent(client: Client, text: str) -> None:
    client.ok("POST", V1, hpa(version="v1", annotations={METRICS: text, "mine": "kept"}))
    stored = client.ok("GET", f"{V2}/web")
    assert stored["spec"]["metrics"] == [resource(averageUtilization=80)]
    assert stored["metadata"]["annotations"] == {"mine": "kept"}


def test_version_2_ignores_the_annotations_of_version_1(client: Client) -> None:
    body = hpa(annotations={METRICS: "[]", CONDITIONS: "[]", BEHAVIOR: "{}"})
    assert "annotations" not in client.ok("POST", V2, body)["metadata"]


def test_a_status_in_version_1(client: Client) -> None:
    created = client.ok("POST", V2, hpa())
    current = {
        "type": "Resource",
        "resource": {"name": "cpu", "current": {"averageUtilization": 30, "averageValue": "3"}},
    }
    condition = {
        "type": "ScalingActive",
        "status": "True",
        "lastTransitionTime": "2000-01-01T00:00:00Z",
        "reason": "ValidMetricFound",
        "message": "more <than> & enough",
    }
    status = {"currentReplicas": 2, "desiredReplicas": 4, "currentMetrics": [current], "conditions": [condition]}
    client.ok("PUT", f"{V2}/web/status", {**created, "status": status})
    shown = client.ok("GET", f"{V1}/web")
    assert shown["status"] == {"currentReplicas": 2, "desiredReplicas": 4, "currentCPUUtilizationPercentage": 30}
    annotations = shown["metadata"]["annotations"]
    assert annotations[CURRENT] == (
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":30,"currentAverageValue":"3"}}]'
    )
    assert annotations[CONDITIONS] == (
        '[{"type":"ScalingActive","status":"True","lastTransitionTime":"2000-01-01T00:00:00Z",'
        '"reason":"ValidMetricFound","message":"more \\u003cthan\\u003e \\u0026 enough"}]'
    )
    client.ok("PUT", f"{V1}/web/status", {**shown, "status": {**shown["status"], "desiredReplicas": 5}})
    assert client.ok("GET", f"{V2}/web")["status"] == {**status, "desiredReplicas": 5}


def test_lists_and_watches_of_both_versions(client: Client) -> None:
    watches = [client.watch(path, resourceVersion="0") for path in (V1, V2)]
    client.ok("POST", V2, hpa())
    for path, version, watch in zip((V1, V2), ("v1", "v2"), watches, strict=True):
        listed = client.ok("GET", path)
        assert (listed["apiVersion"], listed["items"][0]["apiVersion"]) == (f"autoscaling/{version}",) * 2
        assert watch.events[-1].object["apiVersion"] == f"autoscaling/{version}"
        assert client.call("POST", path, hpa(name="x", version="v3")).status == 400
