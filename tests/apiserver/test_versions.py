"""Resource versions: one counter, 409 on stale writes through every path, nothing for a write without effect."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.kit import MERGE, PODS, SETS, STRATEGIC, Client, drain, pod, replica_set


def test_one_counter_serves_all_kinds(client: Client) -> None:
    first = int(client.ok("POST", PODS, pod("a"))["metadata"]["resourceVersion"])
    second = int(client.ok("POST", SETS, replica_set())["metadata"]["resourceVersion"])
    assert second == first + 1 == client.server.resource_version


@pytest.mark.parametrize("subresource", ["", "/status", "/scale"])
def test_a_stale_put_conflicts_through_every_path(client: Client, subresource: str) -> None:
    created = client.ok("POST", SETS, replica_set())
    stale = client.ok("GET", f"{SETS}/web{subresource}")
    client.ok("PATCH", f"{SETS}/web", {"metadata": {"labels": {"x": "1"}}}, MERGE)
    reply = client.call("PUT", f"{SETS}/web{subresource}", stale)
    assert created["metadata"]["uid"] == stale["metadata"]["uid"]
    assert (reply.status, reply.body["reason"]) == (409, "Conflict")
    assert reply.body["message"] == (
        'Operation cannot be fulfilled on replicasets.apps "web": the object has been modified; please apply your '
        "changes to the latest version and try again"
    )
    assert reply.body["details"] == {"name": "web", "group": "apps", "kind": "replicasets"}


@pytest.mark.parametrize("media", [MERGE, STRATEGIC])
def test_a_patch_conflicts_only_if_it_names_a_version(client: Client, media: str) -> None:
    version = client.ok("POST", PODS, pod("a"))["metadata"]["resourceVersion"]
    client.ok("PATCH", f"{PODS}/a", {"metadata": {"labels": {"x": "1"}}}, media)
    client.ok("PATCH", f"{PODS}/a", {"metadata": {"labels": {"x": "2"}}}, media)
    body = {"metadata": {"labels": {"x": "3"}, "resourceVersion": version}}
    assert client.call("PATCH", f"{PODS}/a", body, media).status == 409


def test_a_put_without_version_replaces_where_upstream_allows_it(client: Client) -> None:
    client.ok("POST", SETS, replica_set())
    client.ok("PUT", f"{SETS}/web", replica_set(replicas=5))
    leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    client.ok("POST", leases, {"metadata": {"name": "l"}, "spec": {}})
    reply = client.call("PUT", f"{leases}/l", {"metadata": {"name": "l"}, "spec": {"holderIdentity": "x"}})
    assert reply.status == 422
    assert "metadata.resourceVersion: Invalid value: 0: must be specified for an update" in reply.body["message"]


@pytest.mark.parametrize("verb", ["put", "status", "merge", "strategic", "scale"])
def test_a_write_without_effect_has_no_version_and_no_event(client: Client, verb: str) -> None:
    client.ok("POST", SETS, replica_set())
    watch = client.watch(SETS, resourceVersion=str(client.server.resource_version))
    current = client.ok("GET", f"{SETS}/web")
    requests: dict[str, tuple[Any, ...]] = {
        "put": ("PUT", f"{SETS}/web", current),
        "status": ("PUT", f"{SETS}/web/status", {**current, "status": {"replicas": 0, "readyReplicas": 0}}),
        "merge": ("PATCH", f"{SETS}/web", {"spec": {"replicas": 2}}, MERGE),
        "strategic": (
            "PATCH",
            f"{SETS}/web",
            {"metadata": {"ownerReferences": [{"$patch": "delete", "uid": "x"}]}},
            STRATEGIC,
        ),
        "scale": ("PUT", f"{SETS}/web/scale", client.ok("GET", f"{SETS}/web/scale")),
    }
    after = client.ok(*requests[verb])
    assert after["metadata"]["resourceVersion"] == current["metadata"]["resourceVersion"]
    assert drain(watch) == []


def test_generation_counts_changes_of_the_spec_only(client: Client) -> None:
    created = client.ok("POST", SETS, replica_set())
    assert created["metadata"]["generation"] == 1
    labelled = client.ok("PATCH", f"{SETS}/web", {"metadata": {"labels": {"x": "1"}}}, MERGE)
    assert labelled["metadata"]["generation"] == 1
    status = client.ok("PUT", f"{SETS}/web/status", {**labelled, "status": {"replicas": 1}})
    assert status["metadata"]["generation"] == 1
    scaled = client.ok("PATCH", f"{SETS}/web", {"spec": {"replicas": 9}}, MERGE)
    assert scaled["metadata"]["generation"] == 2
    explicit_zero = client.ok("PATCH", f"{SETS}/web", {"spec": {"minReadySeconds": 0}}, MERGE)
    assert explicit_zero["metadata"]["generation"] == 2


def test_status_and_spec_are_kept_apart(client: Client) -> None:
    created = client.ok("POST", SETS, {**replica_set(), "status": {"replicas": 7}})
    assert created["status"] == {"replicas": 0}
    body = {**created, "spec": {**created["spec"], "replicas": 9}, "status": {"replicas": 1}}
    via_status = client.ok("PUT", f"{SETS}/web/status", body)
    assert (via_status["spec"]["replicas"], via_status["status"]) == (2, {"replicas": 1})
    via_spec = client.ok("PATCH", f"{SETS}/web", {"spec": {"replicas": 3}, "status": {"replicas": 8}}, MERGE)
    assert (via_spec["spec"]["replicas"], via_spec["status"]) == (3, {"replicas": 1})


def test_zero_counts_of_a_status_are_left_out_as_go_leaves_them_out(client: Client) -> None:
    created = client.ok("POST", SETS, replica_set())
    status = {"replicas": 0, "readyReplicas": 0, "terminatingReplicas": 0, "observedGeneration": 1, "conditions": []}
    written = client.ok("PUT", f"{SETS}/web/status", {**created, "status": status})
    assert written["status"] == {"replicas": 0, "terminatingReplicas": 0, "observedGeneration": 1}


def test_a_put_with_another_uid_fails_its_precondition(client: Client) -> None:
    created = client.ok("POST", PODS, pod("a"))
    body = {**created, "metadata": {**created["metadata"], "uid": "other"}}
    reply = client.call("PUT", f"{PODS}/a", body)
    assert (reply.status, reply.body["reason"]) == (409, "Conflict")
    assert "Precondition failed: UID in precondition: other, UID in object meta: 00000000-" in reply.body["message"]


def test_a_patch_with_another_uid_is_invalid(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    body = {"metadata": {"uid": "other", "ownerReferences": [{"$patch": "delete", "uid": "x"}]}}
    reply = client.call("PATCH", f"{PODS}/a", body, STRATEGIC)
    assert (reply.status, reply.body["reason"]) == (422, "Invalid")
    assert reply.body["message"] == 'Pod "a" is invalid: metadata.uid: Invalid value: "other": field is immutable'


def test_stored_objects_are_never_changed(client: Client) -> None:
    body = replica_set()
    before = client.ok("POST", SETS, body)
    copy = {**before, "metadata": dict(before["metadata"])}
    body["spec"]["replicas"] = 99
    body["spec"]["template"]["metadata"]["labels"]["app"] = "changed"
    client.ok("PATCH", f"{SETS}/web", {"metadata": {"labels": {"x": "1"}}, "spec": {"replicas": 4}}, STRATEGIC)
    client.ok("DELETE", f"{SETS}/web")
    assert before == copy
    assert before["spec"]["template"]["metadata"]["labels"] == {"app": "web"}


def test_every_mutating_request_is_observed(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    client.call("POST", PODS, pod("a"))
    client.ok("GET", f"{PODS}/a")
    client.ok("PATCH", f"{PODS}/a", {"metadata": {"labels": {"x": "1"}}}, MERGE)
    client.ok("DELETE", f"{PODS}/a")
    seen = [(write.verb, write.resource, write.name, write.code, write.reason) for write in client.writes]
    assert seen == [
        ("create", "pods", "a", 201, ""),
        ("create", "pods", "a", 409, "AlreadyExists"),
        ("patch", "pods", "a", 200, ""),
        ("delete", "pods", "a", 200, ""),
    ]
    patched = client.writes[2]
    assert patched.before["metadata"]["labels"] == {"app": "web"}
    assert patched.after["metadata"]["labels"] == {"app": "web", "x": "1"}
    assert (client.writes[3].after, client.writes[0].actor) == (None, "tester")
