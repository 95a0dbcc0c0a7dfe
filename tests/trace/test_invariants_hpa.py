"""Each invariant of the HPA controller, broken by a history that a controller with one mistake would leave behind."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.time.clock import rfc3339, seconds
from lockstep.trace.history import History
from lockstep.trace.invariants.base import CONDITIONS
from lockstep.trace.invariants.checking import check
from lockstep.trace.invariants.hpa_status import HPA_INVARIANTS

ACTOR = "horizontal-pod-autoscaler"
HPAS = "horizontalpodautoscalers.autoscaling"
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
FOUR_A_MINUTE = {
    "scaleUp": {"selectPolicy": "Max", "policies": [{"type": "Pods", "value": 4, "periodSeconds": 60}]},
    "scaleDown": {"selectPolicy": "Max", "policies": [{"type": "Percent", "value": 50, "periodSeconds": 60}]},
}


class Autoscaled:
    """A ReplicaSet `web` with its pods, and what an HPA does to it."""

    def __init__(self, builder: Any, replicas: int = 2, **spec: Any) -> None:
        self.builder = builder
        builder.history.controllers = frozenset({ACTOR})
        builder.replica_set("web", replicas)
        builder.change("replicasets.apps", "web", status={"replicas": replicas})
        builder.objects["replicasets.apps", "web"] |= {"apiVersion": "apps/v1", "kind": "ReplicaSet"}
        for _ in range(replicas):
            builder.create_pod()
        self.hpa(**spec)

    def hpa(self, name: str = "web", **spec: Any) -> None:
        reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
        spec = {"scaleTargetRef": reference, "minReplicas": 1, "maxReplicas": 20, "metrics": [CPU]} | spec
        obj = {
            "metadata": {"name": name, "namespace": "default", "uid": self.builder.uid()},
            "spec": spec,
            "status": {},
        }
        self.builder.store("scenario", "create", HPAS, obj)

    def scale(self, replicas: int, actor: str = ACTOR, name: str = "web") -> None:
        obj = self.builder.get("replicasets.apps", name)
        obj["spec"]["replicas"] = replicas
        body = {"kind": "Scale", "spec": {"replicas": replicas}}
        self.builder.store(actor, "update", "replicasets.apps", obj, subresource="scale", body=body)

    def report(self, old: int, new: int, utilization: int | None = 100, *, scaled: bool = True) -> None:
        metric: Any = {"type": ""}
        if utilization is not None:
            metric = {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": utilization}}}
        status = {"currentReplicas": old, "desiredReplicas": new, "currentMetrics": [metric]}
        if scaled:
            status["lastScaleTime"] = rfc3339(seconds(self.builder.now))
        self.builder.change(HPAS, "web", ACTOR, "status", status=status)

    def sync(self, at: float, old: int, new: int, utilization: int | None = 100) -> None:
        self.builder.at(at)
        self.scale(new)
        self.report(old, new, utilization)

    def settled(self, replicas: int) -> None:
        """The ReplicaSet controller has followed."""
        pods = [name for resource, name in self.builder.objects if resource == "pods"]
        for name in pods[replicas:]:
            self.builder.remove("kubelet", "pods", name)
        for _ in range(replicas - len(pods)):
            self.builder.create_pod()
        self.builder.change("replicasets.apps", "web", status={"replicas": replicas})


def broken(builder: Any, *excused: str) -> list[str]:
    return [one.invariant for one in check(builder.history, seconds(10_000), False, excused)]


def test_every_invariant_says_its_rule_and_its_source() -> None:
    assert len({one.name for one in HPA_INVARIANTS}) == len(HPA_INVARIANTS)
    for one in HPA_INVARIANTS:
        assert " MUST " in one.must
        assert one.source.startswith("pkg/controller/podautoscaler/")
        assert set(one.needs) <= set(CONDITIONS)


def test_a_good_run_breaks_nothing(builder: Any) -> None:
    web = Autoscaled(builder, 2, behavior=FOUR_A_MINUTE)
    web.sync(15, 2, 4)
    web.settled(4)
    web.builder.at(30)
    web.report(4, 4, 50, scaled=False)
    web.sync(90, 4, 2, 20)
    web.settled(2)
    web.builder.at(105)
    web.report(2, 2, 50, scaled=False)
    assert broken(builder) == []


def test_nothing_is_checked_where_the_controller_did_not_run(builder: Any) -> None:
    Autoscaled(builder).scale(99)
    assert broken(builder) == ["hpa-bounds", "hpa-rates"]
    builder.history.controllers = frozenset()
    assert broken(builder) == []


def test_it_deletes_a_pod(builder: Any) -> None:
    Autoscaled(builder)
    pod = next(name for resource, name in builder.objects if resource == "pods")
    builder.at(1).remove(ACTOR, "pods", pod)
    assert broken(builder, *CONDITIONS) == ["hpa-knows-its-place"]


def test_it_edits_an_hpa(builder: Any) -> None:
    Autoscaled(builder)
    builder.at(1).change(HPAS, "web", ACTOR, spec={"maxReplicas": 50})
    assert broken(builder) == ["hpa-knows-its-place"]


def test_it_scales_what_no_hpa_names(builder: Any) -> None:
    web = Autoscaled(builder)
    builder.replica_set("other", 2)
    web.scale(3, name="other")
    assert broken(builder) == ["hpa-own-target"]
    assert broken(builder, "fresh-caches") == []


def test_it_scales_the_target_of_an_hpa_that_has_gone(builder: Any) -> None:
    web = Autoscaled(builder)
    builder.at(5).remove("scenario", HPAS, "web")
    web.scale(3)
    assert broken(builder) == ["hpa-own-target"]


def test_a_target_may_be_named_in_small_letters(builder: Any) -> None:
    Autoscaled(builder, scaleTargetRef={"apiVersion": "apps/v9", "kind": "replicaset", "name": "web"}).scale(3)
    assert broken(builder) == []


def test_a_scale_write_changes_nothing(builder: Any) -> None:
    Autoscaled(builder, 3).scale(3)
    assert broken(builder) == ["hpa-purpose"]


@pytest.mark.parametrize(("wanted", "right"), [(1, False), (2, True), (4, True), (5, False)])
def test_bounds(builder: Any, wanted: int, right: bool) -> None:
    Autoscaled(builder, 3, minReplicas=2, maxReplicas=4).scale(wanted)
    assert broken(builder) == ([] if right else ["hpa-bounds"])


@pytest.mark.parametrize(
    ("spec", "condition", "right"),
    [({}, None, False), ({}, "False", False), ({}, "True", True), ({"minReplicas": 0}, None, True)],
)
def test_what_was_put_to_sleep(builder: Any, spec: dict[str, Any], condition: str | None, right: bool) -> None:
    web = Autoscaled(builder, 0, **spec)
    if condition is not None:
        conditions = [{"type": "ScaledToZero", "status": condition}]
        builder.change(HPAS, "web", ACTOR, "status", status={"conditions": conditions})
    web.scale(1)
    assert broken(builder) == ([] if right else ["hpa-asleep"])


@pytest.mark.parametrize(("old", "new", "right"), [(1, 4, True), (1, 5, False), (5, 10, True), (5, 11, False)])
def test_rates_without_a_behavior(builder: Any, old: int, new: int, right: bool) -> None:
    Autoscaled(builder, old).scale(new)
    assert broken(builder) == ([] if right else ["hpa-rates"])


def test_out_of_bounds_there_is_no_rate(builder: Any) -> None:
    Autoscaled(builder, 2, minReplicas=15).scale(15)
    assert broken(builder) == []


@pytest.mark.parametrize(
    ("at", "first", "second", "right"),
    [
        (15, 4, 6, True),
        (15, 4, 7, False),
        (74, 4, 7, False),
        (75, 4, 8, True),
        (75, 4, 9, False),
    ],
)
def test_a_policy_counts_what_its_period_has_seen(
    builder: Any, at: float, first: int, second: int, right: bool
) -> None:
    web = Autoscaled(builder, 2, behavior=FOUR_A_MINUTE)
    builder.at(15)
    web.scale(first)
    builder.at(at)
    web.scale(second)
    assert broken(builder) == ([] if right else ["hpa-rates"])


@pytest.mark.parametrize(("new", "right"), [(5, True), (4, False)])
def test_a_percentage_down(builder: Any, new: int, right: bool) -> None:
    Autoscaled(builder, 10, behavior=FOUR_A_MINUTE).scale(new)
    assert broken(builder) == ([] if right else ["hpa-rates"])


@pytest.mark.parametrize(("select", "new", "right"), [("Max", 7, True), ("Min", 7, False), ("Disabled", 5, False)])
def test_which_policy_counts(builder: Any, select: str, new: int, right: bool) -> None:
    policies = [
        {"type": "Pods", "value": 1, "periodSeconds": 60},
        {"type": "Percent", "value": 75, "periodSeconds": 60},
    ]
    rules = {"selectPolicy": select, "policies": policies}
    Autoscaled(builder, 4, behavior={"scaleUp": rules, "scaleDown": rules}).scale(new)
    assert broken(builder) == ([] if right else ["hpa-rates"])


def test_rates_are_unknown_for_half_an_hour_after_an_edit_or_under_an_old_name(builder: Any) -> None:
    web = Autoscaled(builder, 2, behavior=FOUR_A_MINUTE)
    builder.at(10).change(HPAS, "web", spec={"behavior": FOUR_A_MINUTE | {"scaleUp": FOUR_A_MINUTE["scaleDown"]}})
    web.scale(20)
    assert broken(builder) == []
    builder.at(3000).remove("scenario", HPAS, "web")
    web.hpa(behavior=FOUR_A_MINUTE)
    builder.at(3015)
    web.scale(1)
    assert broken(builder) == []
    builder.at(4801)
    web.scale(20)
    assert broken(builder) == ["hpa-rates"]


def test_rates_need_an_hpa_of_its_own(builder: Any) -> None:
    web = Autoscaled(builder, 2)
    web.hpa("second")
    web.scale(20)
    assert broken(builder) == []


def test_last_scale_time_moves_by_itself(builder: Any) -> None:
    web = Autoscaled(builder)
    web.sync(15, 2, 4)
    builder.at(30)
    web.report(4, 4)
    assert broken(builder) == ["hpa-last-scale-time"]


def test_the_status_has_other_numbers(builder: Any) -> None:
    web = Autoscaled(builder)
    builder.at(15)
    web.scale(4)
    web.report(4, 4)
    assert broken(builder) == ["hpa-numbers"]
    assert broken(builder, "no-restart") == []


def test_a_refused_status_is_no_wrong_one(builder: Any) -> None:
    web = Autoscaled(builder)
    builder.at(15)
    web.scale(4)
    builder.write(ACTOR, "update", HPAS, "web", subresource="status", code=409, reason="Conflict")
    builder.at(30)
    web.report(4, 4, scaled=False)
    assert broken(builder) == []


def test_one_of_two_autoscalers_is_not_blamed_for_the_other(builder: Any) -> None:
    web = Autoscaled(builder)
    web.hpa("second")
    builder.at(15)
    web.scale(4)
    web.report(9, 9, None)
    assert broken(builder) == []


def test_it_scales_down_in_the_dark(builder: Any) -> None:
    web = Autoscaled(builder, 4)
    web.sync(15, 4, 2, None)
    assert broken(builder) == ["hpa-blind-spot"]


def test_it_scales_up_in_the_dark(builder: Any) -> None:
    Autoscaled(builder, 2).sync(15, 2, 4, None)
    assert broken(builder) == []


@pytest.mark.parametrize(("old", "new", "utilization"), [(4, 3, 51), (4, 5, 49)])
def test_it_scales_against_the_metric(builder: Any, old: int, new: int, utilization: int) -> None:
    Autoscaled(builder, old, behavior=FOUR_A_MINUTE).sync(15, old, new, utilization)
    assert broken(builder) == ["hpa-direction"]


@pytest.mark.parametrize(("old", "new", "utilization"), [(4, 3, 50), (4, 5, 50), (4, 3, 49), (4, 5, 51)])
def test_it_scales_with_the_metric(builder: Any, old: int, new: int, utilization: int) -> None:
    Autoscaled(builder, old, behavior=FOUR_A_MINUTE).sync(15, old, new, utilization)
    assert broken(builder) == []


def test_without_a_behavior_an_earlier_recommendation_may_lift_it(builder: Any) -> None:
    Autoscaled(builder, 4).sync(15, 4, 5, 10)
    assert broken(builder) == []


def test_the_direction_is_open_while_pods_are_missing(builder: Any) -> None:
    web = Autoscaled(builder, 4)
    builder.remove("kubelet", "pods", next(name for resource, name in builder.objects if resource == "pods"))
    web.sync(15, 4, 3, 90)
    assert broken(builder) == []


def test_the_reads_of_a_history_are_no_writes(builder: Any) -> None:
    history = History([ACTOR])
    history.record_read(0, ACTOR, "replicasets.apps", "scale", "default", "web")
    assert check(history, 0, False) == []
