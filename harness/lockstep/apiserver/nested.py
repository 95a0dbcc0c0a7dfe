"""Values at dotted paths of custom resources (apimachinery/pkg/apis/meta/v1/unstructured/helpers.go)."""

from __future__ import annotations

from typing import Any

from lockstep.wire import gotext

_GO_TYPES = {
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    dict: "map[string]interface {}",
    list: "[]interface {}",
}
_WANTED: dict[str, type] = {"int64": int, "string": str}


def nested(payload: dict[str, Any], path: str, wanted: str) -> Any:
    """NestedInt64 or NestedString: the value, None if there is none. Raises ValueError if it has another type."""
    fields = path.removeprefix(".").split(".")
    value: Any = payload
    for index, field in enumerate(fields):
        if value is None:
            return None
        if type(value) is not dict:
            raise _wrong(fields[: index + 1], value, "map[string]interface{}")
        if field not in value:
            return None
        value = value[field]
    if type(value) is not _WANTED[wanted]:
        raise _wrong(fields, value, wanted)
    return value


def set_nested(payload: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """SetNestedField on a copy; what is not touched is shared. Raises ValueError if something is in the way."""
    fields = path.removeprefix(".").split(".")
    result = inner = dict(payload)
    for index, field in enumerate(fields[:-1]):
        there = inner.get(field, {})
        if type(there) is not dict:
            where = "".join(f".{one}" for one in fields[: index + 1])
            raise ValueError(f"value cannot be set because {where} is not a map[string]interface{{}}")
        inner[field] = dict(there)
        inner = inner[field]
    inner[fields[-1]] = value
    return result


def _wrong(fields: list[str], value: Any, wanted: str) -> ValueError:
    where = "".join(f".{one}" for one in fields)
    return ValueError(
        f"{where} accessor error: {gotext.plain(value)} is of the type {_GO_TYPES.get(type(value), '<nil>')}, "
        f"expected {wanted}"
    )
