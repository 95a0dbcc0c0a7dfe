"""The ReplicaSet's status: what it says, when it is written, and what goes over the wire."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lockstep.wire.selectors import Matcher, selector_from
from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.pod_control import PodControlError
from lockstep_reference.replicaset.pod import Pod
from lockstep_reference.replicaset.status import (
    calculate_status,
    filter_out_condition,
    get_condition,
    set_condition,
    update_replica_set_status,
)
from tests.reference_replicaset.objects import Object, make_pod, make_rs

SECOND = 10**9
FAILED = PodControlError("quota")


def calculate(
    rs: Object, pods: list[Object], error: Exception | None = None, now: int = 60, terminating: int = 0
) -> Object:
    fully_labeled = Matcher(selector_from({"matchLabels": {"app": "web"}}))
    going = [Pod(make_pod(f"going-{number}", deleted=True)) for number in range(terminating)]
    return calculate_status(rs, [Pod(pod) for pod in pods], going, error, fully_labeled, now * SECOND)


def test_counts() -> None:
    pods = [
        make_pod("a", labels={"app": "web"}, ready=59),
        make_pod("b", labels={"app": "web"}, ready=50),
        make_pod("c", labels={"app": "old"}),
    ]
    status = calculate(make_rs(min_ready_seconds=10), pods, terminating=2)
    assert status == {
        "replicas": 3,
        "fullyLabeledReplicas": 2,
        "readyReplicas": 2,
        "availableReplicas": 1,
        "terminatingReplicas": 2,
    }


@pytest.mark.parametrize(
    ("replicas", "reason"), [(2, "FailedCreate"), (0, "FailedDelete"), (1, None)], ids=["too-few", "too-many", "equal"]
)
def test_a_failure_sets_the_condition(replicas: int, reason: str | None) -> None:
    status = calculate(make_rs(replicas=replicas), [make_pod()], FAILED)
    condition = {
        "type": "ReplicaFailure",
        "status": "True",
        "lastTransitionTime": "2000-01-01T00:01:00Z",
        "message": "quota",
    }
    assert status["conditions"] == [condition | ({"reason": reason} if reason else {})]


def test_a_lasting_failure_keeps_its_first_condition() -> None:
    conditions = [{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "old"}]
    rs = make_rs(status={"replicas": 0, "conditions": conditions})
    assert calculate(rs, [], FAILED)["conditions"] == conditions


def test_success_removes_the_failure_and_nothing_else() -> None:
    failure = {"type": "ReplicaFailure", "status": "True"}
    other = {"type": "Other", "status": "True"}
    assert "conditions" not in calculate(make_rs(status={"replicas": 0, "conditions": [failure]}), [])
    rs = make_rs(status={"replicas": 0, "conditions": [other, failure]})
    assert calculate(rs, [])["conditions"] == [other]


def test_set_condition_replaces_by_type_and_puts_last() -> None:
    first = {"type": "A", "status": "False", "reason": "r"}
    second = {"type": "B", "status": "True"}
    new = {"type": "A", "status": "True", "reason": "r", "message": "m"}
    assert set_condition([first, second], new) == [second, new]
    same = {**first, "message": "changed"}
    assert set_condition([first, second], same) == [first, second]
    assert set_condition(None, new) == [new]
    assert get_condition([first, second], "B") is second
    assert get_condition(None, "B") is None
    assert filter_out_condition([first], "A") is None


class Server:
    """Answers status updates with the replies in turn, and reads with `fresh`."""

    def __init__(self, *replies: Any, fresh: Object | None = None) -> None:
        self.replies = list(replies)
        self.fresh = fresh
        self.updates: list[Object] = []
        self.reads = 0

    async def update_status(self, namespace: str, obj: Object) -> Object:
        self.updates.append(obj)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return dict(reply)

    async def get(self, namespace: str, name: str) -> Object:
        self.reads += 1
        if self.fresh is None:
            raise ApiError({"code": 404, "reason": "NotFound", "message": "gone"})
        return self.fresh


CONFLICT = ApiError({"code": 409, "reason": "Conflict", "message": "conflict"})
ZERO = {"replicas": 0, "fullyLabeledReplicas": 0, "readyReplicas": 0, "availableReplicas": 0, "terminatingReplicas": 0}


def write(server: Server, rs: Object, status: Object) -> Object:
    return asyncio.run(update_replica_set_status(server, rs, status))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "generation", "written"),
    [
        ({"replicas": 0, "terminatingReplicas": 0, "observedGeneration": 1}, 1, False),
        ({"replicas": 0, "terminatingReplicas": 0, "observedGeneration": 1}, 2, True),
        ({"replicas": 0, "observedGeneration": 1}, 1, True),  # a missing count of terminating pods is not zero
        ({"replicas": 1, "terminatingReplicas": 0, "observedGeneration": 1}, 1, True),
        ({"replicas": 0, "readyReplicas": 1, "terminatingReplicas": 0, "observedGeneration": 1}, 1, True),
    ],
)
def test_written_only_if_it_says_something_new(old: Object, generation: int, written: bool) -> None:
    rs = make_rs(status=old, generation=generation)
    server = Server({"metadata": {}})
    result = write(server, rs, ZERO)
    assert (len(server.updates) == 1) is written
    assert (result is rs) is not written


def test_what_goes_over_the_wire() -> None:
    rs = make_rs(status={"replicas": 5, "readyReplicas": 5}, generation=7)
    del rs["kind"], rs["apiVersion"]
    server = Server({"metadata": {}})
    write(server, rs, ZERO)
    expected = {**make_rs(generation=7), "status": {"replicas": 0, "terminatingReplicas": 0, "observedGeneration": 7}}
    assert server.updates == [expected]
    assert rs["status"] == {"replicas": 5, "readyReplicas": 5}


def test_a_refused_update_is_tried_once_more_on_the_object_as_it_is_now() -> None:
    fresh = make_rs(generation=9, version="50")
    server = Server(CONFLICT, {"metadata": {"resourceVersion": "51"}}, fresh=fresh)
    result = write(server, make_rs(generation=2), ZERO)
    assert result == {"metadata": {"resourceVersion": "51"}}
    second = server.updates[1]
    # The generation that was acted upon, not the one just read.
    assert (second["metadata"], second["status"]["observedGeneration"]) == (fresh["metadata"], 2)


def test_the_second_refusal_is_raised() -> None:
    server = Server(CONFLICT, CONFLICT, fresh=make_rs())
    with pytest.raises(ApiError, match="conflict"):
        write(server, make_rs(), ZERO)
    assert (len(server.updates), server.reads) == (2, 1)


def test_a_failing_read_is_raised_in_place_of_the_refusal() -> None:
    with pytest.raises(ApiError, match="gone"):
        write(Server(CONFLICT), make_rs(), ZERO)
