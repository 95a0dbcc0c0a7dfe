"""What a trace holds of an HPA: its scale writes, its status path by path, and messages in random order made equal."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.trace.normalise import normalise
from lockstep.trace.unordered import steady, varies

ACTOR = "horizontal-pod-autoscaler"
HPAS = "horizontalpodautoscalers.autoscaling"
AMBIGUOUS = "pods by selector app=web are controlled by multiple HPAs: [{}]"


def autoscaled(builder: Any) -> Any:
    builder.history.controllers = frozenset({ACTOR})
    builder.replica_set("web", 2)
    for name in ("one", "two"):
        obj = {"metadata": {"name": name, "namespace": "default", "uid": builder.uid()}, "spec": {"maxReplicas": 5}}
        builder.store("scenario", "create", HPAS, obj)
    return builder


def only(builder: Any) -> dict[str, Any]:
    (instant,) = normalise(builder.history).instants
    return instant


def test_a_scale_write_shows_what_it_changes(builder: Any) -> None:
    autoscaled(builder).at(20)
    scaled = builder.get("replicasets.apps", "web")
    scaled["spec"]["replicas"] = 4
    builder.store(ACTOR, "update", "replicasets.apps", scaled, subresource="scale", body={"spec": {"replicas": 4}})
    assert only(builder)["writes"] == [
        {
            "verb": "update",
            "resource": "replicasets.apps/scale",
            "object": "web",
            "changes": {"spec.replicas": [2, 4]},
        }
    ]


@pytest.mark.parametrize(("body", "replicas"), [({"spec": {"replicas": 4}}, 4), ({"spec": {}}, 0), (None, 0)])
def test_a_refused_scale_write_shows_what_it_asked_for(builder: Any, body: Any, replicas: int) -> None:
    autoscaled(builder).at(20)
    facts = {"code": 409, "reason": "Conflict", "message": "changed meanwhile"}
    builder.write(ACTOR, "update", "replicasets.apps", "web", subresource="scale", body=body, **facts)
    assert only(builder)["writes"] == [
        {"verb": "update", "resource": "replicasets.apps/scale", "object": "web", "replicas": replicas, **facts}
    ]


def test_status_is_recorded_path_by_path_and_its_times_count_from_the_start(builder: Any) -> None:
    autoscaled(builder).at(20)
    able = {"type": "AbleToScale", "status": "True", "lastTransitionTime": "2000-01-01T00:00:20Z"}
    metric = {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 80}}}
    status = {"currentReplicas": 2, "conditions": [able], "currentMetrics": [metric, {"type": ""}]}
    builder.change(HPAS, "one", ACTOR, "status", status=status | {"lastScaleTime": "2000-01-01T00:00:05Z"})
    assert only(builder)["status"] == {
        f"{HPAS} one": {
            "conditions[type=AbleToScale].lastTransitionTime": "+20",
            "conditions[type=AbleToScale].status": "True",
            "currentMetrics[type=Resource].resource.current.averageUtilization": 80,
            "currentMetrics[type=Resource].resource.name": "cpu",
            "currentMetrics[type=]": True,
            "currentReplicas": 2,
            "lastScaleTime": "+5",
        }
    }


def test_the_hpas_that_a_message_lists_are_sorted() -> None:
    assert steady(AMBIGUOUS.format("shop/b default/c default/a")) == AMBIGUOUS.format("default/a default/c shop/b")
    combined = "(combined from similar events): " + AMBIGUOUS.format("b/b a/a")
    assert steady(combined) == AMBIGUOUS.format("a/a b/b")


@pytest.mark.parametrize(
    "text",
    [
        "missing request for cpu in container app of Pod {}",
        "failed to get cpu utilization: missing pod-level request for cpu in Pod {}",
        "invalid metrics (1 invalid out of 1), first error is: container app not found in Pod {}",
    ],
)
def test_a_pod_that_upstream_comes_upon_first_has_no_name_if_it_was_generated(text: str) -> None:
    assert (
        steady(text.format("web#2"))
        == text.format("(any)")
        == steady("(combined from similar events): " + text.format("db#1"))
    )
    assert varies(steady(text.format("web#2")))
    assert steady(text.format("fox")) == text.format("fox")
    assert not varies(text.format("fox"))


def test_other_texts_stay_as_they_are() -> None:
    for text in ("Created Pod web#1", "(combined from similar events): no metrics returned", "of Pod web#1"):
        assert steady(text) == text
        assert not varies(text)


def ambiguity(builder: Any, orders: tuple[str, ...]) -> Any:
    """What client-go makes of a message at 20 s, 35 s ...: a message that it knows is counted, any other is new."""
    autoscaled(builder)
    involved = {"kind": "HorizontalPodAutoscaler", "name": "one", "namespace": "default"}
    counts: dict[str, int] = {}
    for index, order in enumerate(orders):
        message = AMBIGUOUS.format(order)
        counts[message] = counts.get(message, 0) + 1
        event = {
            "metadata": {"name": f"one.{order[-1]}", "namespace": "default", "uid": builder.uid()},
            "involvedObject": involved,
            "type": "Warning",
            "reason": "AmbiguousSelector",
            "message": message,
            "count": counts[message],
            "source": {"component": ACTOR},
        }
        builder.at(20 + 15 * index)
        builder.store(ACTOR, "create" if counts[message] == 1 else "patch", "events", event)
        condition = {"type": "ScalingActive", "status": "False", "message": message}
        builder.change(HPAS, "one", ACTOR, "status", status={"conditions": [condition]})
    return normalise(builder.history)


def test_it_makes_no_difference_in_which_order_upstream_lists_them(make_story: Any) -> None:
    one, other = "default/one default/two", "default/two default/one"
    first = ambiguity(make_story("a"), (one, one, one))
    assert first == ambiguity(make_story("b"), (other, one, other))
    assert first.instants[0]["events"][0]["message"] == AMBIGUOUS.format(one)
    assert [len(instant["events"]) for instant in first.instants] == [1, 1, 1]
    assert "status" not in first.instants[1]
