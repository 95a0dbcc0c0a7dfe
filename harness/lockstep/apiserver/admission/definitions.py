"""CustomResourceDefinitions: their kinds are served from the moment they are stored until they are deleted."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.kinds import Kind, kinds_of_definition
from lockstep.apiserver.state import State


def after_write(state: State, kind: Kind, old: dict[str, Any] | None, new: dict[str, Any] | None) -> None:
    """Register the kinds of a new definition; a deleted definition removes its objects too."""
    if kind.kind != "CustomResourceDefinition" or kind.group != "apiextensions.k8s.io":
        return
    if new is not None and old is not None and new["spec"] == old["spec"]:
        return
    if old is not None:
        for served in kinds_of_definition(old):
            state.registry.remove(served)
    if new is None:
        _forget(state, old)
        return
    for served in kinds_of_definition(new):
        state.registry.add(served)
        if old is None:
            # A watch from a version before the definition is answered with 410.
            state.collection(served.collection).compact()
    _establish(state, kind, new)


def _forget(state: State, definition: dict[str, Any] | None) -> None:
    if definition is not None:
        spec = definition["spec"]
        collection = state.collection(f"{spec['names']['plural']}.{spec['group']}")
        for stored in list(collection.items.values()):
            metadata = stored.object["metadata"]
            collection.remove(metadata.get("namespace", ""), metadata["name"])


def _establish(state: State, kind: Kind, definition: dict[str, Any]) -> None:
    """What the apiextensions controllers write into a fresh definition's status."""
    if (definition.get("status") or {}).get("conditions"):
        return
    now, spec = state.timestamp(), definition["spec"]
    conditions = [
        {
            "type": "NamesAccepted",
            "status": "True",
            "lastTransitionTime": now,
            "reason": "NoConflicts",
            "message": "no conflicts found",
        },
        {
            "type": "Established",
            "status": "True",
            "lastTransitionTime": now,
            "reason": "InitialNamesAccepted",
            "message": "the initial names have been accepted",
        },
    ]
    status = {
        "conditions": conditions,
        "acceptedNames": spec["names"],
        "storedVersions": [item["name"] for item in spec["versions"] if item.get("storage")],
    }
    payload = {**definition, "metadata": dict(definition["metadata"]), "status": status}
    state.put(kind, "", definition["metadata"]["name"], payload)
