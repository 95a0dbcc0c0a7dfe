"""JSON patches as upstream's library applies them, which differs from RFC 6902 (evanphx/json-patch, version 4).

Replacing a missing member adds it, a missing member tests equal to null, and copying one copies null.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.copies import deep_copy

#: A place in a document: the container of the value, and the member or index.
Place = tuple[Any, str]


class PatchFailed(Exception):
    """An operation cannot be applied."""


def apply_json_patch(document: dict[str, Any], operations: list[Any]) -> Any:
    """The patched document; `document` stays as it is. Raises PatchFailed."""
    root = [deep_copy(document)]
    for operation in operations:
        if not isinstance(operation, dict):
            raise PatchFailed("an operation is no object")
        _OPERATIONS.get(str(operation.get("op")), _unknown)(root, operation)
    return root[0]


def _parts(path: Any) -> list[str]:
    if type(path) is not str:
        raise PatchFailed("path is missing")
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def _find(root: list[Any], path: Any) -> Place | None:
    """The place at a path; None if a container on the path is missing."""
    parts = _parts(path)
    if not parts:
        return None
    holder = root[0]
    for part in parts[:-1]:
        holder = _get(holder, part)
        if not isinstance(holder, dict | list):
            return None
    return holder, parts[-1]


def _index(holder: list[Any], part: str, *, end: int) -> int:
    try:
        index = int(part)
    except ValueError:
        raise PatchFailed(f"{part!r} is no index") from None
    if index < 0:
        index += end
    if not 0 <= index < end:
        raise PatchFailed(f"index {part} is out of bounds")
    return index


def _get(holder: Any, part: str) -> Any:
    """The value at a place; a missing member is null, a missing element an error."""
    if isinstance(holder, dict):
        return holder.get(part)
    return holder[_index(holder, part, end=len(holder))]


def _wanted(root: list[Any], operation: dict[str, Any], field: str) -> Place:
    place = _find(root, operation.get(field))
    if place is None:
        raise PatchFailed(f"{operation.get(field)!r} is missing")
    return place


def _add(root: list[Any], operation: dict[str, Any]) -> None:
    _put(_wanted(root, operation, "path"), deep_copy(operation.get("value")))


def _put(place: Place, value: Any) -> None:
    holder, part = place
    if isinstance(holder, dict):
        holder[part] = value
    elif part == "-":
        holder.append(value)
    else:
        holder.insert(_index(holder, part, end=len(holder) + 1), value)


def _replace(root: list[Any], operation: dict[str, Any]) -> None:
    if operation.get("path") == "":
        root[0] = deep_copy(operation.get("value"))
        return
    holder, part = _wanted(root, operation, "path")
    if isinstance(holder, dict):
        holder[part] = deep_copy(operation.get("value"))
    else:
        holder[_index(holder, part, end=len(holder))] = deep_copy(operation.get("value"))


def _remove(root: list[Any], operation: dict[str, Any]) -> None:
    _take(_wanted(root, operation, "path"))


def _take(place: Place) -> Any:
    holder, part = place
    if isinstance(holder, dict):
        if part not in holder:
            raise PatchFailed(f"{part!r} is missing")
        return holder.pop(part)
    return holder.pop(_index(holder, part, end=len(holder)))


def _move(root: list[Any], operation: dict[str, Any]) -> None:
    value = _take(_wanted(root, operation, "from"))
    _put(_wanted(root, operation, "path"), value)


def _copy(root: list[Any], operation: dict[str, Any]) -> None:
    value = _get(*_wanted(root, operation, "from"))
    _put(_wanted(root, operation, "path"), deep_copy(value))


def _test(root: list[Any], operation: dict[str, Any]) -> None:
    found = _get(*_wanted(root, operation, "path"))
    value = operation.get("value")
    if found != value or isinstance(found, bool) is not isinstance(value, bool):
        raise PatchFailed("the test failed")


def _unknown(root: list[Any], operation: dict[str, Any]) -> None:
    raise PatchFailed(f"there is no operation {operation.get('op')!r}")


_OPERATIONS = {"add": _add, "replace": _replace, "remove": _remove, "move": _move, "copy": _copy, "test": _test}
