"""Summaries: which traces of different clocks count as equal, and which do not."""

from __future__ import annotations

from typing import Any

from lockstep.trace.compare import compare
from lockstep.trace.model import Trace
from lockstep.trace.summary import summarize
from lockstep.trace.values import digest

SPEC = {"containers": [{"name": "main"}]}
ADMITTED = {
    **SPEC,
    "priority": 0,
    "preemptionPolicy": "PreemptLowerPriority",
    "serviceAccountName": "default",
    "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300}],
}


def create(number: int, **more: Any) -> dict[str, Any]:
    return {"verb": "create", "resource": "pods", "object": f"web#{number}", **more}


def event(reason: str, count: int = 1) -> dict[str, Any]:
    return {"verb": "create", "object": "ReplicaSet web", "reason": reason, "message": "web#1", "count": count}


def trace(*instants: dict[str, Any], objects: dict[str, Any] | None = None, **specs: Any) -> Trace:
    timed = [{"at": f"{number}.000", **one} for number, one in enumerate(instants)]
    return Trace(tuple(timed), specs, {"objects": objects or {}, "pods": {}})


def summaries_agree(left: Trace, right: Trace) -> bool:
    return not compare(summarize(left), summarize(right)).differences


def test_when_and_in_how_many_instants_does_not_matter() -> None:
    assert summaries_agree(
        trace({"writes": [create(1, times=2)]}, {"writes": [create(3)]}),
        trace({"writes": [create(1)]}, {}, {"writes": [create(2), create(3)]}),
    )


def test_how_many_writes_there_are_matters() -> None:
    assert not summaries_agree(trace({"writes": [create(1, times=2)]}), trace({"writes": [create(1, times=3)]}))


def test_a_refusal_is_reported_once_and_a_race_not_at_all() -> None:
    refused, raced = {"code": 403, "reason": "Forbidden"}, {"code": 409, "reason": "Conflict"}
    many = trace({"writes": [create(1, **refused, times=5), create(2, **raced)]})
    assert summaries_agree(many, trace({"writes": [create(1, **refused)]}))
    assert not summaries_agree(many, trace({}))


def test_kinds_of_events_matter_and_counts_do_not() -> None:
    assert summaries_agree(trace({"events": [event("Created", 3)]}), trace({"events": [event("Created")] * 2}))
    assert not summaries_agree(trace({"events": [event("Created")]}), trace({"events": [event("Deleted")]}))


def test_what_admission_adds_to_every_pod_is_left_out_and_nothing_else() -> None:
    def made(spec: dict[str, Any]) -> Trace:
        key = digest(spec)[:12]
        return trace({"writes": [create(1, body={"spec": key})]}, **{key: spec})

    assert summaries_agree(made(SPEC), made(ADMITTED))
    assert not summaries_agree(made(SPEC), made({**ADMITTED, "priority": 7}))


def test_objects_are_compared_as_they_are_in_the_end_but_for_times_and_progress() -> None:
    def left(**fields: Any) -> Trace:
        return trace({}, objects={"replicasets.apps web": {f"status.{name}": value for name, value in fields.items()}})

    assert summaries_agree(left(replicas=3, readyReplicas=3), left(replicas=3, readyReplicas=1))
    assert summaries_agree(left(replicas=3, lastScaleTime="+1"), left(replicas=3, lastScaleTime="+2"))
    assert not summaries_agree(left(replicas=3), left(replicas=2))


def test_a_checkpoint_is_summarized_without_its_instants() -> None:
    def kept(since: float, weight: float, bucket: int = 10000) -> Trace:
        histogram = {"referenceTimestamp": since, "totalWeight": weight, "bucketWeights": {"3": bucket}}
        body = {"status": {"cpuHistogram": histogram, "lastUpdateTime": since + 59, "totalSamplesCount": 1}}
        return trace({"writes": [{"verb": "create", "resource": "checkpoints", "object": "web-main", "body": body}]})

    assert summaries_agree(kept(-1, 0.1), kept(-20411, 0.118))
    assert not summaries_agree(kept(-1, 0.1), kept(-1, 0.1, bucket=9999))


def test_a_combined_event_is_not_repeated() -> None:
    combined = {**event("Created"), "message": "(combined from similar events): web#1"}
    assert summaries_agree(trace({"events": [event("Created"), combined]}), trace({"events": [event("Created")]}))


def test_what_the_scheduler_did_meanwhile_is_not_the_writes_doing() -> None:
    def adopted(**more: Any) -> Trace:
        changes = {"metadata.ownerReferences": [None, "web"], **more}
        return trace({"writes": [{"verb": "patch", "resource": "pods", "object": "web#1", "changes": changes}]})

    assert summaries_agree(adopted(), adopted(**{"spec.nodeName": [None, "node-2"]}))
    assert not summaries_agree(adopted(), adopted(**{"spec.schedulerName": [None, "own"]}))


def test_a_review_is_about_what_was_asked_for() -> None:
    def asked(spec: dict[str, Any]) -> Trace:
        key = digest(spec)[:12]
        return trace(
            {"writes": [{"verb": "review", "resource": "pods", "object": "web#1", "about": {"spec": key}}]},
            **{key: spec},
        )

    assert summaries_agree(asked(SPEC), asked(ADMITTED))
    assert not summaries_agree(asked(SPEC), asked({**SPEC, "hostNetwork": True}))
