"""Reading one's own writes."""

from __future__ import annotations

import pytest

from lockstep_reference.machinery.consistency import (
    ConsistencyError,
    ConsistencyStore,
    compare_resource_version,
)

OWNER = "default/web"


class Store:
    def __init__(self, version: str = "") -> None:
        self.version = version

    def last_store_sync_resource_version(self) -> str:
        return self.version


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("9", "10", -1),
        ("10", "9", 1),
        ("10", "10", 0),
        ("1" + "0" * 40, "9" * 40, 1),
        ("", "1", None),
        ("0", "1", None),
        ("01", "1", None),
        ("1", "a", None),
        ("1", "٣", None),
    ],
)
def test_compare_resource_version(left: str, right: str, expected: int | None) -> None:
    assert compare_resource_version(left, right) == expected


@pytest.mark.parametrize(("read", "ready"), [("9", False), ("10", True), ("11", True), ("", True), ("x", True)])
def test_ready_once_the_store_has_read_what_was_written(read: str, ready: bool) -> None:
    store = ConsistencyStore({"pods": Store(read)})
    store.wrote_at(OWNER, "u", "pods", "10")
    if ready:
        store.ensure_ready(OWNER)
    else:
        expected = "read version: 9 is not as new as written version: 10 for group resource pods"
        with pytest.raises(ConsistencyError, match=expected):
            store.ensure_ready(OWNER)


def test_the_newest_write_counts() -> None:
    store = ConsistencyStore({"pods": Store("10")})
    for version in ("9", "12", "11"):
        store.wrote_at(OWNER, "u", "pods", version)
    with pytest.raises(ConsistencyError, match="written version: 12"):
        store.ensure_ready(OWNER)


def test_every_resource_must_be_ready() -> None:
    pods, replica_sets = Store("10"), Store("4")
    store = ConsistencyStore({"pods": pods, "replicasets.apps": replica_sets})
    store.wrote_at(OWNER, "u", "pods", "10")
    store.wrote_at(OWNER, "u", "replicasets.apps", "5")
    with pytest.raises(ConsistencyError, match=r"replicasets\.apps"):
        store.ensure_ready(OWNER)
    replica_sets.version = "5"
    store.ensure_ready(OWNER)


def test_what_was_once_ready_is_forgotten() -> None:
    pods = Store("10")
    store = ConsistencyStore({"pods": pods})
    store.wrote_at(OWNER, "u", "pods", "10")
    store.ensure_ready(OWNER)
    pods.version = "5"
    store.ensure_ready(OWNER)


@pytest.mark.parametrize(("uid", "forgotten"), [("u", True), ("", True), ("other", False)])
def test_clear_minds_the_uid(uid: str, forgotten: bool) -> None:
    store = ConsistencyStore({"pods": Store("1")})
    store.wrote_at(OWNER, "u", "pods", "10")
    store.clear(OWNER, uid)
    if forgotten:
        store.ensure_ready(OWNER)
    else:
        with pytest.raises(ConsistencyError):
            store.ensure_ready(OWNER)


def test_a_new_owner_of_the_same_name_starts_clean() -> None:
    store = ConsistencyStore({"pods": Store("5"), "replicasets.apps": Store("6")})
    store.wrote_at(OWNER, "u", "pods", "10")
    store.wrote_at(OWNER, "v", "replicasets.apps", "6")
    store.ensure_ready(OWNER)
