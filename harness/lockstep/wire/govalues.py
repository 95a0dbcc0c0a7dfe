"""JSON values as Go's `%v` prints them, and JSON's types by Go's names."""

from __future__ import annotations

from typing import Any

#: By the type of the value: how encoding/json calls what it has found.
JSON_TYPES: dict[type, str] = {
    str: "string", bool: "bool", int: "number", float: "number", dict: "object", list: "array"
}  # fmt: skip


def go_value(value: Any) -> str:
    """The text of a value: `map[a:1 b:[x y]]`, keys sorted, strings bare."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_value(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(go_value(item) for item in value)}]"
    if value is None:
        return "<nil>"
    return str(value).lower() if isinstance(value, bool) else str(value)
