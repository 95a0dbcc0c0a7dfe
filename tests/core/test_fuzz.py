"""Fuzzing finds a difference, shrinks it, saves it, and a later run replays it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import strategies as st

from conformance.replicaset import plans
from harness.fuzz import engine
from harness.fuzz.differential import CaseReport, Differential, as_scenario, case_name
from harness.fuzz.regressions import DamagedRegression, load_regressions, parse_regression, save_regression
from harness.implementations.reference import Reference
from harness.implementations.registry import UsageError
from harness.trace.ledger import Ledger
from tests.core.test_runs import PLAN


def _judge_by(rule: str) -> engine._Judge:
    def judge(plan: dict[str, object]) -> CaseReport:
        wrong = len(plan["steps"]) > 2  # type: ignore[arg-type]
        return CaseReport(rule if wrong else "", rule if wrong else "", False, 1)

    return engine._Judge(judge, engine.FuzzResult("replicaset", 1), lambda _: None)


def test_a_difference_shrinks_to_the_smallest_plan_that_shows_it() -> None:
    plans = st.fixed_dictionaries({"steps": st.lists(st.integers(0, 9))})
    judges = [_judge_by("three steps are too many") for _ in range(50)]
    for number, judge in enumerate(judges):
        engine._explore(judge, plans, engine.case_seed(1, number))
    assert all(judge.result.cases == 1 for judge in judges)
    found = [difference for judge in judges for difference in judge.result.differences]
    assert len(found) > 10
    assert {tuple(one.plan["steps"]) for one in found} == {(0, 0, 0)}
    assert {one.report.headline for one in found} == {"three steps are too many"}


def test_each_case_is_drawn_anew() -> None:
    """And none is the simplest one, or a variation of another."""
    drawn: list[tuple[int, ...]] = []

    def judge(plan: tuple[int, ...]) -> CaseReport:
        drawn.append(plan)
        return CaseReport("", "", False, 1)

    for number in range(50):
        one = engine._Judge(judge, engine.FuzzResult("replicaset", 1), lambda _: None)  # type: ignore[arg-type]
        engine._explore(one, st.tuples(*[st.integers(0, 99)] * 4), engine.case_seed(1, number))
    assert len(set(drawn)) == len(drawn) == 50
    assert (0, 0, 0, 0) not in drawn


def test_the_reference_agrees_with_itself() -> None:
    differential = Differential(Reference(), Reference(), Ledger(), "1.36.3")
    report = differential.judge(as_scenario("replicaset", PLAN, plans))
    assert (report.text, report.needed_variants) == ("", False)
    assert report.writes_compared > 20


def test_a_controller_without_plans_is_named() -> None:
    with pytest.raises(UsageError, match="nothing can be generated for controller 'teapot'"):
        engine.fuzz("teapot", 1, 1)


def test_a_saved_regression_is_loaded_again(tmp_path: Path) -> None:
    path = save_regression(tmp_path, "replicaset", PLAN, "something differed")
    assert path.stem == case_name(PLAN)
    assert load_regressions(tmp_path, "replicaset") == {case_name(PLAN): PLAN}


def test_a_damaged_regression_is_one_clear_line(tmp_path: Path) -> None:
    path = save_regression(tmp_path, "replicaset", PLAN, "something differed")
    path.write_text(path.read_text()[:40])
    with pytest.raises(DamagedRegression, match=f"{path.name} is damaged"):
        load_regressions(tmp_path, "replicaset")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([], "a saved case has a controller and a plan"),
        ({"plan": {}}, "a saved case has a controller and a plan"),
        ({"controller": "../x", "plan": {}}, "'../x' is no name of a controller"),
        ({"controller": 5, "plan": {}}, "5 is no name of a controller"),
        ({"controller": "replicaset", "plan": 5}, "its plan is no JSON object"),
    ],
)
def test_what_is_no_saved_case_is_refused_with_the_reason(content: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_regression(content)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"steps": [{"do": "dance", "after": 1}]}, "a step has `after`, and a `do` that is one of .*dance"),
        ({"steps": [{"do": "crash"}]}, "this one is"),
        ({"steps": [1]}, "this one is 1"),
    ],
)
def test_a_plan_is_checked_before_it_is_played(change: dict[str, object], reason: str) -> None:
    plans.check(PLAN)
    with pytest.raises(ValueError, match=reason):
        plans.check(PLAN | change)
    with pytest.raises(ValueError, match="a plan has steps, and this one has not"):
        plans.check({name: part for name, part in PLAN.items() if name != "steps"})
