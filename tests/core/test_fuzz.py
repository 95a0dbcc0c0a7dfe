"""Fuzzing finds a difference, shrinks it, saves it, and a later run replays it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st

from lockstep.environments.memory import run_scenario
from lockstep.implementations.reference import Reference
from lockstep.implementations.registry import UsageError
from lockstep.project.regressions import (
    DamagedRegression,
    case_name,
    load_regressions,
    parse_regression,
    save_regression,
    tolerance_of,
)
from lockstep.quality.fuzz import engine
from lockstep.quality.fuzz.differential import (
    CaseReport,
    Differential,
    _Traces,
    as_scenario,
)
from lockstep.scenarios.cluster import Cluster
from lockstep.trace.compare import Tolerance
from lockstep.trace.history import History, Write
from lockstep.trace.ledger import Ledger
from lockstep.trace.normalise import Trace, normalise
from lockstep_conformance.plans import playing
from lockstep_conformance.replicaset import plans
from lockstep_conformance.vpa import plans as vpa_plans
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


def test_shrinking_ends_and_keeps_the_smallest_plan_so_far() -> None:
    judged: list[dict[str, list[int]]] = []
    heard: list[int] = []

    def judge(plan: dict[str, list[int]]) -> CaseReport:
        judged.append(plan)
        rule = "forty different steps are too many" if len(set(plan["steps"])) >= 40 else ""
        return CaseReport(rule, rule, False, 1)

    one = engine._Judge(judge, engine.FuzzResult("replicaset", 1), lambda result: heard.append(result.shrinking))
    steps = st.lists(st.integers(0, 999), min_size=60, max_size=80)
    engine._explore(one, st.fixed_dictionaries({"steps": steps}), engine.case_seed(1, 0))
    assert len(judged) == engine.SHRINKING + 1
    assert heard == list(range(engine.SHRINKING + 1))
    (found,) = one.result.differences
    assert judged[0] != found.plan in judged
    assert len(set(found.plan["steps"])) >= 40
    assert (one.result.cases, one.result.shrinking) == (1, 0)


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
    report = differential.judge(as_scenario(PLAN, plans))
    assert (report.text, report.needed_variants) == ("", False)
    assert report.writes_compared > 20


def _checkpoint(weight: float) -> Trace:
    """What a recommender does that writes this sum into a checkpoint."""
    resource = "verticalpodautoscalercheckpoints.autoscaling.k8s.io"
    metadata = {"name": "web-main", "namespace": "default", "uid": "u"}
    before, after = ({"metadata": metadata, "status": {"cpuHistogram": {"totalWeight": one}}} for one in (1.0, weight))
    write = Write(0, "vpa-recommender", "patch", resource, "", "default", "web-main", 200, "", before, after)
    return normalise(History(["vpa-recommender"], [write]), 0)


def test_what_a_module_of_plans_tolerates_is_no_difference() -> None:
    exact, near, far = _checkpoint(2.0), _checkpoint(2.0 + 1e-12), _checkpoint(2.1)
    assert len({one.digest() for one in (exact, near, far)}) == 3
    tolerance = tolerance_of(vpa_plans)
    seen = _traces(exact, tolerance)
    for one in (exact, near):
        seen.add(one, History())
        assert len(seen) == 1
        assert seen.meet(_traces(one, tolerance))
    assert not seen.meet(_traces(far, tolerance))
    seen.add(far, History())
    assert len(seen) == 2
    assert len(seen.fresh_acts()) == 2, "of traces that are alike one is enough to follow"
    assert seen.fresh_acts() == []
    assert not _traces(exact, tolerance_of(plans)).meet(_traces(near, ()))


def _traces(one: Trace, tolerance: Sequence[Tolerance]) -> _Traces:
    traces = _Traces(tolerance)
    traces.add(one, History())
    return traces


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


def test_a_watch_that_a_relist_has_just_begun_is_not_dropped() -> None:
    pods = {"resource": "pods"}

    async def body(cluster: Cluster) -> None:
        await plans.ACTIONS["expire-watch"](cluster, pods)
        await cluster.run(playing.RELIST - 1.5)
        await plans.ACTIONS["drop-watch"](cluster, pods)
        begun = cluster.network.relays("pods")
        await cluster.run(60)
        cluster.expect_true("a watch has begun, and goes on", begun and cluster.network.relays("pods") == begun)
        await plans.ACTIONS["drop-watch"](cluster, pods)
        cluster.expect_true("it is dropped later", cluster.network.relays("pods") != begun)

    run = run_scenario(replace(as_scenario(PLAN, plans), body=body), Reference())
    assert (run.error, run.failure) == ("", "")
