"""Pruning of unknown fields, dropping of meaningless nulls, and defaults, in one pass.

From schema/pruning/algorithm.go, schema/defaulting/prune.go and schema/defaulting/algorithm.go.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.copies import deep_copy
from lockstep.apiserver.structural.schema import Structural

_SCALARS = frozenset({str, int, float, bool, type(None)})


def settled(value: Any, schema: Structural) -> Any:
    """A private copy of `value` as the server keeps it."""
    kind = type(value)
    if kind is dict:
        return _settled_object(value, schema)
    if kind is list:
        return _settled_list(value, schema)
    return value


def _settled_object(value: dict[str, Any], schema: Structural) -> dict[str, Any]:
    result: dict[str, Any] = {}
    properties, additional, preserve = schema.properties, schema.additional, schema.preserve
    for key, item in value.items():
        part = properties.get(key, additional)
        if part is None:
            if preserve:
                result[key] = item if type(item) in _SCALARS else deep_copy(item)
        elif item is None:
            _keep_null(result, key, part)
        else:
            result[key] = item if type(item) in _SCALARS else settled(item, part)
    for key, part in properties.items():
        if part.has_default and key not in result:
            result[key] = deep_copy(part.default)
    return result


def _keep_null(result: dict[str, Any], key: str, part: Structural) -> None:
    """A null stays where it is allowed; elsewhere it becomes the default, or is dropped."""
    if part.nullable:
        result[key] = None
    elif part.has_default:
        result[key] = deep_copy(part.default)


def _settled_list(value: list[Any], schema: Structural) -> list[Any]:
    items = schema.items
    if items is None:
        return deep_copy(value) if schema.preserve else [_emptied(item) for item in value]
    return [item if type(item) in _SCALARS else settled(item, items) for item in value]


def _emptied(value: Any) -> Any:
    """A value without a schema, after pruning."""
    if type(value) is dict:
        return {}
    return [_emptied(item) for item in value] if type(value) is list else value
