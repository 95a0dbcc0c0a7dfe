"""One sync: what it creates, deletes, writes, and when it asks to be called again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.consistency import ConsistencyError, ConsistencyStore
from lockstep_reference.machinery.expectations import UIDTrackingControllerExpectations
from lockstep_reference.machinery.pod_control import PodControlError
from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer, namespace_index
from lockstep_reference.replicaset.lister import (
    CONTROLLER_UID_INDEX,
    POD_CONTROLLER_INDEX,
    PodLister,
    ReplicaSetLister,
    controller_uid_index,
    pod_controller_index,
)
from lockstep_reference.replicaset.manage_replicas import ReplicaManager
from lockstep_reference.replicaset.sync import ReplicaSetSync
from tests.reference_replicaset.objects import FixedClock, Object, make_pod, make_rs, owner_ref

KEY = "default/web"
SECOND = 10**9


class PodControl:
    """Records calls; `create_errors` are raised by the creates of those numbers, `delete_errors` by pod name."""

    def __init__(self) -> None:
        self.created = 0
        self.deleted: list[str] = []
        self.patched: list[str] = []
        self.create_errors: dict[int, Exception] = {}
        self.delete_errors: dict[str, Exception] = {}

    async def create_pods(self, namespace: str, template: Object, controller: Object, controller_ref: Object) -> None:
        self.created += 1
        number = self.created
        await asyncio.sleep(0)
        if number in self.create_errors:
            raise self.create_errors[number]

    async def delete_pod(self, namespace: str, name: str, controller: Object) -> None:
        self.deleted.append(name)
        await asyncio.sleep(0)
        if name in self.delete_errors:
            raise self.delete_errors[name]

    async def patch_pod(self, namespace: str, name: str, patch: Object) -> None:
        self.patched.append(name)


class Bench:
    """A sync handler over caches that a test fills; plays the API server's part for ReplicaSets, and the queue's."""

    def __init__(self, rs: Object | None, *pods: Object, burst_replicas: int = 500, now: int = 3000) -> None:
        indexers = {NAMESPACE_INDEX: namespace_index, CONTROLLER_UID_INDEX: controller_uid_index}
        self.replica_sets = Indexer(indexers)
        if rs is not None:
            self.replica_sets.update(rs)
        self.pods = Indexer({NAMESPACE_INDEX: namespace_index, POD_CONTROLLER_INDEX: pod_controller_index})
        for pod in pods:
            self.pods.update(pod)
        self.statuses: list[Object] = []
        self.requeued: list[float] = []
        self.errors: list[str] = []
        self.live: Object | None = rs
        clock = FixedClock(now * SECOND)
        self.expectations = UIDTrackingControllerExpectations(clock)
        self.consistency_store = ConsistencyStore({"pods": self.pods, "replicasets.apps": self.replica_sets})
        self.pod_control = PodControl()
        rs_lister = ReplicaSetLister(self.replica_sets, self.errors.append)
        pod_lister = PodLister(self.pods)
        self.handler = ReplicaSetSync(
            rs_client=self,  # type: ignore[arg-type]
            rs_lister=rs_lister,
            pod_lister=pod_lister,
            pod_control=self.pod_control,
            manager=ReplicaManager(self.pod_control, self.expectations, rs_lister, pod_lister, clock, burst_replicas),
            expectations=self.expectations,
            consistency_store=self.consistency_store,
            queue=self,  # type: ignore[arg-type]
            clock=clock,
            on_error=self.errors.append,
        )

    async def get(self, namespace: str, name: str) -> Object:
        if self.live is None:
            raise ApiError({"code": 404, "reason": "NotFound", "message": 'replicasets.apps "web" not found'})
        return self.live

    async def update_status(self, namespace: str, obj: Object) -> Object:
        self.statuses.append(obj["status"])
        return {**obj, "metadata": {**obj["metadata"], "resourceVersion": "100"}}

    def add_after(self, key: str, seconds: float) -> None:
        self.requeued.append(seconds)

    def sync(self) -> None:
        asyncio.run(self.handler.sync_replica_set(KEY))

    def expected(self) -> tuple[int, int]:
        found = self.expectations.get_expectations(KEY)
        return (found.add, found.delete) if found else (0, 0)


def owned(name: str, **facts: Any) -> Object:
    return make_pod(name, **{"owner": owner_ref(), "labels": {"app": "web"}, **facts})


def forbidden(cause: str = "") -> ApiError:
    details = {"causes": [{"reason": cause}]} if cause else {}
    return ApiError({"code": 403, "reason": "Forbidden", "message": "refused", "details": details})


@pytest.mark.parametrize(("replicas", "burst", "created"), [(3, 500, 2), (3, 1, 1), (1, 500, 0)])
def test_missing_pods_are_created_up_to_the_burst(replicas: int, burst: int, created: int) -> None:
    bench = Bench(make_rs(replicas=replicas), owned("a"), burst_replicas=burst)
    bench.sync()
    assert bench.pod_control.created == created
    assert bench.expected() == (created, 0)


@pytest.mark.parametrize(("replicas", "burst", "deleted"), [(1, 500, ["b", "c"]), (1, 1, ["c"]), (3, 500, [])])
def test_surplus_pods_are_deleted_up_to_the_burst(replicas: int, burst: int, deleted: list[str]) -> None:
    pods = [owned("a", ready=1), owned("b"), owned("c", phase="Pending")]
    bench = Bench(make_rs(replicas=replicas), *pods, burst_replicas=burst)
    bench.sync()
    assert sorted(bench.pod_control.deleted) == deleted
    assert bench.expectations.get_uids(KEY) == {f"default/{name}" for name in deleted}


def test_the_status_counts_the_pods_before_the_creates() -> None:
    bench = Bench(make_rs(replicas=3), owned("a", ready=5), owned("going", deleted=True), owned("done", phase="Failed"))
    bench.sync()
    assert bench.statuses == [
        {
            "replicas": 1,
            "fullyLabeledReplicas": 1,
            "readyReplicas": 1,
            "availableReplicas": 1,
            "terminatingReplicas": 1,
            "observedGeneration": 1,
        }
    ]


def test_unfulfilled_expectations_hold_back_the_pods_but_not_the_status() -> None:
    bench = Bench(make_rs(replicas=3))
    bench.expectations.expect_creations(KEY, 1)
    bench.sync()
    assert (bench.pod_control.created, len(bench.statuses)) == (0, 1)


def test_a_replica_set_that_is_being_deleted_manages_nothing() -> None:
    bench = Bench(make_rs(replicas=3, deleted=True), make_pod("orphan", labels={"app": "web"}))
    bench.sync()
    assert (bench.pod_control.created, bench.pod_control.patched) == (0, [])


def test_a_failed_create_skips_the_rest_and_is_reported_before_it_is_raised() -> None:
    bench = Bench(make_rs(replicas=10))
    bench.pod_control.create_errors = {2: PodControlError("second"), 3: PodControlError("third")}
    with pytest.raises(PodControlError, match=r"^second$"):
        bench.sync()
    assert bench.pod_control.created == 3
    assert bench.expected() == (1, 0)
    condition = bench.statuses[0]["conditions"][0]
    assert (condition["reason"], condition["message"]) == ("FailedCreate", "second")


def test_creates_in_a_terminating_namespace_count_as_successes() -> None:
    bench = Bench(make_rs(replicas=3))
    bench.pod_control.create_errors = dict.fromkeys(range(1, 4), forbidden("NamespaceTerminating"))
    bench.sync()
    assert bench.pod_control.created == 3
    assert bench.expected() == (3, 0)
    assert "conditions" not in bench.statuses[0]


def test_a_failed_delete_is_no_longer_expected_and_is_reported() -> None:
    bench = Bench(make_rs(replicas=0), owned("a"), owned("b"))
    bench.pod_control.delete_errors = {"a": PodControlError("unable to delete pods: refused")}
    with pytest.raises(PodControlError, match="unable to delete pods: refused"):
        bench.sync()
    assert sorted(bench.pod_control.deleted) == ["a", "b"]
    assert bench.expectations.get_uids(KEY) == {"default/b"}
    assert bench.statuses[0]["conditions"][0]["reason"] == "FailedDelete"


def test_a_pod_that_was_gone_already_is_no_failure() -> None:
    bench = Bench(make_rs(replicas=0), owned("a"))
    bench.pod_control.delete_errors = {"a": ApiError({"code": 404, "reason": "NotFound", "message": "gone"})}
    bench.sync()
    assert bench.expected() == (0, 0)
    assert "conditions" not in bench.statuses[0]


def test_related_pods_on_a_node_make_their_neighbours_go_first() -> None:
    deployment = owner_ref("dep", "dep-uid", "Deployment")
    old = make_rs("old", uid="old-uid", selector={"matchLabels": {"app": "old"}}, owner=deployment)
    pods = [owned("a", node="n1", uid="z"), owned("b", node="n2", uid="y")]
    neighbour = make_pod("o", node="n2", labels={"app": "old"}, owner=owner_ref("old", "old-uid"))
    bench = Bench(make_rs(replicas=1, owner=deployment), *pods, neighbour)
    bench.replica_sets.update(old)
    bench.sync()
    assert bench.pod_control.deleted == ["b"]
    assert bench.errors == []


def test_a_replica_set_without_a_controller_says_so_when_it_deletes() -> None:
    bench = Bench(make_rs(replicas=0), owned("a"))
    bench.sync()
    assert bench.errors == ["ReplicaSet has no controller: default/web"]


def test_caches_that_lag_behind_a_write_make_the_sync_fail() -> None:
    bench = Bench(make_rs(replicas=1), owned("a", version="5"))
    bench.sync()  # writes the status: version 100
    with pytest.raises(ConsistencyError, match=r"written version: 100 for group resource replicasets\.apps"):
        bench.sync()
    bench.replica_sets.bookmark("100")
    bench.sync()


def test_a_replica_set_that_is_gone_is_forgotten() -> None:
    bench = Bench(None)
    bench.expectations.expect_creations(KEY, 1)
    bench.sync()
    assert bench.expectations.get_expectations(KEY) is None
    assert bench.statuses == []


def test_an_invalid_selector_stops_the_sync_without_a_retry() -> None:
    bench = Bench(make_rs(selector={"matchExpressions": [{"key": "a", "operator": "Near"}]}))
    bench.sync()
    assert bench.errors == [
        'error converting pod selector to selector for rs default/web: "Near" is not a valid label selector operator'
    ]
    assert (bench.pod_control.created, bench.statuses) == (0, [])


def test_adoption_needs_the_same_live_replica_set() -> None:
    orphan = make_pod("orphan", labels={"app": "web"})
    bench = Bench(make_rs(replicas=1), orphan)
    bench.sync()
    assert (bench.pod_control.patched, bench.statuses[0]["replicas"]) == (["orphan"], 1)

    replaced = Bench(make_rs(replicas=1), orphan)
    replaced.live = make_rs(uid="new-uid")
    with pytest.raises(Exception, match=r"original ReplicaSet default/web is gone: got uid new-uid, wanted rs-uid"):
        replaced.sync()
    assert (replaced.pod_control.patched, replaced.pod_control.created, replaced.statuses) == ([], 0, [])


@pytest.mark.parametrize(
    ("ready", "requeued"),
    [
        ([2995], [5.0]),
        ([2995, 2993], [3.0]),
        ([2980], []),
        ([None], []),
    ],
)
def test_the_next_sync_is_when_the_next_pod_becomes_available(ready: list[int | None], requeued: list[float]) -> None:
    pods = [owned(f"p{number}", ready=instant) for number, instant in enumerate(ready)]
    bench = Bench(make_rs(replicas=len(pods), min_ready_seconds=10), *pods)
    bench.sync()
    assert bench.requeued == requeued


def test_a_failed_sync_plans_no_availability_check() -> None:
    bench = Bench(make_rs(replicas=2, min_ready_seconds=10), owned("a", ready=2995))
    bench.pod_control.create_errors = {1: forbidden()}
    with pytest.raises(ApiError):
        bench.sync()
    assert bench.requeued == []


def test_a_sync_with_nothing_new_writes_nothing() -> None:
    status = {"replicas": 1, "fullyLabeledReplicas": 1, "terminatingReplicas": 0, "observedGeneration": 1}
    bench = Bench(make_rs(replicas=1, status=status), owned("a"))
    bench.sync()
    assert (bench.statuses, bench.pod_control.created, bench.pod_control.deleted) == ([], 0, [])
