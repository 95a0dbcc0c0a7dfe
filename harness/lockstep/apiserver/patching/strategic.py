"""Strategic merge patch: a merge patch that knows which lists are sets and which are maps.

From apimachinery/pkg/util/strategicpatch/patch.go. Upstream reads the merge keys from struct tags; here they are a
table by field name, which is enough since no field name in the served kinds has two meanings but `ports`.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.errors import ApiError, bad_request
from lockstep.wire import gotext

#: Lists of objects and the field that identifies an element.
MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "imagePullSecrets": "name",
    "hostAliases": "ip",
    "topologySpreadConstraints": "topologyKey",
    "conditions": "type",
    "ownerReferences": "uid",
    "addresses": "type",
    "podIPs": "ip",
    "hostIPs": "ip",
    "resourceClaims": "name",
    "schedulingGates": "name",
    "secrets": "name",
    "ports": "containerPort",
    "resourceClaimStatuses": "name",
    "webhooks": "name",
}
#: Lists of plain values that are merged as sets.
MERGED_SETS = frozenset({"finalizers"})
_DIRECTIVE = "$patch"
_RETAIN = "$retainKeys"
_ORDER = "$setElementOrder/"
_DELETE_VALUES = "$deleteFromPrimitiveList/"


def merge_key(field: str, elements: list[Any]) -> str | None:
    """The merge key of a list field; services key their `ports` by `port`."""
    if field == "ports" and any(isinstance(item, dict) and "port" in item for item in elements):
        return "port"
    return MERGE_KEYS.get(field)


def apply_strategic(original: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """The patched object; both arguments stay as they are. Raises ApiError on a patch that makes no sense."""
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
        elif isinstance(item, dict):
            current = result.get(key)
            result[key] = apply_strategic(current, item) if isinstance(current, dict) else _plain(item)
        elif isinstance(item, list):
            result[key] = _merge_list(key, result.get(key), item)
        else:
            result[key] = item
    _apply_list_directives(result, patch)
    return result


def _plain(value: Any) -> Any:
    """A value from a patch without directives and nulls."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None and not key.startswith("$")}
    if isinstance(value, list):
        return [_plain(item) for item in value if not (isinstance(item, dict) and item.get(_DIRECTIVE) == "delete")]
    return value


def _apply_list_directives(result: dict[str, Any], patch: dict[str, Any]) -> None:
    for key, values in patch.items():
        if key.startswith(_DELETE_VALUES):
            field = key.removeprefix(_DELETE_VALUES)
            if not isinstance(values, list):
                raise bad_request("invalid patch format of primitive list: it must be a list of values")
            if isinstance(result.get(field), list):
                result[field] = [item for item in result[field] if item not in values]
        elif key.startswith(_ORDER):
            field = key.removeprefix(_ORDER)
            if isinstance(result.get(field), list):
                result[field] = _ordered(field, result[field], values)


def _merge_list(field: str, original: Any, patch: list[Any]) -> list[Any]:
    current = original if isinstance(original, list) else []
    if field in MERGED_SETS:
        added = [item for item in patch if item not in current]
        merged = [*current, *added]
        in_patch = [item for item in patch if item in merged]
        return _interleaved([item for item in merged if item not in patch], in_patch, current, lambda item: item)
    key = merge_key(field, [*current, *patch])
    if key is None or not all(isinstance(item, dict) for item in [*current, *patch]):
        return [_plain(item) for item in patch]
    if any(item.get(_DIRECTIVE) == "replace" for item in patch):
        return [_plain(item) for item in patch if set(item) != {_DIRECTIVE}]
    return _merge_maps(current, patch, key)


def _merge_maps(current: list[dict[str, Any]], patch: list[dict[str, Any]], key: str) -> list[Any]:
    merged = {_identity(item, key): item for item in current}
    touched: dict[Any, None] = {}
    for item in patch:
        if item.get(_DIRECTIVE) == "delete":
            merged.pop(_identity(item, key), None)
    for item in patch:
        if item.get(_DIRECTIVE) == "delete":
            continue
        identity = _identity(item, key)
        merged[identity] = apply_strategic(merged.get(identity, {}), item)
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


def _ordered(field: str, items: list[Any], order: Any) -> list[Any]:
    if not isinstance(order, list):
        raise bad_request("invalid patch format of setElementOrder list: it must be a list")
    key = merge_key(field, items)

    def identity(item: Any) -> Any:
        return item.get(key) if isinstance(item, dict) and key else item

    wanted = [identity(item) for item in order]
    listed = sorted((item for item in items if identity(item) in wanted), key=lambda item: wanted.index(identity(item)))
    return _interleaved([item for item in items if identity(item) not in wanted], listed, items, identity)
