"""Deleting: grace periods, finalizers, propagation, preconditions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.kit import MERGE, PODS, SETS, Client, drain, pod, replica_set


def bound(client: Client, name: str = "a", **metadata: Any) -> dict[str, Any]:
    client.ok("POST", PODS, pod(name, **metadata))
    client.ok("POST", f"{PODS}/{name}/binding", {"metadata": {"name": name}, "target": {"kind": "Node", "name": "n1"}})
    return client.ok("GET", f"{PODS}/{name}")


def test_a_scheduled_pod_stays_until_its_kubelet_deletes_it(client: Client) -> None:
    before = bound(client)
    client.advance(10)
    marked = client.ok("DELETE", f"{PODS}/a")
    assert marked["metadata"]["deletionTimestamp"] == "2000-01-01T00:00:40Z"
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 30
    assert marked["metadata"]["generation"] == before["metadata"]["generation"] + 1
    version = client.server.resource_version
    again = client.ok("DELETE", f"{PODS}/a")
    assert again == marked
    assert client.server.resource_version == version
    client.ok("DELETE", f"{PODS}/a", {"gracePeriodSeconds": 0})
    assert client.call("GET", f"{PODS}/a").status == 404


def test_a_grace_period_can_only_be_shortened(client: Client) -> None:
    bound(client)
    client.ok("DELETE", f"{PODS}/a")
    assert client.ok("DELETE", f"{PODS}/a", {"gracePeriodSeconds": 60})["metadata"]["deletionGracePeriodSeconds"] == 30
    shorter = client.ok("DELETE", f"{PODS}/a", gracePeriodSeconds="5")
    assert shorter["metadata"]["deletionTimestamp"] == "2000-01-01T00:00:05Z"
    client.advance(60)
    shortest = client.ok("DELETE", f"{PODS}/a", {"gracePeriodSeconds": 2})["metadata"]
    assert (shortest["deletionTimestamp"], shortest["deletionGracePeriodSeconds"]) == ("2000-01-01T00:01:00Z", 1)


def test_an_unscheduled_pod_is_marked_and_goes_at_once(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    watch = client.watch(PODS, resourceVersion=str(client.server.resource_version))
    client.ok("DELETE", f"{PODS}/a")
    assert drain(watch) == [("MODIFIED", "a"), ("DELETED", "a")]


def test_a_terminal_pod_goes_at_once(client: Client) -> None:
    current = bound(client)
    client.ok("PUT", f"{PODS}/a/status", {**current, "status": {**current["status"], "phase": "Succeeded"}})
    client.ok("DELETE", f"{PODS}/a")
    assert client.server.find("pods", "default", "a") is None


def test_finalizers_hold_an_object_until_the_last_is_gone(client: Client) -> None:
    body = {**replica_set(), "metadata": {"name": "web", "finalizers": ["x/one", "x/two"]}}
    client.ok("POST", SETS, body)
    client.advance(3)
    marked = client.ok("DELETE", f"{SETS}/web")
    assert marked["metadata"]["deletionTimestamp"] == "2000-01-01T00:00:03Z"
    assert (marked["metadata"]["deletionGracePeriodSeconds"], marked["metadata"]["generation"]) == (0, 2)
    refused = client.call("PATCH", f"{SETS}/web", {"metadata": {"finalizers": ["x/one", "x/two", "x/new"]}}, MERGE)
    assert (
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new "
        'finalizers []string{"x/new"}'
    ) in refused.body["message"]
    undone = client.ok(
        "PATCH", f"{SETS}/web", {"metadata": {"deletionTimestamp": None, "finalizers": ["x/two"]}}, MERGE
    )
    assert undone["metadata"]["deletionTimestamp"] == "2000-01-01T00:00:03Z"
    watch = client.watch(SETS, resourceVersion=str(client.server.resource_version))
    client.ok("PATCH", f"{SETS}/web", {"metadata": {"finalizers": None}}, MERGE)
    assert drain(watch) == [("DELETED", "web")]


def test_a_pod_with_a_finalizer_outlives_its_grace_period(client: Client) -> None:
    bound(client, finalizers=["x/one"])
    client.ok("DELETE", f"{PODS}/a", {"gracePeriodSeconds": 0})
    assert client.ok("GET", f"{PODS}/a")["metadata"]["deletionGracePeriodSeconds"] == 0
    client.ok("PATCH", f"{PODS}/a", {"metadata": {"finalizers": []}}, MERGE)
    assert client.call("GET", f"{PODS}/a").status == 404


@pytest.mark.parametrize(
    ("options", "finalizers"),
    [
        ({"propagationPolicy": "Foreground"}, ["foregroundDeletion"]),
        ({"propagationPolicy": "Orphan"}, ["orphan"]),
        ({"orphanDependents": True}, ["orphan"]),
    ],
)
def test_propagation_policies_become_finalizers(client: Client, options: dict[str, Any], finalizers: list[str]) -> None:
    client.ok("POST", SETS, replica_set())
    assert client.ok("DELETE", f"{SETS}/web", options)["metadata"]["finalizers"] == finalizers
    assert client.ok("DELETE", f"{SETS}/web")["metadata"]["finalizers"] == finalizers
    client.ok("DELETE", f"{SETS}/web", {"propagationPolicy": "Background"})
    assert client.call("GET", f"{SETS}/web").status == 404


def test_background_is_the_default_and_answers_with_a_status(client: Client) -> None:
    uid = client.ok("POST", SETS, replica_set())["metadata"]["uid"]
    assert client.ok("DELETE", f"{SETS}/web") == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "web", "group": "apps", "kind": "replicasets", "uid": uid},
    }


def test_replication_controllers_orphan_by_default(client: Client) -> None:
    path = "/api/v1/namespaces/default/replicationcontrollers"
    body = replica_set()
    body = {"metadata": {"name": "rc"}, "spec": {"template": body["spec"]["template"]}}
    created = client.ok("POST", path, body)
    assert (created["spec"]["selector"], created["spec"]["replicas"]) == ({"app": "web"}, 1)
    assert client.ok("DELETE", f"{path}/rc")["metadata"]["finalizers"] == ["orphan"]


def test_preconditions(client: Client) -> None:
    created = client.ok("POST", SETS, replica_set())["metadata"]
    reply = client.call("DELETE", f"{SETS}/web", {"preconditions": {"uid": "other"}})
    assert (reply.status, reply.body["reason"]) == (409, "Conflict")
    assert "the UID in the precondition (other) does not match the UID in record" in reply.body["message"]
    assert client.call("DELETE", f"{SETS}/web", {"preconditions": {"resourceVersion": "1"}}).status == 409
    client.ok(
        "DELETE",
        f"{SETS}/web",
        {"preconditions": {"uid": created["uid"], "resourceVersion": created["resourceVersion"]}},
    )


def test_bad_options_are_invalid(client: Client) -> None:
    client.ok("POST", SETS, replica_set())
    reply = client.call("DELETE", f"{SETS}/web", {"propagationPolicy": "Sideways"})
    assert (reply.status, "propagationPolicy: Unsupported value" in reply.body["message"]) == (422, True)
    reply = client.call("DELETE", f"{SETS}/web", {"propagationPolicy": "Orphan", "orphanDependents": True})
    assert "orphanDependents and deletionPropagation cannot be both set" in reply.body["message"]


def test_deletecollection_deletes_what_the_query_selects(client: Client) -> None:
    for name in "abc":
        client.ok("POST", PODS, pod(name, labels={"keep": str(name == "b").lower()}))
    client.ok("DELETE", PODS, labelSelector="keep=false")
    assert [item["metadata"]["name"] for item in client.server.objects("pods")] == ["b"]
    assert client.writes[-1].verb == "deletecollection"


def test_deleting_what_is_not_there(client: Client) -> None:
    reply = client.call("DELETE", f"{PODS}/a")
    assert (reply.status, reply.body["message"]) == (404, 'pods "a" not found')
    assert reply.body["details"] == {"name": "a", "kind": "pods"}
