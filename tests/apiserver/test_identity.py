"""What stays the same object where nothing changes: the short cuts of the server rest on it."""

from __future__ import annotations

import pytest

from lockstep.apiserver import ApiServer, Request
from lockstep.apiserver.patch import MERGE_PATCH, merge_patched
from lockstep.apiserver.sharing import ByIdentity, Shared
from tests.apiserver.kit import PODS, pod


def test_a_merge_that_says_nothing_new_leaves_the_object() -> None:
    uid, labels = "1", {"app": "web"}
    current = {"metadata": {"uid": uid, "labels": labels}, "spec": {"replicas": 1}}
    merged = merge_patched(current, {"metadata": {"uid": uid, "annotations": None}, "spec": {"replicas": 2}})
    assert merged["metadata"] is current["metadata"]
    assert merged["spec"] == {"replicas": 2}
    assert current["spec"] == {"replicas": 1}


def test_a_merge_that_changes_the_type_is_a_change() -> None:
    assert merge_patched({"n": 1}, {"n": True})["n"] is True


def test_a_merge_removes_and_adds() -> None:
    assert merge_patched({"a": 1, "b": {"c": 1}}, {"a": None, "b": {"d": {"e": None}}}) == {"b": {"c": 1, "d": {}}}
    assert merge_patched("text", {"a": 1}) == {"a": 1}


def test_a_canonical_part_that_comes_back_stays_itself() -> None:
    shared = Shared(lambda part: {**part, "made": True})
    first = shared({"a": 1})
    assert shared(first) is first
    assert shared({"a": 1}) is first
    assert shared({"a": 1, "made": True}) is first


def test_no_more_is_kept_than_the_limit() -> None:
    asked: list[int] = []

    def size(part: dict[str, int]) -> int:
        asked.append(len(part))
        return len(part)

    remembered = ByIdentity(size, limit=1)
    one, two = {"a": 1}, {"a": 1, "b": 2}
    assert [remembered(part) for part in (one, one, two, one)] == [1, 1, 2, 1]
    assert asked == [1, 2, 1]


@pytest.mark.parametrize("trusted", [True, False])
def test_only_a_status_that_is_trusted_is_not_copied(trusted: bool) -> None:
    server = ApiServer(lambda: 0)
    assert server.handle(Request("POST", PODS, body=pod("web"))).status == 201
    conditions = [{"type": "Ready", "status": "True"}]
    request = Request(
        "PATCH", f"{PODS}/web/status", body={"status": {"conditions": conditions}}, content_type=MERGE_PATCH
    )
    request.trusted = trusted
    assert server.handle(request).status == 200
    stored = server.find("pods", "default", "web")
    assert stored is not None
    assert stored["status"]["conditions"] == conditions
    assert (stored["status"]["conditions"] is conditions) is trusted
