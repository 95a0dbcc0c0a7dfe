"""NamespaceLifecycle: objects need a namespace that exists and is not terminating.

From apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.state import Call, State


def admit(state: State, call: Call, payload: dict[str, Any], old: dict[str, Any] | None) -> None:
    """Raises ApiError 404 if there is no such namespace, 403 on a create while it terminates."""
    if not call.kind.namespaced:
        return
    namespace = state.collection("namespaces").get("", call.namespace)
    if namespace is None:
        raise errors.not_found("", "namespaces", call.namespace)
    if old is not None or (namespace.object.get("status") or {}).get("phase") != "Terminating":
        return
    metadata = payload["metadata"]
    name = metadata.get("name") or metadata.get("generateName") or "Unknown"
    raise call.forbidden(
        name,
        f"unable to create new content in namespace {call.namespace} because it is being terminated",
    ).with_cause("NamespaceTerminating", f"namespace {call.namespace} is being terminated", "metadata.namespace")
