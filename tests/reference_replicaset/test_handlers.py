"""What a change wakes up, and what it counts as."""

from __future__ import annotations

import pytest

from lockstep_reference.machinery.consistency import ConsistencyError, ConsistencyStore
from lockstep_reference.machinery.expectations import UIDTrackingControllerExpectations
from lockstep_reference.machinery.store import (
    NAMESPACE_INDEX,
    DeletedFinalStateUnknown,
    Indexer,
    namespace_index,
)
from lockstep_reference.replicaset.handlers import EventHandlers
from lockstep_reference.replicaset.lister import (
    CONTROLLER_UID_INDEX,
    POD_CONTROLLER_INDEX,
    PodLister,
    ReplicaSetLister,
    controller_uid_index,
    pod_controller_index,
)
from tests.reference_replicaset.objects import FixedClock, Object, make_pod, make_rs, owner_ref

KEY = "default/web"


class Queue:
    """Records what is added, with the delay in seconds."""

    def __init__(self) -> None:
        self.added: list[tuple[str, float]] = []

    def add(self, key: str) -> None:
        self.added.append((key, 0))

    def add_after(self, key: str, seconds: float) -> None:
        self.added.append((key, seconds))


class Bench:
    """Handlers over a cache with the given ReplicaSets."""

    def __init__(self, *replica_sets: Object) -> None:
        indexers = {NAMESPACE_INDEX: namespace_index, CONTROLLER_UID_INDEX: controller_uid_index}
        self.replica_sets = Indexer(indexers)
        for rs in replica_sets:
            self.replica_sets.update(rs)
        self.pods = Indexer({NAMESPACE_INDEX: namespace_index, POD_CONTROLLER_INDEX: pod_controller_index})
        self.errors: list[str] = []
        self.queue = Queue()
        self.expectations = UIDTrackingControllerExpectations(FixedClock())
        self.consistency_store = ConsistencyStore({"pods": self.pods})
        self.handlers = EventHandlers(
            self.queue,  # type: ignore[arg-type]
            self.expectations,
            self.consistency_store,
            ReplicaSetLister(self.replica_sets, self.errors.append),
            PodLister(self.pods),
        )


def counts(bench: Bench) -> tuple[int, int]:
    found = bench.expectations.get_expectations(KEY)
    assert found is not None
    return found.add, found.delete


def test_replica_sets_are_queued_at_every_change() -> None:
    bench = Bench()
    bench.handlers.add_rs(make_rs())
    bench.handlers.update_rs(make_rs(), make_rs())
    bench.handlers.delete_rs(DeletedFinalStateUnknown(KEY, make_rs()))
    assert bench.queue.added == [(KEY, 0)] * 3


@pytest.mark.parametrize("recreated", [True, False])
def test_a_recreated_replica_set_starts_clean(recreated: bool) -> None:
    bench = Bench()
    bench.pods.bookmark("5")
    bench.expectations.expect_creations(KEY, 1)
    bench.consistency_store.wrote_at(KEY, "rs-uid", "pods", "9")
    bench.handlers.update_rs(make_rs(), make_rs(uid="new" if recreated else "rs-uid"))
    assert bench.expectations.satisfied_expectations(KEY) is recreated
    if recreated:
        bench.consistency_store.ensure_ready(KEY)
    else:
        with pytest.raises(ConsistencyError):
            bench.consistency_store.ensure_ready(KEY)


def test_a_new_pod_is_observed_and_wakes_its_controller() -> None:
    bench = Bench(make_rs())
    bench.expectations.expect_creations(KEY, 2)
    bench.handlers.add_pod(make_pod(owner=owner_ref()))
    assert (counts(bench), bench.queue.added) == ((1, 0), [(KEY, 0)])


@pytest.mark.parametrize(
    "reference",
    [owner_ref(uid="predecessor"), owner_ref(kind="StatefulSet"), owner_ref(name="unknown")],
    ids=["uid", "kind", "name"],
)
def test_a_pod_of_another_controller_triggers_no_sync(reference: Object) -> None:
    bench = Bench(make_rs())
    bench.handlers.add_pod(make_pod(owner=reference, labels={"app": "web"}))
    assert bench.queue.added == []


def test_a_new_pod_that_is_being_deleted_is_a_deletion() -> None:
    bench = Bench(make_rs())
    bench.expectations.expect_deletions(KEY, ["default/p"])
    bench.handlers.add_pod(make_pod(owner=owner_ref(), deleted=True))
    assert (counts(bench), bench.queue.added) == ((0, 0), [(KEY, 0)])


def test_an_orphan_wakes_those_who_may_adopt_it_and_is_not_observed() -> None:
    labels = {"app": "web"}
    everything = make_rs("everything", uid="u3", selector={})
    invalid = make_rs("invalid", uid="u4", selector={"matchExpressions": [{"key": "a", "operator": "Near"}]})
    bench = Bench(make_rs(), make_rs("twin", uid="u2"), everything, invalid, make_rs("other", labels={"app": "x"}))
    bench.expectations.expect_creations(KEY, 1)
    bench.handlers.add_pod(make_pod(labels=labels))
    assert bench.queue.added == [(KEY, 0), ("default/twin", 0)]
    assert counts(bench) == (1, 0)
    assert bench.errors == [f"user error! more than one ReplicaSet is selecting pods with labels: {labels}"]


def test_a_resync_of_a_pod_triggers_no_sync() -> None:
    bench = Bench(make_rs())
    pod = make_pod(owner=owner_ref())
    bench.handlers.update_pod(pod, pod)
    assert bench.queue.added == []


def test_the_start_of_a_graceful_deletion_is_the_deletion() -> None:
    bench = Bench(make_rs())
    bench.expectations.expect_deletions(KEY, ["default/p"])
    old = make_pod(owner=owner_ref())
    going = make_pod(owner=owner_ref(), deleted=True, version="2")
    bench.handlers.update_pod(old, going)
    assert counts(bench) == (0, 0)
    bench.handlers.delete_pod(going)
    assert counts(bench) == (0, 0)
    assert bench.queue.added == [(KEY, 0), (KEY, 0)]


def test_a_change_of_controller_wakes_both() -> None:
    bench = Bench(make_rs(), make_rs("next", uid="next-uid"))
    bench.handlers.update_pod(make_pod(owner=owner_ref()), make_pod(owner=owner_ref("next", "next-uid"), version="2"))
    assert bench.queue.added == [(KEY, 0), ("default/next", 0)]


@pytest.mark.parametrize(
    ("old", "cur", "woken"),
    [
        ({"labels": {"app": "x"}}, {"labels": {"app": "web"}}, [(KEY, 0)]),
        ({"labels": {"app": "web"}}, {"labels": {"app": "web"}, "phase": "Pending"}, []),
        ({"labels": {"app": "web"}}, {"labels": {}}, []),
        # Released: once for the old controller, once because the orphan matches it.
        ({"labels": {"app": "web"}, "owner": owner_ref()}, {"labels": {"app": "web"}}, [(KEY, 0), (KEY, 0)]),
    ],
)
def test_an_orphan_wakes_only_if_something_changed_that_matters(
    old: Object, cur: Object, woken: list[tuple[str, float]]
) -> None:
    bench = Bench(make_rs())
    bench.handlers.update_pod(make_pod(**old), make_pod(**cur, version="2"))
    assert bench.queue.added == woken


@pytest.mark.parametrize(
    ("before", "after", "min_ready_seconds", "woken"),
    [
        (None, 5, 10, [(KEY, 0), (KEY, 10)]),
        (None, 5, 0, [(KEY, 0)]),
        (5, 5, 10, [(KEY, 0)]),
        (5, None, 10, [(KEY, 0)]),
    ],
)
def test_a_pod_that_becomes_ready_is_looked_at_again_when_it_is_available(
    before: int | None, after: int | None, min_ready_seconds: int, woken: list[tuple[str, float]]
) -> None:
    bench = Bench(make_rs(min_ready_seconds=min_ready_seconds))
    bench.handlers.update_pod(
        make_pod(owner=owner_ref(), ready=before), make_pod(owner=owner_ref(), ready=after, version="2")
    )
    assert bench.queue.added == woken


def test_a_deleted_orphan_triggers_no_sync() -> None:
    bench = Bench(make_rs())
    bench.handlers.delete_pod(DeletedFinalStateUnknown("default/p", make_pod(labels={"app": "web"})))
    assert bench.queue.added == []


def test_a_tombstone_counts_as_a_deletion() -> None:
    bench = Bench(make_rs())
    bench.expectations.expect_deletions(KEY, ["default/p"])
    bench.handlers.delete_pod(DeletedFinalStateUnknown("default/p", make_pod(owner=owner_ref())))
    assert (counts(bench), bench.queue.added) == ((0, 0), [(KEY, 0)])
