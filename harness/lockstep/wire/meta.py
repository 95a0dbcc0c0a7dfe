"""Common facts in an object's metadata: its key, its version, its owner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Object = Mapping[str, Any]

#: Finalizers of the garbage collector (metav1.FinalizerOrphanDependents, FinalizerDeleteDependents).
ORPHAN: Final = "orphan"
FOREGROUND: Final = "foregroundDeletion"


def key_of(obj: Object) -> str:
    """`namespace/name`, or `name` without a namespace (tools/cache/store.go, MetaNamespaceKeyFunc)."""
    metadata = obj["metadata"]
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])


def split_key(key: str) -> tuple[str, str]:
    """(namespace, name) of a key; the namespace is "" for a bare name (tools/cache/store.go, SplitMetaNamespaceKey).

    Raises ValueError if the key has more than one slash.
    """
    parts = key.split("/")
    if len(parts) > 2:
        raise ValueError(f'unexpected key format: "{key}"')
    return (parts[0], parts[1]) if len(parts) == 2 else ("", parts[0])


def uid(obj: Object) -> str:
    """The object's uid; "" if it has none yet."""
    return str(obj.get("metadata", {}).get("uid", ""))


def resource_version(obj: Object) -> str:
    """The object's resourceVersion; "" if it has none."""
    version: str = obj["metadata"].get("resourceVersion") or ""
    return version


def controller_of(obj: Object) -> dict[str, Any] | None:
    """The owner reference with `controller: true` (apis/meta/v1, GetControllerOf); never change it."""
    references: list[dict[str, Any]] = obj.get("metadata", {}).get("ownerReferences") or []
    for reference in references:
        if reference.get("controller"):
            return reference
    return None


def is_terminating(obj: Object) -> bool:
    """Whether the object is being deleted."""
    return bool(obj.get("metadata", {}).get("deletionTimestamp"))
