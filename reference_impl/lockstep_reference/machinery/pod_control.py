"""Pod control: creating, deleting and patching pods on behalf of a controller, with an event about each.

Source: pkg/controller/controller_utils.go, RealPodControl and GetPodFromTemplate.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol

from lockstep.wire.meta import controller_of
from lockstep_reference.machinery.client import ApiError, Client, has_status_cause, is_not_found

FAILED_CREATE_POD_REASON = "FailedCreate"
SUCCESSFUL_CREATE_POD_REASON = "SuccessfulCreate"
FAILED_DELETE_POD_REASON = "FailedDelete"
SUCCESSFUL_DELETE_POD_REASON = "SuccessfulDelete"
#: Cause in the Status of a create that the server refuses because the namespace is going away.
NAMESPACE_TERMINATING_CAUSE = "NamespaceTerminating"

_DNS1123_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_DNS1123_SUBDOMAIN_MAX_LENGTH = 253


class PodControlError(Exception):
    """A pod could not be created or deleted; the text is upstream's and ends up in the owner's conditions."""


#: What creating, deleting or patching a pod may raise.
OPERATION_ERRORS = (ApiError, ConnectionError, PodControlError)


class EventRecorder(Protocol):
    """The part of the recorder that pod control needs."""

    def event(self, obj: dict[str, Any], event_type: str, reason: str, message: str) -> None:
        """Emit an event about `obj`."""


class RealPodControl:
    """Pod control against an API server.

    `on_write` is told every pod as the server answered it, with the owner reference it was written for (None if it has
    no controller). Deletions are not writes in this sense.
    """

    def __init__(
        self,
        client: Client,
        recorder: EventRecorder,
        on_write: Callable[[dict[str, Any], dict[str, Any] | None], None] | None = None,
    ) -> None:
        self._pods = client.resource("pods", "v1")
        self._recorder = recorder
        self._on_write = on_write

    async def create_pods(
        self, namespace: str, template: dict[str, Any], controller: dict[str, Any], controller_ref: dict[str, Any]
    ) -> None:
        """Create one pod from the template, owned by `controller`. Raises one of OPERATION_ERRORS."""
        validate_controller_ref(controller_ref)
        pod = get_pod_from_template(template, controller, controller_ref)
        if not pod["metadata"].get("labels"):
            raise PodControlError("unable to create pods, no labels")
        try:
            created = await self._pods.create(namespace, pod)
        except (ApiError, ConnectionError) as error:
            if not has_status_cause(error, NAMESPACE_TERMINATING_CAUSE):
                message = f"Error creating: {error}"
                self._recorder.event(controller, "Warning", FAILED_CREATE_POD_REASON, message)
            raise
        if self._on_write is not None:
            self._on_write(created, controller_ref)
        message = f"Created pod: {created['metadata']['name']}"
        self._recorder.event(controller, "Normal", SUCCESSFUL_CREATE_POD_REASON, message)

    async def delete_pod(self, namespace: str, name: str, controller: dict[str, Any]) -> None:
        """Delete the pod gracefully. Raises the server's 404 as it is, and PodControlError for any other failure."""
        try:
            await self._pods.delete(namespace, name)
        except (ApiError, ConnectionError) as error:
            if is_not_found(error):
                raise
            self._recorder.event(controller, "Warning", FAILED_DELETE_POD_REASON, f"Error deleting: {error}")
            raise PodControlError(f"unable to delete pods: {error}") from error
        self._recorder.event(controller, "Normal", SUCCESSFUL_DELETE_POD_REASON, f"Deleted pod: {name}")

    async def patch_pod(self, namespace: str, name: str, patch: dict[str, Any]) -> None:
        """Apply a strategic merge patch. Raises ApiError or ConnectionError."""
        pod = await self._pods.patch(namespace, name, patch)
        if self._on_write is not None:
            self._on_write(pod, controller_of(pod))


def get_pod_from_template(
    template: dict[str, Any], parent: dict[str, Any], controller_ref: dict[str, Any] | None
) -> dict[str, Any]:
    """The pod to create: the template's labels, annotations, finalizers and spec; a name for the server to finish.

    Empty maps and lists are left out, as client-go does on the wire; the empty status is not.
    """
    source = template.get("metadata") or {}
    metadata: dict[str, Any] = {"generateName": get_pods_prefix(parent["metadata"]["name"])}
    for field in ("labels", "annotations", "finalizers"):
        if source.get(field):
            metadata[field] = source[field]
    if controller_ref is not None:
        metadata["ownerReferences"] = [controller_ref]
    return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, "spec": template.get("spec") or {}, "status": {}}


def get_pods_prefix(controller_name: str) -> str:
    """The generateName of a controller's pods: its name and a dash, without the dash if that is no valid prefix."""
    prefix = f"{controller_name}-"
    # A trailing dash is fine in a prefix: upstream puts an "a" in place of the last two characters and checks that.
    masked = f"{prefix[:-2]}a"
    valid = len(masked) <= _DNS1123_SUBDOMAIN_MAX_LENGTH and _DNS1123_SUBDOMAIN.fullmatch(masked)
    return prefix if valid else controller_name


def new_controller_ref(owner: dict[str, Any], api_version: str, kind: str) -> dict[str, Any]:
    """The owner reference that makes `owner` the controller (apimachinery pkg/apis/meta/v1, NewControllerRef)."""
    metadata = owner["metadata"]
    return {
        "apiVersion": api_version,
        "kind": kind,
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def validate_controller_ref(controller_ref: dict[str, Any]) -> None:
    """Raise PodControlError unless the reference names a kind and blocks its owner's deletion as its controller."""
    if not controller_ref.get("apiVersion"):
        raise PodControlError("controllerRef has empty APIVersion")
    if not controller_ref.get("kind"):
        raise PodControlError("controllerRef has empty Kind")
    if not controller_ref.get("controller"):
        raise PodControlError("controllerRef.Controller is not set to true")
    if not controller_ref.get("blockOwnerDeletion"):
        raise PodControlError("controllerRef.BlockOwnerDeletion is not set")
