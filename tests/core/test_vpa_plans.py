"""Generated VPA cases: plans are checked, played, and hold nothing that upstream leaves open."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from lockstep import objects
from lockstep.environments.memory import run_scenario
from lockstep.implementations.reference import Reference
from lockstep.project.regressions import tolerance_of
from lockstep.quality.fuzz.differential import Differential, as_scenario
from lockstep.scenarios.cluster import Cluster
from lockstep.trace.invariants import checking as invariants
from lockstep.trace.ledger import Ledger
from lockstep_conformance.plans.playing import Plan
from lockstep_conformance.vpa import plans
from lockstep_conformance.vpa.strategies import plans as any_plan
from lockstep_conformance.vpa.strategies.open_choices import comparable
from lockstep_conformance.vpa.strategies.steps import step

VPAS = "verticalpodautoscalers.autoscaling.k8s.io"
SMALL = {"resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}
ANT = {
    "name": "ant",
    "replicas": 2,
    "containers": {"main": SMALL},
    "lifecycle": {"start_after": 1.0, "ready_after": 2.0, "stop_after": 1.0},
}
SPEC = {"targetRef": objects.reference("ReplicaSet", "ant"), "updatePolicy": {"updateMode": "Recreate"}}
LOAD = {
    "pods": {"app": "ant"},
    "cpu": {"how": "each", "of": 0.3},
    "memory": {"how": "each", "of": 2e8, "growth": {"curve": "ramp", "start": 0, "end": 600, "low": 0.0, "high": 1e8}},
    "oom": True,
}
EMPTY: Plan = {
    "options": {"updater": {}},
    "feature_gates": {},
    "rhythm": {},
    "bounds": [],
    "workloads": [],
    "vpas": [],
    "loads": [],
    "first": 0.0,
    "steps": [],
}
PLAN: Plan = {
    **EMPTY,
    "options": {"recommender": {"recommender_interval": 120.0}, "updater": {"min_replicas": 1}},
    "bounds": [{"kind": "PodDisruptionBudget", "pods": "ant", "budget": {"min_available": 1}}],
    "workloads": [ANT],
    "vpas": [{"name": "ant", "after": 1.0, "spec": SPEC}],
    "loads": [LOAD],
    "first": 130.0,
    "steps": [
        {"after": 61.0, "do": "oom-kill", "owner": "ant", "index": 0, "container": 0, "down": None},
        {"after": 61.0, "do": "error", "code": 500, "verb": "create", "resource": "pods", "subresource": "eviction"},
        {"after": 61.0, "do": "edit-vpa", "index": 0, "spec": {"updatePolicy": {"updateMode": "InPlaceOrRecreate"}}},
        {"after": 61.0, "do": "crash", "controllers": ["vpa-recommender"], "seconds": 5.0},
        {"after": 61.0, "do": "evict-by-kubelet", "owner": "ant", "index": 0, "usage": "700Mi"},
    ],
}


def played(plan: Plan, **change: Any) -> Any:
    result = run_scenario(as_scenario(plan | change, plans), Reference())
    assert result.error == ""
    return result


def evictions(plan: Plan, **change: Any) -> int:
    writes = [one for one in played(plan, **change).history if one.actor == "vpa-updater" and not one.failed]
    return sum(one.subresource == "eviction" for one in writes)


def test_the_reference_agrees_with_itself() -> None:
    report = Differential(Reference(), Reference(), Ledger(), "1.36.3").judge(as_scenario(PLAN, plans))
    assert (report.text, report.needed_variants) == ("", False)
    assert report.writes_compared > 50
    assert evictions(PLAN) > 1


@given(any_plan())
@settings(
    max_examples=12,
    database=None,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_any_plan_is_json_and_can_be_played(plan: Plan) -> None:
    plan = json.loads(json.dumps(plan))
    plans.check(plan)
    result = played(plan)
    assert not invariants.check(result.history, result.end_instant, settled=True, broken=result.broken_conditions)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"steps": [{"do": "dance", "after": 1}]}, "a step has `after`, and a `do` that is one of .*dance"),
        ({"steps": [{"do": "crash"}]}, "this one is"),
        ({"steps": ["crash"]}, "this one is crash"),
    ],
)
def test_a_plan_is_checked_before_it_is_played(change: dict[str, Any], reason: str) -> None:
    plans.check(PLAN)
    with pytest.raises(ValueError, match=reason):
        plans.check(PLAN | change)
    with pytest.raises(ValueError, match="a plan has vpas, steps, and this one has not"):
        plans.check({name: part for name, part in PLAN.items() if name not in ("vpas", "steps")})


def test_a_plan_says_how_the_controllers_are_configured() -> None:
    options = plans.options(PLAN | {"feature_gates": {"InPlace": True}})
    assert options.vpa.recommender.recommender_interval == 120.0
    assert options.vpa.updater.updater_interval == 60.0
    assert options.vpa.feature_gates == {"InPlace": True}


def test_a_case_is_about_the_recommender_and_tolerates_sums() -> None:
    scenario = as_scenario(PLAN, plans)
    assert scenario.id.startswith("vpa-recommender/case-")
    assert scenario.tolerance == tolerance_of(plans) != ()


def test_a_plan_ends_with_loops_and_time_to_recover() -> None:
    assert played(EMPTY).virtual_seconds == 10 + 3 * 60 + 410
    assert played(EMPTY, options={"updater": {"updater_interval": 200.0}}).virtual_seconds == 10 + 3 * 200 + 410


def test_all_that_goes_wrong_ends_with_the_steps() -> None:
    troubles: list[dict[str, Any]] = [
        {"do": "unavailable", "group": "metrics.k8s.io"},
        {"do": "lose", "pods": {"app": "ant"}, "which": None},
        {"do": "resizes", "resize": {"verdict": "Infeasible"}},
        {"do": "error", "code": 500, "verb": "call", "resource": "webhooks", "times": 99},
        {"do": "hold", "resource": VPAS},
        {"do": "crash-at", "controllers": ["vpa-updater"], "effect": False, "verb": "get", "resource": None},
    ]
    found: dict[str, Any] = {}

    async def body(cluster: Cluster) -> None:
        await plans.play(cluster, PLAN | {"first": 0.0, "steps": [{"after": 5.0, **one} for one in troubles]})
        found["running"] = cluster.controllers_running
        found["asked"] = [
            write.after["spec"]["containers"][0]["resources"]["requests"]
            for write in cluster.writes("create", "pods", 201)
            if write.after is not None and not write.subresource
        ]
        found["left"] = [cluster.list(resource) for resource in (VPAS, "poddisruptionbudgets.policy")]

    scenario = as_scenario(PLAN, plans)
    assert run_scenario(type(scenario)(**{**vars(scenario), "body": body}), Reference()).error == ""
    assert found["running"]
    assert found["left"] == [[], []]
    assert found["asked"][-1] != found["asked"][0]


def test_a_bound_takes_the_place_of_one_with_its_name() -> None:
    strict = {"kind": "PodDisruptionBudget", "pods": "ant", "budget": {"max_unavailable": 0}}
    assert evictions(PLAN, steps=[]) > 0
    assert evictions(PLAN, first=30.0, steps=[{"after": 0.0, "do": "bound", "bound": strict}]) == 0
    lifted = {"after": 0.0, "do": "unbound", "resource": "poddisruptionbudgets.policy"}
    assert evictions(PLAN, first=30.0, steps=[{"after": 0.0, "do": "bound", "bound": strict}, lifted]) > 0


# -- what plans keep apart ---------------------------------------------------------------------------------------------

FOR_PODS = {"kind": "LimitRange", "name": "bounds", "items": [{"kind": "Pod", "least": {"cpu": "150m"}}]}
ALLOWED = {"containerPolicies": [objects.container_policy(mode="Off")]}


def kinds(**change: Any) -> list[str]:
    """What a LimitRange of a plan with such a change is for, and one that comes with a step."""
    later = {"after": 1.0, "do": "bound", "bound": FOR_PODS}
    made = comparable({**PLAN, "bounds": [*PLAN["bounds"], FOR_PODS], "steps": [later], **change})
    bounds = [*made["bounds"], *(step["bound"] for step in made["steps"] if "bound" in step)]
    return [item["kind"] for one in bounds for item in one.get("items", ())]


def test_limit_ranges_for_pods_stay_where_all_containers_have_a_recommendation() -> None:
    assert kinds() == ["Pod", "Pod"]
    assert kinds(workloads=[{**ANT, "containers": {"main": SMALL, "side": SMALL}}]) == ["Container", "Container"]
    assert kinds(vpas=[{"name": "ant", "spec": {**SPEC, "resourcePolicy": ALLOWED}}]) == ["Container", "Container"]
    edit = {"after": 1.0, "do": "edit-vpa", "index": 0, "spec": {"resourcePolicy": ALLOWED}}
    assert kinds(steps=[edit]) == ["Container"]


def test_rates_are_limited_for_one_vpa_only() -> None:
    limited = {**PLAN, "options": {"updater": {"eviction_rate_limit": 0.05, "min_replicas": 1}}}
    assert comparable(limited) == limited
    another = [*PLAN["vpas"], {"name": "bee", "after": 1.0, "spec": SPEC}]
    assert comparable({**limited, "vpas": another})["options"] == {"updater": {"min_replicas": 1}}


@given(step)
@settings(max_examples=500, database=None, deadline=None, derandomize=True, phases=[Phase.generate])
def test_a_request_that_may_be_about_an_event_is_the_last_of_its_program(one: dict[str, Any]) -> None:
    """Who lives on repeats it after a random time."""
    if "actor" in one and not one.get("resource"):
        assert (one["do"], one["controllers"]) == ("crash-at", [one["actor"]])


# -- other orders ------------------------------------------------------------------------------------------------------


def test_other_orders_take_other_pods_of_equal_priority() -> None:
    growing = [{"after": 5.0, "do": "scale", "name": "ant", "replicas": replicas} for replicas in (2, 3, 4, 5)]
    scenario = as_scenario(
        PLAN | {"first": 0.0, "bounds": [], "loads": [{**LOAD, "oom": False}], "steps": growing}, plans
    )

    def first_evicted(seed: int) -> str:
        history = run_scenario(scenario, Reference(), seed).history
        evictions = (one for one in history if one.subresource == "eviction" and one.before is not None)
        return str(next(evictions).before["metadata"]["creationTimestamp"])  # type: ignore[index]

    assert first_evicted(0) == first_evicted(0)
    assert len({first_evicted(seed) for seed in range(1, 7)}) > 1
