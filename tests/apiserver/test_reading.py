"""Lists, watches and selectors."""

from __future__ import annotations

import orjson
import pytest

from lockstep.apiserver import Request
from tests.apiserver.kit import MERGE, PODS, Client, drain, pod


def names(client: Client, path: str = PODS, **query: str) -> list[str]:
    return [item["metadata"]["name"] for item in client.ok("GET", path, **query)["items"]]


def test_lists_are_in_key_order_and_carry_the_servers_version(client: Client) -> None:
    for name in ("b", "a", "c"):
        client.ok("POST", PODS, pod(name))
    client.ok("POST", "/api/v1/namespaces/kube-system/pods", pod("a"))
    assert names(client) == ["a", "b", "c"]
    assert names(client, "/api/v1/pods") == ["a", "b", "c", "a"]
    assert client.ok("GET", PODS)["metadata"]["resourceVersion"] == str(client.server.resource_version)
    assert [item["metadata"]["name"] for item in client.server.objects("pods", "default")] == ["b", "a", "c"]


def test_raw_replies_are_the_same_objects_as_json(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    for reply in (client.call("GET", PODS), client.call("GET", f"{PODS}/a"), client.call("GET", f"{PODS}/none")):
        assert orjson.loads(reply.raw()) == reply.body
    event = client.watch(PODS).events[0]
    assert orjson.loads(event.raw()) == {"type": "ADDED", "object": event.object}


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("tier=front", ["a"]),
        ("tier==front", ["a"]),
        ("tier!=front", ["b", "c"]),
        ("tier", ["a", "b"]),
        ("!tier", ["c"]),
        ("tier in (front, back)", ["a", "b"]),
        ("tier notin (front)", ["b", "c"]),
        ("n>1", ["b"]),
        ("n<2", ["a"]),
        ("tier,n>1", ["b"]),
        ("", ["a", "b", "c"]),
    ],
)
def test_label_selectors(client: Client, selector: str, expected: list[str]) -> None:
    client.ok("POST", PODS, pod("a", labels={"tier": "front", "n": "1"}))
    client.ok("POST", PODS, pod("b", labels={"tier": "back", "n": "2"}))
    client.ok("POST", PODS, pod("c", labels={}))
    assert names(client, labelSelector=selector) == expected


def test_field_selectors(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    client.ok("POST", PODS, pod("b"))
    client.ok("POST", f"{PODS}/b/binding", {"metadata": {"name": "b"}, "target": {"name": "n1"}})
    assert names(client, fieldSelector="metadata.name=a") == ["a"]
    assert names(client, fieldSelector="spec.nodeName=n1") == ["b"]
    assert names(client, fieldSelector="spec.nodeName!=n1,status.phase=Pending") == ["a"]
    reply = client.call("GET", PODS, fieldSelector="spec.unknown=x")
    assert (reply.status, reply.body["message"]) == (400, "field label not supported: spec.unknown")
    reply = client.call("GET", "/api/v1/namespaces/default/configmaps", fieldSelector="data=x")
    assert reply.body["message"] == ('"data" is not a known field selector: only "metadata.name", "metadata.namespace"')
    assert client.call("GET", PODS, labelSelector="a in b").status == 400


def test_pages_show_one_version(client: Client) -> None:
    for name in "abcde":
        client.ok("POST", PODS, pod(name))
    first = client.ok("GET", PODS, limit="2")
    assert first["metadata"]["remainingItemCount"] == 3
    client.ok("DELETE", f"{PODS}/c")
    client.ok("POST", PODS, pod("bb"))
    second = client.ok("GET", PODS, limit="2", **{"continue": first["metadata"]["continue"]})
    third = client.ok("GET", PODS, limit="2", **{"continue": second["metadata"]["continue"]})
    found = [item["metadata"]["name"] for page in (first, second, third) for item in page["items"]]
    assert found == list("abcde")
    assert third["metadata"] == {"resourceVersion": first["metadata"]["resourceVersion"]}
    assert len(client.ok("GET", PODS, limit="2", resourceVersion="0")["items"]) == 5
    client.server.compact("pods")
    expired = client.call("GET", PODS, limit="2", **{"continue": first["metadata"]["continue"]})
    assert (expired.status, expired.body["reason"]) == (410, "Expired")
    fresh = expired.body["metadata"]["continue"]
    assert names(client, **{"continue": fresh}) == ["d", "e"]
    assert client.call("GET", PODS, as_of=None, **{"continue": "nonsense"}).status == 400


def test_versions_of_a_list(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    old = str(client.server.resource_version)
    client.ok("POST", PODS, pod("b"))
    assert names(client, resourceVersion=old, resourceVersionMatch="Exact") == ["a"]
    assert names(client, resourceVersion=old, resourceVersionMatch="NotOlderThan") == ["a", "b"]
    assert names(client, resourceVersion="0") == ["a", "b"]
    future = client.call("GET", PODS, resourceVersion="9999")
    assert (future.status, future.body["reason"]) == (504, "Timeout")
    assert future.body["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"
    assert client.call("GET", PODS, resourceVersionMatch="Exact").status == 422
    assert client.call("GET", PODS, resourceVersion="x").status == 400
    client.server.compact()
    gone = client.call("GET", PODS, resourceVersion=old, resourceVersionMatch="Exact")
    assert (gone.status, gone.body["message"]) == (410, "The resourceVersion for the provided list is too old.")


def test_a_list_of_the_past_is_a_stale_cache(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    old = client.server.resource_version
    client.ok("POST", PODS, pod("b"))
    client.ok("PATCH", f"{PODS}/a", {"metadata": {"labels": {"x": "1"}}}, MERGE)
    client.ok("DELETE", f"{PODS}/a")
    reply = client.call("GET", PODS, as_of=old)
    assert reply.body["metadata"]["resourceVersion"] == str(old)
    assert [item["metadata"]["labels"] for item in reply.body["items"]] == [{"app": "web"}]
    watch = client.watch(PODS, as_of=old)
    assert drain(watch) == [("ADDED", "a"), ("ADDED", "b"), ("MODIFIED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]


def test_a_watch_goes_on_where_the_list_ended(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    version = client.ok("GET", PODS)["metadata"]["resourceVersion"]
    client.ok("POST", PODS, pod("b"))
    watch = client.watch(PODS, resourceVersion=version)
    client.ok("PATCH", f"{PODS}/b", {"metadata": {"labels": {"x": "1"}}}, MERGE)
    assert drain(watch) == [("ADDED", "b"), ("MODIFIED", "b")]


def test_a_watch_without_version_starts_with_what_is_there(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    queries: tuple[dict[str, str], ...] = ({}, {"resourceVersion": "0"})
    for query in queries:
        watch = client.watch(PODS, None, **query)
        client.ok("PATCH", f"{PODS}/a", {"metadata": {"labels": {"x": str(query)[2:4]}}}, MERGE)
        assert drain(watch) == [("ADDED", "a"), ("MODIFIED", "a")]


def test_a_watchlist_ends_its_first_part_with_a_bookmark(client: Client) -> None:
    client.ok("POST", PODS, pod("b"))
    client.ok("POST", PODS, pod("a"))
    watch = client.watch(
        PODS, sendInitialEvents="true", resourceVersionMatch="NotOlderThan", allowWatchBookmarks="true"
    )
    bookmark = watch.events[-1]
    assert drain(watch) == [("ADDED", "a"), ("ADDED", "b"), ("BOOKMARK", "")]
    assert bookmark.object == {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {
            "resourceVersion": str(client.server.resource_version),
            "annotations": {"k8s.io/initial-events-end": "true"},
        },
    }
    client.ok("DELETE", f"{PODS}/a")
    assert drain(watch)[-1] == ("DELETED", "a")
    assert client.call("GET", PODS, watch="true", sendInitialEvents="true").status == 422


def test_a_watch_from_a_forgotten_version_is_gone(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    old = client.server.resource_version
    client.ok("POST", PODS, pod("b"))
    client.server.compact()
    watch = client.watch(PODS, resourceVersion=str(old))
    assert [event.type for event in watch.events] == ["ERROR"]
    assert (watch.events[0].object["code"], watch.events[0].object["reason"]) == (410, "Expired")
    assert watch.closed
    assert not client.watch(PODS, resourceVersion=str(client.server.resource_version)).closed


def test_objects_enter_and_leave_a_selection(client: Client) -> None:
    watch = client.watch("/api/v1/pods", labelSelector="app=web")
    client.ok("POST", PODS, pod("a", labels={"app": "other"}))
    client.ok("PATCH", f"{PODS}/a", {"metadata": {"labels": {"app": "web"}}}, MERGE)
    client.ok("PATCH", f"{PODS}/a", {"metadata": {"labels": {"x": "1"}}}, MERGE)
    left = client.ok("PATCH", f"{PODS}/a", {"metadata": {"labels": {"app": "other"}}}, MERGE)
    last = watch.events[-1]
    assert drain(watch) == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]
    assert last.object["metadata"]["labels"] == {"app": "web", "x": "1"}
    assert last.object["metadata"]["resourceVersion"] == left["metadata"]["resourceVersion"]
    client.ok("DELETE", f"{PODS}/a")
    assert drain(watch) == []


def test_a_watch_sees_its_namespace_only(client: Client) -> None:
    watch = client.watch(PODS)
    client.ok("POST", "/api/v1/namespaces/kube-system/pods", pod("a"))
    assert drain(watch) == []


def test_deleted_events_carry_the_version_of_the_deletion(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    watch = client.watch(PODS)
    client.ok("DELETE", f"{PODS}/a")
    assert watch.events[-1].object["metadata"]["resourceVersion"] == str(client.server.resource_version)


def test_watches_share_their_events_and_can_be_stopped_and_closed(client: Client) -> None:
    first, second = client.watch(PODS), client.watch(PODS)
    calls: list[str] = []
    whole = client.server.handle(Request("GET", "/api/v1/pods", {"watch": "1", "allowWatchBookmarks": "true"})).watch
    assert whole is not None
    whole.on_event = lambda: calls.append("closed" if whole.closed else "event")
    client.ok("POST", PODS, pod("a"))
    client.ok("POST", PODS, pod("b"))
    assert calls == ["event"]
    assert first.events[0] is second.events[0] is whole.events[0]
    first.stop()
    client.ok("POST", PODS, pod("c"))
    assert (len(first.events), len(second.events)) == (2, 3)
    client.server.send_bookmarks("pods")
    assert (whole.events[-1].type, second.events[-1].type) == ("BOOKMARK", "ADDED")
    client.server.close_watches("pods")
    assert second.closed
    assert calls[-1] == "closed"


def test_compaction_may_keep_what_is_recent(client: Client) -> None:
    client.ok("POST", PODS, pod("a"))
    oldest = str(client.server.resource_version)
    client.ok("DELETE", f"{PODS}/a")
    client.ok("POST", PODS, pod("b"))
    kept = client.server.resource_version
    client.ok("POST", PODS, pod("c"))
    client.server.state.collection("pods").compact(kept)
    assert client.call("GET", PODS, resourceVersion=oldest, resourceVersionMatch="Exact").status == 410
    assert names(client, resourceVersion=str(kept), resourceVersionMatch="Exact") == ["b"]
    assert names(client) == ["b", "c"]
    watch = client.call("GET", PODS, watch="true", resourceVersion=str(kept)).watch
    assert watch is not None
    assert [(event.type, event.object["metadata"]["name"]) for event in watch.take()] == [("ADDED", "c")]
    client.server.state.collection("pods").compact(kept - 1)  # what is gone stays gone
    assert client.call("GET", PODS, resourceVersion=str(kept - 1), resourceVersionMatch="Exact").status == 410
