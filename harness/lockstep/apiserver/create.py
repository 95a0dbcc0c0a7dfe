"""Creating objects (apiserver/pkg/endpoints/handlers/create.go, registry/generic/registry/store.go Create)."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.defaults import apply_defaults, quality_of_service
from lockstep.apiserver.defaults_batch import generate_selector
from lockstep.apiserver.intake import take_in
from lockstep.apiserver.kinds import DAEMON_SET_COUNTS, Kind
from lockstep.apiserver.messages import Reply
from lockstep.apiserver.preconditions import version_problem
from lockstep.apiserver.reading import reply_with
from lockstep.apiserver.state import Call, State
from lockstep.apiserver.stored import Stored
from lockstep.apiserver.strategies import strategy_of
from lockstep.apiserver.strictness import declared
from lockstep.apiserver.validation.objects import create_findings
from lockstep.apiserver.versions import to_stored_form

#: maxNameGenerationCreateAttempts
_ATTEMPTS = 8
_SYSTEM_FIELDS = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
_NAMESPACE_MISMATCH = "the namespace of the provided object does not match the namespace sent on the request"
#: Counts changes of a DaemonSet's template; left from the time when DaemonSets had no revisions.
TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
#: The condition of a pod that must not be scheduled yet.
_GATED = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "SchedulingGated",
    "message": "Scheduling is blocked due to non-empty scheduling gates",
}
#: The status of a new object, if it is not simply empty.
_INITIAL_STATUS: dict[str, dict[str, Any]] = {
    "ReplicaSet": {"replicas": 0},
    "ReplicationController": {"replicas": 0},
    "StatefulSet": {"replicas": 0, "availableReplicas": 0},
    "PodDisruptionBudget": {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0},
    "DaemonSet": dict.fromkeys(sorted(DAEMON_SET_COUNTS), 0),
    "Namespace": {"phase": "Active"},
    "PersistentVolume": {"phase": "Pending"},
    "PersistentVolumeClaim": {"phase": "Pending"},
}


def settle_place(call: Call, metadata: dict[str, Any]) -> None:
    """Give the object the request's namespace. Raises ApiError 400 if it has another one."""
    claimed = metadata.get("namespace", "")
    if not call.kind.namespaced:
        metadata.pop("namespace", None)
    elif not claimed:
        metadata["namespace"] = call.namespace
    elif claimed != call.namespace:
        raise errors.bad_request(_NAMESPACE_MISMATCH)


def create(state: State, call: Call) -> Reply:
    """POST to a collection."""
    payload = take_in(to_stored_form(declared(state, call, call.request.body), call.kind), call.kind)
    stored = store_new(state, call, payload)
    return reply_with(201, stored, call.kind)


def store_new(state: State, call: Call, payload: dict[str, Any]) -> Stored:
    """Default, admit, validate and store a new object. Raises ApiError."""
    kind, metadata = call.kind, payload["metadata"]
    settle_place(call, metadata)
    version = metadata.pop("resourceVersion", "")
    for part in _SYSTEM_FIELDS:
        metadata.pop(part, None)
    apply_defaults(payload, kind)
    call.name = call.name or metadata.get("name", "")
    for admit in state.mutating_admission:
        admit(state, call, payload, None)
    prefix = "" if call.name else metadata.get("generateName", "")
    for attempt in range(_ATTEMPTS):
        if prefix:
            metadata["name"] = state.generated_name(prefix)
        try:
            return _store_attempt(state, call, payload, version)
        except errors.ApiError as problem:
            if not prefix or problem.reason != "AlreadyExists" or attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable: the last attempt returns or raises")


def _store_attempt(state: State, call: Call, payload: dict[str, Any], version: str) -> Stored:
    kind, metadata = call.kind, payload["metadata"]
    name = metadata.get("name", "")
    prepare_for_create(payload, kind, state.timestamp())
    strategy = strategy_of(kind)
    findings = create_findings(payload, kind)
    if strategy is not None:
        strategy.prepare(payload, None, state.feature_gates)
        findings += strategy.findings(payload, None, state.feature_gates)
    if findings:
        raise errors.invalid(kind.group, kind.kind, name, findings)
    call.name = name
    for admit in state.validating_admission:
        admit(state, call, payload, None)
    if version and not call.dry_run and not version_problem(version) and int(version):
        raise errors.ApiError(500, "", "resourceVersion should not be set on objects to be created")
    there = call.collection.get(call.namespace, name)
    if there is not None:
        raise _exists(call, metadata, there)
    metadata["uid"] = state.next_uid()
    metadata["creationTimestamp"] = state.timestamp()
    if kind.kind == "Job" and kind.strategic:
        generate_selector(payload)
    if strategy is not None:
        strategy.store(payload)
    if call.dry_run:
        metadata.update({"resourceVersion": version} if version else {})
        return Stored("", payload, 0)
    stored = call.collection.put(call.namespace, name, payload)
    call.after = stored.object
    if state.after_write:
        state.wrote(kind, None, stored.object)
    return stored


def _exists(call: Call, metadata: dict[str, Any], there: Stored) -> errors.ApiError:
    if metadata.get("generateName"):
        error = errors.generate_name_conflict(call.kind.group, call.kind.plural, metadata["name"])
    else:
        error = errors.already_exists(call.kind.group, call.kind.plural, metadata["name"])
    if there.object["metadata"].get("deletionTimestamp"):
        error.status["message"] = f"object is being deleted: {error.status['message']}"
    return error


def prepare_for_create(payload: dict[str, Any], kind: Kind, now: str) -> None:
    """What each kind's strategy does in PrepareForCreate: a first generation and a fresh status. `now`: a timestamp."""
    if kind.generation:
        payload["metadata"]["generation"] = 1
    if kind.kind == "Pod":
        payload["status"] = {"phase": "Pending", "qosClass": quality_of_service(payload["spec"])}
        if payload["spec"].get("schedulingGates"):
            payload["status"]["conditions"] = [{**_GATED, "lastTransitionTime": now}]
    elif kind.kind == "DaemonSet":
        payload["metadata"]["annotations"] = {
            **(payload["metadata"].get("annotations") or {}),
            TEMPLATE_GENERATION: "1",
        }
        payload["status"] = dict(_INITIAL_STATUS[kind.kind])
    elif kind.kind == "Namespace":
        spec = payload.get("spec") or {}
        finalizers = spec.get("finalizers") or []
        payload["spec"] = {
            **spec,
            "finalizers": finalizers if "kubernetes" in finalizers else [*finalizers, "kubernetes"],
        }
        payload["status"] = {"phase": "Active"}
    elif kind.has_status and kind.kind != "Node":
        if kind.strategic:
            payload["status"] = dict(_INITIAL_STATUS.get(kind.kind, {}))
        else:
            payload.pop("status", None)
