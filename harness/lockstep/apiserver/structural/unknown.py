"""Fields of a custom resource that its schema does not have: what pruning drops (schema/pruning/algorithm.go)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lockstep.apiserver.structural.schema import Structural

_HEAD = frozenset({"apiVersion", "kind", "metadata"})


def unknown_fields(sent: dict[str, Any], schema: Structural) -> list[tuple[str | int, ...]]:
    """Their paths: names of fields, and positions in lists. Fields that every object has are not included."""
    return list(_unknown({key: item for key, item in sent.items() if key not in _HEAD}, schema, ()))


def _unknown(value: Any, schema: Structural, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if type(value) is list and schema.items is not None:
        for index, item in enumerate(value):
            yield from _unknown(item, schema.items, (*path, index))
    elif type(value) is dict:
        for key, item in value.items():
            part = schema.properties.get(key, schema.additional)
            if part is not None:
                yield from _unknown(item, part, (*path, key))
            elif not schema.preserve:
                yield (*path, key)
