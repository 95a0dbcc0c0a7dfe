"""PodDisruptionBudgets: validation, and the eviction endpoint's arithmetic."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep import objects
from tests.apiserver.kit import PODS, Client, pod

BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
EVICTION = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a", "namespace": "default"}}
READY = [{"type": "Ready", "status": "True"}]


def running(client: Client, phase: str = "Running", conditions: Any = READY) -> dict[str, Any]:
    made = client.ok("POST", PODS, pod("a"))
    status = {**made["status"], "phase": phase, "conditions": conditions}
    return client.ok("PUT", f"{PODS}/a/status", {**made, "status": status})


def budget(client: Client, name: str = "web", spec: dict[str, Any] | None = None, **status: Any) -> None:
    made = client.ok("POST", BUDGETS, objects.pdb(name, selector={"matchLabels": {"app": "web"}}, **(spec or {})))
    client.ok("PUT", f"{BUDGETS}/{name}/status", {**made, "status": {"observedGeneration": 1, **status}})


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({"min_available": -1}, "spec.minAvailable", "Invalid value: -1: must be greater than or equal to 0"),
        ({"max_unavailable": "101%"}, "spec.maxUnavailable", 'Invalid value: "101%": must not be greater than 100%'),
        (
            {"max_unavailable": "half"},
            "spec.maxUnavailable",
            (
                "Invalid value: \"half\": a valid percent string must be a numeric string followed by an ending '%' "
                "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
            ),
        ),
        (
            {"unhealthyPodEvictionPolicy": "Never"},
            "spec.unhealthyPodEvictionPolicy",
            'Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
        ),
        (
            {"min_available": 1, "max_unavailable": 1, "selector": {}},
            "spec",
            (
                'Invalid value: {"MinAvailable":1,"Selector":{},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: '
                "minAvailable and maxUnavailable cannot be both set"
            ),
        ),
    ],
)
def test_what_a_budget_must_look_like(client: Client, spec: dict[str, Any], field: str, message: str) -> None:
    reply = client.call("POST", BUDGETS, objects.pdb(**spec))
    assert reply.status == 422
    assert [(one["field"], one["message"]) for one in reply.body["details"]["causes"]] == [(field, message)]


def test_one_budget_too_many(client: Client) -> None:
    running(client)
    budget(client, "one", disruptionsAllowed=1)
    budget(client, "two", disruptionsAllowed=1)
    reply = client.call("POST", f"{PODS}/a/eviction", EVICTION)
    assert (reply.status, reply.body["message"]) == (
        500,
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    )


@pytest.mark.parametrize(
    ("policy", "status", "code"),
    [
        (None, {"currentHealthy": 1, "desiredHealthy": 1}, 201),
        (None, {"currentHealthy": 0, "desiredHealthy": 1}, 429),
        (None, {"currentHealthy": 0, "desiredHealthy": 0}, 429),
        ("AlwaysAllow", {"currentHealthy": 0, "desiredHealthy": 1}, 201),
    ],
)
def test_pods_that_are_not_ready(client: Client, policy: str | None, status: dict[str, Any], code: int) -> None:
    running(client, conditions=[])
    budget(client, spec={"unhealthyPodEvictionPolicy": policy} if policy else None, disruptionsAllowed=0, **status)
    assert client.call("POST", f"{PODS}/a/eviction", EVICTION).status == code


@pytest.mark.parametrize("phase", ["Pending", "Succeeded", "Failed"])
def test_pods_that_no_budget_protects(client: Client, phase: str) -> None:
    running(client, phase)
    budget(client, disruptionsAllowed=0, currentHealthy=0, desiredHealthy=1)
    assert client.call("POST", f"{PODS}/a/eviction", EVICTION).status == 201


def test_the_last_disruption_is_noted(client: Client) -> None:
    running(client)
    budget(client, disruptionsAllowed=1, currentHealthy=2, desiredHealthy=1)
    client.advance(7)
    client.ok("POST", f"{PODS}/a/eviction", EVICTION)
    status = client.ok("GET", f"{BUDGETS}/web")["status"]
    assert status["disruptedPods"] == {"a": "2000-01-01T00:00:07Z"}
    assert status["conditions"] == [
        {
            "type": "DisruptionAllowed",
            "status": "False",
            "observedGeneration": 1,
            "lastTransitionTime": "2000-01-01T00:00:07Z",
            "reason": "InsufficientPods",
            "message": "",
        }
    ]


def test_clients_are_told_when_to_retry(client: Client) -> None:
    running(client)
    budget(client, disruptionsAllowed=1, observedGeneration=0)
    assert client.call("POST", f"{PODS}/a/eviction", EVICTION).headers["Retry-After"] == "10"
    client.ok("DELETE", f"{BUDGETS}/web")
    budget(client, disruptionsAllowed=0, currentHealthy=1, desiredHealthy=1)
    assert "Retry-After" not in client.call("POST", f"{PODS}/a/eviction", EVICTION).headers


@pytest.mark.parametrize(
    ("preconditions", "text"),
    [
        ({"uid": "other"}, "the UID in the precondition (other) does not match the UID in record ("),
        ({"resourceVersion": "1"}, "the ResourceVersion in the precondition (1) does not match the ResourceVersion in"),
    ],
)
def test_an_eviction_of_another_pod(client: Client, preconditions: dict[str, str], text: str) -> None:
    running(client)
    reply = client.call("POST", f"{PODS}/a/eviction", {**EVICTION, "deleteOptions": {"preconditions": preconditions}})
    assert reply.status == 409
    assert f'Operation cannot be fulfilled on Pod "a": {text}' in reply.body["message"]
    assert client.ok("GET", f"{PODS}/a")["status"]["conditions"] == READY
