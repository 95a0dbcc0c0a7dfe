"""Deleting: two phases, grace periods, finalizers, propagation.

An object is removed at once, or first gets a deletionTimestamp: a scheduled pod until its kubelet deletes it with grace
0, anything with finalizers until the last of them is removed. From apiserver/pkg/registry/rest/delete.go (BeforeDelete)
and registry/generic/registry/store.go (Delete).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.intake import check_part
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.messages import Reply, Unreadable
from lockstep.apiserver.preconditions import precondition_failed
from lockstep.apiserver.reading import matcher, parse_int64, reply_with, selected, served
from lockstep.apiserver.state import Call, State, is_dry_run
from lockstep.apiserver.stored import Stored
from lockstep.time.clock import SECOND, parse_rfc3339, rfc3339
from lockstep.wire.field import invalid_value, not_supported
from lockstep.wire.meta import FOREGROUND, ORPHAN
from lockstep.wire.pods import is_finished

_PROTECTED = frozenset({"default", "kube-system", "kube-public"})
_POLICIES = ("Foreground", "Background", "Orphan")


@dataclass(slots=True)
class DeleteOptions:
    """metav1.DeleteOptions."""

    grace: int | None = None
    policy: str = ""
    orphan: bool | None = None
    uid: str = ""
    version: str = ""


def parse_options(call: Call, body: Any) -> DeleteOptions:
    """The options from the body if there is one, else from the query. Raises ApiError 400 or 422."""
    if isinstance(body, Unreadable):
        raise errors.bad_request(f"couldn't get version/kind; json parse error: {body.why}")
    if body:
        check_options_kind(body)
        check_part(body, "DeleteOptions")
        preconditions = body.get("preconditions") or {}
        options = DeleteOptions(
            body.get("gracePeriodSeconds"),
            body.get("propagationPolicy") or "",
            body.get("orphanDependents"),
            preconditions.get("uid") or "",
            preconditions.get("resourceVersion") or "",
        )
        call.dry_run = is_dry_run(body.get("dryRun") or [], "DeleteOptions")
    else:
        query = call.request.query
        grace = query.get("gracePeriodSeconds", "")
        orphan = query.get("orphanDependents")
        options = DeleteOptions(
            parse_int64(grace) if grace else None,
            query.get("propagationPolicy", ""),
            None if orphan is None else orphan == "true",
        )
    _validate(options)
    if options.grace is not None and options.grace < 0:
        options.grace = 1
    return options


def check_options_kind(body: Any) -> None:
    """Options may be of any version that has some, but must be options. Raises ApiError 400."""
    if isinstance(body, dict) and body.get("kind", "DeleteOptions") != "DeleteOptions":
        kind, version = body["kind"], body.get("apiVersion", "v1")
        raise errors.bad_request(
            f'no kind "{kind}" is registered for version "{version}" in scheme "pkg/runtime/scheme.go:111"'
        )


def _validate(options: DeleteOptions) -> None:
    """ValidateDeleteOptions."""
    findings = []
    if options.policy and options.orphan is not None:
        findings.append(
            invalid_value(
                "propagationPolicy", options.policy, "orphanDependents and deletionPropagation cannot be both set"
            )
        )
    if options.policy and options.policy not in _POLICIES:
        findings.append(not_supported("propagationPolicy", options.policy, [*_POLICIES, "nil"]))
    if findings:
        raise errors.invalid("meta.k8s.io", "DeleteOptions", "", findings)


def delete(state: State, call: Call) -> Reply:
    """DELETE of one object."""
    options = parse_options(call, call.request.body)
    stored = call.existing()
    last, gone = delete_object(state, call, stored, options)
    if last is None:
        return Reply(200, _empty(call.kind))
    if not gone or call.kind.returns_deleted:
        status = 202 if not gone and options.orphan is False else 200
        return reply_with(status, last, call.kind)
    details = {"name": call.name, "kind": call.kind.plural, "uid": last.object["metadata"]["uid"]}
    if call.kind.group:
        details["group"] = call.kind.group
    return Reply(200, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})


def _empty(kind: Kind) -> dict[str, Any]:
    """Upstream's answer when its store returns no object."""
    return {"apiVersion": kind.api_version, "kind": kind.kind, **({"metadata": {}} if kind.strategic else {})}


def delete_object(state: State, call: Call, stored: Stored, options: DeleteOptions) -> tuple[Stored | None, bool]:
    """Start or finish the deletion; returns the last version and whether the object is gone. Raises ApiError 409.

    A dry run that would remove the last finalizer, and the object with it, has no last version to return.
    """
    call.before = stored.object
    _check_preconditions(call, stored.object["metadata"], options)
    if call.kind.kind == "Namespace" and call.kind.strategic:
        kept = _kept_namespace(state, call, stored)
        if kept is not None:
            return kept, False
    metadata = dict(stored.object["metadata"])
    graceful, pending = _begin_graceful(state, call, stored.object, metadata, options)
    if pending:
        call.after = stored.object
        return stored, False
    finalizers = _finalizers(call, metadata, options)
    if metadata.get("finalizers") and not finalizers and not graceful:
        return _without_last_finalizer(state, call, stored, options), True
    _set_finalizers(state, metadata, finalizers, graceful=graceful)
    if graceful or finalizers:
        # Even with grace 0 the mark is written before the object is removed: watchers see a change, then the deletion.
        stored = _store_mark(state, call, stored, metadata)
        if finalizers or metadata["deletionGracePeriodSeconds"]:
            return stored, False
    return (stored if call.dry_run else _remove(state, call, stored)), True


def _kept_namespace(state: State, call: Call, stored: Stored) -> Stored | None:
    """The namespace, if it stays. Raises ApiError 403."""
    if call.name in _PROTECTED:
        raise call.forbidden(call.name, "this namespace may not be deleted")
    if not stored.object["metadata"].get("deletionTimestamp"):
        return _terminate_namespace(state, call, stored)
    if stored.object["spec"].get("finalizers"):
        call.after = stored.object
        return stored
    return None


def _without_last_finalizer(state: State, call: Call, stored: Stored, options: DeleteOptions) -> Stored | None:
    """The policy removes the last finalizer, so the object is removed without a version before. Raises ApiError."""
    if call.dry_run:
        return None
    if options.version:
        # Upstream compares with the version that it has written, and here it has written none: a bug in upstream.
        raise call.conflict(
            precondition_failed(call, "ResourceVersion", "", stored.object["metadata"]["resourceVersion"])
        )
    return _remove(state, call, stored)


def _remove(state: State, call: Call, stored: Stored) -> Stored:
    last = call.collection.remove(call.namespace, call.name)
    call.after = None
    state.wrote(call.kind, stored.object, None)
    return last


def _check_preconditions(call: Call, metadata: dict[str, Any], options: DeleteOptions) -> None:
    kind = call.kind
    if options.uid and options.uid != metadata["uid"]:
        raise errors.conflict(
            kind.group,
            kind.kind,
            call.name,
            f"the UID in the precondition ({options.uid}) does not "
            f"match the UID in record ({metadata['uid']}). The object might have been deleted and "
            "then recreated",
        )
    if options.version and options.version != metadata["resourceVersion"]:
        raise errors.conflict(
            kind.group,
            kind.kind,
            call.name,
            "the ResourceVersion in the precondition "
            f"({options.version}) does not match the ResourceVersion in record "
            f"({metadata['resourceVersion']}). The object might have been modified",
        )


def _begin_graceful(
    state: State, call: Call, payload: dict[str, Any], metadata: dict[str, Any], options: DeleteOptions
) -> tuple[bool, bool]:
    """rest.BeforeDelete: (the mark must be written, a deletion is already pending). Only pods have a grace period."""
    if call.kind.kind != "Pod":
        return False, False
    if metadata.get("deletionTimestamp"):
        left = metadata.get("deletionGracePeriodSeconds") or 0
        if left == 0:
            return False, False
        if options.grace is None or options.grace >= left:
            return False, True
        _shorten(state, metadata, left, options.grace)
        return True, False
    spec = payload["spec"]
    grace = options.grace if options.grace is not None else spec.get("terminationGracePeriodSeconds", 0)
    if not spec.get("nodeName") or is_finished(payload):
        grace = 0
    grace = 1 if grace < 0 else grace
    metadata["deletionTimestamp"] = rfc3339(state.now() + grace * SECOND)
    metadata["deletionGracePeriodSeconds"] = grace
    if metadata.get("generation"):
        metadata["generation"] += 1
    return True, False


def _shorten(state: State, metadata: dict[str, Any], left: int, grace: int) -> None:
    """Move a pending deletion forward, but never into the past."""
    moment = parse_rfc3339(metadata["deletionTimestamp"]) + (grace - left) * SECOND
    if moment < state.now():
        moment = state.now()
        grace = 1 if grace else 0
    metadata["deletionTimestamp"] = rfc3339(moment)
    metadata["deletionGracePeriodSeconds"] = grace


def _finalizers(call: Call, metadata: dict[str, Any], options: DeleteOptions) -> list[str]:
    """deletionFinalizersForGarbageCollection: the propagation policy in the form of a finalizer."""
    before = metadata.get("finalizers") or []
    if options.orphan is not None:
        orphan, foreground = options.orphan, False
    elif options.policy:
        orphan, foreground = options.policy == "Orphan", options.policy == "Foreground"
    else:
        marks = [item for item in before if item in (ORPHAN, FOREGROUND)]
        orphan = marks[0] == ORPHAN if marks else call.kind.orphan_by_default
        foreground = bool(marks) and marks[0] == FOREGROUND
    after = [item for item in before if item not in (ORPHAN, FOREGROUND)]
    after += [ORPHAN] * orphan + [FOREGROUND] * foreground
    return before if set(before) == set(after) else after


def _set_finalizers(state: State, metadata: dict[str, Any], finalizers: list[str], *, graceful: bool) -> None:
    if not finalizers:
        metadata.pop("finalizers", None)
        return
    metadata["finalizers"] = finalizers
    if not graceful:
        _mark_deleting(state, metadata)


def _mark_deleting(state: State, metadata: dict[str, Any]) -> None:
    """MarkAsDeleting."""
    if not metadata.get("deletionTimestamp"):
        metadata["deletionTimestamp"] = state.timestamp()
        if metadata.get("generation"):
            metadata["generation"] += 1
    metadata["deletionGracePeriodSeconds"] = 0


def _store_mark(state: State, call: Call, stored: Stored, metadata: dict[str, Any]) -> Stored:
    if metadata == stored.object["metadata"]:
        call.after = stored.object
        return stored
    payload = {**stored.object, "metadata": metadata}
    if call.dry_run:
        return Stored(stored.key, payload, stored.version)
    fresh = call.collection.put(call.namespace, call.name, payload)
    call.after = fresh.object
    state.wrote(call.kind, stored.object, fresh.object)
    return fresh


def _terminate_namespace(state: State, call: Call, stored: Stored) -> Stored:
    """registry/core/namespace/storage Delete: a namespace stays, Terminating, until its spec.finalizers are empty."""
    old = stored.object
    metadata = dict(old["metadata"])
    metadata.setdefault("deletionTimestamp", state.timestamp())
    payload = {**old, "metadata": metadata, "status": {**(old.get("status") or {}), "phase": "Terminating"}}
    call.after = payload
    # Even one without finalizers stays until it is deleted again.
    return Stored("", payload, stored.version) if call.dry_run else state.put(call.kind, "", call.name, payload)


def delete_collection(state: State, call: Call) -> Reply:
    """DELETE of everything that the query selects."""
    options = parse_options(call, call.request.body)
    deleted: list[Stored] = []
    for stored in selected(call.collection, call, None, matcher(call.kind, call.request.query)):
        metadata = stored.object["metadata"]
        single = Call(
            call.request, call.kind, call.collection, metadata.get("namespace", ""), metadata["name"], "", "delete"
        )
        single.dry_run = call.dry_run
        delete_object(state, single, stored, options)
        deleted.append(stored)
    body = {
        "kind": f"{call.kind.kind}List",
        "apiVersion": call.kind.api_version,
        "metadata": {"resourceVersion": str(state.versions.current)},
        "items": [served(item, call.kind).object for item in deleted],
    }
    return Reply(200, body)
