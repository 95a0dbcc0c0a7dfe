"""Indexers (client-go tools/cache/thread_safe_store.go)."""

from __future__ import annotations

import random

import pytest

from lockstep_reference.machinery.store import DeletedFinalStateUnknown, Indexer
from tests.machinery.fake_server import pod


def test_indices_follow_updates() -> None:
    indexer = Indexer({"node": lambda obj: [obj["metadata"].get("node", "")]})
    indexer.update(pod("a", 1, node="x"))
    indexer.update(pod("b", 2, node="x"))
    indexer.update(pod("a", 3, node="y"))
    assert [obj["metadata"]["name"] for obj in indexer.by_index("node", "x")] == ["b"]
    indexer.delete(DeletedFinalStateUnknown("default/a", pod("a", 3)))
    assert indexer.by_index("node", "y") == []
    assert indexer.last_store_sync_resource_version() == "3"  # a tombstone is no news of a version
    indexer.replace([pod("c", 4, node="z")], "9")
    assert [indexer.by_index("node", node) for node in "xyz"] == [[], [], [pod("c", 4, node="z")]]
    with pytest.raises(ValueError, match="indexer conflict: 'node'"):
        indexer.add_indexers({"node": lambda _: []})


def test_a_seed_shuffles_iteration_repeatably() -> None:
    def names(order: random.Random | None) -> list[str]:
        indexer = Indexer(order=order)
        for number in range(20):
            indexer.update(pod(f"p{number}", number + 1))
        return [obj["metadata"]["name"] for obj in indexer.list()]

    assert names(None) == [f"p{number}" for number in range(20)]
    assert names(random.Random(3)) == names(random.Random(3)) != names(None)
