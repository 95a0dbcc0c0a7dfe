"""Replacing stored objects: PUT, and the common end of every PATCH.

From apiserver/pkg/registry/generic/registry/store.go (Update), registry/rest/update.go (BeforeUpdate) and the
PrepareForUpdate functions of the kinds' strategies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.create import TEMPLATE_GENERATION, settle_place, store_new
from lockstep.apiserver.defaults import apply_defaults
from lockstep.apiserver.intake import take_in
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.messages import Reply
from lockstep.apiserver.preconditions import check_version, parsed_version, precondition_failed
from lockstep.apiserver.reading import reply_with
from lockstep.apiserver.state import Call, State
from lockstep.apiserver.stored import Stored
from lockstep.apiserver.strategies import Strategy, strategy_of
from lockstep.apiserver.strictness import declared
from lockstep.apiserver.validation.objects import status_findings, update_findings
from lockstep.apiserver.versions import to_stored_form
from lockstep.wire.field import FieldError

#: Metadata that no update can change or remove (rest.BeforeUpdate).
_KEPT_METADATA = ("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")


def update(state: State, call: Call) -> Reply:
    """PUT of an object or of its status."""
    stored = call.collection.get(call.namespace, call.name)
    body = to_stored_form(declared(state, call, call.request.body), call.kind)
    payload = take_in(body, call.kind, stored.object if stored is not None else {})
    apply_defaults(payload, call.kind)
    check_name(call, payload["metadata"])
    settle_place(call, payload["metadata"])
    if stored is None:
        if call.kind.create_on_update and not call.subresource:
            if payload["metadata"].get("uid"):
                raise call.conflict(precondition_failed(call, "UID", payload["metadata"]["uid"], ""))
            parsed_version(payload["metadata"].get("resourceVersion", ""))
            if not call.dry_run:
                payload["metadata"].pop("resourceVersion", None)
            return reply_with(201, store_new(state, call, payload), call.kind)
        call.existing()
        raise AssertionError("unreachable: existing() raises")
    uid, recorded = payload["metadata"].get("uid"), stored.object["metadata"]["uid"]
    if uid and uid != recorded:
        raise call.conflict(precondition_failed(call, "UID", uid, recorded))
    return reply_with(200, replace(state, call, stored, payload), call.kind)


def check_name(call: Call, metadata: dict[str, Any]) -> None:
    """handlers.checkName: the body must have the name of the URL. Raises ApiError 400."""
    name = metadata.get("name", "")
    if not name:
        raise errors.bad_request(
            f"the name of the object ({call.name} based on URL) was undeterminable: name must be provided"
        )
    if name != call.name:
        raise errors.bad_request(f"the name of the object ({name}) does not match the name on the URL ({call.name})")


def replace(state: State, call: Call, stored: Stored, payload: dict[str, Any]) -> Stored:
    """Make `payload`, a private object, the next version of `stored`. Raises ApiError.

    The stored version comes back unchanged, without a new resourceVersion and without an event, if nothing differs.
    """
    old = stored.object
    call.before = old
    check_version(call, payload["metadata"], old["metadata"])
    _carry_over(payload["metadata"], old["metadata"])
    for admit in state.mutating_admission:
        admit(state, call, payload, old)
    prepare_for_update(payload, old, call)
    check = status_findings if call.subresource == "status" else update_findings
    findings = check(payload, old, call.kind)
    strategy = strategy_of(call.kind)
    if strategy is not None:
        findings += _judge(strategy, call, payload, old, state.feature_gates)
    if findings:
        raise errors.invalid(call.kind.group, call.kind.kind, call.name, findings)
    if strategy is not None:
        strategy.store(payload)
    return store_next(state, call, stored, payload)


def _judge(
    strategy: Strategy, call: Call, payload: dict[str, Any], old: dict[str, Any], gates: Mapping[str, bool]
) -> list[FieldError]:
    """What the kind's strategy finds wrong with an update."""
    if call.subresource == "status":
        return strategy.status_findings(payload)
    strategy.prepare(payload, old, gates)
    return strategy.findings(payload, old, gates)


def store_next(state: State, call: Call, stored: Stored, payload: dict[str, Any]) -> Stored:
    """Validate, compare and store the next version; delete it instead if its last finalizer was removed."""
    old = stored.object
    for admit in state.validating_admission:
        admit(state, call, payload, old)
    metadata = payload["metadata"]
    metadata["resourceVersion"] = old["metadata"]["resourceVersion"]
    if deletes(payload):
        if call.dry_run:
            return Stored("", payload, 0)
        last = call.collection.remove(call.namespace, call.name)
        state.wrote(call.kind, old, None)
        # The answer has the previous version: the last state is never written.
        return Stored(last.key, payload, last.version)
    if payload == old:
        call.after = old
        return stored
    if call.dry_run:
        return Stored("", payload, 0)
    fresh = call.collection.put(call.namespace, call.name, payload)
    call.after = fresh.object
    if state.after_write:
        state.wrote(call.kind, old, fresh.object)
    return fresh


def deletes(payload: dict[str, Any]) -> bool:
    """ShouldDeleteDuringUpdate: being deleted, no grace left and no finalizer left (a namespace's are in its spec)."""
    metadata = payload["metadata"]
    if payload["kind"] == "Namespace" and payload["spec"].get("finalizers"):
        return False
    return (
        bool(metadata.get("deletionTimestamp"))
        and not metadata.get("finalizers")
        and not metadata.get("deletionGracePeriodSeconds")
    )


def _carry_over(new: dict[str, Any], old: dict[str, Any]) -> None:
    new.setdefault("uid", old["uid"])
    for part in _KEPT_METADATA:
        if part in old:
            new[part] = old[part]
        elif part == "generation":
            new.pop(part, None)


def _with_addresses(status: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Keep podIP and the first of podIPs equal; a client that sends only podIP sets both."""
    one, several = status.get("podIP", ""), status.get("podIPs") or []
    if one and (not several or several[0].get("ip") != one):
        several = [{"ip": one}]
    return {**status, "podIP": several[0].get("ip", ""), "podIPs": several}


def _take_from(payload: dict[str, Any], old: dict[str, Any], part: str) -> None:
    if part in old:
        payload[part] = old[part]
    else:
        payload.pop(part, None)


def prepare_for_update(payload: dict[str, Any], old: dict[str, Any], call: Call) -> None:
    """Restrict each endpoint to its part of the object, and count generations."""
    kind = call.kind
    if call.subresource in ("status", "approval"):
        _prepare_status(payload, old, kind)
        return
    if call.subresource == "finalize":
        _take_from(payload, old, "status")
        return
    if kind.has_status:
        _take_from(payload, old, "status")
    if kind.kind == "DaemonSet" and kind.strategic:
        _count_template(payload, old)
    if kind.kind == "Namespace":
        spec = {key: item for key, item in (payload.get("spec") or {}).items() if key != "finalizers"}
        held = old["spec"].get("finalizers")
        payload["spec"] = {**spec, "finalizers": held} if held else spec
    if kind.generation and (_content(payload, kind) != _content(old, kind) or _annotated(payload, old, kind)):
        payload["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1


def _count_template(payload: dict[str, Any], old: dict[str, Any]) -> None:
    """A DaemonSet's annotation counts the changes of its template; a client's value is ignored."""
    count = int((old["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION, "1"))
    changed = (payload.get("spec") or {}).get("template") != (old.get("spec") or {}).get("template")
    annotations = payload["metadata"].get("annotations") or {}
    payload["metadata"]["annotations"] = {**annotations, TEMPLATE_GENERATION: str(count + changed)}


def _annotated(payload: dict[str, Any], old: dict[str, Any], kind: Kind) -> bool:
    """For Deployments, annotations count as well."""
    return kind.kind == "Deployment" and payload["metadata"].get("annotations") != old["metadata"].get("annotations")


def _content(payload: dict[str, Any], kind: Kind) -> Any:
    """The part whose changes the generation counts: the spec; for custom resources all but metadata and status."""
    if kind.strategic:
        return payload.get("webhooks" if kind.kind.endswith("WebhookConfiguration") else "spec")
    left_out = ("metadata", "status") if kind.has_status else ("metadata",)
    return {key: item for key, item in payload.items() if key not in left_out}


def _prepare_status(payload: dict[str, Any], old: dict[str, Any], kind: Kind) -> None:
    if not kind.strategic:
        status = payload.get("status")
        metadata = {
            **old["metadata"],
            **{key: payload["metadata"][key] for key in ("resourceVersion", "uid") if key in payload["metadata"]},
        }
        payload.clear()
        payload.update(old, metadata=metadata, **({} if status is None else {"status": status}))
        if status is None:
            payload.pop("status", None)
        return
    _take_from(payload, old, "spec")
    if kind.kind == "Deployment":
        _take_from(payload["metadata"], old["metadata"], "labels")
    elif kind.kind == "Pod":
        _take_from(payload["metadata"], old["metadata"], "ownerReferences")
        status = payload.setdefault("status", {})
        if status.get("podIP") or status.get("podIPs"):
            status = payload["status"] = _with_addresses(status, old.get("status") or {})
        if not status.get("qosClass") and "qosClass" in (old.get("status") or {}):
            payload["status"] = {**status, "qosClass": old["status"]["qosClass"]}
