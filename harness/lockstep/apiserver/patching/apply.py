"""Server-side apply: who owns which field (structured-merge-diff), for those who write with apply.

A manager's configuration is turned into the set of paths it names. Applying again removes what this manager named
before and nobody else names; naming a field with another value than its other owner gave it is a conflict.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from lockstep.apiserver import errors
from lockstep.apiserver.copies import deep_copy
from lockstep.apiserver.patching.strategic import MERGED_SETS, merge_key
from lockstep.apiserver.state import Call, State
from lockstep.wire.field import required

Path = tuple[str, ...]
#: Names the object, so it is owned by nobody.
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
_ABSENT = object()
#: Maps that are owned as a whole.
_ATOMIC = frozenset({"selector", "nodeSelector", "namespaceSelector", "objectSelector", "labelSelector"})


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
    config = dict(_leaves(body, ()))
    managers = [dict(item) for item in (result.get("metadata") or {}).get("managedFields") or ()]
    mine = next((item for item in managers if _same(item, manager, call.subresource)), None)
    force = query.get("force") == "true"
    _settle_conflicts(managers, mine, config, result, force)
    for path in sorted(_paths_of(mine), key=_names_element):
        if path not in config and not any(path in _paths_of(item) for item in managers if item is not mine):
            _remove(result, path)
    for path, value in config.items():
        if value != {} or not isinstance(_get(result, path), dict):  # an empty map takes nothing from the others
            _set(result, path, value)
    for name in ("apiVersion", "kind"):
        result[name] = body.get(name, result.get(name))
    result["metadata"] = {**(result.get("metadata") or {}), "name": (body.get("metadata") or {}).get("name", call.name)}
    entry = {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": call.kind.api_version,
        "time": state.timestamp(),
        "fieldsType": "FieldsV1",
        "fieldsV1": _fields(path for path in config if path not in _UNOWNED),
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
    force: bool,
) -> None:
    """Raise the conflicts, or with force take the fields from their owners."""
    conflicts: list[tuple[str, str]] = []
    for entry in managers:
        if entry is mine:
            continue
        owned = _paths_of(entry)
        lost = {path for path in owned if path in config and _differs(_get(current, path), config[path])}
        if lost and force:
            entry["fieldsV1"] = _fields(path for path in owned if path not in lost)
        conflicts.extend((entry["manager"], _dotted(path)) for path in sorted(lost))
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
    """An empty map or list is as good as none, and an empty map claims nothing of what is in a map."""
    if wanted == {} and isinstance(current, dict):
        return False
    empty: tuple[Any, ...] = (_ABSENT, {}, [])
    return bool(current != wanted) and not (current in empty and wanted in empty)


def _element(field: str, item: Any, items: list[Any]) -> str | None:
    """How FieldsV1 names a list element; None for lists that are owned as a whole."""
    if field in MERGED_SETS:
        return "v:" + orjson.dumps(item).decode()
    key = merge_key(field, items)
    if key is None or not isinstance(item, dict) or key not in item:
        return None
    identity = {key: item[key]}
    if key in ("containerPort", "port"):
        identity["protocol"] = item.get("protocol", "TCP")
    return "k:" + orjson.dumps(identity, option=orjson.OPT_SORT_KEYS).decode()


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Every path that a configuration names, with the value at its end."""
    for key, item in value.items():
        here = (*path, f"f:{key}")
        if isinstance(item, dict) and item and key not in _ATOMIC:
            yield from _leaves(item, here)
        elif isinstance(item, list) and item and all(_element(key, part, item) for part in item):
            for part in item:
                element = (*here, str(_element(key, part, item)))
                if isinstance(part, dict):
                    yield from _leaves(part, element)
                else:
                    yield element, part
        else:
            yield here, item


def _fields(paths: Any) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for path in paths:
        node = tree
        for part in path:
            node = node.setdefault(part, {})
            if part.startswith("k:"):
                node.setdefault(".", {})  # the element itself
    return tree


def _paths_of(entry: dict[str, Any] | None) -> dict[Path, None]:
    """The paths that a manager owns, in the order in which its entry holds them."""

    def walk(node: dict[str, Any], path: Path) -> Iterator[Path]:
        for key, inner in node.items():
            if key == ".":
                continue
            if inner:
                yield from walk(inner, (*path, key))
            else:
                yield (*path, key)

    return dict.fromkeys(walk(entry["fieldsV1"], ())) if entry else {}


def _find(container: list[Any], part: str) -> int | None:
    wanted = orjson.loads(part[2:])
    for index, item in enumerate(container):
        if part.startswith("v:"):
            if item == wanted:
                return index
        elif isinstance(item, dict) and all(
            item.get(key, "TCP" if key == "protocol" else None) == value for key, value in wanted.items()
        ):
            return index
    return None


def _get(value: Any, path: Path) -> Any:
    for part in path:
        if part.startswith("f:"):
            value = value.get(part[2:], _ABSENT) if isinstance(value, dict) else _ABSENT
        else:
            index = _find(value, part) if isinstance(value, list) else None
            value = _ABSENT if index is None else value[index]
        if value is _ABSENT:
            return _ABSENT
    return value


def _set(root: dict[str, Any], path: Path, value: Any) -> None:
    node: Any = root
    for position, part in enumerate(path):
        last = position == len(path) - 1
        if part.startswith("f:"):
            name = part[2:]
            if last:
                node[name] = value
                return
            empty: Any = [] if path[position + 1][0] in "kv" else {}
            if not isinstance(node.get(name), type(empty)):
                node[name] = empty
            node = node[name]
            continue
        index = _find(node, part)
        if index is None:
            node.append(value if part.startswith("v:") else dict(orjson.loads(part[2:])))
            index = len(node) - 1
            if part.startswith("k:") and "containerPort" in node[index] and path[position + 1 :] != ("f:protocol",):
                node[index].pop("protocol", None)
        node = node[index]


def _names_element(path: Path) -> bool:
    """Whether a path leads to a field by which its list knows an element: such a field goes last, with the element."""
    return len(path) > 1 and path[-2].startswith("k:") and path[-1][2:] in orjson.loads(path[-2][2:])


def _remove(root: dict[str, Any], path: Path) -> None:
    if _names_element(path):
        if _only_key(_get(root, path[:-1]), path[-2]):
            _remove(root, path[:-1])
        return
    parents: list[tuple[Any, str]] = []
    node: Any = root
    for part in path:
        parents.append((node, part))
        node = _get(node, (part,))
        if node is _ABSENT:
            return
    for depth, (parent, part) in enumerate(reversed(parents)):
        if depth and _get(parent, (part,)) not in ({}, []) and not _only_key(_get(parent, (part,)), part):
            return
        if part.startswith("f:"):
            del parent[part[2:]]
        else:
            del parent[_find(parent, part)]


def _only_key(value: Any, part: str) -> bool:
    """Whether nothing but its identity is left of a list element."""
    return part.startswith("k:") and isinstance(value, dict) and set(value) <= set(orjson.loads(part[2:]))


def _dotted(path: Path) -> str:
    text = ""
    for part in path:
        if part.startswith("f:"):
            text += f".{part[2:]}"
        elif part.startswith("v:"):
            text += f"[={part[2:]}]"
        else:
            text += (
                "["
                + ",".join(f"{key}={orjson.dumps(value).decode()}" for key, value in orjson.loads(part[2:]).items())
                + "]"
            )
    return text
