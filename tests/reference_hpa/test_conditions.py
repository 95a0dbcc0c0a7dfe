"""Conditions: horizontal.go, setConditionInList and removeCondition."""

from __future__ import annotations

from typing import Any

from lockstep_reference.hpa.conditions import Conditions
from tests.reference_hpa.kit import START, FakeClock

AT_10 = "2000-01-01T00:00:10Z"


def condition(kind: str, status: str, at: str | None = START) -> dict[str, Any]:
    return {"type": kind, "status": status, "lastTransitionTime": at, "reason": "Old", "message": "old"}


def test_a_new_one_goes_behind_the_others() -> None:
    conditions = Conditions([condition("A", "True")], FakeClock(10.7))
    conditions.set("B", "False", "Why", "because")
    assert conditions.items == [
        condition("A", "True"),
        {"type": "B", "status": "False", "lastTransitionTime": AT_10, "reason": "Why", "message": "because"},
    ]


def test_only_a_change_of_status_is_dated() -> None:
    conditions = Conditions([condition("A", "True"), condition("B", "True")], FakeClock(10))
    conditions.set("A", "True", "New", "new")
    conditions.set("B", "False", "New", "new")
    assert [(one["reason"], one["lastTransitionTime"]) for one in conditions.items] == [("New", START), ("New", AT_10)]


def test_there_and_back_is_a_change_all_the_same() -> None:
    conditions = Conditions([condition("A", "False")], FakeClock(10))
    conditions.set("A", "True", "New", "new")
    conditions.set("A", "False", "Old", "old")
    assert conditions.items == [condition("A", "False", AT_10)]


def test_the_first_of_a_type_counts() -> None:
    conditions = Conditions([condition("A", "False"), condition("A", "True")], FakeClock())
    assert not conditions.is_true("A")
    conditions.set("A", "True", "New", "new")
    assert conditions.is_true("A")
    assert [one["reason"] for one in conditions.items] == ["New", "Old"]
    conditions.remove("A")
    assert conditions.items == []
    assert not conditions.is_true("A")


def test_what_was_there_is_not_touched() -> None:
    before = [condition("A", "True")]
    conditions = Conditions(before, FakeClock(10))
    conditions.set("A", "False", "New", "new")
    assert before == [condition("A", "True")]


def test_a_condition_about_nothing_has_no_date() -> None:
    conditions = Conditions([], FakeClock(10))
    conditions.set("", "", "", "")
    assert conditions.items == [{"type": "", "status": "", "lastTransitionTime": None, "reason": "", "message": ""}]
