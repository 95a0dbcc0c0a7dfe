from __future__ import annotations

import json
from typing import Any

import pytest

from lockstep.time.clock import rfc3339, seconds
from lockstep.trace.model import Trace
from lockstep.trace.normalise import normalise

DEPLOYMENT = {"uid": "00000000-0000-4000-8000-00000000dddd", "name": "web", "controller": True}


def instant(trace: Trace, at: str) -> dict[str, Any]:
    return next((one for one in trace.instants if one["at"] == at), {})


def test_runs_that_differ_in_names_and_uids_only_have_equal_traces(make_story: Any, scaled_up: Any) -> None:
    one, other = make_story("a"), make_story("b")
    scaled_up(one)
    scaled_up(other)
    assert [write.name for write in one.history] != [write.name for write in other.history]
    assert normalise(one.history) == normalise(other.history)
    assert normalise(one.history).digest() == normalise(other.history).digest()


def test_a_trace_counts_time_from_the_start_of_the_run(make_story: Any) -> None:
    def run(start: float) -> Trace:
        builder = make_story()
        builder.at(start).replica_set(replicas=1)
        name = builder.at(start + 2.25).create_pod()
        builder.at(start + 4).run_pod(name)
        builder.at(start + 9).delete_pod(name)
        return normalise(builder.history, seconds(start))

    assert run(0) == run(100)
    assert [one["at"] for one in run(100).instants] == ["2.250", "9.000"]


@pytest.mark.parametrize(("ns", "at"), [(99_999_700, "0.100"), (100_000_300, "0.100"), (100_600_000, "0.101")])
def test_instants_are_taken_to_the_nearest_millisecond(builder: Any, ns: int, at: str) -> None:
    builder.replica_set()
    builder.at(ns / 1e9).create_pod()
    assert normalise(builder.history).instants[0]["at"] == at


def test_pods_created_together_share_a_symbol_and_later_ones_do_not(builder: Any) -> None:
    builder.replica_set(replicas=4)
    for at, number in ((1, 3), (2, 1)):
        for _ in range(number):
            builder.at(at).create_pod()
    trace = normalise(builder.history)
    [first], [second] = instant(trace, "1.000")["writes"], instant(trace, "2.000")["writes"]
    assert (first["object"], first["times"]) == ("web#1", 3)
    assert second["object"] == "web#2"
    assert "times" not in second


def test_a_namesake_differs_from_its_predecessor(builder: Any) -> None:
    builder.replica_set()
    builder.at(1).create_pod()
    builder.remove("scenario", "replicasets.apps", "web")
    builder.at(2).replica_set()
    builder.create_pod()
    trace = normalise(builder.history)
    [created] = instant(trace, "2.000")["writes"]
    assert created["object"] == "web'#1"
    assert created["body"]["ownerReferences"][0]["uid"] == "uid(web')"


def test_names_uids_and_times_in_free_text_are_replaced(builder: Any) -> None:
    builder.replica_set(replicas=2)
    name = builder.at(1).create_pod()
    uid = builder.objects["pods", name]["metadata"]["uid"]
    builder.event("SuccessfulDelete", f"Deleted pod: {name} (uid {uid}, not {name}x) at {rfc3339(seconds(5))}.")
    [event] = instant(normalise(builder.history, seconds(1)), "0.000")["events"]
    assert event["message"] == f"Deleted pod: web#1 (uid uid(web#1), not {name}x) at +4."


def test_a_created_object_is_described_without_what_the_server_adds(builder: Any) -> None:
    builder.replica_set()
    builder.at(1).create_pod()
    trace = normalise(builder.history)
    [created] = instant(trace, "1.000")["writes"]
    assert created["verb"] == "create"
    assert created["resource"] == "pods"
    assert created["body"].keys() == {"generateName", "labels", "ownerReferences", "spec"}
    assert trace.specs[created["body"]["spec"]] == {"containers": [{"name": "main", "image": "pause"}]}


def test_empty_fields_are_absent_fields(make_story: Any) -> None:
    def run(extra: dict[str, Any]) -> Trace:
        builder = make_story()
        builder.replica_set()
        body = builder.pod_body("web")
        body["spec"] = body["spec"] | extra
        builder.at(1).create_pod(body=body)
        return normalise(builder.history)

    assert run({"securityContext": {}, "volumes": None, "tolerations": []}) == run({})
    assert run({"hostNetwork": True}) != run({})


def test_a_failed_create_keeps_its_error_and_has_no_name(builder: Any) -> None:
    builder.replica_set(replicas=5)
    builder.at(1).fail_create()
    builder.fail_create()
    [failed] = instant(normalise(builder.history), "1.000")["writes"]
    assert failed["object"] == "web#?"
    assert failed["times"] == 2
    assert (failed["code"], failed["reason"]) == (403, "Forbidden")
    assert failed["message"] == "exceeded quota: q, used: pods=5"


def test_a_write_without_an_answer_is_a_failed_one(builder: Any) -> None:
    builder.replica_set()
    builder.at(1).fail_create(code=0, reason="ConnectionBroken", message="connection broken")
    [failed] = instant(normalise(builder.history), "1.000")["writes"]
    assert failed["code"] == 0


def test_a_deleted_pod_is_described_by_what_ranks_it(builder: Any) -> None:
    builder.replica_set(replicas=3)
    first, second = builder.at(1).create_pod(), builder.create_pod()
    builder.at(2).run_pod(first, "node-1", containerStatuses=[{"name": "main", "restartCount": 2}])
    builder.run_pod(second, "node-1")
    builder.change("pods", first, metadata={"annotations": {"controller.kubernetes.io/pod-deletion-cost": "7"}})
    third = builder.at(3).create_pod()
    builder.at(9).delete_pod(first)
    builder.delete_pod(third)
    described = [one["pod"] for one in instant(normalise(builder.history), "9.000")["writes"]]
    assert described == [
        {
            "phase": "Running",
            "scheduled": True,
            "ready": "+2",
            "restarts": 2,
            "cost": "7",
            "created": "+1",
        },
        {"phase": "Pending", "created": "+3"},
    ]


def test_neighbours_are_counted_as_they_were_before_the_instant(builder: Any) -> None:
    builder.replica_set(replicas=3)
    builder.change("replicasets.apps", "web", metadata={"ownerReferences": [DEPLOYMENT]})
    names = [builder.at(1).create_pod() for _ in range(3)]
    for name in names:
        builder.at(2).run_pod(name, "node-1")
    for name in names:
        builder.at(5).delete_pod(name)
    [deleted] = instant(normalise(builder.history), "5.000")["writes"]
    assert deleted["times"] == 3
    assert deleted["pod"]["colocated"] == 3


def test_pods_of_a_replica_set_without_a_controller_have_no_neighbours(builder: Any) -> None:
    builder.replica_set(replicas=2)
    names = [builder.at(1).create_pod() for _ in range(2)]
    for name in names:
        builder.at(2).run_pod(name, "node-1")
    builder.at(5).delete_pod(names[0])
    [deleted] = instant(normalise(builder.history), "5.000")["writes"]
    assert "colocated" not in deleted["pod"]


def test_pods_of_related_replica_sets_count_as_neighbours(builder: Any) -> None:
    for name in ("old", "new"):
        builder.replica_set(name)
        builder.change("replicasets.apps", name, metadata={"ownerReferences": [DEPLOYMENT]})
        builder.at(1).run_pod(builder.create_pod(name), "node-1")
    builder.at(5).delete_pod(next(name for kind, name in builder.objects if kind == "pods" and name.startswith("old")))
    [deleted] = instant(normalise(builder.history), "5.000")["writes"]
    assert deleted["pod"]["colocated"] == 2


def test_a_failed_delete_describes_the_pod_as_it_was_known(builder: Any) -> None:
    builder.replica_set()
    name = builder.at(1).create_pod()
    builder.at(2).write("replicaset-controller", "delete", "pods", name, code=500, reason="InternalError", message="no")
    [failed] = instant(normalise(builder.history), "2.000")["writes"]
    assert failed["pod"] == {"phase": "Pending", "created": "+1"}
    assert failed["code"] == 500


def test_a_patch_is_its_effect_and_a_failed_patch_is_its_body(builder: Any) -> None:
    replica_set = builder.replica_set()
    orphan = {"metadata": {"name": "lone", "namespace": "default", "uid": builder.uid(), "labels": {"app": "web"}}}
    builder.at(1).store("scenario", "create", "pods", orphan)
    adopted = builder.get("pods", "lone")
    adopted["metadata"]["ownerReferences"] = [
        {"kind": "ReplicaSet", "name": "web", "uid": replica_set["metadata"]["uid"]}
    ]
    patch = {"metadata": {"uid": orphan["metadata"]["uid"]}}
    builder.at(2).store("replicaset-controller", "patch", "pods", adopted, body=patch)
    builder.at(3).write(
        "replicaset-controller", "patch", "pods", "lone", body=patch, code=409, reason="Conflict", message="no"
    )
    trace = normalise(builder.history)
    [effect], [failed] = instant(trace, "2.000")["writes"], instant(trace, "3.000")["writes"]
    assert effect["changes"] == {
        "metadata.ownerReferences[name=web].kind": [None, "ReplicaSet"],
        "metadata.ownerReferences[name=web].uid": [None, "uid(web)"],
    }
    assert failed["patch"] == {"metadata": {"uid": "uid(lone)"}}
    assert "changes" not in failed


def test_status_is_what_stands_at_the_end_of_the_instant(make_story: Any) -> None:
    def run(*values: int) -> Trace:
        builder = make_story()
        builder.replica_set(replicas=3)
        builder.at(1)
        for value in values:
            builder.set_status(replicas=value)
        return normalise(builder.history)

    assert run(1, 3) == run(3)
    assert run(3).instants == ({"at": "1.000", "status": {"replicasets.apps web": {"replicas": 3}}},)
    assert run(3, 0).instants == ()
    assert run(2) != run(3)


def test_a_status_field_that_goes_is_null(builder: Any) -> None:
    builder.replica_set()
    condition = {"type": "ReplicaFailure", "status": "True", "lastTransitionTime": rfc3339(seconds(1))}
    builder.at(1).set_status(conditions=[condition])
    builder.at(2).set_status(conditions=None)
    first, second = (one["status"]["replicasets.apps web"] for one in normalise(builder.history).instants)
    assert first["conditions[type=ReplicaFailure].lastTransitionTime"] == "+1"
    assert second == {
        "conditions[type=ReplicaFailure].lastTransitionTime": None,
        "conditions[type=ReplicaFailure].status": None,
    }


def test_failed_status_writes_are_not_compared(make_story: Any) -> None:
    def run(failures: int) -> Trace:
        builder = make_story()
        builder.replica_set()
        for _ in range(failures):
            builder.at(1).write(
                "replicaset-controller",
                "update",
                "replicasets.apps",
                "web",
                subresource="status",
                code=409,
                reason="Conflict",
            )
        return normalise(builder.history)

    assert run(2) == run(0)
    assert run(2).digest() == run(0).digest()


def test_events_carry_their_count_and_their_source(builder: Any) -> None:
    builder.replica_set()
    builder.at(1).event("FailedCreate", "no", count=1)
    builder.at(2).event("FailedCreate", "no", count=2)
    trace = normalise(builder.history)
    [first], [second] = instant(trace, "1.000")["events"], instant(trace, "2.000")["events"]
    assert first == {
        "verb": "create",
        "object": "ReplicaSet web",
        "type": "Normal",
        "reason": "FailedCreate",
        "message": "no",
        "count": 1,
        "source": "replicaset-controller",
    }
    assert second == first | {"verb": "patch", "count": 2}


def test_events_of_one_instant_may_collide_in_their_name(make_story: Any) -> None:
    def run(code: int, reason: str) -> Trace:
        builder = make_story()
        builder.replica_set(replicas=2)
        builder.at(1).event("SuccessfulCreate", "one")
        event = builder.get("events", next(name for kind, name in builder.objects if kind == "events")) | {
            "message": "two"
        }
        outcome = {"code": code, "reason": reason, "after": event if code == 201 else None}
        builder.write("replicaset-controller", "create", "events", event["metadata"]["name"], body=event, **outcome)
        return normalise(builder.history)

    assert run(409, "AlreadyExists") == run(201, "")
    assert run(500, "InternalError") != run(201, "")


def test_only_the_actors_under_test_are_traced(builder: Any) -> None:
    builder.replica_set()
    builder.at(1).change("replicasets.apps", "web", "scenario", spec={"replicas": 5})
    builder.change("replicasets.apps", "web", "kubelet", "status", status={"replicas": 5})
    assert normalise(builder.history).instants == ()


def test_the_final_state_holds_pods_by_owner_and_the_status(builder: Any, scaled_up: Any) -> None:
    scaled_up(builder)
    final = normalise(builder.history).final
    assert final["objects"] == {
        "replicasets.apps web": {
            "spec.replicas": 3,
            "status.availableReplicas": 3,
            "status.observedGeneration": 1,
            "status.readyReplicas": 3,
            "status.replicas": 3,
        }
    }
    [pods] = final["pods"]["web"]
    assert pods == {
        "pod": "web#1",
        "phase": "Running",
        "scheduled": True,
        "ready": "+3",
        "created": "+1",
        "times": 3,
    }


def test_a_trace_survives_json_and_counts_what_it_compares(builder: Any, scaled_up: Any) -> None:
    scaled_up(builder)
    trace = normalise(builder.history)
    assert Trace.from_json(json.loads(json.dumps(trace.to_json()))) == trace
    assert trace.compared_items == 3 + 3 + 2  # pods, events, status values


@pytest.mark.parametrize(
    "data", [[], {}, {"instants": {}, "specs": {}, "final": {}}, {"instants": [1], "specs": {}, "final": {}}]
)
def test_what_is_no_trace_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match=r"a trace has|an instant has"):
        Trace.from_json(data)


def test_many_equal_pods_take_one_line(make_story: Any) -> None:
    builder = make_story()
    builder.at(1).replica_set(replicas=2000)
    for _ in range(2000):
        builder.create_pod()
    trace = normalise(builder.history)
    assert trace.instants[0]["writes"][0]["times"] == 2000
    assert len(json.dumps(trace.to_json())) < 3000
