"""Server-side apply: which manager owns which field (structured-merge-diff), for writers that use apply.

A manager's configuration is turned into the set of paths it names. Applying again removes what this manager named
before and no other manager names. A field with another value than its other owner set is a conflict.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.copies import deep_copy
from lockstep.apiserver.patching.forms import Form, form_of
from lockstep.apiserver.patching.paths import (
    ABSENT,
    Path,
    dotted,
    fields_v1,
    leaves,
    names_element,
    paths_of,
    put,
    remove,
    value_at,
)
from lockstep.apiserver.state import Call, State
from lockstep.wire.field import required

#: Identifies the object, so no manager owns it.
_UNOWNED: frozenset[Path] = frozenset(
    {
        ("f:apiVersion",),
        ("f:kind",),
        ("f:metadata",),
        *(
            ("f:metadata", f"f:{name}")
            for name in (
                "name",
                "namespace",
                "uid",
                "resourceVersion",
                "generation",
                "creationTimestamp",
                "managedFields",
                "deletionTimestamp",
                "selfLink",
            )
        ),
    }
)


def applied(state: State, call: Call, current: dict[str, Any] | None) -> dict[str, Any]:
    """The object after an apply request. Raises ApiError 400, 409 (with one cause per field) or 422."""
    body, query = call.request.body, call.request.query
    manager = query.get("fieldManager", "")
    if not manager:
        finding = required("fieldManager", "is required for apply patch")
        raise errors.invalid("meta.k8s.io", "PatchOptions", "", [finding])
    if not isinstance(body, dict):
        raise errors.bad_request("error decoding YAML: the apply configuration is not an object")
    sent, version = body.get("kind", ""), body.get("apiVersion", "")
    if (sent, version) != (call.kind.kind, call.kind.api_version):
        group, _, bare = version.rpartition("/")
        raise errors.bad_request(f"invalid object type: {group}/{bare}, Kind={sent}")
    if (body.get("metadata") or {}).get("managedFields"):
        raise errors.bad_request("metadata.managedFields must be nil")
    result: dict[str, Any] = deep_copy(current) if current is not None else {}
    form = form_of(call.kind)
    config = dict(leaves(body, form))
    managers = [dict(item) for item in (result.get("metadata") or {}).get("managedFields") or ()]
    mine = next((item for item in managers if _same(item, manager, call.subresource)), None)
    force = query.get("force") == "true"
    _settle_conflicts(managers, mine, config, result, form, force=force)
    for path in sorted(paths_of(mine), key=names_element):
        if path not in config and not any(path in paths_of(item) for item in managers if item is not mine):
            remove(result, path, form)
    for path, value in config.items():
        if value != {} or not isinstance(value_at(result, path, form), dict):  # an empty map takes no field from others
            put(result, path, value, form)
    for name in ("apiVersion", "kind"):
        result[name] = body.get(name, result.get(name))
    result["metadata"] = {**(result.get("metadata") or {}), "name": (body.get("metadata") or {}).get("name", call.name)}
    entry = {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": call.kind.api_version,
        "time": state.timestamp(),
        "fieldsType": "FieldsV1",
        "fieldsV1": fields_v1(path for path in config if path not in _UNOWNED),
    }
    if call.subresource:
        entry["subresource"] = call.subresource
    if mine is not None and mine.get("fieldsV1") == entry["fieldsV1"]:
        entry["time"] = mine["time"]
    others = [item for item in managers if item is not mine and item.get("fieldsV1")]
    result["metadata"]["managedFields"] = [*others, entry]
    return result


def _same(entry: dict[str, Any], manager: str, subresource: str) -> bool:
    return (entry.get("manager"), entry.get("operation"), entry.get("subresource", "")) == (
        manager,
        "Apply",
        subresource,
    )


def _settle_conflicts(
    managers: list[dict[str, Any]],
    mine: dict[str, Any] | None,
    config: dict[Path, Any],
    current: dict[str, Any],
    form: Form,
    *,
    force: bool,
) -> None:
    """Raise the conflicts, or with force take the fields from their owners."""
    conflicts: list[tuple[str, str]] = []
    for entry in managers:
        if entry is mine:
            continue
        owned = paths_of(entry)
        lost = {path for path in owned if path in config and _differs(value_at(current, path, form), config[path])}
        if lost and force:
            entry["fieldsV1"] = fields_v1(path for path in owned if path not in lost)
        conflicts.extend((entry["manager"], dotted(path)) for path in sorted(lost))
    if not conflicts or force:
        return
    noun = "conflict" if len(conflicts) == 1 else "conflicts"
    owners = sorted({owner for owner, _ in conflicts})
    if len(conflicts) == 1:
        text = f'conflict with "{conflicts[0][0]}": {conflicts[0][1]}'
    else:
        text = "\n".join(
            f'conflicts with "{owner}":' + "".join(f"\n- {path}" for who, path in conflicts if who == owner)
            for owner in owners
        )
    error = errors.ApiError(409, "Conflict", f"Apply failed with {len(conflicts)} {noun}: {text}")
    for owner, path in conflicts:
        error.with_cause("FieldManagerConflict", f'conflict with "{owner}"', path)
    raise error


def _differs(current: Any, wanted: Any) -> bool:
    """An empty map or list equals an absent one, and an empty map claims no key of a map."""
    if wanted == {} and isinstance(current, dict):
        return False
    empty: tuple[Any, ...] = (ABSENT, {}, [])
    return bool(current != wanted) and not (current in empty and wanted in empty)
