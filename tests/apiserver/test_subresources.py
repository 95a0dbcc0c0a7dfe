"""Scale, binding, eviction, resize."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.kit import MERGE, PODS, SETS, Client, pod, replica_set

BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"


def test_scale_reads_and_writes_replicas(client: Client) -> None:
    selector = {
        "matchLabels": {"app": "web"},
        "matchExpressions": [
            {"key": "app", "operator": "In", "values": ["web", "api"]},
            {"key": "zone", "operator": "DoesNotExist"},
        ],
    }
    client.ok("POST", SETS, replica_set(selector=selector))
    scale = client.ok("GET", f"{SETS}/web/scale")
    assert (scale["kind"], scale["spec"], scale["status"]) == (
        "Scale",
        {"replicas": 2},
        {"replicas": 0, "selector": "app=web,app in (api,web),!zone"},
    )
    client.ok("PUT", f"{SETS}/web/scale", {"metadata": {"name": "web"}, "spec": {"replicas": 4}})
    client.ok("PATCH", f"{SETS}/web/scale", {"spec": {"replicas": 6}}, MERGE)
    current = client.ok("GET", f"{SETS}/web")
    assert (current["spec"]["replicas"], current["metadata"]["generation"]) == (6, 3)
    negative = client.call("PUT", f"{SETS}/web/scale", {"metadata": {"name": "web"}, "spec": {"replicas": -1}})
    assert (negative.status, negative.body["details"]["kind"]) == (422, "Scale")
    write = client.writes[-2]
    assert (write.subresource, write.before["spec"]["replicas"], write.after["spec"]["replicas"]) == ("scale", 4, 6)


def test_binding_schedules_a_pod_once(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    body = {"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n1"}}
    client.ok("POST", f"{PODS}/a/binding", body)
    current = client.ok("GET", f"{PODS}/a")
    assert (current["spec"]["nodeName"], current["metadata"]["generation"]) == ("n1", 1)
    assert current["status"]["conditions"] == [
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2000-01-01T00:00:00Z"}
    ]
    stranger = {**body, "metadata": {"name": "a", "uid": "other"}}
    assert client.call("POST", f"{PODS}/a/binding", stranger).status == 409
    reply = client.call("POST", f"{PODS}/a/binding", body)
    assert (reply.status, reply.body["reason"]) == (409, "Conflict")
    assert 'pod a is already assigned to node "n1"' in reply.body["message"]


def evictable(client: Client, budget: dict[str, Any] | None) -> None:
    created = client.ok("POST", PODS, pod("a"))
    conditions = [{"type": "Ready", "status": "True"}]
    client.ok(
        "PUT",
        f"{PODS}/a/status",
        {**created, "status": {**created["status"], "phase": "Running", "conditions": conditions}},
    )
    if budget is not None:
        made = client.ok(
            "POST",
            BUDGETS,
            {"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}},
        )
        client.ok("PUT", f"{BUDGETS}/b/status", {**made, "status": {"observedGeneration": 1, **budget}})


EVICTION = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a", "namespace": "default"}}


@pytest.mark.parametrize(
    ("budget", "cause"),
    [
        (
            {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1},
            "The disruption budget b needs 1 healthy pods and has 1 currently",
        ),
        (
            {"observedGeneration": 0, "disruptionsAllowed": 1},
            "The disruption budget b is still being processed by the server.",
        ),
    ],
)
def test_an_eviction_that_a_budget_forbids(client: Client, budget: dict[str, Any], cause: str) -> None:
    evictable(client, budget)
    reply = client.call("POST", f"{PODS}/a/eviction", EVICTION)
    assert (reply.status, reply.body["reason"]) == (429, "TooManyRequests")
    assert reply.body["message"] == "Cannot evict pod as it would violate the pod's disruption budget."
    assert reply.body["details"]["causes"] == [{"reason": "DisruptionBudget", "message": cause}]
    assert client.server.find("pods", "default", "a") is not None


def test_an_eviction_uses_the_budget_up(client: Client) -> None:
    evictable(client, {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1})
    reply = client.call("POST", f"{PODS}/a/eviction", EVICTION)
    assert (reply.status, reply.body["status"]) == (201, "Success")
    status = client.ok("GET", f"{BUDGETS}/b")["status"]
    assert (status["disruptionsAllowed"], list(status["disruptedPods"])) == (0, ["a"])
    assert client.server.find("pods", "default", "a") is None
    assert (client.writes[-1].subresource, client.writes[-1].before["metadata"]["name"]) == ("eviction", "a")


def test_without_a_budget_an_eviction_is_a_deletion(client: Client) -> None:
    evictable(client, None)
    client.ok("POST", f"{PODS}/a/eviction", EVICTION)
    assert client.server.find("pods", "default", "a") is None
    assert client.call("POST", f"{PODS}/a/eviction", EVICTION).status == 404
