"""How statuses and checkpoints are written (pkg/utils/vpa/api.go)."""

from __future__ import annotations

from typing import Any

from lockstep_reference.machinery.client import ResourceClient
from lockstep_reference.vpa.apis import Object, quantity_from_wire
from lockstep_reference.vpa.utils.patches import JSON_PATCH, patch_record

_LISTS = ("target", "lowerBound", "upperBound", "uncappedTarget")


async def update_vpa_status_if_needed(
    vpa_client: ResourceClient, namespace: str, name: str, new_status: dict[str, Any], old_status: Object | None
) -> Object | None:
    """Write the status unless it means the same as the old one; the VPA as stored, or None if nothing was written.

    Raises ApiError and ConnectionError (UpdateVpaStatusIfNeeded).
    """
    if semantically_equal(old_status or {}, new_status):
        return None
    patch = [patch_record("add", "/status", new_status)]
    return await vpa_client.patch(namespace, name, patch, JSON_PATCH, "status")


async def create_or_update_vpa_checkpoint(checkpoint_client: ResourceClient, checkpoint: dict[str, Any]) -> None:
    """Write a checkpoint's status, or create the checkpoint (CreateOrUpdateVpaCheckpoint).

    Upstream looks for words in the error to learn that there is none. Raises CheckpointError.
    """
    metadata = checkpoint["metadata"]
    namespace, name = metadata["namespace"], metadata["name"]
    patch = [patch_record("replace", "/status", checkpoint.get("status"))]
    try:
        try:
            await checkpoint_client.patch(namespace, name, patch, JSON_PATCH)
        except Exception as error:
            if f'"{name}" not found' not in str(error):
                raise
            await checkpoint_client.create(namespace, checkpoint)
    except Exception as error:
        container = checkpoint["spec"].get("containerName") or ""
        raise CheckpointError(
            f"cannot save checkpoint for vpa {namespace}/{name} container {container}. Reason: {error}"
        ) from error


class CheckpointError(Exception):
    """A checkpoint could not be written; `str()` is upstream's text."""


def semantically_equal(first: Object, second: Object) -> bool:
    """Whether two statuses mean the same: quantities by value, absent and empty alike (Semantic.DeepEqual)."""
    if first == second:
        return True
    return (
        first.get("observedGeneration") == second.get("observedGeneration")
        and (first.get("conditions") or []) == (second.get("conditions") or [])
        and _same_recommendation(first.get("recommendation"), second.get("recommendation"))
    )


def _same_recommendation(first: Object | None, second: Object | None) -> bool:
    if first is None or second is None:
        return first is second
    ours, theirs = first.get("containerRecommendations") or (), second.get("containerRecommendations") or ()
    return len(ours) == len(theirs) and all(map(_same_container, ours, theirs))


def _same_container(first: Object, second: Object) -> bool:
    return (first.get("containerName") or "") == (second.get("containerName") or "") and all(
        _same_resources(first.get(name) or {}, second.get(name) or {}) for name in _LISTS
    )


def _same_resources(first: Object, second: Object) -> bool:
    return first.keys() == second.keys() and all(
        quantity_from_wire(value).compare(quantity_from_wire(second[name])) == 0 for name, value in first.items()
    )
