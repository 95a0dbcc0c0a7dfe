"""The ReplicaSet's status: counting pods, the ReplicaFailure condition, and writing it back.

Source: pkg/controller/replicaset/replica_set_utils.go. The feature gate DeploymentReplicaSetTerminatingReplicas is on,
as it is by default since 1.35.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lockstep.wire.gotime import rfc3339
from lockstep.wire.selectors import Matcher
from lockstep_reference.machinery.client import ApiError, ResourceClient
from lockstep_reference.replicaset.availability import is_pod_available
from lockstep_reference.replicaset.pod import Pod

#: How often a refused status update is tried again on a freshly read object (statusUpdateRetries).
STATUS_UPDATE_RETRIES = 1
REPLICA_FAILURE = "ReplicaFailure"

_COUNTS = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas")


def calculate_status(
    rs: dict[str, Any],
    active_pods: Sequence[Pod],
    terminating_pods: Sequence[Pod],
    manage_replicas_error: Exception | None,
    fully_labeled: Matcher,
    now: int,
) -> dict[str, Any]:
    """The status that `rs` should have at the instant `now`; `rs` itself is left alone.

    `fully_labeled` tells whether a pod carries all the labels of the template. observedGeneration is kept as it is: it
    is set when the status is written.
    """
    min_ready_seconds: int = rs["spec"].get("minReadySeconds", 0)
    ready = [pod for pod in active_pods if pod.ready]
    available = [pod for pod in ready if is_pod_available(pod, min_ready_seconds, now)] if min_ready_seconds else ready
    status: dict[str, Any] = {
        "replicas": len(active_pods),
        "fullyLabeledReplicas": sum([fully_labeled[pod.label_set] for pod in active_pods]),
        "readyReplicas": len(ready),
        "availableReplicas": len(available),
        "terminatingReplicas": len(terminating_pods),
    }
    old = rs.get("status") or {}
    if "observedGeneration" in old:
        status["observedGeneration"] = old["observedGeneration"]
    conditions = old.get("conditions")
    failure = get_condition(conditions, REPLICA_FAILURE)
    if manage_replicas_error is not None and failure is None:
        reason = _failure_reason(len(active_pods) - rs["spec"]["replicas"])
        condition = new_replica_set_condition(REPLICA_FAILURE, "True", reason, str(manage_replicas_error), now)
        conditions = set_condition(conditions, condition)
    elif manage_replicas_error is None and failure is not None:
        conditions = filter_out_condition(conditions, REPLICA_FAILURE)
    if conditions is not None:
        status["conditions"] = conditions
    return status


def _failure_reason(diff: int) -> str:
    if diff == 0:
        return ""
    return "FailedCreate" if diff < 0 else "FailedDelete"


async def update_replica_set_status(
    client: ResourceClient, rs: dict[str, Any], new_status: dict[str, Any]
) -> dict[str, Any]:
    """Write `new_status`, unless it says nothing new and the generation has been observed. Returns the newest object.

    A refused update is tried once more on the object as the server has it now, without a look at why: the same counts
    are written. Raises ApiError or ConnectionError.
    """
    old = rs.get("status") or {}
    generation = rs["metadata"].get("generation", 0)
    if _same_status(old, new_status) and generation == old.get("observedGeneration", 0):
        return rs
    # The generation acted upon, even if the object read for the second try is of a newer one.
    wire = status_to_wire({**new_status, "observedGeneration": generation})
    namespace, name = rs["metadata"]["namespace"], rs["metadata"]["name"]
    tries = 0
    while True:
        body = {**rs, "kind": "ReplicaSet", "apiVersion": "apps/v1", "status": wire}
        try:
            return await client.update_status(namespace, body)
        except (ApiError, ConnectionError):
            if tries >= STATUS_UPDATE_RETRIES:
                raise
        tries += 1
        # An error of this read is more interesting than that of the update, and is raised in its place.
        rs = await client.get(namespace, name)


def _same_status(old: dict[str, Any], new: dict[str, Any]) -> bool:
    for field in _COUNTS:
        if old.get(field, 0) != new[field]:
            return False
    # A missing count of terminating pods differs from none terminating, and missing conditions from no conditions.
    return old.get("terminatingReplicas") == new["terminatingReplicas"] and old.get("conditions") == new.get(
        "conditions"
    )


def status_to_wire(status: dict[str, Any]) -> dict[str, Any]:
    """The status as client-go writes it: only `replicas` and `terminatingReplicas` are written when they are zero."""
    always = ("replicas", "terminatingReplicas")
    return {field: value for field, value in status.items() if value or field in always}


def new_replica_set_condition(kind: str, status: str, reason: str, message: str, now: int) -> dict[str, Any]:
    """A condition that became so at the instant `now`; an empty reason or message is left out, as on the wire."""
    condition = {"type": kind, "status": status, "lastTransitionTime": rfc3339(now)}
    if reason:
        condition["reason"] = reason
    if message:
        condition["message"] = message
    return condition


def get_condition(conditions: list[dict[str, Any]] | None, kind: str) -> dict[str, Any] | None:
    """The first condition of that type, or None."""
    return next((condition for condition in conditions or () if condition["type"] == kind), None)


def set_condition(conditions: list[dict[str, Any]] | None, condition: dict[str, Any]) -> list[dict[str, Any]]:
    """The conditions with this one last, in place of the one of its type; as they are if its status and reason are."""
    current = get_condition(conditions, condition["type"])
    if conditions and current and all(current.get(field) == condition.get(field) for field in ("status", "reason")):
        return conditions
    return [*(filter_out_condition(conditions, condition["type"]) or ()), condition]


def filter_out_condition(conditions: list[dict[str, Any]] | None, kind: str) -> list[dict[str, Any]] | None:
    """The conditions without those of that type; None if none are left."""
    return [condition for condition in conditions or () if condition["type"] != kind] or None
