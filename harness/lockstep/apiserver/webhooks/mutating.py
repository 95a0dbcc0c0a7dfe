"""The MutatingAdmissionWebhook plugin (apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go).

Webhooks are asked one after the other; each sees what those before it have changed. If one changed the object, the
plugins of the server run again, and then those webhooks that want it (`reinvocationPolicy: IfNeeded`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonpatch
import jsonpointer

from lockstep.apiserver import errors
from lockstep.apiserver.copies import deep_copy
from lockstep.apiserver.defaults import apply_defaults
from lockstep.apiserver.errors import ApiError
from lockstep.apiserver.intake import take_in
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.state import Call, State
from lockstep.apiserver.versions import to_served_form, to_stored_form
from lockstep.apiserver.webhooks.hooks import Hook, Object, hooks_of, is_configuration, is_exempt, labels_of
from lockstep.apiserver.webhooks.reviews import CallFailed, Hearing, Review, Verdict, judge
from lockstep.wire.gotext import quote

#: Webhooks may be asked about a dry run only if they have no side effects.
_HARMLESS = ("None", "NoneOnDryRun")
#: Errors that applying a patch and decoding its result may raise.
_MISFITS = (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, KeyError, TypeError, ApiError)
_USERS = "system:serviceaccount:kube-system"
_OPTIONS = {"CREATE": "CreateOptions", "UPDATE": "UpdateOptions"}


def admit(state: State, call: Call, payload: Object, old: Object | None) -> None:
    """Ask the webhooks that a request concerns and change the object as they say. Raises ApiError or Unanswered."""
    if state.mutating_webhooks and not is_exempt(call.kind):
        _Round(state, call, payload, old).play()


def after_write(state: State, kind: Kind, old: Object | None, new: Object | None) -> None:
    """Note a configuration that came, changed or went."""
    if is_configuration(kind):
        state.mutating_webhooks = hooks_of(stored.object for stored in state.collection(kind.collection).items.values())


class _Round:
    """One request's way through the webhooks."""

    def __init__(self, state: State, call: Call, payload: Object, old: Object | None) -> None:
        self._state = state
        self._call = call
        self._payload = payload
        self._old = old
        self._hearing = call.request.hearing or Hearing()
        self._hearing.begin()
        #: Webhooks that were asked and may be asked again, and those of them for which something has changed since.
        self._asked: set[str] = set()
        self._again: set[str] = set()

    def play(self) -> None:
        if not self._ask_all(self._state.mutating_webhooks):
            return
        output = deep_copy(self._payload)
        for plugin in self._state.mutating_admission:
            if plugin is not admit:
                plugin(self._state, self._call, self._payload, self._old)
        if output != self._payload:
            self._again |= self._asked
        self._ask_all([hook for hook in self._state.mutating_webhooks if hook.uid in self._again])

    def _ask_all(self, hooks: list[Hook]) -> bool:
        """Ask in order; True if the object was changed."""
        changed = False
        for hook in hooks:
            call = self._call
            kind = hook.concerns(
                self._state.registry, call.kind, call.subresource, self._payload, self._old, self._namespace_labels
            )
            if kind is not None and self._ask(hook, kind):
                changed = True
                self._again |= self._asked
                self._asked.clear()
            if kind is not None and hook.reinvocable:
                self._asked.add(hook.uid)
        return changed

    def _namespace_labels(self) -> Mapping[str, str]:
        """The labels that a namespaceSelector sees; the empty ones of a cluster-scoped object never exempt it."""
        call = self._call
        if call.kind.kind == "Namespace" and not call.kind.group:
            return labels_of(self._payload)
        stored = self._state.collection("namespaces").get("", call.namespace)
        if stored is None:
            raise errors.not_found("", "namespaces", call.namespace)
        return labels_of(stored.object)

    def _ask(self, hook: Hook, kind: Kind) -> bool:
        try:
            verdict = self._verdict(hook, kind)
        except CallFailed as failed:
            if hook.ignores:
                return False
            raise errors.internal_error(str(failed)) from None
        self._call.warnings += verdict.warnings
        if verdict.refusal is not None:
            raise verdict.refusal
        return bool(verdict.patch) and self._apply(kind, verdict)

    def _verdict(self, hook: Hook, kind: Kind) -> Verdict:
        if self._call.dry_run and hook.side_effects not in _HARMLESS:
            raise errors.bad_request(f"admission webhook {quote(hook.name)} does not support dry run")
        if "v1" not in hook.review_versions:
            why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"
            raise CallFailed(hook.name, f"could not create admission objects: {why}")
        review = self._review(hook, kind)
        uid, outcome = self._hearing.answer(review)
        return judge(review, uid, outcome)

    def _apply(self, kind: Kind, verdict: Verdict) -> bool:
        """Patch the object, then decode and default it again."""
        before = to_served_form(self._payload, kind)
        try:
            patched = jsonpatch.JsonPatch(list(verdict.patch)).apply(deep_copy(_as_sent(before, kind)), in_place=True)
            fresh = take_in(to_stored_form(patched, kind), kind)
            apply_defaults(fresh, kind)
        except (
            jsonpatch.JsonPatchException,
            jsonpointer.JsonPointerException,
            KeyError,
            TypeError,
            ApiError,
        ) as problem:
            raise errors.internal_error(str(problem)) from None
        if "status" not in before and not fresh.get("status"):
            fresh.pop("status", None)
        changed = fresh != before
        metadata = self._payload["metadata"]
        metadata.clear()
        metadata.update(fresh.pop("metadata"))
        stored_version = self._payload["apiVersion"]
        self._payload.clear()
        self._payload.update(fresh, apiVersion=stored_version, metadata=metadata)
        return changed

    # -- the question -------------------------------------------------------------------------------------------------

    def _review(self, hook: Hook, kind: Kind) -> Review:
        service = hook.client.get("service") or {}
        namespace, name = service.get("namespace", ""), service.get("name", "")
        path = service.get("path") or "/"
        root = f"https://{name}.{namespace}.svc:{service.get('port') or 443}" if service else hook.client.get("url", "")
        tail = f"{path}?timeout={hook.timeout}s" if service else f"?timeout={hook.timeout}s"
        request = self._request(kind)
        return Review(
            hook.name, (namespace, name), f"{root}{tail}", path, hook.timeout, self._state.next_review(), request
        )

    def _request(self, kind: Kind) -> dict[str, Any]:
        call, asked = self._call, self._call.kind
        operation = "CREATE" if self._old is None else "UPDATE"
        old = None if self._old is None else _as_sent(to_served_form(self._old, kind), kind)
        return {
            "kind": {"group": kind.group, "version": kind.version, "kind": kind.kind},
            "resource": {"group": kind.group, "version": kind.version, "resource": kind.plural},
            **({"subResource": call.subresource} if call.subresource else {}),
            "requestKind": {"group": asked.group, "version": asked.version, "kind": asked.kind},
            "requestResource": {"group": asked.group, "version": asked.version, "resource": asked.plural},
            **({"requestSubResource": call.subresource} if call.subresource else {}),
            **({"name": call.name} if call.name else {}),
            **({"namespace": call.namespace} if call.namespace else {}),
            "operation": operation,
            "userInfo": {"username": f"{_USERS}:{call.request.actor}"},
            "object": deep_copy(_as_sent(to_served_form(self._payload, kind), kind)),
            "oldObject": old,
            "dryRun": call.dry_run,
            "options": {"kind": _OPTIONS[operation], "apiVersion": "meta.k8s.io/v1"},
        }


def _as_sent(payload: Object, kind: Kind) -> Object:
    """An object as Go encodes it: a status that is a struct is written even if it is empty."""
    return {**payload, "status": {}} if kind.strategic and kind.has_status and "status" not in payload else payload
