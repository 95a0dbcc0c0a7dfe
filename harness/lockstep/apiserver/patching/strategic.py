"""Strategic merge patch: a merge patch that treats some lists as sets or maps.

From apimachinery/pkg/util/strategicpatch/patch.go. Upstream reads merge keys and strategies from struct tags; here they
come from the table of the built-in types. A list that is not in the table is replaced.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.builtin.types import Field, fields, is_struct
from lockstep.apiserver.errors import ApiError, bad_request
from lockstep.wire import gotext

_DIRECTIVE = "$patch"
_RETAIN = "$retainKeys"
_ORDER = "$setElementOrder/"
_DELETE_VALUES = "$deleteFromPrimitiveList/"


def _part(kind: str, name: str) -> tuple[str, Field | None]:
    """The type of a field or of a map's value; "" if it is not known. For the former, also the field."""
    if kind.startswith("map "):
        return kind.removeprefix("map "), None
    field = fields(kind).get(name) if is_struct(kind) else None
    return (field.type, field) if field is not None else ("", None)


def apply_strategic(original: dict[str, Any], patch: dict[str, Any], kind: str) -> dict[str, Any]:
    """The patched object; both arguments stay as they are. Raises ApiError on an invalid patch.

    `kind`: the type of the object in the table, such as `apps/v1.ReplicaSet`; "" for an unknown one.
    """
    directive = patch.get(_DIRECTIVE)
    if directive == "replace":
        return {key: _plain(item) for key, item in patch.items() if item is not None and not key.startswith("$")}
    if directive == "delete":
        return {}
    if directive not in (None, "merge"):
        raise bad_request(f"unknown patch type: {directive}; use merge, replace or delete")
    result = dict(original)
    if _RETAIN in patch:
        retained = patch[_RETAIN]
        if not isinstance(retained, list):
            raise bad_request("invalid patch format of retainKeys: it must be a list of field names")
        result = {key: item for key, item in result.items() if key in retained}
    for key, item in patch.items():
        if key.startswith("$"):
            continue
        if item is None:
            result.pop(key, None)
        else:
            result[key] = _merged(result.get(key), item, *_part(kind, key))
    _apply_list_directives(result, patch, kind)
    return result


def _merged(current: Any, item: Any, kind: str, field: Field | None) -> Any:
    """The result for a value that a patch names."""
    if isinstance(item, dict):
        replaced = not isinstance(current, dict) or (field is not None and field.replaced)
        return _plain(item) if replaced else apply_strategic(current, item, kind)
    return _merge_list(field, current, item) if isinstance(item, list) else item


def _plain(value: Any) -> Any:
    """A value from a patch without directives and nulls."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None and not key.startswith("$")}
    if isinstance(value, list):
        return [_plain(item) for item in value if not (isinstance(item, dict) and item.get(_DIRECTIVE) == "delete")]
    return value


def _apply_list_directives(result: dict[str, Any], patch: dict[str, Any], kind: str) -> None:
    for key, values in patch.items():
        if key.startswith(_DELETE_VALUES):
            name = key.removeprefix(_DELETE_VALUES)
            if not isinstance(values, list):
                raise bad_request("invalid patch format of primitive list: it must be a list of values")
            if isinstance(result.get(name), list):
                result[name] = [item for item in result[name] if item not in values]
        elif key.startswith(_ORDER):
            name = key.removeprefix(_ORDER)
            if isinstance(result.get(name), list):
                result[name] = _ordered(_part(kind, name)[1], result[name], values)


def _merge_list(field: Field | None, original: Any, patch: list[Any]) -> list[Any]:
    current = original if isinstance(original, list) else []
    if field is None or not field.merged:
        return [_plain(item) for item in patch]
    if not field.merge_key:
        added = [item for item in patch if item not in current]
        merged = [*current, *added]
        in_patch = [item for item in patch if item in merged]
        return _interleaved([item for item in merged if item not in patch], in_patch, current, lambda item: item)
    if not all(isinstance(item, dict) for item in [*current, *patch]):
        return [_plain(item) for item in patch]
    if any(item.get(_DIRECTIVE) == "replace" for item in patch):
        return [_plain(item) for item in patch if set(item) != {_DIRECTIVE}]
    return _merge_maps(current, patch, field)


def _merge_maps(current: list[dict[str, Any]], patch: list[dict[str, Any]], field: Field) -> list[Any]:
    key, kind = field.merge_key, field.type.removeprefix("list ")
    merged = {_identity(item, key): item for item in current}
    touched: dict[Any, None] = {}
    for item in patch:
        if item.get(_DIRECTIVE) == "delete":
            merged.pop(_identity(item, key), None)
    for item in patch:
        if item.get(_DIRECTIVE) == "delete":
            continue
        identity = _identity(item, key)
        merged[identity] = apply_strategic(merged.get(identity, {}), item, kind)
        touched[identity] = None
    server_only = [item for identity, item in merged.items() if identity not in touched]
    return _interleaved(server_only, [merged[identity] for identity in touched], current, lambda item: item.get(key))


def _identity(item: dict[str, Any], key: str) -> Any:
    if key not in item:
        raise ApiError(500, "", f"map: {gotext.plain(item)} does not contain declared merge key: {key}")
    return item[key]


def _interleaved(server_only: list[Any], patched: list[Any], server_order: list[Any], identity: Any) -> list[Any]:
    """mergeSortedSlice: keep both orders; what the server had earlier goes first where both are known."""
    position = {identity(item): index for index, item in enumerate(server_order)}
    result: list[Any] = []
    left, right = list(server_only), list(patched)
    while left and right:
        a, b = position.get(identity(left[0])), position.get(identity(right[0]))
        result.append(left.pop(0) if a is not None and b is not None and a < b else right.pop(0))
    return [*result, *left, *right]


def _ordered(field: Field | None, items: list[Any], order: Any) -> list[Any]:
    if not isinstance(order, list):
        raise bad_request("invalid patch format of setElementOrder list: it must be a list")
    key = field.merge_key if field else ""

    def identity(item: Any) -> Any:
        return item.get(key) if isinstance(item, dict) and key else item

    wanted = [identity(item) for item in order]
    listed = sorted((item for item in items if identity(item) in wanted), key=lambda item: wanted.index(identity(item)))
    return _interleaved([item for item in items if identity(item) not in wanted], listed, items, identity)
