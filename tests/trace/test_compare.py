from __future__ import annotations

from typing import Any

import pytest

from lockstep.trace.compare import Tolerance, compare, nearest
from lockstep.trace.difference import KINDS
from lockstep.trace.model import Trace
from lockstep.trace.values import ABSENT


def trace(*instants: dict[str, Any], specs: dict[str, Any] | None = None, **final: Any) -> Trace:
    return Trace(instants, specs or {}, final)


def create(k: int = 1, times: int = 1, **fields: Any) -> dict[str, Any]:
    item = {"verb": "create", "resource": "pods", "object": f"web#{k}"} | fields
    return item | ({"times": times} if times > 1 else {})


def event(reason: str, message: str = "text") -> dict[str, Any]:
    return {
        "verb": "create",
        "object": "ReplicaSet web",
        "type": "Normal",
        "reason": reason,
        "message": message,
        "count": 1,
        "source": "replicaset-controller",
    }


def rows(left: Trace, right: Trace, *tolerance: Tolerance) -> list[tuple[Any, ...]]:
    found = compare(left, right, tolerance).differences
    assert all(one.kind in KINDS for one in found)
    return [(one.at, one.kind, one.object, one.path, one.left, one.right) for one in found]


def test_equal_traces_do_not_differ() -> None:
    one = trace({"at": "1.000", "writes": [create(times=3)], "status": {"rs": {"replicas": 3}}})
    assert rows(one, one) == []


def test_a_missing_and_an_extra_write() -> None:
    one, other = trace({"at": "1.000", "writes": [create()]}), trace()
    assert rows(one, other) == [("1.000", "missing write", "pods web#1", "", create(), ABSENT)]
    assert rows(other, one) == [("1.000", "extra write", "pods web#1", "", ABSENT, create())]


def test_another_number_of_equal_writes_is_one_difference() -> None:
    left, right = (
        trace({"at": "1.000", "writes": [create(times=500)]}),
        trace({"at": "1.000", "writes": [create(times=7)]}),
    )
    assert rows(left, right) == [("1.000", "missing write", "pods web#1", "", create(times=500), create(times=7))]


def test_a_write_at_another_instant_is_missing_there_and_extra_here() -> None:
    left, right = trace({"at": "9.000", "writes": [create()]}), trace({"at": "10.000", "writes": [create()]})
    assert [row[:2] for row in rows(left, right)] == [("9.000", "missing write"), ("10.000", "extra write")]


def test_a_partner_is_compared_field_by_field() -> None:
    left = trace(
        {"at": "1.000", "writes": [create(body={"labels": {"app": "web"}, "spec": "abc"})]}, specs={"abc": {"a": 1}}
    )
    right = trace(
        {"at": "1.000", "writes": [create(body={"labels": {"app": "x"}, "spec": "def"})]}, specs={"def": {"a": 2}}
    )
    assert [row[1:] for row in rows(left, right)] == [
        ("changed field", "pods web#1", "body.labels.app", "web", "x"),
        ("changed field", "pods web#1", "body.spec.a", 1, 2),
    ]


def test_the_most_alike_become_partners() -> None:
    left = trace({"at": "1.000", "writes": [create(code=403), create(code=500, message="no")]})
    right = trace({"at": "1.000", "writes": [create(code=500, message="yes"), create(code=403)]})
    assert [row[3:] for row in rows(left, right)] == [("message", "no", "yes")]


def test_another_kind_of_pod_deleted_is_shown_by_what_ranks_it() -> None:
    def deleted(k: int, ready: str) -> Trace:
        item = {"verb": "delete", "resource": "pods", "object": f"web#{k}"}
        return trace(
            {"at": "1.000", "writes": [item | {"pod": {"pod": f"web#{k}", "phase": "Running", "ready": ready}}]}
        )

    found = rows(deleted(1, "+2"), deleted(2, "+4"))
    assert {row[2] for row in found} == {"pods web#1 / pods web#2"}
    assert ("pod.ready", "+2", "+4") in [row[3:] for row in found]


def test_status_is_compared_path_by_path_over_all_instants() -> None:
    left = trace(
        {"at": "1.000", "status": {"rs": {"replicas": 1, "terminating": 0}}},
        {"at": "2.000", "status": {"rs": {"terminating": 1}}},
        {"at": "3.000", "status": {"rs": {"replicas": 2, "terminating": None}}},
    )
    right = trace(
        {"at": "1.000", "status": {"rs": {"replicas": 1}}}, {"at": "3.000", "status": {"rs": {"replicas": 2}}}
    )
    assert [(row[0], row[3], row[4], row[5]) for row in rows(left, right)] == [
        ("1.000", "status.terminating", 0, ABSENT),
        ("2.000", "status.terminating", 1, ABSENT),
    ]


def test_a_late_status_differs_only_while_it_is_late() -> None:
    left = trace({"at": "1.000", "status": {"rs": {"ready": 1}}}, {"at": "5.000", "status": {"rs": {"ready": 2}}})
    right = trace({"at": "2.000", "status": {"rs": {"ready": 1}}}, {"at": "5.000", "status": {"rs": {"ready": 2}}})
    assert [row[0] for row in rows(left, right)] == ["1.000"]


def test_events_have_kinds_of_their_own() -> None:
    left, right = (
        trace({"at": "1.000", "events": [event("A")]}),
        trace({"at": "1.000", "events": [event("B"), event("A")]}),
    )
    assert [row[1:3] for row in rows(left, right)] == [("extra event", "event on ReplicaSet web")]


def test_the_final_state_comes_last() -> None:
    pod = {"pod": "web#1", "phase": "Running"}
    left = trace(objects={"rs": {"status.replicas": 2}}, pods={"web": [pod | {"times": 2}]})
    right = trace(objects={"rs": {"status.replicas": 1}}, pods={"web": [pod]})
    assert [row[:4] for row in rows(left, right)] == [
        ("end", "changed field", "rs", "status.replicas"),
        ("end", "final state", "pods web#1", ""),
    ]


def test_a_tolerance_holds_for_its_paths_only() -> None:
    left = trace({"at": "1.000", "status": {"rs": {"ready": 10, "since": "+3", "name": "a"}}})
    right = trace({"at": "1.000", "status": {"rs": {"ready": 12, "since": "+4.5", "name": "b"}}})
    assert len(rows(left, right)) == 3
    assert [row[3] for row in rows(left, right, Tolerance("*.ready", 2))] == ["status.name", "status.since"]
    assert [row[3] for row in rows(left, right, Tolerance("*", 1.5))] == ["status.name", "status.ready"]


def test_a_window_lets_instants_shift() -> None:
    left = trace({"at": "9.500", "writes": [create(1)]}, {"at": "20.000", "writes": [create(2)]})
    right = trace({"at": "10.250", "writes": [create(1)]}, {"at": "20.000", "writes": [create(2)]})
    assert len(rows(left, right)) == 2
    assert rows(left, right, Tolerance("at", 0.75)) == []
    assert len(rows(left, right, Tolerance("at", 0.5))) == 2


def test_instants_come_in_the_order_of_time_not_of_text() -> None:
    left = trace({"at": "9.000", "writes": [create(1)]}, {"at": "10.000", "writes": [create(2)]})
    assert [row[0] for row in rows(left, trace())] == ["9.000", "10.000"]


def test_the_nearest_variant_counts() -> None:
    far = trace({"at": "1.000", "writes": [create(1, 5), create(2)]})
    near = trace({"at": "1.000", "writes": [create(1, 3)]})
    got = trace({"at": "1.000", "writes": [create(1, 2)]})
    assert nearest([far, near], got).left == near
    assert nearest([far, got], got).differences == []
    with pytest.raises(ValueError, match="at least one variant"):
        nearest([], got)


def test_a_difference_has_one_line() -> None:
    left = trace({"at": "1.000", "writes": [create(times=2)], "status": {"replicasets.apps web": {"replicas": 3}}})
    assert [one.line() for one in compare(left, trace()).differences] == [
        "at +1.000 s: missing write: pods web#1: 2 x create pods web#1 -> (absent)",
        "at +1.000 s: changed field: replicasets.apps web status.replicas: 3 -> (absent)",
    ]
