"""Autoscalers: defaults, the form in which they are stored, status, gates, patches."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.apiserver import ApiServer
from tests.apiserver.hpa_kit import V2, hpa, metric, resource
from tests.apiserver.kit import JSON_PATCH, MERGE, STRATEGIC, Client, drain

CPU = resource(averageUtilization=80)
UP = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
}
DOWN = {"selectPolicy": "Max", "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}
SLOW = {"type": "Pods", "value": 1, "periodSeconds": 60}


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({}, {"minReplicas": 1, "metrics": [CPU]}),
        ({"metrics": []}, {"metrics": [CPU]}),
        ({"minReplicas": None, "metrics": None}, {"minReplicas": 1, "metrics": [CPU]}),
        ({"minReplicas": 3}, {"minReplicas": 3}),
        ({"behavior": {}}, {"behavior": {"scaleUp": UP, "scaleDown": DOWN}}),
        ({"behavior": {"scaleUp": {}, "scaleDown": None}}, {"behavior": {"scaleUp": UP, "scaleDown": DOWN}}),
        (
            {"behavior": {"scaleUp": {"stabilizationWindowSeconds": 60}}},
            {"behavior": {"scaleUp": {**UP, "stabilizationWindowSeconds": 60}, "scaleDown": DOWN}},
        ),
        (
            {"behavior": {"scaleUp": {"policies": [SLOW]}, "scaleDown": {"selectPolicy": "Disabled"}}},
            {"behavior": {"scaleUp": {**UP, "policies": [SLOW]}, "scaleDown": {**DOWN, "selectPolicy": "Disabled"}}},
        ),
        (
            {"behavior": {"scaleDown": {"tolerance": "0.05", "stabilizationWindowSeconds": 0}}},
            {
                "behavior": {
                    "scaleUp": UP,
                    "scaleDown": {**DOWN, "tolerance": "50m", "stabilizationWindowSeconds": 0},
                }
            },
        ),
        ({"metrics": [resource(averageValue="0.5")]}, {"metrics": [resource(averageValue="500m")]}),
        ({"metrics": [resource(averageValue=2)]}, {"metrics": [resource(averageValue="2")]}),
        (
            {"metrics": [resource("memory", averageValue="1024Mi")]},
            {"metrics": [resource("memory", averageValue="1Gi")]},
        ),
    ],
)
def test_defaults_and_canonical_form(client: Client, sent: dict[str, Any], stored: dict[str, Any]) -> None:
    spec = client.ok("POST", V2, hpa(sent))["spec"]
    assert {key: spec.get(key) for key in stored} == stored
    assert set(spec) <= {"scaleTargetRef", "minReplicas", "maxReplicas", "metrics", "behavior"}


def test_what_a_fresh_autoscaler_looks_like(client: Client) -> None:
    sent = {**hpa({"extra": 1}, generation=7), "status": {"desiredReplicas": 9}, "more": True}
    created = client.ok("POST", V2, sent)
    assert created["status"] == {"desiredReplicas": 0, "currentMetrics": None}
    assert "extra" not in created["spec"]
    assert "more" not in created
    assert created["metadata"]["generation"] == 7  # upstream's strategy neither sets nor counts it
    changed = client.ok("PATCH", f"{V2}/web", {"spec": {"maxReplicas": 9}}, MERGE)
    assert (changed["metadata"]["generation"], changed["spec"]["maxReplicas"]) == (7, 9)


def test_a_status_is_encoded_as_go_encodes_it(client: Client) -> None:
    created = client.ok("POST", V2, hpa())
    current = {
        "type": "Resource",
        "resource": {"name": "cpu", "current": {"averageUtilization": 0, "averageValue": "0"}},
    }
    condition = {"type": "AbleToScale", "status": "True", "reason": "", "lastTransitionTime": None}
    status = {
        "observedGeneration": 0,
        "lastScaleTime": "2000-01-01T02:00:00.9+01:00",
        "currentReplicas": 0,
        "desiredReplicas": 0,
        "currentMetrics": [current],
        "conditions": [condition],
    }
    written = client.ok("PUT", f"{V2}/web/status", {**created, "status": status})
    assert written["status"] == {
        "observedGeneration": 0,
        "lastScaleTime": "2000-01-01T01:00:00Z",
        "desiredReplicas": 0,
        "currentMetrics": [current],
        "conditions": [{"type": "AbleToScale", "status": "True", "lastTransitionTime": None}],
    }
    empty = {"currentReplicas": 3, "desiredReplicas": 3, "currentMetrics": [], "conditions": []}
    written = client.ok("PUT", f"{V2}/web/status", {**written, "status": empty})
    assert written["status"] == {"currentReplicas": 3, "desiredReplicas": 3, "currentMetrics": None}


def test_spec_and_status_are_kept_apart(client: Client) -> None:
    created = client.ok("POST", V2, hpa())
    both = {**created, "spec": {**created["spec"], "maxReplicas": 8}, "status": {"desiredReplicas": 2}}
    after = client.ok("PUT", f"{V2}/web/status", both)
    assert (after["spec"]["maxReplicas"], after["status"]["desiredReplicas"]) == (5, 2)
    both = {**after, "spec": {**created["spec"], "maxReplicas": 8}, "status": {"desiredReplicas": 4}}
    after = client.ok("PUT", f"{V2}/web", both)
    assert (after["spec"]["maxReplicas"], after["status"]["desiredReplicas"]) == (8, 2)


def test_a_negative_status_is_refused(client: Client) -> None:
    created = client.ok("POST", V2, hpa())
    body = {**created, "status": {"currentReplicas": -1, "desiredReplicas": -2}}
    reply = client.call("PUT", f"{V2}/web/status", body)
    assert (reply.status, [cause["message"] for cause in reply.body["details"]["causes"]]) == (
        422,
        [f"Invalid value: {count}: must be greater than or equal to 0" for count in (-1, -2)],
    )


def test_a_status_that_says_the_same_is_no_write(client: Client) -> None:
    created = client.ok("POST", V2, hpa({"behavior": {"scaleUp": {"selectPolicy": "Min"}}}))
    watch = client.watch(V2, resourceVersion=str(client.server.resource_version))
    sparse = {**created, "status": {"currentReplicas": 0, "conditions": []}}
    assert client.ok("PUT", f"{V2}/web/status", sparse)["metadata"] == created["metadata"]
    assert client.ok("PUT", f"{V2}/web", created)["metadata"] == created["metadata"]
    assert drain(watch) == []


def test_a_put_needs_the_name_and_no_version(client: Client) -> None:
    created = client.ok("POST", V2, hpa())
    assert client.ok("PUT", f"{V2}/web", hpa({"maxReplicas": 6}))["spec"]["maxReplicas"] == 6
    nameless = {**created, "metadata": {}}
    assert client.call("PUT", f"{V2}/web", nameless).body["message"] == (
        "the name of the object (web based on URL) was undeterminable: name must be provided"
    )
    assert client.call("PUT", f"{V2}/web", created).status == 409
    assert client.call("PUT", f"{V2}/other", hpa(name="other")).status == 404


def test_patches_are_defaulted_and_judged(client: Client) -> None:
    client.ok("POST", V2, hpa({"behavior": {"scaleUp": {"policies": [SLOW]}}}))
    after = client.ok("PATCH", f"{V2}/web", {"spec": {"behavior": {"scaleUp": {"policies": None}}}}, MERGE)
    assert after["spec"]["behavior"]["scaleUp"] == UP
    after = client.ok("PATCH", f"{V2}/web", {"spec": {"minReplicas": None, "metrics": None}}, STRATEGIC)
    assert (after["spec"]["minReplicas"], after["spec"]["metrics"]) == (1, [CPU])
    operations = [{"op": "replace", "path": "/spec/maxReplicas", "value": 0}]
    assert client.call("PATCH", f"{V2}/web", operations, JSON_PATCH).status == 422
    conditions = [{"type": "AbleToScale", "status": "True"}, {"type": "ScalingActive", "status": "True"}]
    client.ok("PATCH", f"{V2}/web/status", {"status": {"conditions": conditions[:1]}}, STRATEGIC)
    after = client.ok("PATCH", f"{V2}/web/status", {"status": {"conditions": conditions[1:]}}, STRATEGIC)
    assert {one["type"] for one in after["status"]["conditions"]} == {"AbleToScale", "ScalingActive"}


def _tolerances(autoscaler: dict[str, Any]) -> dict[str, str]:
    behavior = autoscaler["spec"]["behavior"]
    return {side: rules["tolerance"] for side, rules in behavior.items() if "tolerance" in rules}


def test_tolerance_is_dropped_without_its_gate_unless_it_was_there() -> None:
    client = Client()
    client.server = ApiServer(lambda: 0, feature_gates={"HPAConfigurableTolerance": False})
    body = hpa({"behavior": {"scaleUp": {"tolerance": "100m"}, "scaleDown": {}}})
    assert _tolerances(client.ok("POST", V2, body)) == {}
    client.server.state.feature_gates["HPAConfigurableTolerance"] = True
    assert _tolerances(client.ok("PUT", f"{V2}/web", body)) == {"scaleUp": "100m"}
    client.server.state.feature_gates["HPAConfigurableTolerance"] = False
    body["spec"]["behavior"]["scaleDown"] = {"tolerance": "0"}
    assert _tolerances(client.ok("PUT", f"{V2}/web", body)) == {"scaleUp": "100m", "scaleDown": "0"}


def test_an_invalid_metric_that_is_there_does_not_stop_updates(client: Client) -> None:
    """Upstream lets an apiVersion of a described object pass that it once let in."""
    described = {"apiVersion": "v1", "kind": "Service", "name": "front"}
    target = {"type": "Value", "value": "1"}
    body = hpa({"metrics": [metric("Object", metric={"name": "qps"}, describedObject=described, target=target)]})
    created = client.ok("POST", V2, body)
    stored = client.server.find("horizontalpodautoscalers.autoscaling", "default", "web")
    assert stored is not None
    stored["spec"]["metrics"][0]["object"]["describedObject"]["apiVersion"] = "a/b/c"  # as an older server stored it
    changed = {**created, "spec": {**stored["spec"], "maxReplicas": 6}}
    assert client.ok("PUT", f"{V2}/web", changed)["spec"]["maxReplicas"] == 6
