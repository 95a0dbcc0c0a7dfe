"""Quotas and limit ranges."""

from __future__ import annotations

from typing import Any

from tests.apiserver.kit import MERGE, PODS, SETS, Client, pod, replica_set

QUOTAS = "/api/v1/namespaces/default/resourcequotas"
RANGES = "/api/v1/namespaces/default/limitranges"


def quota(client: Client, name: str = "q", **hard: str) -> None:
    client.ok("POST", QUOTAS, {"metadata": {"name": name}, "spec": {"hard": hard}})


def used(client: Client, name: str = "q") -> dict[str, str]:
    status: dict[str, Any] = client.ok("GET", f"{QUOTAS}/{name}")["status"]
    return dict(status["used"])


def asking(name: str, **requests: str) -> dict[str, Any]:
    body = pod(name)
    body["spec"]["containers"][0]["resources"] = {"requests": requests}
    return body


def test_a_quota_counts_pods_and_refuses_one_too_many(client: Client) -> None:
    client.ok("POST", PODS, pod("old"))
    quota(client, pods="2")
    assert used(client) == {"pods": "1"}
    client.ok("POST", PODS, pod("new"))
    reply = client.call("POST", PODS, pod())
    name = reply.body["details"]["name"]
    assert (reply.status, reply.body["reason"], len(name)) == (403, "Forbidden", len("web-") + 5)
    assert reply.body["message"] == (
        f'pods "{name}" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2'
    )
    client.ok("DELETE", f"{PODS}/old")
    assert used(client) == {"pods": "1"}
    client.ok("POST", PODS, pod())
    current = client.ok("GET", f"{PODS}/new")
    client.ok("PUT", f"{PODS}/new/status", {**current, "status": {**current["status"], "phase": "Failed"}})
    assert used(client) == {"pods": "1"}


def test_counts_of_objects(client: Client) -> None:
    quota(client, **{"count/replicasets.apps": "1", "count/pods": "1"})
    client.ok("POST", SETS, replica_set())
    reply = client.call("POST", SETS, replica_set("two"))
    assert reply.body["message"] == (
        'replicasets.apps "two" is forbidden: exceeded quota: q, requested: count/replicasets.apps=1, used: '
        "count/replicasets.apps=1, limited: count/replicasets.apps=1"
    )
    client.ok("DELETE", f"{SETS}/web")
    assert used(client) == {"count/pods": "0", "count/replicasets.apps": "0"}


def test_compute_resources(client: Client) -> None:
    quota(client, **{"requests.cpu": "1", "requests.memory": "1Gi"})
    missing = client.call("POST", PODS, pod("a"))
    assert missing.body["message"] == (
        'pods "a" is forbidden: failed quota: q: must specify requests.cpu for: web; requests.memory for: web'
    )
    client.ok("POST", PODS, asking("a", cpu="600m", memory="512Mi"))
    assert used(client) == {"requests.cpu": "600m", "requests.memory": "512Mi"}
    reply = client.call("POST", PODS, asking("b", cpu="500m", memory="1Mi"))
    assert reply.body["message"] == (
        'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: '
        "requests.cpu=1"
    )


def test_a_changed_quota_applies_at_once(client: Client) -> None:
    quota(client, pods="1")
    client.ok("POST", PODS, pod("a"))
    assert client.call("POST", PODS, pod("b")).status == 403
    client.ok("PATCH", f"{QUOTAS}/q", {"spec": {"hard": {"pods": "2"}}}, MERGE)
    client.ok("POST", PODS, pod("b"))
    client.ok("DELETE", f"{QUOTAS}/q")
    client.ok("POST", PODS, pod("c"))


def test_a_limit_range_fills_in_and_refuses(client: Client) -> None:
    client.ok(
        "POST",
        RANGES,
        {
            "metadata": {"name": "l"},
            "spec": {
                "limits": [
                    {
                        "type": "Container",
                        "default": {"cpu": "500m"},
                        "defaultRequest": {"cpu": "250m"},
                        "max": {"cpu": "1"},
                    }
                ]
            },
        },
    )
    created = client.ok("POST", PODS, pod("a"))
    assert created["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "500m"}, "requests": {"cpu": "250m"}}
    assert created["metadata"]["annotations"]["kubernetes.io/limit-ranger"] == (
        "LimitRanger plugin set: cpu request for container web; cpu limit for container web"
    )
    body = pod("b")
    body["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "2"}}
    reply = client.call("POST", PODS, body)
    assert reply.body["message"] == ('pods "b" is forbidden: maximum cpu usage per Container is 1, but limit is 2')
