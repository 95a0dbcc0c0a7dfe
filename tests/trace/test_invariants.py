from __future__ import annotations

from typing import Any

import pytest

from lockstep.time.clock import seconds
from lockstep.trace.invariants.base import CONDITIONS
from lockstep.trace.invariants.checking import check
from lockstep.trace.invariants.replicaset import REPLICASET_INVARIANTS


def broken(story: Any, *, until: float = 100, settled: bool = False, excused: tuple[str, ...] = ()) -> list[str]:
    return [one.invariant for one in check(story.history, seconds(until), settled, excused)]


def test_a_good_run_breaks_nothing(story: Any, scaled_up: Any) -> None:
    names = scaled_up(story, 5)
    story.at(10).change("replicasets.apps", "web", spec={"replicas": 4}, metadata={"generation": 2})
    story.delete_pod(names[0])
    story.set_status(replicas=4, readyReplicas=4, availableReplicas=4, observedGeneration=2)
    story.at(11).remove("kubelet", "pods", names[0])
    assert broken(story, settled=True) == []


def test_every_invariant_says_its_rule_and_its_source() -> None:
    assert len({one.name for one in REPLICASET_INVARIANTS}) == len(REPLICASET_INVARIANTS)
    for one in REPLICASET_INVARIANTS:
        assert " MUST " in one.must
        assert "pkg/controller" in one.source
        assert set(one.needs) <= set(CONDITIONS)


def test_nothing_is_checked_of_controllers_that_did_not_run(story: Any) -> None:
    story.replica_set(replicas=3)
    assert broken(story, settled=True) == ["converged"]
    story.history.controllers = frozenset()
    assert broken(story, settled=True) == []


def test_a_foreign_pod_is_deleted(story: Any) -> None:
    story.replica_set()
    story.store(
        "scenario", "create", "pods", {"metadata": {"name": "lone", "uid": story.uid(), "namespace": "default"}}
    )
    story.at(1).remove("replicaset-controller", "pods", "lone")
    assert broken(story) == ["own-pods"]
    assert broken(story, excused=("fresh-caches",)) == []


def test_a_pod_is_deleted_twice(story: Any) -> None:
    story.replica_set()
    name = story.at(1).create_pod()
    story.at(2).delete_pod(name)
    story.at(3).delete_pod(name)
    assert broken(story) == ["no-second-delete"]


def test_a_dying_replica_set_gets_a_pod(story: Any) -> None:
    story.replica_set(replicas=2)
    story.at(1).change("replicasets.apps", "web", metadata={"deletionTimestamp": "2000-01-01T00:00:01Z"})
    story.create_pod()
    assert broken(story) == ["hands-off"]
    story.at(2).fail_create()
    assert broken(story) == ["hands-off", "hands-off"]


def test_too_many_pods(story: Any) -> None:
    story.replica_set(replicas=2)
    for _ in range(3):
        story.at(1).create_pod()
    assert broken(story) == ["ceiling"]
    assert broken(story, excused=("no-restart",)) == []


def test_a_finished_pod_makes_room(story: Any) -> None:
    story.replica_set(replicas=1)
    name = story.at(1).create_pod()
    story.at(2).change("pods", name, "kubelet", "status", status={"phase": "Failed"})
    story.create_pod()
    assert broken(story) == []


@pytest.mark.parametrize(
    "change",
    [
        {"ownerReferences": []},
        {"labels": {"app": "other"}},
        {"ownerReferences": [{"controller": True, "uid": "x", "name": "web", "kind": "ReplicaSet"}]},
    ],
)
def test_a_pod_is_born_wrong(story: Any, change: dict[str, Any]) -> None:
    story.replica_set()
    body = story.pod_body("web")
    body["metadata"] |= change
    story.at(1).create_pod(body=body)
    assert broken(story) == ["owner-references"]


def test_an_incomplete_owner_reference(story: Any) -> None:
    story.replica_set()
    body = story.pod_body("web")
    del body["metadata"]["ownerReferences"][0]["blockOwnerDeletion"]
    story.at(1).create_pod(body=body)
    assert broken(story) == ["owner-references"]


@pytest.mark.parametrize(
    ("labels", "phase", "right"),
    [({"app": "web"}, "Running", True), ({"app": "db"}, "Running", False), ({"app": "web"}, "Failed", False)],
)
def test_adoption(story: Any, labels: dict[str, str], phase: str, right: bool) -> None:
    story.replica_set()
    references = story.pod_body("web")["metadata"]["ownerReferences"]
    pod = {"metadata": {"name": "lone", "namespace": "default", "uid": story.uid(), "labels": labels}}
    story.at(1).store("scenario", "create", "pods", pod | {"status": {"phase": phase}})
    story.at(2).change("pods", "lone", "replicaset-controller", metadata={"ownerReferences": references})
    assert broken(story) == ([] if right else ["adoption"])


def test_slow_start(story: Any) -> None:
    story.replica_set(replicas=500)
    for _ in range(5):
        story.at(1).create_pod()
    for _ in range(2):
        story.fail_create()
    assert broken(story, until=2) == []
    for _ in range(493):
        story.fail_create()
    assert broken(story, until=2) == ["slow-start"]


def test_a_failed_create_is_retried(story: Any) -> None:
    story.replica_set()
    story.at(1).fail_create()
    assert broken(story, until=900) == []
    assert broken(story, until=1100) == ["retried"]
    story.at(1500).create_pod()
    assert broken(story, until=1600) == ["retried"]


def test_a_failed_create_that_is_not_needed_any_more(story: Any) -> None:
    story.replica_set()
    story.at(1).fail_create()
    story.at(2).change("replicasets.apps", "web", spec={"replicas": 0})
    assert broken(story, until=5000) == []


def test_a_create_in_a_dying_namespace_is_not_retried(story: Any) -> None:
    story.replica_set()
    story.at(1).fail_create(message="... because it is being terminated")
    assert broken(story, until=5000) == []


@pytest.mark.parametrize("claim", [{"replicas": 4}, {"readyReplicas": 1}, {"availableReplicas": 1}])
def test_a_status_claims_too_much(story: Any, claim: dict[str, int]) -> None:
    story.replica_set(replicas=3)
    for _ in range(3):
        story.at(1).create_pod()
    story.set_status(**claim)
    assert broken(story) == ["status-truth"]


def test_a_status_may_lag_behind_a_refused_request(story: Any) -> None:
    story.replica_set(replicas=3)
    story.at(1).set_status(replicas=3)
    story.fail_create()
    assert broken(story) == []


@pytest.mark.parametrize(("at", "wrong"), [(13, []), (13.5, ["available-on-time"]), (12.9, ["status-truth"])])
def test_availability_is_counted_to_the_instant(story: Any, at: float, wrong: list[str]) -> None:
    story.replica_set(minReadySeconds=10)
    name = story.at(1).create_pod()
    story.at(3).run_pod(name)
    story.set_status(replicas=1, readyReplicas=1)
    story.at(at).set_status(availableReplicas=1)
    assert broken(story, until=20) == wrong


def test_availability_that_is_never_counted(story: Any) -> None:
    story.replica_set(minReadySeconds=10)
    name = story.at(1).create_pod()
    story.at(3).run_pod(name)
    assert broken(story, until=12) == []
    assert broken(story, until=14) == ["available-on-time"]
    assert broken(story, until=14, excused=("prompt-answers",)) == []


def test_readiness_that_flaps_starts_the_count_again(story: Any) -> None:
    story.replica_set(minReadySeconds=10)
    name = story.at(1).create_pod()
    story.at(3).run_pod(name)
    story.at(5).run_pod(name, ready=False)
    story.at(6).run_pod(name)
    story.at(16).set_status(availableReplicas=1)
    assert broken(story, until=20) == []


def test_an_end_that_is_not_what_was_asked_for(story: Any) -> None:
    story.replica_set(replicas=2)
    story.at(1).create_pod()
    assert broken(story, settled=False) == []
    assert broken(story, settled=True) == ["converged"]
    story.create_pod()
    assert broken(story, settled=True) == ["converged"]
    story.set_status(replicas=2)
    assert broken(story, settled=True) == ["converged"]
    story.set_status(observedGeneration=1)
    assert broken(story, settled=True) == []


def test_a_breach_says_what_when_and_why(story: Any) -> None:
    story.replica_set(replicas=0)
    name = story.at(1.5).create_pod()
    [breach] = check(story.history, seconds(2), settled=False)
    assert str(breach).startswith(
        "invariant ceiling is broken at 1.500 s: "
        f"with pod {name} ReplicaSet web has 1 active pods and wants 0\n  Rule: "
    )


def test_an_unknown_condition_is_refused(story: Any) -> None:
    with pytest.raises(ValueError, match="unknown condition 'weather'; known: fresh-caches"):
        check(story.history, 0, settled=False, broken=["weather"])
