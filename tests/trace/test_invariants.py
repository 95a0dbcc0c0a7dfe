from __future__ import annotations

from typing import Any

import pytest

from lockstep.time.clock import seconds
from lockstep.trace.invariants.base import CONDITIONS
from lockstep.trace.invariants.checking import check
from lockstep.trace.invariants.replicaset import REPLICASET_INVARIANTS


def broken(builder: Any, *, until: float = 100, settled: bool = False, excused: tuple[str, ...] = ()) -> list[str]:
    return [one.invariant for one in check(builder.history, seconds(until), settled, excused)]


def test_a_good_run_breaks_nothing(builder: Any, scaled_up: Any) -> None:
    names = scaled_up(builder, 5)
    builder.at(10).change("replicasets.apps", "web", spec={"replicas": 4}, metadata={"generation": 2})
    builder.delete_pod(names[0])
    builder.set_status(replicas=4, readyReplicas=4, availableReplicas=4, observedGeneration=2)
    builder.at(11).remove("kubelet", "pods", names[0])
    assert broken(builder, settled=True) == []


def test_every_invariant_says_its_rule_and_its_source() -> None:
    assert len({one.name for one in REPLICASET_INVARIANTS}) == len(REPLICASET_INVARIANTS)
    for one in REPLICASET_INVARIANTS:
        assert " MUST " in one.must
        assert "pkg/controller" in one.source
        assert set(one.needs) <= set(CONDITIONS)


def test_nothing_is_checked_of_controllers_that_did_not_run(builder: Any) -> None:
    builder.replica_set(replicas=3)
    assert broken(builder, settled=True) == ["converged"]
    builder.history.controllers = frozenset()
    assert broken(builder, settled=True) == []


def test_a_foreign_pod_is_deleted(builder: Any) -> None:
    builder.replica_set()
    builder.store(
        "scenario", "create", "pods", {"metadata": {"name": "lone", "uid": builder.uid(), "namespace": "default"}}
    )
    builder.at(1).remove("replicaset-controller", "pods", "lone")
    assert broken(builder) == ["own-pods"]
    assert broken(builder, excused=("fresh-caches",)) == []


def test_a_pod_is_deleted_twice(builder: Any) -> None:
    builder.replica_set()
    name = builder.at(1).create_pod()
    builder.at(2).delete_pod(name)
    builder.at(3).delete_pod(name)
    assert broken(builder) == ["no-second-delete"]


def test_a_dying_replica_set_gets_a_pod(builder: Any) -> None:
    builder.replica_set(replicas=2)
    builder.at(1).change("replicasets.apps", "web", metadata={"deletionTimestamp": "2000-01-01T00:00:01Z"})
    builder.create_pod()
    assert broken(builder) == ["hands-off"]
    builder.at(2).fail_create()
    assert broken(builder) == ["hands-off", "hands-off"]


def test_too_many_pods(builder: Any) -> None:
    builder.replica_set(replicas=2)
    for _ in range(3):
        builder.at(1).create_pod()
    assert broken(builder) == ["ceiling"]
    assert broken(builder, excused=("no-restart",)) == []


def test_a_finished_pod_makes_room(builder: Any) -> None:
    builder.replica_set(replicas=1)
    name = builder.at(1).create_pod()
    builder.at(2).change("pods", name, "kubelet", "status", status={"phase": "Failed"})
    builder.create_pod()
    assert broken(builder) == []


@pytest.mark.parametrize(
    "change",
    [
        {"ownerReferences": []},
        {"labels": {"app": "other"}},
        {"ownerReferences": [{"controller": True, "uid": "x", "name": "web", "kind": "ReplicaSet"}]},
    ],
)
def test_a_pod_is_born_wrong(builder: Any, change: dict[str, Any]) -> None:
    builder.replica_set()
    body = builder.pod_body("web")
    body["metadata"] |= change
    builder.at(1).create_pod(body=body)
    assert broken(builder) == ["owner-references"]


def test_an_incomplete_owner_reference(builder: Any) -> None:
    builder.replica_set()
    body = builder.pod_body("web")
    del body["metadata"]["ownerReferences"][0]["blockOwnerDeletion"]
    builder.at(1).create_pod(body=body)
    assert broken(builder) == ["owner-references"]


@pytest.mark.parametrize(
    ("labels", "phase", "right"),
    [({"app": "web"}, "Running", True), ({"app": "db"}, "Running", False), ({"app": "web"}, "Failed", False)],
)
def test_adoption(builder: Any, labels: dict[str, str], phase: str, right: bool) -> None:
    builder.replica_set()
    references = builder.pod_body("web")["metadata"]["ownerReferences"]
    pod = {"metadata": {"name": "lone", "namespace": "default", "uid": builder.uid(), "labels": labels}}
    builder.at(1).store("scenario", "create", "pods", pod | {"status": {"phase": phase}})
    builder.at(2).change("pods", "lone", "replicaset-controller", metadata={"ownerReferences": references})
    assert broken(builder) == ([] if right else ["adoption"])


def test_slow_start(builder: Any) -> None:
    builder.replica_set(replicas=500)
    for _ in range(5):
        builder.at(1).create_pod()
    for _ in range(2):
        builder.fail_create()
    assert broken(builder, until=2) == []
    for _ in range(493):
        builder.fail_create()
    assert broken(builder, until=2) == ["slow-start"]


def test_a_failed_create_is_retried(builder: Any) -> None:
    builder.replica_set()
    builder.at(1).fail_create()
    assert broken(builder, until=900) == []
    assert broken(builder, until=1100) == ["retried"]
    builder.at(1500).create_pod()
    assert broken(builder, until=1600) == ["retried"]


def test_a_failed_create_that_is_not_needed_any_more(builder: Any) -> None:
    builder.replica_set()
    builder.at(1).fail_create()
    builder.at(2).change("replicasets.apps", "web", spec={"replicas": 0})
    assert broken(builder, until=5000) == []


def test_a_create_in_a_dying_namespace_is_not_retried(builder: Any) -> None:
    builder.replica_set()
    builder.at(1).fail_create(message="... because it is being terminated")
    assert broken(builder, until=5000) == []


@pytest.mark.parametrize("claim", [{"replicas": 4}, {"readyReplicas": 1}, {"availableReplicas": 1}])
def test_a_status_claims_too_much(builder: Any, claim: dict[str, int]) -> None:
    builder.replica_set(replicas=3)
    for _ in range(3):
        builder.at(1).create_pod()
    builder.set_status(**claim)
    assert broken(builder) == ["status-truth"]


def test_a_status_may_lag_behind_a_refused_request(builder: Any) -> None:
    builder.replica_set(replicas=3)
    builder.at(1).set_status(replicas=3)
    builder.fail_create()
    assert broken(builder) == []


@pytest.mark.parametrize(("at", "wrong"), [(13, []), (13.5, ["available-on-time"]), (12.9, ["status-truth"])])
def test_availability_is_counted_to_the_instant(builder: Any, at: float, wrong: list[str]) -> None:
    builder.replica_set(minReadySeconds=10)
    name = builder.at(1).create_pod()
    builder.at(3).run_pod(name)
    builder.set_status(replicas=1, readyReplicas=1)
    builder.at(at).set_status(availableReplicas=1)
    assert broken(builder, until=20) == wrong


def test_availability_that_is_never_counted(builder: Any) -> None:
    builder.replica_set(minReadySeconds=10)
    name = builder.at(1).create_pod()
    builder.at(3).run_pod(name)
    assert broken(builder, until=12) == []
    assert broken(builder, until=14) == ["available-on-time"]
    assert broken(builder, until=14, excused=("prompt-answers",)) == []


def test_readiness_that_flaps_starts_the_count_again(builder: Any) -> None:
    builder.replica_set(minReadySeconds=10)
    name = builder.at(1).create_pod()
    builder.at(3).run_pod(name)
    builder.at(5).run_pod(name, ready=False)
    builder.at(6).run_pod(name)
    builder.at(16).set_status(availableReplicas=1)
    assert broken(builder, until=20) == []


def test_an_end_that_is_not_what_was_asked_for(builder: Any) -> None:
    builder.replica_set(replicas=2)
    builder.at(1).create_pod()
    assert broken(builder, settled=False) == []
    assert broken(builder, settled=True) == ["converged"]
    builder.create_pod()
    assert broken(builder, settled=True) == ["converged"]
    builder.set_status(replicas=2)
    assert broken(builder, settled=True) == ["converged"]
    builder.set_status(observedGeneration=1)
    assert broken(builder, settled=True) == []


def test_a_breach_says_what_when_and_why(builder: Any) -> None:
    builder.replica_set(replicas=0)
    name = builder.at(1.5).create_pod()
    [breach] = check(builder.history, seconds(2), settled=False)
    assert str(breach).startswith(
        "invariant ceiling is broken at 1.500 s: "
        f"with pod {name} ReplicaSet web has 1 active pods and wants 0\n  Rule: "
    )


def test_an_unknown_condition_is_refused(builder: Any) -> None:
    with pytest.raises(ValueError, match="unknown condition 'weather'; known: fresh-caches"):
        check(builder.history, 0, settled=False, broken=["weather"])
