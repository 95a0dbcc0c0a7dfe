"""The ReplicaFailure condition: how a ReplicaSet tells that its pods cannot be created or deleted.

The first failure sets the condition, with FailedCreate or FailedDelete as its reason and the error as its message.
While syncs go on failing it stays as it is, even if the error becomes another; the first sync that succeeds removes
it.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.replicaset.steps import status_writes

_CONDITION = "pkg/controller/replicaset/replica_set_utils.go: calculateStatus, SetCondition, RemoveCondition"


def _failure(cluster: Cluster) -> Object | None:
    conditions = cluster.status().get("conditions", ())
    return next((one for one in conditions if one["type"] == "ReplicaFailure"), None)


def _conditions_written(cluster: Cluster) -> list[str]:
    """The message of the condition in each status write, "" where there is none."""
    statuses = [write.body["status"] for write in status_writes(cluster)]
    return [status["conditions"][0]["message"] if status.get("conditions") else "" for status in statuses]


@scenario(
    "replicaset/failed-create-is-told-in-a-condition",
    must="A refused create MUST set the condition ReplicaFailure with reason FailedCreate and the error as its "
    "message; the first sync without an error MUST remove it.",
    source=_CONDITION,
    features=("status", "condition", "failed-create"),
)
async def test_failed_create_is_told_in_a_condition(cluster: Cluster) -> None:
    outage = cluster.faults.error(403, message="pods are forbidden: closed", verb="create", resource="pods", times=None)
    await cluster.create(objects.replica_set("web", 3))
    wanted = {
        "type": "ReplicaFailure",
        "status": "True",
        "lastTransitionTime": "2000-01-01T00:00:01Z",
        "reason": "FailedCreate",
        "message": "pods are forbidden: closed",
    }
    cluster.expect("condition", _failure(cluster), wanted)
    cluster.expect("observedGeneration", cluster.status()["observedGeneration"], 1)
    await cluster.run_until(60)
    cluster.expect("condition a minute later", _failure(cluster), wanted)
    cluster.expect("status writes while it fails", len(status_writes(cluster)), 1)
    outage.stop()
    await cluster.settle(calm=200.0)
    cluster.expect("condition after the outage", _failure(cluster), None)
    statuses = [write.body["status"] for write in status_writes(cluster)]
    told = [(one["replicas"], one.get("readyReplicas", 0), bool(one.get("conditions"))) for one in statuses]
    # The sync that creates the pods removes the condition, and nothing else changes; the next one counts the pods.
    wanted_told = [(0, 0, True), (0, 0, False), (3, 0, False), (3, 3, False)]
    cluster.expect("replicas, ready and condition, as written", told, wanted_told)
    reasons = {write.body["reason"] for write in cluster.writes("create", "events")}
    cluster.expect("events", reasons, {"FailedCreate", "SuccessfulCreate"})


@scenario(
    "replicaset/failed-delete-is-told-in-a-condition",
    must="A refused delete MUST set the condition ReplicaFailure with reason FailedDelete; the other pods MUST be "
    "deleted all the same, and the condition MUST go when the last one is.",
    source=_CONDITION,
    features=("status", "condition", "failed-delete"),
    virtual="asserts timestamps, to the second",
)
async def test_failed_delete_is_told_in_a_condition(cluster: Cluster) -> None:
    cluster.scheduler.place = lambda _: "node-1"  # no pod is better placed than another
    await cluster.create(objects.replica_set("web", 4))
    await cluster.run_until(30)
    outage = cluster.faults.error(500, message="etcd is away", verb="delete", resource="pods", skip=1, times=None)
    await cluster.scale("web", 0)
    condition = _failure(cluster) or {}
    cluster.expect("reason", condition.get("reason"), "FailedDelete")
    cluster.expect("message", condition.get("message"), "unable to delete pods: etcd is away")
    cluster.expect("since", condition.get("lastTransitionTime"), "2000-01-01T00:00:31Z")
    cluster.expect("pods left", len(cluster.pods("web")), 3)
    await cluster.run_until(40)
    outage.stop()
    await cluster.settle()
    cluster.expect("condition in the end", _failure(cluster), None)
    cluster.expect("pods in the end", cluster.pods("web", terminating=True), [])
    cluster.expect("deletes that were carried out", len(cluster.writes("delete", "pods", 200)), 4)
    reasons = {write.body["reason"] for write in cluster.writes("create", "events") if cluster.at(write) >= 30}
    cluster.expect("events", reasons, {"FailedDelete", "SuccessfulDelete"})


@scenario(
    "replicaset/failure-condition-keeps-its-first-message",
    must="While the condition stands, a different error MUST NOT change its message, reason or time.",
    source=_CONDITION,
    features=("status", "condition", "failed-create", "failed-delete"),
)
async def test_failure_condition_keeps_its_first_message(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(30)
    first = cluster.faults.error(500, message="the first reason", verb="create", resource="pods", times=None)
    await cluster.scale("web", 3)
    cluster.expect("message", (_failure(cluster) or {}).get("message"), "the first reason")
    await cluster.run_until(40)
    first.stop()
    second = cluster.faults.error(500, message="another reason", verb="create", resource="pods", times=None)
    await cluster.run_until(120)
    cluster.expect_true("the second error has occurred", second.hits)
    cluster.expect("message after another error", (_failure(cluster) or {}).get("message"), "the first reason")
    # Now too many pods instead of too few: the sync fails for a delete, and the condition still says FailedCreate.
    third = cluster.faults.error(500, verb="delete", resource="pods", times=None)
    await cluster.scale("web", 1)
    await cluster.run(20)
    cluster.expect_true("a delete has failed", third.hits)
    condition = _failure(cluster) or {}
    cluster.expect("reason", condition.get("reason"), "FailedCreate")
    cluster.expect("since", condition.get("lastTransitionTime"), "2000-01-01T00:00:31Z")
    cluster.faults.clear()
    await cluster.settle(calm=200.0)
    cluster.expect("condition in the end", _failure(cluster), None)
    messages = [message for message in _conditions_written(cluster) if message]
    cluster.expect("messages ever written", set(messages), {"the first reason"})


@scenario(
    "replicaset/other-conditions-are-kept",
    must="Conditions of other types MUST be left as they are.",
    source=_CONDITION,
    features=("status", "condition", "failed-create"),
)
async def test_other_conditions_are_kept(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(30)
    mine = {"type": "Audited", "status": "True", "lastTransitionTime": "2000-01-01T00:00:05Z"}
    await cluster.set_status("replicasets", "web", {"conditions": [mine]})
    cluster.faults.error(500, verb="create", resource="pods", times=3)
    await cluster.scale("web", 2)
    types = [one["type"] for one in cluster.status()["conditions"]]
    cluster.expect("conditions during the failure", types, ["Audited", "ReplicaFailure"])
    await cluster.settle()
    cluster.expect("conditions afterwards", cluster.status()["conditions"], [mine])
    cluster.expect("pods", len(cluster.pods("web")), 2)
