"""Generated HPA cases: plans are checked, played, and hold nothing that upstream leaves open."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from lockstep import objects
from lockstep.environments.memory import run_scenario
from lockstep.implementations.reference import Reference
from lockstep.quality.fuzz.differential import Differential, as_scenario
from lockstep.scenarios.cluster import Cluster
from lockstep.trace.invariants import checking as invariants
from lockstep.trace.ledger import Ledger
from lockstep_conformance.hpa import plans
from lockstep_conformance.hpa.strategies import plans as any_plan
from lockstep_conformance.hpa.strategies.open_choices import comparable
from lockstep_conformance.plans.playing import Plan

HPAS = "horizontalpodautoscalers.autoscaling"
USUAL = {"cpu": "500m", "memory": "128Mi"}
ANT = {
    "name": "ant",
    "replicas": 2,
    "labels": {"app": "ant"},
    "containers": {"app": USUAL},
    "lifecycles": [{"start_after": 1.0, "ready_after": [2.0, 5.0], "flaps": [[50.0, False], [80.0, True]]}],
}
CPU = objects.resource_metric("cpu", utilization=50)
SPEC = {"scaleTargetRef": objects.reference("ReplicaSet", "ant"), "maxReplicas": 8, "metrics": [CPU]}
LOAD = {
    "signal": "load",
    "pods": {"app": "ant"},
    "cpu": {"how": "shared", "of": {"curve": "steps", "points": [[0, 0.5], [120, 3.0]]}},
}
EMPTY: Plan = {
    "options": {},
    "feature_gates": {},
    "rhythm": {},
    "workloads": [],
    "hpas": [],
    "signals": [],
    "steps": [],
}
PLAN: Plan = {
    **EMPTY,
    "options": {"downscale_stabilization": 60.0},
    "workloads": [ANT],
    "hpas": [{"name": "ant", "after": 1.0, "spec": SPEC}],
    "signals": [LOAD],
    "steps": [
        {"after": 150.0, "do": "error", "code": 409, "verb": "update", "resource": "replicasets.apps", "times": 2},
        {"after": 31.0, "do": "lose", "pods": {"app": "ant"}, "which": 0},
        {"after": 61.0, "do": "fail-pod", "owner": "ant", "index": 1},
        {"after": 1.0, "do": "crash", "controllers": ["hpa"], "seconds": 1.0},
        {"after": 61.0, "do": "edit-hpa", "index": 0, "spec": {"maxReplicas": 4}},
        {"after": 61.0, "do": "recreate-hpa", "index": 0, "seconds": 1.0},
    ],
}


def played(plan: Plan) -> Any:
    result = run_scenario(as_scenario(plan, plans), Reference())
    assert result.error == ""
    return result


def test_the_reference_agrees_with_itself() -> None:
    report = Differential(Reference(), Reference(), Ledger(), "1.36.3").judge(as_scenario(PLAN, plans))
    assert (report.text, report.needed_variants) == ("", False)
    assert report.writes_compared > 50


@given(any_plan())
@settings(
    max_examples=25,
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
    with pytest.raises(ValueError, match="a plan has hpas, steps, and this one has not"):
        plans.check({name: part for name, part in PLAN.items() if name not in ("hpas", "steps")})


def test_a_plan_says_how_the_controllers_are_configured() -> None:
    options = plans.options(PLAN | {"feature_gates": {"HPAScaleToZero": True}})
    assert options.hpa.downscale_stabilization == 60.0
    assert options.hpa.sync_period == 15.0
    assert options.feature_gates == {"HPAScaleToZero": True}


def test_a_plan_ends_with_the_longest_window_and_time_to_recover() -> None:
    window = {"behavior": {"scaleUp": None, "scaleDown": {"stabilizationWindowSeconds": 200}}}
    assert plans.longest_window(PLAN) == 60.0
    assert plans.longest_window(PLAN | {"hpas": [{"name": "ant", "spec": {**SPEC, **window}}]}) == 200.0
    edit = {"after": 0.0, "do": "edit-hpa", "index": 0, "spec": window}
    assert plans.longest_window(PLAN | {"steps": [edit]}) == 200.0
    creation = {"after": 0.0, "do": "create-hpa", "hpa": {"name": "ant", "spec": {**SPEC, **window}}}
    assert plans.longest_window(PLAN | {"steps": [creation]}) == 200.0
    assert played(EMPTY | {"options": {"downscale_stabilization": 60.0}}).virtual_seconds == 10 + 90 + 1100


def test_all_that_goes_wrong_ends_with_the_steps() -> None:
    troubles: list[dict[str, Any]] = [
        {"do": "remove-api", "group": "metrics.k8s.io"},
        {"do": "unavailable", "group": "external.metrics.k8s.io"},
        {"do": "lose", "pods": {"app": "ant"}, "which": None},
        {
            "do": "error",
            "code": 500,
            "verb": "get",
            "resource": "replicasets.apps",
            "subresource": "scale",
            "times": 99,
        },
        {"do": "hold", "resource": HPAS},
        {"do": "crash-at", "controllers": ["hpa"], "effect": False, "verb": "get", "resource": ""},
    ]
    found: dict[str, Any] = {}

    async def body(cluster: Cluster) -> None:
        await plans.play(cluster, PLAN | {"steps": [{"after": 31.0, **one} for one in troubles]})
        found["scales"] = [
            write.body["spec"]["replicas"] for write in cluster.writes("update", "replicasets.apps", 200)
        ]
        found["events"] = [event["message"] for event in cluster.events("FailedGetScale")]

    scenario = as_scenario(PLAN, plans)
    assert run_scenario(type(scenario)(**{**vars(scenario), "body": body}), Reference()).error == ""
    assert found["events"]
    assert found["scales"][-1] == 8


# -- what upstream leaves open -----------------------------------------------------------------------------------------

STATUS_FAULT = {"after": 1.0, "do": "error", "code": 500, "verb": "update", "resource": HPAS, "subresource": "status"}
SCALE_FAULT = {"after": 1.0, "do": "error", "code": 500, "verb": "update", "resource": "replicasets.apps"}


def with_faults(**change: Any) -> list[str]:
    """Of the faults of a plan with such a change, those that are kept: by resource."""
    plan = {**PLAN, "steps": [STATUS_FAULT, SCALE_FAULT], **change}
    plan["steps"] = [*plan["steps"], *plan.pop("more", [])]
    return [step["resource"] for step in comparable(plan)["steps"] if step["do"] == "error"]


def hpa_of(target: str) -> dict[str, Any]:
    return {"name": "dog", "after": 1.0, "spec": {**SPEC, "scaleTargetRef": objects.reference("ReplicaSet", target)}}


def test_faults_of_the_status_stay_where_messages_are_determined() -> None:
    assert with_faults() == [HPAS, "replicasets.apps"]
    assert with_faults(hpas=[*PLAN["hpas"], hpa_of("bee")]) == [HPAS, "replicasets.apps"]
    assert with_faults(more=[{"do": "edit-hpa", "index": 0, "spec": {"maxReplicas": 3}}])[0] == HPAS


@pytest.mark.parametrize(
    "change",
    [
        {"hpas": [*PLAN["hpas"], hpa_of("ant")]},
        {"hpas": [*PLAN["hpas"], hpa_of("cat")]},  # whose labels include those of ant
        {"more": [{"do": "create-hpa", "hpa": hpa_of("ant")}]},
        {"more": [{"do": "edit-hpa", "index": 0, "spec": hpa_of("ant")["spec"]}]},
        {"workloads": [{**ANT, "containers": {"app": {"cpu": "1"}}}]},
        {"more": [{"do": "create-workload", "workload": {**ANT, "containers": {"app": {}}}}]},
        {"more": [{"do": "edit-hpa", "index": 0, "spec": {"metrics": [objects.container_metric("side")]}}]},
    ],
)
def test_faults_of_the_status_go_where_messages_depend_on_the_order_of_a_map(change: dict[str, Any]) -> None:
    assert with_faults(**change) == ["replicasets.apps"]


CRASH = {"after": 1.0, "do": "crash", "controllers": ["hpa"], "seconds": 1.0}
CRASH_AT = {"after": 1.0, "do": "crash-at", "controllers": ["hpa", "replicaset"], "effect": False, "verb": "get"}
DISCOVERY_FAULT = {
    "after": 1.0,
    "do": "latency",
    "seconds": 1.0,
    "verb": "get",
    "resource": "",
    "actor": "horizontal-pod-autoscaler",
}
READ_FAULT = {**DISCOVERY_FAULT, "resource": "replicasets.apps", "subresource": "scale"}
POD_FAULT = {"after": 1.0, "do": "error", "code": 500, "verb": "create", "actor": "replicaset-controller"}


def kept(*steps: dict[str, Any], **change: Any) -> list[dict[str, Any]]:
    steps_kept: list[dict[str, Any]] = comparable({**PLAN, "steps": list(steps), **change})["steps"]
    return steps_kept


@pytest.mark.parametrize("crash", [CRASH, CRASH_AT])
def test_where_the_controller_restarts_discovery_works(crash: dict[str, Any]) -> None:
    """Its timer and those of the HPAs fall into one instant."""
    assert kept(DISCOVERY_FAULT) == [DISCOVERY_FAULT]
    assert kept(DISCOVERY_FAULT, crash, READ_FAULT) == [crash, READ_FAULT]


def test_where_discovery_is_faulty_no_hpa_is_due_at_the_reset_of_the_mapper() -> None:
    def moments(*steps: dict[str, Any], first: float) -> list[float]:
        hpas = [{**PLAN["hpas"][0], "after": first}, hpa_of("bee")]
        return [one["after"] for one in comparable({**PLAN, "hpas": hpas, "steps": list(steps)})["hpas"]]

    assert moments(READ_FAULT, first=7.0) == [7.0, 1.0]
    assert moments(DISCOVERY_FAULT, first=7.0) == [7.25, 1.0]
    assert moments(DISCOVERY_FAULT, first=3.5) == [3.75, 1.0]


@pytest.mark.parametrize("slow", [DISCOVERY_FAULT, READ_FAULT, {**READ_FAULT, "do": "timeout", "effect": False}])
def test_no_sync_is_slow_where_messages_depend_on_the_order_of_a_map(slow: dict[str, Any]) -> None:
    assert kept(slow) == [slow]
    assert kept(slow, SCALE_FAULT, hpas=[*PLAN["hpas"], hpa_of("cat")]) == [SCALE_FAULT]
    assert kept(slow, SCALE_FAULT, workloads=[{**ANT, "containers": {"app": {}}}]) == [SCALE_FAULT]


def test_after_a_restart_no_fault_chooses_among_hpas_that_share_an_instant() -> None:
    two = {"hpas": [*PLAN["hpas"], hpa_of("bee")]}
    assert kept(READ_FAULT, CRASH, READ_FAULT, POD_FAULT, **two) == [READ_FAULT, CRASH, POD_FAULT]
    creation = {"after": 0.0, "do": "create-hpa", "hpa": hpa_of("bee")}
    assert kept(creation, CRASH, READ_FAULT) == [creation, CRASH]


def test_hpas_that_may_share_pods_meet_no_restart() -> None:
    of_the_other = {**CRASH, "controllers": ["replicaset"]}
    assert kept(CRASH, CRASH_AT, of_the_other, hpas=[*PLAN["hpas"], hpa_of("cat")]) == [of_the_other]


def test_pods_differ_by_noise_only_where_answers_show_the_pods_that_there_are() -> None:
    def noise(**change: Any) -> tuple[bool, bool]:
        load = {**LOAD, "cpu": {"how": "each", "of": 1.0, "noise": 0.2}}
        steps = [{"after": 0.0, "do": "signal", "signal": load}, *change.pop("steps", [])]
        plan = comparable({**PLAN, "signals": [load], **change, "steps": steps})
        return "noise" in plan["signals"][0]["cpu"], "noise" in plan["steps"][0]["signal"]["cpu"]

    at_once = {"period": 0}
    assert noise() == noise(rhythm={"period": 30}) == (False, False)
    assert noise(rhythm=at_once) == (True, True)
    assert noise(rhythm=at_once, steps=[{"after": 0.0, "do": "scrape", "rhythm": at_once}]) == (True, True)
    assert noise(rhythm=at_once, steps=[{"after": 0.0, "do": "scrape", "rhythm": {}}]) == (False, False)
    assert noise(rhythm=at_once, steps=[{"after": 0.0, "do": "freeze"}]) == (False, False)
