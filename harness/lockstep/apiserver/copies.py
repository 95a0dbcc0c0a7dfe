"""Private copies of JSON data."""

from __future__ import annotations

import marshal
from typing import Any

_NESTED = frozenset({dict, list})


def copied(value: Any) -> Any:
    """A deep copy of JSON data without nulls."""
    kind = type(value)
    if kind is dict:
        return {key: copied(item) if type(item) in _NESTED else item for key, item in value.items() if item is not None}
    if kind is list:
        return [copied(item) if type(item) in _NESTED else item for item in value]
    return value


def deep_copy(value: Any) -> Any:
    """A deep copy of JSON data. Raises ValueError on anything else."""
    return marshal.loads(marshal.dumps(value))  # noqa: S302 - reads what the line itself has written
